"""The digest of a report: over all of it but what is measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson
import re2  # type: ignore[import-untyped]

from agenttwin.compare._document import MEASURED
from agenttwin.values import canonical, digest_bytes

_HOLDERS: Final = frozenset(
    {"pair", "cases", "baseline", "candidate", "side", "evaluations", "overridden", "differences"}
    | {"coverage", "totals"}
)
"""Parts of a report in which something is measured; a test holds that there are no others."""

_FRACTION: Final = re2.compile(rb"(?:^|[:,\[])-?\d+[.e]")
"""A number that the encoder may spell otherwise than the canonical form does; searched in all of a report."""


def report_digest(document: Mapping[str, Any]) -> str:
    """The digest of a document without every ``measured``, and without its own ``report_digest``."""
    rest = {name: member for name, member in document.items() if name != "report_digest"}
    spelling = _spelled(_shed(rest))
    if b'"measured":' in spelling:  # somewhere else too, in a state of the user's maybe
        spelling = _spelled(without_measured(rest))
    return digest_bytes(spelling)


def without_measured(value: Any) -> Any:
    """The value without what stands under a key ``measured``, at any depth."""
    if isinstance(value, dict):
        return {name: without_measured(member) for name, member in value.items() if name != MEASURED}
    return [without_measured(element) for element in value] if isinstance(value, list) else value


def _shed(value: Any) -> Any:
    """The same where reports measure something, so that the rest need not be gone through."""
    if isinstance(value, list):
        return [_shed(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _shed(member) if name in _HOLDERS else member
        for name, member in value.items()
        if name != MEASURED
    }


def _spelled(value: Any) -> bytes:
    """The canonical form. Reports hold no NaN, so that it is the encoder's wherever there is no fraction."""
    spelling = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    if not _FRACTION.search(spelling):
        return spelling
    if isinstance(value, dict):
        parts = {name: orjson.Fragment(_spelled(member)) for name, member in value.items()}
        return orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    if isinstance(value, list):
        return orjson.dumps([orjson.Fragment(_spelled(element)) for element in value])
    return canonical(value)
