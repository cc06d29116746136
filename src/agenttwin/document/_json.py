"""Text in JSON → values: the guarded reader for `.json` documents, for arguments and for agents' answers."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from math import isfinite
from typing import Final, NoReturn

import orjson

from agenttwin.document._limits import JSON_LIMITS, Limits
from agenttwin.document._source import Place, Spot
from agenttwin.errors import DocumentError, Location, Problem, quote
from agenttwin.values import MAX_INTEGER, Json

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]|[^\s"\[\]{},:]+', re.DOTALL)


def read_json(text: str, *, file: str, limits: Limits) -> Json:
    """The value of ``text``; DocumentError for what is no JSON, too large, ambiguous or not exact."""
    _guard(text, file, limits)
    problems: list[Problem] = []

    def pairs(members: list[tuple[str, Json]]) -> Json:
        names = dict(members)
        if len(names) < len(members):
            problems.append(_duplicate(members, file))
        return names

    try:
        value: Json = json.loads(
            text, object_pairs_hook=pairs, parse_int=_integer, parse_float=_float, parse_constant=_constant
        )
    except json.JSONDecodeError as error:
        place = (error.lineno, error.colno)
        raise DocumentError(
            [_problem(file, "not_json", f"this is not JSON: {error.msg.lower()}", place)]
        ) from None
    except _NumberError as error:
        raise DocumentError([_problem(file, error.code, error.message, _find(text, error.text))]) from None
    if problems:
        raise DocumentError(problems)
    _check_texts(value, file)
    return value


def parse_json(text: str | bytes, *, file: str = "", limits: Limits = JSON_LIMITS) -> Json:
    """JSON that others send: depth, size and numbers are checked; DocumentError says what is wrong."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(data) > limits.bytes:
        raise DocumentError([_too_large(file, limits)])
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        code = "document_too_deep" if "recursion" in error.msg.lower() else "not_json"
        problem = _problem(file, code, f"this is not JSON: {error.msg}", (error.lineno, error.colno))
        raise DocumentError([problem]) from None
    _measure(value, file, limits)
    return value


def find_json_spots(text: str) -> Spot:
    """Where each part of a JSON text that was read before stands."""
    root = Spot((1, 1), {}, {})
    stack: list[tuple[Spot, bool]] = []
    key: str | None = None
    lines = [0, *(found.end() for found in re.finditer("\n", text))]
    for token in _TOKEN.finditer(text):
        line = bisect_right(lines, token.start())
        word, place = token[0], (line, token.start() - lines[line - 1] + 1)
        if word in "]}":
            stack.pop()
            continue
        if stack and stack[-1][1] and key is None:
            key = json.loads(word)
            stack[-1][0].keys.setdefault(key, place)
            continue
        spot = Spot(place, {}, {})
        if not stack:
            root = spot
        else:
            parent, is_object = stack[-1]
            parent.parts[key if is_object and key is not None else len(parent.parts)] = spot
            key = None
        if word in "[{":
            stack.append((spot, word == "{"))
    return root


class _NumberError(ValueError):
    """A number that JSON values cannot hold."""

    def __init__(self, code: str, text: str, message: str) -> None:
        super().__init__(message)
        self.code, self.text, self.message = code, text, message


def _integer(text: str) -> int:
    if len(text) > 17 or abs(value := int(text)) > MAX_INTEGER:
        reason = f"{quote(text)} is beyond ±2^53, where integers are not exact; ids are text"
        raise _NumberError("integer_too_large", text, reason)
    return value


def _float(text: str) -> int | float:
    value = float(text)
    if not isfinite(value):
        _constant(text)
    return int(value) if value.is_integer() and abs(value) <= MAX_INTEGER else value


def _constant(text: str) -> NoReturn:
    raise _NumberError("number_not_finite", text, f"{quote(text)} is no finite number")


def _guard(text: str, file: str, limits: Limits) -> None:
    """Depth and number of nodes, before the recursive reader sees the text."""
    depth = nodes = 0
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word in "]}":
            depth -= 1
            continue
        nodes += 1
        if word in "[{":
            depth += 1
            if depth > limits.depth:
                message = f"the document nests deeper than {limits.depth} levels"
                raise DocumentError(
                    [_problem(file, "document_too_deep", message, _place(text, token.start()))]
                )
        if nodes > limits.nodes:
            message = f"the document holds more than {limits.nodes:,} values and keys"
            raise DocumentError([_problem(file, "too_many_nodes", message, _place(text, token.start()))])


def _measure(value: Json, file: str, limits: Limits) -> None:
    """The same limits, and exact integers, over a value that is already there."""
    level: list[Json] = [value]
    nodes = depth = 0
    while level:
        deeper: list[Json] = []
        for item in level:
            if isinstance(item, dict):
                deeper.extend(item.values())
                nodes += len(item)
            elif isinstance(item, list):
                deeper.extend(item)
            elif type(item) is int and abs(item) > MAX_INTEGER:
                reason = f"{item} is beyond ±2^53, where integers are not exact; ids are text"
                raise DocumentError([_problem(file, "integer_too_large", reason, None)])
        nodes += len(level)
        depth += any(isinstance(item, dict | list) for item in level)
        if depth > limits.depth:
            message = f"the value nests deeper than {limits.depth} levels"
            raise DocumentError([_problem(file, "document_too_deep", message, None)])
        if nodes > limits.nodes:
            message = f"the value holds more than {limits.nodes:,} values and keys"
            raise DocumentError([_problem(file, "too_many_nodes", message, None)])
        level = deeper


def _check_texts(value: Json, file: str) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        message = "half a surrogate pair is no character"
        raise DocumentError([_problem(file, "lone_surrogate", message, None)]) from None


def _duplicate(members: list[tuple[str, Json]], file: str) -> Problem:
    names = [name for name, _ in members]
    twice = next(name for name in names if names.count(name) > 1)
    return _problem(file, "duplicate_key", f"the key {quote(twice)} stands twice in one object", None)


def _too_large(file: str, limits: Limits) -> Problem:
    return _problem(file, "document_too_large", f"the text has more than {limits.bytes:,} bytes", None)


def _find(text: str, word: str) -> Place:
    return _place(text, max(text.find(word), 0))


def _place(text: str, position: int) -> Place:
    return text.count("\n", 0, position) + 1, position - (text.rfind("\n", 0, position) + 1) + 1


def _problem(file: str, code: str, message: str, place: Place | None) -> Problem:
    location = Location(file=file, line=place[0], column=place[1]) if place and file else None
    return Problem(code=code, message=message, location=location)
