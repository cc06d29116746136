"""A value against a model: every problem at once, in the words of the file and not of the library."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from agenttwin.document._limits import MAX_PROBLEMS
from agenttwin.document._shape import field_names, real_path
from agenttwin.document._source import Segments, Source
from agenttwin.errors import Problem, quote
from agenttwin.values import format_path, nearest

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
    try:
        value = model.model_validate_json(orjson.dumps(source.value))
    except ValidationError as error:
        return None, _problems(source, model, error)
    findings: Callable[[], Iterable[Finding]] | None = getattr(value, "findings", None)
    problems = tuple(located(source, finding) for finding in findings()) if findings else ()
    return (None if any(not problem.warning for problem in problems) else value), problems


def located(source: Source, finding: Finding) -> Problem:
    """The finding as a problem of the file."""
    return Problem(
        code=finding.code,
        message=finding.message,
        location=source.locate(finding.at, key=finding.key),
        path=format_path(finding.at),
        value=finding.value,
        nearest=finding.nearest,
        valid=finding.valid,
        warning=finding.warning,
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """What to say of one kind of error."""

    code: str
    message: str
    valid: tuple[str, ...] = ()
    nearest: str | None = None
    key: bool = False


def _problems(source: Source, model: type[BaseModel], error: ValidationError) -> tuple[Problem, ...]:
    found: dict[tuple[Segments, str], Problem] = {}
    for detail in error.errors(include_url=False):
        path, annotation = real_path(model, detail["loc"])
        said, path = _say(detail, path, annotation, model)
        known = found.get((path, said.code))
        if known is not None and said.code == "wrong_type":
            said = _Said(said.code, f"{known.message} or {said.message.rsplit('must be ', 1)[-1]}")
        finding = Finding(
            at=path,
            code=said.code,
            message=said.message,
            value=_shown(detail["input"]),
            nearest=said.nearest,
            valid=said.valid,
            key=said.key,
        )
        found[(path, said.code)] = located(source, finding)
    problems = sorted(found.values(), key=_place)
    if len(problems) > MAX_PROBLEMS:
        message = f"there are {len(problems)} problems; {MAX_PROBLEMS} are shown"
        problems = [*problems[:MAX_PROBLEMS], Problem(code="too_many_problems", message=message)]
    return tuple(problems)


def _place(problem: Problem) -> tuple[int, int]:
    return (problem.location.line, problem.location.column) if problem.location else (0, 0)


def _say(
    detail: ErrorDetails, path: tuple[int | str, ...], annotation: Any, model: type[BaseModel]
) -> tuple[_Said, tuple[int | str, ...]]:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "union_tag_not_found":
        field = _tag_field(context)
        return _Said("missing_field", f"the field {quote(field)} is missing"), path
    if kind == "union_tag_invalid":
        return _word(str(context["tag"]), _words(context["expected_tags"])), (*path, _tag_field(context))
    if kind == "extra_forbidden":
        return _unknown_field(str(path[-1]), _siblings(model, detail["loc"])), path
    if kind == "missing":
        return _Said("missing_field", f"the field {quote(str(path[-1]))} is missing"), path
    for prefix, say in _SAYINGS.items():
        if kind.startswith(prefix):
            return say(detail["input"], context), path
    return _Said("invalid_value", f"{_shown(detail['input'])}: {detail['msg']}"), path


def _siblings(model: type[BaseModel], location: tuple[int | str, ...]) -> tuple[str, ...]:
    return field_names(real_path(model, location[:-1])[1])


def _unknown_field(name: str, valid: tuple[str, ...]) -> _Said:
    return _Said("unknown_field", f"{quote(name)} is no field here", valid, nearest(name, valid), key=True)


def _word(word: str, valid: tuple[str, ...]) -> _Said:
    return _Said("unknown_value", f"{quote(word)} is not one of the valid words", valid, nearest(word, valid))


def _words(expected: str) -> tuple[str, ...]:
    """The words that pydantic lists as `'a', 'b' or 'c'`."""
    return tuple(re.findall(r"'((?:[^'\\]|\\.)*)'", expected))


def _tag_field(context: Mapping[str, Any]) -> str:
    return str(context["discriminator"]).strip("'")


def _literal(value: Any, context: Mapping[str, Any]) -> _Said:
    words = _words(str(context["expected"]))
    if isinstance(value, str):
        return _word(value, words)
    return _Said("unknown_value", f"{_shown(value)} is not one of the valid words", words)


def _type(wanted: str) -> Callable[[Any, Mapping[str, Any]], _Said]:
    return lambda value, context: _Said(
        "wrong_type", f"{_shown(value)} is {_kind(value)}, but must be {wanted}"
    )


def _bound(phrase: str, key: str) -> Callable[[Any, Mapping[str, Any]], _Said]:
    return lambda value, context: _Said("out_of_range", f"{_shown(value)} must be {phrase} {context[key]}")


def _length(phrase: str, key: str) -> Callable[[Any, Mapping[str, Any]], _Said]:
    def say(value: Any, context: Mapping[str, Any]) -> _Said:
        count = len(value) if isinstance(value, str | list | dict) else context.get("actual_length", "?")
        unit = "characters" if isinstance(value, str) else "entries"
        return _Said(
            "wrong_length", f"{_shown(value)} has {count} {unit}, but must have {phrase} {context[key]}"
        )

    return say


_SAYINGS: Final[Mapping[str, Callable[[Any, Mapping[str, Any]], _Said]]] = {
    "literal_error": _literal,
    "enum": _literal,
    "int_": _type("a whole number"),
    "float_": _type("a number"),
    "string_type": _type("text"),
    "string_sub_type": _type("text"),
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
    "string_pattern_mismatch": lambda value, context: _Said(
        "pattern_mismatch", f"{_shown(value)} does not have the form {context['pattern']}"
    ),
    "value_error": lambda value, context: _Said("invalid_value", str(context["error"])),
}
"""Pydantic's kinds of errors by how they begin, the more specific first."""


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return quote(value)
    text = orjson.dumps(value, default=str).decode()
    return text if len(text) <= 60 else text[:59] + "…"


def _kind(value: Any) -> str:
    kinds: Mapping[type, str] = {
        type(None): "null",
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "a mapping",
    }
    return kinds.get(type(value), "something else")
