"""Reading the agent's answer as JSON, and other tenants' words in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from agenttwin.document import parse_json
from agenttwin.errors import DocumentError
from agenttwin.transcript import Setting
from agenttwin.values import MISSING, Json, Missing, Tree

MIN_FOREIGN_TEXT: Final = 6
"""A shorter text stands in too many answers by chance."""

_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)```", re.DOTALL)


def answer_json(answer: str) -> Json | Missing:
    """The answer as JSON: whole, or what stands in its first fence; MISSING where it is none."""
    fenced = _FENCE.search(answer)
    for text in (answer, fenced[1] if fenced else ""):
        try:
            return parse_json(text.strip())
        except DocumentError:
            continue
    return MISSING


def foreign_texts(before: Tree, setting: Setting) -> frozenset[str]:
    """Texts that stand only in records of other tenants: not in ours, not in what the case was told."""
    if setting.tenant_key is None or setting.tenant is None:
        return frozenset()
    ours: set[str] = set()
    theirs: set[str] = set()
    _gather(before.root, setting, ours, theirs, foreign=False)
    told = "\n".join(setting.input_texts)
    return frozenset(text for text in theirs - ours if text not in told)


def _gather(value: Any, setting: Setting, ours: set[str], theirs: set[str], *, foreign: bool) -> None:
    if isinstance(value, str):
        if len(value) >= MIN_FOREIGN_TEXT:
            (theirs if foreign else ours).add(value)
    elif isinstance(value, Mapping):
        owner = value.get(setting.tenant_key, MISSING) if setting.tenant_key else MISSING
        inside = foreign if not isinstance(owner, str) else owner != setting.tenant
        for key, item in value.items():
            child = inside or _is_foreign(item, setting)
            if len(key) >= MIN_FOREIGN_TEXT:
                (theirs if child else ours).add(key)
            _gather(item, setting, ours, theirs, foreign=inside)
    elif isinstance(value, Sequence):
        for item in value:
            _gather(item, setting, ours, theirs, foreign=foreign)


def _is_foreign(value: Any, setting: Setting) -> bool:
    owner = value.get(setting.tenant_key, MISSING) if isinstance(value, Mapping) else MISSING
    return isinstance(owner, str) and owner != setting.tenant


def first_found(answer: str, texts: Iterable[str]) -> str | None:
    """The first of the texts, in their order, that the answer holds."""
    return next((text for text in sorted(texts) if text in answer), None)
