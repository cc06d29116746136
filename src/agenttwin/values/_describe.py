"""A value in a few words, for sentences: short whatever the value holds."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from agenttwin.values._canonical import canonical
from agenttwin.values._json import MISSING

MAX_DESCRIPTION_CHARACTERS: Final = 80
_MEMBERS: Final = 8  # of a container shown; bounds the work on a large one


def describe(value: Any) -> str:
    """`value` as compact JSON of at most 80 characters, "nothing" where it is MISSING.

    Texts are cut with an ellipsis; an object or list that does not fit is named by its size.
    """
    if value is MISSING:
        return "nothing"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return _object(value)
    if isinstance(value, Sequence):
        return _list(value)
    try:
        return canonical(value).decode()
    except ValueError:
        return str(value)


def _text(value: str) -> str:
    if len(value) > MAX_DESCRIPTION_CHARACTERS - 2:
        value = value[: MAX_DESCRIPTION_CHARACTERS - 3] + "…"
    return canonical(value).decode()


def _object(value: Mapping[str, Any]) -> str:
    if len(value) <= _MEMBERS:
        members = (f"{describe(key)}: {describe(member)}" for key, member in islice(value.items(), _MEMBERS))
        text = "{" + ", ".join(members) + "}"
        if len(text) <= MAX_DESCRIPTION_CHARACTERS:
            return text
    return f"an object with {len(value)} keys"


def _list(value: Sequence[Any]) -> str:
    if len(value) <= _MEMBERS:
        text = "[" + ", ".join(map(describe, value)) + "]"
        if len(text) <= MAX_DESCRIPTION_CHARACTERS:
            return text
    return f"a list of {len(value)}"
