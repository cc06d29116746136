"""What is wrong with a definition beyond the types of its fields, found before a case begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from agenttwin.document import Finding
from agenttwin.expression import (
    Names,
    PathTemplate,
    TemplateError,
    compile,
    compile_expression,
    compile_path,
    compile_text,
)
from agenttwin.twin._compile import schema_validator
from agenttwin.twin._model import (
    Block,
    CustomHandler,
    EchoHandler,
    Effect,
    ErrorAnswer,
    MutateHandler,
    Operation,
    Precondition,
    ReadHandler,
    RecordedHandler,
    StaticHandler,
    Tool,
    TwinDefinition,
)
from agenttwin.twin._names import arguments_of, condition, handler_names, key_names, record_names
from agenttwin.twin._shape import state_problem
from agenttwin.values import Path, comparator_for, nearest

At = tuple[str | int, ...]


def findings(definition: TwinDefinition) -> list[Finding]:
    """Every finding, in the order of the document."""
    return list(_Checker(definition).run())


class _Checker:
    """One walk over a definition."""

    def __init__(self, definition: TwinDefinition) -> None:
        self.definition = definition

    def run(self) -> Iterator[Finding]:
        spec = self.definition.spec
        if spec.initial_state is not None and spec.initial_state_from is not None:
            message = "a twin has initialState or initialStateFrom, not both"
            yield Finding(
                at=("spec", "initialStateFrom"), code="conflicting_fields", message=message, key=True
            )
        if spec.state_schema is not None:
            yield from self.state_schema(spec.state_schema)
        yield from self.retrieval(spec.retrieval.state_path)
        seen: dict[str, int] = {}
        for index, tool in enumerate(spec.tools):
            at: At = ("spec", "tools", index)
            if tool.name in seen:
                message = f"the tool {tool.name!r} is defined twice, first as number {seen[tool.name] + 1}"
                yield Finding(at=(*at, "name"), code="duplicate_name", message=message, value=tool.name)
            seen.setdefault(tool.name, index)
            yield from self.tool(tool, at)

    def state_schema(self, schema: Mapping[str, Any]) -> Iterator[Finding]:
        at: At = ("spec", "stateSchema")
        broken = list(_schema(schema, at))
        yield from broken
        state = self.definition.spec.initial_state
        if broken or state is None:
            return
        for error in schema_validator(schema).iter_errors(state):
            where = ("spec", "initialState", *error.instance_path)
            yield Finding(
                at=where,
                code="state_mismatch",
                message=f"the state does not fit stateSchema: {error.message}",
            )

    def retrieval(self, text: str) -> Iterator[Finding]:
        try:
            Path.parse(text)
        except ValueError as error:
            yield Finding(
                at=("spec", "retrieval", "statePath"), code="invalid_path", message=str(error), value=text
            )

    def tool(self, tool: Tool, at: At) -> Iterator[Finding]:
        for field, schema in (("inputSchema", tool.input_schema), ("outputSchema", tool.output_schema)):
            if schema is not None:
                yield from _schema(schema, (*at, field))
        yield from self.idempotency(tool, at)
        if tool.effect_key is not None:
            yield from _text(lambda: compile_text(tool.effect_key or "", key_names(tool)), (*at, "effectKey"))
        if tool.tenant_path is not None:
            yield from self.path(tool.tenant_path, record_names(tool), (*at, "tenantPath"))
            if self.definition.spec.tenant_key is None:
                message = "tenantPath needs spec.tenantKey, the field that names a record's owner"
                yield Finding(at=(*at, "tenantPath"), code="missing_field", message=message, key=True)
        yield from self.ignored(tool, at)
        yield from self.handler(tool, (*at, "handler"))

    def idempotency(self, tool: Tool, at: At) -> Iterator[Finding]:
        declared, known = tool.idempotency, arguments_of(tool)
        if declared is None:
            return
        at = (*at, "idempotency")
        if declared.argument is None and declared.header is None:
            yield Finding(at=at, code="missing_field", message="idempotency needs an argument or a header")
        if declared.argument is not None and known is not None and declared.argument not in known:
            yield _unknown_argument(declared.argument, known, (*at, "argument"))

    def ignored(self, tool: Tool, at: At) -> Iterator[Finding]:
        known = arguments_of(tool)
        for index, name in enumerate(tool.compare.ignore):
            where = (*at, "compare", "ignore", index)
            try:
                head = Path.parse(name).segments[:1]
            except ValueError as error:
                yield Finding(at=where, code="invalid_path", message=str(error), value=name)
                continue
            if known is not None and head and head[0] not in known:
                yield _unknown_argument(str(head[0]), known, where)

    def handler(self, tool: Tool, at: At) -> Iterator[Finding]:
        match tool.handler:
            case StaticHandler(response=response):
                yield from _text(lambda: compile(response, handler_names(tool)), (*at, "response"))
            case ReadHandler() as handler:
                if handler.path is None and "response" not in handler.model_fields_set:
                    message = "a read handler needs a path or a response"
                    yield Finding(at=at, code="missing_field", message=message)
                yield from self.stateful(handler, tool, at)
            case MutateHandler() as handler:
                yield from self.stateful(handler, tool, at)
            case RecordedHandler() | CustomHandler() | EchoHandler():
                return

    def stateful(self, handler: ReadHandler | MutateHandler, tool: Tool, at: At) -> Iterator[Finding]:
        yield from self.lets(handler.let, handler_names(tool), (*at, "let"))
        names = handler_names(tool, handler.let)
        if handler.path is not None:
            yield from self.path(handler.path, names, (*at, "path"))
        for index, precondition in enumerate(handler.preconditions):
            yield from self.precondition(precondition, names, (*at, "preconditions", index))
        if isinstance(handler, MutateHandler):
            yield from self.effects(handler.effects, names, (*at, "effects"))
        if "response" in handler.model_fields_set:
            yield from _text(lambda: compile(handler.response, names), (*at, "response"))
        yield from _error_answer(handler.not_found, names, (*at, "notFound"))

    def lets(self, lets: Mapping[str, Any], names: Names, at: At) -> Iterator[Finding]:
        inner = names.with_roots(*lets)
        for name, value in lets.items():
            if names.arguments and name in names.arguments:
                message = f"the name {name!r} would hide the argument {name!r}"
                yield Finding(at=(*at, name), code="hidden_argument", message=message, key=True)
            elif name in names.roots:
                message = f"the name {name!r} would hide the root {name!r}"
                yield Finding(at=(*at, name), code="hidden_root", message=message, key=True)
            yield from _text(lambda value=value: compile(value, inner), (*at, name))

    def precondition(self, guard: Precondition, names: Names, at: At) -> Iterator[Finding]:
        if (guard.path is None) == (guard.that is None):
            message = "a precondition has either path, with comparators, or that, a CEL expression"
            yield Finding(at=at, code="conflicting_fields", message=message)
        if guard.that is not None:
            text = guard.that
            yield from _text(lambda: compile_expression(condition(text), names), (*at, "that"))
            for name in guard.comparators():
                message = f"{name!r} needs a path to compare what stands there"
                yield Finding(at=(*at, name), code="conflicting_fields", message=message, key=True)
        if guard.path is not None:
            yield from self.path(guard.path, names, (*at, "path"))
            yield from _comparators(guard, names, at)
        yield from _error_answer(guard.error, names, (*at, "error"))

    def effects(self, effects: Sequence[Effect], names: Names, at: At) -> Iterator[Finding]:
        for index, effect in enumerate(effects):
            if isinstance(effect, Block):
                yield from self.block(effect, names, (*at, index))
            else:
                yield from self.operation(effect, names, (*at, index))

    def block(self, block: Block, names: Names, at: At) -> Iterator[Finding]:
        if block.for_each is not None:
            each = block.for_each
            yield from _text(lambda: compile(each.in_, names), (*at, "forEach", "in"))
            yield from self.binding(each.as_, names, (*at, "forEach", "as"))
            names = names.with_roots(each.as_)
        yield from self.lets(block.let, names, (*at, "let"))
        names = names.with_roots(*block.let)
        if block.if_ is not None:
            text = block.if_
            yield from _text(lambda: compile_expression(condition(text), names), (*at, "if"))
        yield from self.effects(block.effects, names, (*at, "effects"))

    def binding(self, name: str, names: Names, at: At) -> Iterator[Finding]:
        if names.arguments and name in names.arguments:
            yield Finding(
                at=at, code="hidden_argument", message=f"the name {name!r} would hide the argument {name!r}"
            )
        elif name in names.roots:
            yield Finding(
                at=at, code="hidden_root", message=f"the name {name!r} would hide the root {name!r}"
            )

    def operation(self, effect: Operation, names: Names, at: At) -> Iterator[Finding]:
        yield from self.path(effect.path, names, (*at, "path"))
        if effect.if_ is not None:
            text = effect.if_
            yield from _text(lambda: compile_expression(condition(text), names), (*at, "if"))
        counts, wants = effect.op in ("increment", "decrement"), effect.op != "delete"
        given = effect.model_fields_set & {"value", "by"}
        allowed = {"by"} if counts else {"value"} if wants else set()
        for name in sorted(given - allowed):
            message = f"{effect.op} does not read {name!r}" + (
                f"; it reads {allowed.pop()!r}" if allowed else ""
            )
            yield Finding(at=(*at, name), code="conflicting_fields", message=message, key=True)
        if wants and not counts and "value" not in given:
            yield Finding(at=at, code="missing_field", message=f"{effect.op} needs a value")
        for name in sorted(given & {"value", "by"}):
            operand = getattr(effect, name)
            yield from _text(lambda operand=operand: compile(operand, names), (*at, name))
            if name == "by" and (isinstance(operand, bool) or not isinstance(operand, int | float | str)):
                yield Finding(
                    at=(*at, name), code="wrong_type", message="by is a number, or a template that gives one"
                )

    def path(self, text: str, names: Names, at: At) -> Iterator[Finding]:
        try:
            path: PathTemplate = compile_path(text, names)
        except TemplateError as error:
            yield from _told(error, at, "invalid_path")
            return
        problem = state_problem(self.definition, path.shape)
        if problem is not None:
            code = "unknown_state_path" if problem.certain else "unlikely_state_path"
            yield Finding(
                at=at, code=code, message=problem.message, value=text, nearest=problem.nearest,
                warning=not problem.certain,
            )  # fmt: skip


def _schema(schema: Mapping[str, Any], at: At) -> Iterator[Finding]:
    refused = list(_refused_words(schema, at))
    yield from refused
    if refused:
        return
    try:
        schema_validator(schema)
    except ValueError as error:
        yield Finding(at=at, code="invalid_schema", message=f"this is no JSON Schema: {error}")


def _refused_words(schema: object, at: At) -> Iterator[Finding]:
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from _refused_words(item, (*at, index))
    if not isinstance(schema, Mapping):
        return
    for word, value in schema.items():
        if word == "$ref" and isinstance(value, str) and not value.startswith("#"):
            message = f"the reference {value!r} leads out of the document; nothing is fetched"
            yield Finding(at=(*at, word), code="remote_reference", message=message, value=value)
        elif word == "patternProperties":
            message = "patternProperties is not supported; name the properties, or use additionalProperties"
            yield Finding(at=(*at, word), code="unsupported_schema", message=message, key=True)
        elif word not in ("enum", "const", "default", "examples"):
            yield from _refused_words(value, (*at, word))


def _text(build: Callable[[], object], at: At) -> Iterator[Finding]:
    try:
        build()
    except TemplateError as error:
        yield from _told(error, at, "invalid_template")


def _told(error: TemplateError, at: At, code: str) -> Iterator[Finding]:
    for problem in (error, *error.others):
        unknown = problem.nearest is not None or problem.value is not None
        yield Finding(
            at=(*at, *problem.path),
            code="unknown_name" if unknown else code,
            message=str(problem),
            value=problem.value,
            nearest=problem.nearest,
        )


def _comparators(guard: Precondition, names: Names, at: At) -> Iterator[Finding]:
    for name, operand in guard.comparators().items():
        yield from _text(lambda operand=operand: compile(operand, names), (*at, name))
        if isinstance(operand, str) and "{" in operand:
            continue
        try:
            comparator_for(name, operand)
        except ValueError as error:
            yield Finding(at=(*at, name), code="invalid_value", message=str(error))


def _error_answer(error: ErrorAnswer, names: Names, at: At) -> Iterator[Finding]:
    yield from _text(lambda: compile_text(error.message, names), (*at, "message"))


def _unknown_argument(name: str, known: frozenset[str], at: At) -> Finding:
    valid = tuple(sorted(known))
    return Finding(
        at=at,
        code="unknown_argument",
        message=f"the tool's inputSchema declares no argument {name!r}",
        value=name,
        nearest=nearest(name, valid),
        valid=valid,
    )
