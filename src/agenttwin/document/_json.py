"""JSON text → composed value. Sound text takes a fast way; only text in doubt is read token by token."""

import json
import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from yaml.events import (
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from agenttwin.document._compose import Composed, Flaw, TextError, compose
from agenttwin.document._limits import Limits
from agenttwin.document._scalar import NumberError, fraction, integer
from agenttwin.errors import Problem, quote
from agenttwin.values import Json

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]|[^\s\[\]{},:"]+')
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# What Python says, as it begins → what we say; releases of Python differ in the rest.
_COMPLAINTS: Final[Mapping[str, str]] = {
    "Expecting property name": "expected a key in double quotes; no comma follows the last entry",
    "Illegal trailing comma": "no comma follows the last entry",
    "Expecting value": "expected a value",
    "Expecting ',' delimiter": "expected ',' or the end of the list or mapping",
    "Expecting ':' delimiter": "expected ':' after the key",
    "Extra data": "something follows after the end of the value",
    "Invalid control character": "a text cannot hold this character; write an escape such as \\n",
    "Unterminated string": "the text that begins here is not closed",
    "Invalid \\escape": "there is no such escape; a backslash itself is doubled",
    "Invalid \\uXXXX escape": "\\u needs four hex digits",
}
_BY_CHARACTER: Final[Mapping[str, str]] = {
    "'": "texts and keys stand in double quotes",
    "/": "JSON has no comments",
    "#": "JSON has no comments",
}
_CONTAINERS: Final = frozenset({dict, list})


class _DoubtError(Exception):
    """Something is to be said about the text; the token by token reader will find what and where."""


@dataclass(slots=True)
class _Mark:
    """The place of a token, as PyYAML's events carry it; frozen, it would cost more than the rest."""

    index: int


def compose_json(text: str, limits: Limits) -> Composed:
    """The JSON value in `text`; TextError where it is no JSON or passes a limit."""
    try:
        value = _DECODER.decode(text)
        if _fits(value, limits) and _is_text(value, text):
            return Composed(value=value)
    except json.JSONDecodeError as error:
        raise TextError(_no_json(error, text)) from None
    except (_DoubtError, NumberError):
        _check_syntax(text)
    except RecursionError:
        pass  # sound so far, and already far deeper than any limit
    return compose(_events(text), limits)


def json_offsets(text: str) -> "array[int]":
    """Where each node of a sound JSON text stands, keys too."""
    return array("I", (found.start() for found in _TOKEN.finditer(text) if found[0] not in "]}"))


def _object(members: list[tuple[str, Json]]) -> Json:
    found = dict(members)
    if len(found) < len(members):
        raise _DoubtError
    return found


def _constant(name: str) -> NoReturn:
    raise _DoubtError


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=integer, parse_float=fraction, parse_constant=_constant
)


def _fits(value: Json, limits: Limits) -> bool:
    """Whether the value keeps its limits, looked at level by level and so without recursion."""
    nodes, depth = 1, 0
    level: list[Any] = [value]
    while level := [member for member in level if type(member) in _CONTAINERS]:
        depth += 1
        below: list[Any] = []
        for container in level:
            if type(container) is dict:
                nodes += 2 * len(container)
                below.extend(container.values())
            else:
                nodes += len(container)
                below.extend(container)
        level = below
    return depth <= limits.depth and nodes <= limits.nodes


def _is_text(value: Json, text: str) -> bool:
    """Whether every text of the value has whole characters; only an escape could have made half of one."""
    if not _SURROGATE_ESCAPE.search(text):
        return True
    return not _SURROGATE.search(json.dumps(value, ensure_ascii=False))


def _check_syntax(text: str) -> None:
    """TextError where the rest of a text in doubt is no JSON."""
    try:
        json.loads(text, parse_int=len)
    except json.JSONDecodeError as error:
        raise TextError(_no_json(error, text)) from None
    except RecursionError:
        pass


def _events(text: str) -> Iterator[Event]:
    """PyYAML's events for a JSON text of sound syntax."""
    for found in _TOKEN.finditer(text):
        token = found[0]
        mark: Any = _Mark(found.start())
        match token[0]:
            case "{":
                yield MappingStartEvent(None, None, True, mark)
            case "[":
                yield SequenceStartEvent(None, None, True, mark)
            case "}":
                yield MappingEndEvent(mark)
            case "]":
                yield SequenceEndEvent(mark)
            case '"':
                yield ScalarEvent(None, None, (False, True), _text(token, mark.index), mark)
            case _:
                yield ScalarEvent(None, None, (True, False), _finite(token, mark.index), mark)


def _text(token: str, offset: int) -> str:
    if "\\" not in token:
        return token[1:-1]
    text: str = json.loads(token)
    if found := _SURROGATE.search(text):
        raise TextError(_flaw("lone_surrogate", f"{found[0]!a} is half of a surrogate pair", offset))
    return text


def _finite(token: str, offset: int) -> str:
    if token in ("NaN", "Infinity", "-Infinity"):
        raise TextError(_flaw("number_not_finite", f"{quote(token)} is no finite number", offset))
    return token


def _no_json(error: json.JSONDecodeError, text: str) -> Flaw:
    said, char = error.msg.removesuffix(" at"), text[error.pos : error.pos + 1]
    told = _BY_CHARACTER.get(char) if said.startswith("Expecting") else None
    told = told or next((ours for theirs, ours in _COMPLAINTS.items() if said.startswith(theirs)), said)
    return _flaw("not_json", f"this is not JSON: {told}", error.pos)


def _flaw(code: str, message: str, offset: int) -> Flaw:
    return Flaw(problem=Problem(code=code, message=message), offset=offset)
