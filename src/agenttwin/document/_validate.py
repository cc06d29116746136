"""A value against a model: every problem at once, in the words of the file and not of the library."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from agenttwin.document._limits import MAX_PROBLEMS
from agenttwin.document._shape import Place, example, field_names, follow, tags
from agenttwin.document._source import Source, in_order
from agenttwin.errors import CODES, QUOTE_LIMIT, Problem, quote
from agenttwin.values import Json, format_path, nearest

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a model finds wrong in itself beyond the types: a reference, a template, a pair of fields.

    ``at`` is the place in the document; ``key`` points at the key there and not at its value.
    """

    at: tuple[str | int, ...]
    code: str
    message: str
    value: str | None = None
    nearest: str | None = None
    valid: tuple[str, ...] = ()
    warning: bool = False
    key: bool = False


def validate(source: Source, model: type[M]) -> tuple[M | None, tuple[Problem, ...]]:
    """The model, or None with the problems that stand in its way. Findings of the model come with it.

    A model that has a method ``findings() -> Iterable[Finding]`` is asked for what it finds in itself.
    """
    value, refused = judge(source.value, model)
    found = refused if value is None else own_findings(value)
    problems = problems_of(source, found)
    return (None if any(not finding.warning for finding in found) else value), problems


def judge(value: Json, model: type[M]) -> tuple[M | None, list[Finding]]:
    """The model, or None with what it refuses."""
    try:
        return model.model_validate_json(orjson.dumps(value)), []
    except ValidationError as error:
        details = islice(error.errors(include_url=False), MAX_DETAILS)
        return None, _settled(_found(model, detail) for detail in details)


def own_findings(model: BaseModel) -> list[Finding]:
    """What a model finds in itself."""
    findings: Callable[[], Iterable[Finding]] | None = getattr(model, "findings", None)
    return list(findings()) if findings else []


def problems_of(source: Source, findings: Iterable[Finding]) -> tuple[Problem, ...]:
    """The findings as problems of the file, line by line: the first MAX_PROBLEMS, and that there are more."""
    problems = in_order(located(source, finding) for finding in findings)
    if len(problems) <= MAX_PROBLEMS:
        return problems
    message = f"the problems after the first {MAX_PROBLEMS} are not told"
    more = Problem(code="too_many_problems", message=message, location=problems[MAX_PROBLEMS].location)
    return (*problems[:MAX_PROBLEMS], more)


def located(source: Source, finding: Finding) -> Problem:
    """The finding as a problem of the file."""
    at = source.written(finding.at)
    return Problem(
        code=finding.code,
        message=finding.message,
        location=source.locate(at, key=finding.key),
        path=format_path(at),
        value=finding.value if finding.value is None else _cut(finding.value),
        nearest=finding.nearest,
        valid=finding.valid,
        warning=finding.warning,
    )


MAX_DETAILS: Final = 4 * MAX_PROBLEMS
"""Errors of the library that are looked at: several may be one problem, and a mistake may bring thousands."""


# -- one error of the library


@dataclass(frozen=True, slots=True)
class _Error:
    """An error of the library: the value it is about, what the library says of it, and its place."""

    value: Any
    context: Mapping[str, Any]
    place: Place


Say = Callable[[_Error], Finding]


def _found(model: type[BaseModel], detail: ErrorDetails) -> Finding:
    kind, location = detail["type"], detail["loc"]
    error = _Error(detail["input"], detail.get("ctx", {}), follow(model, location))
    if kind == "extra_forbidden":
        return _unknown_field(error, field_names(follow(model, location[:-1]).declared))
    if kind in CODES:  # a validator of the model's own
        return _finding(error, kind, detail["msg"])
    for prefix, say in _SAYINGS.items():
        if kind.startswith(prefix):
            return say(error)
    return _finding(error, "invalid_value", f"{_shown(error.value)}: {detail['msg']}")


def _finding(error: _Error, code: str, message: str, **more: Any) -> Finding:
    place = error.place
    return Finding(at=place.path, code=code, message=message, value=_text(error.value), key=place.key, **more)


def _unknown_field(error: _Error, valid: tuple[str, ...]) -> Finding:
    name = str(error.place.path[-1])
    message = f"{quote(name)} is no field here"
    close = nearest(name, valid)
    return replace(
        _finding(error, "unknown_field", message, nearest=close, valid=valid), value=name, key=True
    )


def _missing(error: _Error, **more: Any) -> Finding:
    message = f"the field {quote(str(error.place.path[-1]))} is missing"
    return replace(_finding(error, "missing_field", message, **more), value=None)


def _no_tag(error: _Error) -> Finding:
    name, place = _tag_field(error), error.place
    below = replace(error, place=Place((*place.path, name), place.declared))
    return _missing(below, valid=tags(place.declared, name))


def _wrong_tag(error: _Error) -> Finding:
    name, place = _tag_field(error), error.place
    below = Place((*place.path, name), place.declared)
    return _word(replace(error, value=str(error.context["tag"]), place=below), error.context["expected_tags"])


def _tag_field(error: _Error) -> str:
    return str(error.context["discriminator"]).strip("'")


def _literal(error: _Error) -> Finding:
    expected = str(error.context["expected"])
    if "'" not in expected:
        return _finding(error, "unknown_value", f"{_shown(error.value)} must be {expected.lower()}")
    if isinstance(error.value, str):
        return _word(error, expected)
    return replace(_type("a word")(error), valid=_words(expected))


def _word(error: _Error, expected: str) -> Finding:
    valid = _words(expected)
    message = f"{quote(error.value)} is not one of the valid words"
    return _finding(error, "unknown_value", message, nearest=nearest(error.value, valid), valid=valid)


def _words(expected: str) -> tuple[str, ...]:
    """The words that pydantic lists as `'a', 'b' or 'c'`."""
    return tuple(re.findall(r"'((?:[^'\\]|\\.)*)'", expected))


def _type(wanted: str) -> Say:
    def say(error: _Error) -> Finding:
        value = error.value
        what = "it is null" if value is None else f"{_shown(value)} is {_kind(value)}"
        return _finding(error, "wrong_type", f"{what}{_BUT}{wanted}{_quotes(value, wanted)}")

    return say


_BUT: Final = ", but must be "
_TEXT: Final = "text"


def _quotes(value: Any, wanted: str) -> str:
    """What quotes have to do with it, where they are all that is wrong."""
    if wanted == _TEXT and isinstance(value, bool | int | float):
        return "; put it in quotes"
    if wanted in (_NUMBER, _WHOLE) and isinstance(value, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value):
        return "; leave out the quotes"
    return ""


_NUMBER: Final = "a number"
_WHOLE: Final = "a whole number"


def _bound(phrase: str, key: str) -> Say:
    def say(error: _Error) -> Finding:
        limit = error.context[key]
        number = int(limit) if float(limit).is_integer() else limit
        return _finding(error, "out_of_range", f"{_shown(error.value)} must be {phrase} {number}")

    return say


def _length(phrase: str, key: str) -> Say:
    def say(error: _Error) -> Finding:
        number = len(error.value)
        unit = ("character", "characters") if isinstance(error.value, str) else ("entry", "entries")
        said = f"has {number} {unit[number != 1]}, but must have {phrase} {error.context[key]}"
        return _finding(error, "wrong_length", f"{_shown(error.value)} {said}")

    return say


def _pattern(error: _Error) -> Finding:
    value = error.place.path[-1] if error.place.key else error.value
    such = example(error.place.declared)
    message = f"{quote(str(value))} does not have the form {error.context['pattern']}"
    return _finding(error, "pattern_mismatch", message + (f", such as {quote(such)}" if such else ""))


_SAYINGS: Final[Mapping[str, Say]] = {
    "missing": _missing,
    "union_tag_not_found": _no_tag,
    "union_tag_invalid": _wrong_tag,
    "literal_error": _literal,
    "enum": _literal,
    "int_": _type(_WHOLE),
    "float_": _type(_NUMBER),
    "string_type": _type(_TEXT),
    "string_sub_type": _type(_TEXT),
    "bool_": _type("true or false"),
    "list_type": _type("a list"),
    "tuple_type": _type("a list"),
    "frozen_set_type": _type("a list"),
    "set_type": _type("a list"),
    "dict_type": _type("a mapping"),
    "mapping_type": _type("a mapping"),
    "model_": _type("a mapping"),
    "none_required": _type("null"),
    "greater_than_equal": _bound("at least", "ge"),
    "greater_than": _bound("more than", "gt"),
    "less_than_equal": _bound("at most", "le"),
    "less_than": _bound("less than", "lt"),
    "string_too_short": _length("at least", "min_length"),
    "string_too_long": _length("at most", "max_length"),
    "too_short": _length("at least", "min_length"),
    "too_long": _length("at most", "max_length"),
    "string_pattern_mismatch": _pattern,
    "value_error": lambda error: _finding(error, "invalid_value", str(error.context["error"])),
}
"""Pydantic's kinds of errors by how they begin, the more specific first."""


# -- several errors that are one problem


def _settled(found: Iterable[Finding]) -> list[Finding]:
    """One finding a mistake: a union of types brings an error for each member that the value is not."""
    by_place: dict[tuple[str | int, ...], list[Finding]] = defaultdict(list)
    for finding in found:
        by_place[finding.at].append(finding)
    entered = {at[:length] for at in by_place for length in range(len(at))}
    return [
        finding
        for at, findings in by_place.items()
        for finding in _one_each(
            [each for each in findings if at not in entered or each.code not in _OF_TYPE]
        )
    ]


_OF_TYPE: Final = ("wrong_type", "unknown_value")


def _one_each(findings: list[Finding]) -> list[Finding]:
    """A word that is none says more than that it is no number; several types are told in one sentence."""
    types = [finding for finding in findings if finding.code == "wrong_type"]
    others = [finding for finding in findings if finding.code != "wrong_type"]
    if not types or any(finding.code == "unknown_value" for finding in others):
        return others
    if len(types) == 1:
        return [*others, *types]
    wanted = dict.fromkeys(finding.message.rpartition(_BUT)[2].partition(";")[0] for finding in types)
    said = types[0].message.rpartition(_BUT)[0]
    words = tuple(word for finding in types for word in finding.valid)
    return [*others, replace(types[0], message=f"{said}{_BUT}{' or '.join(wanted)}", valid=words)]


# -- values in sentences


def _shown(value: Any) -> str:
    return quote(value) if isinstance(value, str) else _text(value)


def _text(value: Any) -> str:
    return _cut(value if isinstance(value, str) else orjson.dumps(value, default=str).decode())


def _cut(text: str) -> str:
    return text if len(text) <= QUOTE_LIMIT else text[: QUOTE_LIMIT - 1] + "…"


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "something else")


_KINDS: Final[Mapping[type, str]] = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "a mapping",
}
