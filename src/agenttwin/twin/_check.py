"""What is wrong with a definition beyond the types of its fields, found before a case begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from agenttwin.document import Finding
from agenttwin.expression import (
    Expression,
    Names,
    PathTemplate,
    Template,
    TemplateError,
    UnknownName,
    compile,
    compile_expression,
    compile_path,
    compile_text,
)
from agenttwin.twin._check_parts import (
    KEY_ERRORS,
    NO_NUMBER,
    circle_findings,
    clock_findings,
    finding,
    fixture_findings,
    key_findings,
    operand_findings,
    retrieval_findings,
    state_schema_findings,
)
from agenttwin.twin._fault import Behavior
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
from agenttwin.twin._names import (
    ROOTS,
    arguments_of,
    condition,
    fault_names,
    handler_names,
    key_names,
    record_names,
    refused_key_names,
)
from agenttwin.twin._schema import At, Findings, arguments_findings, schema_findings
from agenttwin.twin._shape import state_problem
from agenttwin.twin._shared import reached, shared_names
from agenttwin.values import Path, comparator_for, nearest

Text = TypeVar("Text")


def findings(definition: TwinDefinition) -> list[Finding]:
    """Every finding, in the order of the document."""
    spec = definition.spec
    found: list[Finding] = []
    if spec.initial_state is not None and spec.initial_state_from is not None:
        message = "a twin has initialState or initialStateFrom, not both"
        found.append(finding(("spec", "initialStateFrom"), "conflicting_fields", message, key=True))
    found += state_schema_findings(definition)
    found += retrieval_findings(spec.retrieval.state_path)
    found += clock_findings(spec.clock.start)
    found += _shared(definition)
    seen: dict[str, int] = {}
    told: set[tuple[At, str]] = set()
    used: set[str] = set()
    for index, tool in enumerate(spec.tools):
        at: At = ("spec", "tools", index)
        first = seen.setdefault(tool.name, index)
        if first != index:
            message = f"the tool {tool.name!r} is defined twice, first as number {first + 1}"
            found.append(finding((*at, "name"), "duplicate_name", message, value=tool.name))
        check = _ToolCheck(definition, tool, at)
        found += check.run()
        found += check.shared(told, used)
    return found + list(_unused(spec.let, used))


def fault_findings(definition: TwinDefinition, tool: Tool, behavior: Behavior, at: At) -> Findings:
    """What the texts of a fault name that its one target does not have."""
    check, names = _ToolCheck(definition, tool, at), fault_names(tool)
    if behavior.message is not None:
        yield from check.text(compile_text, behavior.message, names, (*at, "message"))
    if "body" in behavior.model_fields_set:
        yield from check.text(compile, behavior.body, names, (*at, "body"))


def _shared(definition: TwinDefinition) -> Findings:
    for name in definition.spec.let:
        yield from _binding(name, Names(roots=ROOTS), ("spec", "let", name), key=True)


def _unused(shared: Mapping[str, Any], used: set[str]) -> Findings:
    """Names that no tool needs; their texts are read all the same, as those of a tool with any argument."""
    names = Names(roots=ROOTS | shared.keys())
    for name in shared.keys() - used:
        at: At = ("spec", "let", name)
        try:
            compile(shared[name], names)
        except TemplateError as error:
            yield from _told(error, at, "invalid_template")
        yield finding(at, "unused_let", f"no tool uses {name!r}", value=name, key=True, warning=True)


class _ToolCheck:
    """One walk over a tool.

    ``told`` are the ambiguous names that were told: once a tool is enough. ``read`` are the names that the
    handler reads, after the walk.
    """

    def __init__(self, definition: TwinDefinition, tool: Tool, at: At) -> None:
        self.definition = definition
        self.tool = tool
        self.at = at
        self.known = arguments_of(tool)
        self.told: set[str] = set()
        self.read: set[str] = set()
        self.names = handler_names(tool, definition.spec.let, self.read)

    def run(self) -> Findings:
        tool, at = self.tool, self.at
        for field, schema in (("inputSchema", tool.input_schema), ("outputSchema", tool.output_schema)):
            broken = list(schema_findings(schema, (*at, field))) if schema is not None else []
            yield from broken
            if schema is not None and not broken and field == "inputSchema":
                yield from arguments_findings(schema, (*at, field, "type"))
        yield from self.idempotency((*at, "idempotency"))
        if tool.effect_key is not None:
            yield from self.text(compile_text, tool.effect_key, key_names(tool), (*at, "effectKey"))
        if tool.tenant_path is not None:
            yield from self.tenant_path(tool.tenant_path, (*at, "tenantPath"))
        yield from self.ignored((*at, "compare", "ignore"))
        yield from self.handler((*at, "handler"))

    def shared(self, told: set[tuple[At, str]], used: set[str]) -> Findings:
        """What is wrong with the shared texts in this tool; each problem is told of the first tool it has."""
        shared = self.definition.spec.let

        def look(name: str, found: set[str]) -> list[Finding]:
            names = shared_names(self.tool, shared, found)
            needs[name] = found
            return list(self.text(compile, shared[name], names, ("spec", "let", name)))

        needs: dict[str, set[str]] = {}
        problems = [problem for _, told_of_one in reached(shared, self.read, look) for problem in told_of_one]
        used.update(needs)
        for problem in (*problems, *circle_findings(needs, ("spec", "let"))):
            if (problem.at, problem.message) not in told:
                told.add((problem.at, problem.message))
                yield replace(problem, message=f"{problem.message}, in the tool {self.tool.name!r}")

    def idempotency(self, at: At) -> Findings:
        declared = self.tool.idempotency
        if declared is None:
            return
        if declared.argument is None and declared.header is None:
            yield finding(at, "missing_field", "idempotency needs an argument or a header")
        if declared.argument is not None:
            yield from self.argument(declared.argument, (*at, "argument"))
        yield from key_findings(declared, at)
        names = refused_key_names(self.tool)
        for field, error in KEY_ERRORS.items():
            answer = getattr(declared, error)
            if answer is not None:
                yield from self.error_answer(answer, names, (*at, field))

    def argument(self, name: str, at: At) -> Findings:
        if self.known is not None and name not in self.known:
            valid = tuple(sorted(self.known))
            message = f"the tool's inputSchema declares no argument {name!r}"
            close = nearest(name, valid)
            yield finding(at, "unknown_argument", message, value=name, nearest=close, valid=valid)

    def tenant_path(self, text: str, at: At) -> Findings:
        yield from self.path(text, record_names(self.tool), at)
        if self.definition.spec.tenant_key is None:
            message = "tenantPath needs spec.tenantKey, the field that names a record's owner"
            yield finding(at, "missing_field", message, key=True)

    def ignored(self, at: At) -> Findings:
        for index, text in enumerate(self.tool.compare.ignore):
            try:
                head = Path.parse(text).segments[:1]
            except ValueError as error:
                yield finding((*at, index), "invalid_path", str(error), value=text)
                continue
            yield from self.argument(str(*head), (*at, index))

    # handlers

    def handler(self, at: At) -> Findings:
        match self.tool.handler:
            case StaticHandler(response=response):
                yield from self.text(compile, response, self.names, (*at, "response"))
            case ReadHandler() | MutateHandler() as handler:
                yield from self.stateful(handler, at)
            case RecordedHandler(fixtures=fixtures):
                for index, fixture in enumerate(fixtures):
                    yield from fixture_findings(fixture, (*at, "fixtures", index))
            case CustomHandler() | EchoHandler():
                return

    def stateful(self, handler: ReadHandler | MutateHandler, at: At) -> Findings:
        responds = "response" in handler.model_fields_set
        if handler.path is None and not responds and isinstance(handler, ReadHandler):
            yield finding(at, "missing_field", "a read handler needs a path or a response")
        yield from self.lets(handler.let, self.names, (*at, "let"))
        names = self.names.with_roots(*handler.let)
        if handler.path is not None:
            yield from self.path(handler.path, names, (*at, "path"))
        for index, precondition in enumerate(handler.preconditions):
            yield from self.precondition(precondition, names, (*at, "preconditions", index))
        if isinstance(handler, MutateHandler):
            yield from self.effects(handler.effects, names, (*at, "effects"))
        if responds:
            yield from self.text(compile, handler.response, names, (*at, "response"))
        yield from self.error_answer(handler.not_found, names, (*at, "notFound"))

    def lets(self, lets: Mapping[str, Any], names: Names, at: At) -> Findings:
        inner = names.with_roots(*lets)
        needs: dict[str, frozenset[str]] = {}
        for name, value in lets.items():
            compiled: list[Template] = []
            yield from _binding(name, names, (*at, name), key=True)
            yield from self.text(compile, value, inner, (*at, name), compiled.append)
            for each in compiled:
                needs[name] = each.names_used
        yield from circle_findings(needs, at)

    def precondition(self, guard: Precondition, names: Names, at: At) -> Findings:
        if (guard.path is None) == (guard.that is None):
            message = "a precondition has either path, with comparators, or that, a CEL expression"
            yield finding(at, "conflicting_fields", message)
        if guard.that is not None:
            yield from self.condition(guard.that, names, (*at, "that"))
            for name in guard.comparators():
                message = f"{name!r} needs a path to compare what stands there"
                yield finding((*at, name), "conflicting_fields", message, key=True)
        if guard.path is not None:
            yield from self.path(guard.path, names, (*at, "path"))
            for name, operand in guard.comparators().items():
                yield from self.comparator(name, operand, names, (*at, name))
        yield from self.error_answer(guard.error, names, (*at, "error"))

    def comparator(self, name: str, operand: object, names: Names, at: At) -> Findings:
        compiled: list[Template] = []
        yield from self.text(compile, operand, names, at, compiled.append)
        if not compiled or not compiled[0].static:
            return
        try:
            comparator_for(name, operand)
        except ValueError as error:
            yield finding(at, "invalid_value", str(error))

    def error_answer(self, error: ErrorAnswer, names: Names, at: At) -> Findings:
        yield from self.text(compile_text, error.message, names, (*at, "message"))

    # effects

    def effects(self, effects: Sequence[Effect], names: Names, at: At) -> Findings:
        for index, effect in enumerate(effects):
            check = self.block if isinstance(effect, Block) else self.operation
            yield from check(effect, names, (*at, index))  # type: ignore[arg-type]

    def block(self, block: Block, names: Names, at: At) -> Findings:
        if block.for_each is not None:
            each, place = block.for_each, (*at, "forEach")
            compiled: list[Template] = []
            yield from self.text(compile, each.in_, names, (*place, "in"), compiled.append)
            if compiled and compiled[0].static and not isinstance(each.in_, list):
                yield finding((*place, "in"), "wrong_type", "forEach goes over a list")
            yield from _binding(each.as_, names, (*place, "as"))
            names = names.with_roots(each.as_)
        yield from self.lets(block.let, names, (*at, "let"))
        names = names.with_roots(*block.let)
        if block.if_ is not None:
            yield from self.condition(block.if_, names, (*at, "if"))
        yield from self.effects(block.effects, names, (*at, "effects"))

    def operation(self, effect: Operation, names: Names, at: At) -> Findings:
        if effect.path.endswith("length()"):
            message = "a length follows from the list, and is not written"
            yield finding((*at, "path"), "invalid_path", message, value=effect.path)
        elif effect.path == "" and effect.op != "merge":
            message = f"{effect.op} needs a place in the state; only merge takes it whole"
            yield finding((*at, "path"), "invalid_path", message, value=effect.path)
        else:
            yield from self.path(effect.path, names, (*at, "path"))
        if effect.if_ is not None:
            yield from self.condition(effect.if_, names, (*at, "if"))
        yield from operand_findings(effect, at)
        for name in sorted(effect.model_fields_set & {"value", "by"}):
            compiled: list[Template] = []
            yield from self.text(compile, getattr(effect, name), names, (*at, name), compiled.append)
            if name == "by" and isinstance(effect.by, str) and compiled and compiled[0].static:
                yield finding((*at, name), "wrong_type", NO_NUMBER, value=effect.by)

    # texts

    def text(
        self,
        build: Callable[[Any, Names], Text],
        value: object,
        names: Names,
        at: At,
        take: Callable[[Text], object] | None = None,
    ) -> Findings:
        """What is wrong with a text; what came of it goes to ``take``."""
        try:
            compiled = build(value, names)
        except TemplateError as error:
            yield from _told(error, at, "invalid_path" if build is compile_path else "invalid_template")
            return
        yield from self.ambiguous(compiled, at)
        if take is not None:
            take(compiled)

    def ambiguous(self, compiled: object, at: At) -> Findings:
        assert isinstance(compiled, Template | Expression | PathTemplate)
        for name in sorted(compiled.shadowed - self.told):
            self.told.add(name)
            message = (
                f"{name!r} is taken for the argument; {{args.{name}}} is the argument, {{${name}}} the root"
            )
            yield finding(at, "ambiguous_name", message, value=name, warning=True)

    def condition(self, text: str, names: Names, at: At) -> Findings:
        yield from self.text(compile_expression, condition(text), names, at)

    def path(self, text: str, names: Names, at: At) -> Findings:
        compiled: list[PathTemplate] = []
        yield from self.text(compile_path, text, names, at, compiled.append)
        problem = state_problem(self.definition, compiled[0].shape) if compiled else None
        if problem is not None:
            code = "unknown_state_path" if problem.certain else "unlikely_state_path"
            yield finding(
                at, code, problem.message, value=text, nearest=problem.nearest, warning=not problem.certain
            )


def _binding(name: str, names: Names, at: At, *, key: bool = False) -> Findings:
    """A name that is given must not hide one that is there."""
    for hidden, kind in ((names.arguments or frozenset(), "argument"), (names.roots, "root")):
        if name in hidden:
            message = f"the name {name!r} would hide the {kind} {name!r}"
            yield finding(at, f"hidden_{kind}", message, key=key)
            return


def _told(error: TemplateError, at: At, code: str) -> Findings:
    for problem in (error, *error.others):
        place = f" (character {problem.position + 1})" if problem.position else ""
        yield finding(
            (*at, *problem.path),
            "unknown_name" if isinstance(problem, UnknownName) else code,
            problem.message + place,
            value=problem.value,
            nearest=problem.nearest,
        )
