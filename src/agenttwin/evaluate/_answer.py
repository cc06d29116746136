"""Reading the agent's answer as JSON."""

from __future__ import annotations

import re
from typing import Final

from agenttwin.document import parse_json
from agenttwin.errors import DocumentError
from agenttwin.values import MISSING, Json, Missing

_FENCE: Final = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)


def answer_json(answer: str) -> Json | Missing:
    """The answer as JSON: whole, or the first fence that holds some; MISSING where there is none."""
    for text in (answer, *(found[1] for found in _FENCE.finditer(answer))):
        try:
            return parse_json(text.strip())
        except DocumentError:
            continue
    return MISSING
