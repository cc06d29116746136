"""A value in a few words, for sentences: short, and quick, whatever the value holds."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agenttwin.values._canonical import canonical
from agenttwin.values._json import MISSING, SCALARS

MAX_DESCRIPTION_CHARACTERS: Final = 80


def describe(value: object) -> str:
    """`value` as JSON on one line of at most 80 characters; "nothing" where it is MISSING.

    A longer text is cut with an ellipsis; an object or list that does not fit is told by its size.
    """
    if value is MISSING:
        return "nothing"
    text = _spelled(value, MAX_DESCRIPTION_CHARACTERS)
    if text is not None:
        return text
    if isinstance(value, str):
        return _cut(value)
    if isinstance(value, Mapping):
        return _counted(len(value), "an object", "key")
    if isinstance(value, Sequence):
        return _counted(len(value), "a list", "element")
    return f"{value}"[:MAX_DESCRIPTION_CHARACTERS]


def _spelled(value: object, room: int) -> str | None:
    """`value` as JSON, or None where that takes more than `room` characters: then it is given up early."""
    if type(value) not in SCALARS:
        if isinstance(value, Mapping):
            return _joined("{", _members(value, room - 2), "}", room)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return _joined("[", (_spelled(element, room - 2) for element in value), "]", room)
    if isinstance(value, str) and len(value) > room:
        return None
    try:
        text = canonical(value).decode()
    except ValueError:
        text = ascii(value)
    return text if len(text) <= room else None


def _members(value: Mapping[str, object], room: int) -> Iterator[str | None]:
    for key, member in value.items():
        name, text = _spelled(key, room), _spelled(member, room)
        yield None if name is None or text is None else f"{name}: {text}"


def _joined(start: str, parts: Iterator[str | None], end: str, room: int) -> str | None:
    if room < 2:
        return None
    text = start
    for part in parts:
        if part is None:
            return None
        text += part if text == start else f", {part}"
        if len(text) >= room:
            return None
    return text + end


def _cut(value: str) -> str:
    """The longest beginning that fits once it is quoted and escaped."""
    for end in range(MAX_DESCRIPTION_CHARACTERS - 3, 0, -1):
        if text := _spelled(value[:end] + "…", MAX_DESCRIPTION_CHARACTERS):
            return text
    return '"…"'


def _counted(number: int, container: str, part: str) -> str:
    return f"{container} of {number} {part}{'' if number == 1 else 's'}"
