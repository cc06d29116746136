"""CEL text → closures, once; what can be known to be wrong without data is refused here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from agenttwin.expression import _operators as operators
from agenttwin.expression._errors import EvaluationError, TemplateError, UnknownName
from agenttwin.expression._functions import FUNCTIONS, Function, call
from agenttwin.expression._macros import MACROS, Macro
from agenttwin.expression._names import Names, References, Run
from agenttwin.expression._numbers import from_float
from agenttwin.expression._parser import MAX_NESTING, parse, too_deep
from agenttwin.expression._scope import Dynamic, Scope
from agenttwin.expression._syntax import (
    Call,
    Chain,
    Choice,
    Index,
    ListOf,
    Literal,
    Logic,
    Name,
    Node,
    ObjectOf,
    Prefix,
    Relation,
    Select,
)
from agenttwin.expression._tokens import Token, tokenize
from agenttwin.values import nearest


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled CEL expression. `evaluate(scope)` gives its value, or raises EvaluationError.

    `names_used` are the arguments and roots it reads; `shadowed` those arguments that hide a root.
    """

    text: str
    evaluate: Run
    names_used: frozenset[str]
    shadowed: frozenset[str]

    def is_true(self, scope: Scope) -> bool:
        """Whether the value is exactly the boolean true."""
        return self.evaluate(scope) is True


def compile_expression(text: str, names: Names) -> Expression:
    """Reads CEL; TemplateError where it is none, or uses a name or function that does not exist."""
    if text.lstrip().startswith("{="):
        raise TemplateError("an expression stands here as it is, without {= }")
    references = References(names)
    tokens, _ = tokenize(text)
    run = compile_tokens(tokens, text.strip(), references)
    return Expression(text, run, frozenset(references.used), frozenset(references.shadowed))


def compile_tokens(tokens: list[Token], text: str, references: References) -> Run:
    """The tokens of one expression as a closure, which names `text` when it fails."""
    compiler = _Compiler(references)
    return _entry(compiler.build(parse(tokens)), compiler.slots, text)


def _entry(run: Run, slots: int, text: str) -> Run:
    """`run` with a frame of its own for the variables of its macros."""

    def evaluate(scope: Scope) -> Dynamic:
        try:
            value = run(scope)
        except EvaluationError as error:
            raise error.within(text) from None
        return from_float(value) if type(value) is float else value

    def evaluate_framed(scope: Scope) -> Dynamic:
        outer, scope.frame = scope.frame, [None] * slots
        try:
            return evaluate(scope)
        finally:
            scope.frame = outer

    return evaluate_framed if slots else evaluate


class _Compiler:
    """Compiles one tree.

    `variables` are those of the macros around the node, by their place in the frame; `loops` counts these
    macros, `slots` is the size that the frame needs.
    """

    def __init__(self, references: References) -> None:
        self.references = references
        self.variables: dict[str, int] = {}
        self.loops = 0
        self.slots = 0
        self.nesting = 0

    def build(self, node: Node) -> Run:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise too_deep(node.position)
        run = _BUILD[type(node)](self, node)
        self.nesting -= 1
        return run

    def all(self, nodes: tuple[Node, ...]) -> tuple[Run, ...]:
        return tuple([self.build(node) for node in nodes])

    def literal(self, node: Literal) -> Run:
        return operators.constant(node.value)

    def name(self, node: Name) -> Run:
        if node.name in self.variables and not node.absolute:
            return _variable(self.variables[node.name])
        return self.references.reader(node.name, node.name, node.position)

    def select(self, node: Select) -> Run:
        return operators.select(self.build(node.operand), node.field)

    def index(self, node: Index) -> Run:
        return operators.index(self.build(node.operand), self.build(node.index))

    def list_of(self, node: ListOf) -> Run:
        if all(isinstance(element, Literal) for element in node.elements):
            return operators.constant([element.value for element in node.elements])  # type: ignore[union-attr]
        return operators.list_of(self.all(node.elements))

    def object_of(self, node: ObjectOf) -> Run:
        keys: set[str] = set()
        for key, _ in node.members:
            if isinstance(key, Literal):
                self.check_key(key, keys)
        members = tuple([(self.build(key), self.build(value)) for key, value in node.members])
        return operators.object_of(members)

    def check_key(self, key: Literal, keys: set[str]) -> None:
        if not isinstance(key.value, str):
            raise TemplateError("a key is text in quotes", key.position)
        if key.value in keys:
            raise TemplateError(f"the key {key.value!r} stands twice", key.position, value=key.value)
        keys.add(key.value)

    def prefix(self, node: Prefix) -> Run:
        operand = self.build(node.operand)
        return operators.negation(operand) if node.operator == "-" else operators.inversion(operand)

    def relation(self, node: Relation) -> Run:
        return operators.RELATIONS[node.operator](self.build(node.left), self.build(node.right))

    def chain(self, node: Chain) -> Run:
        rest = tuple([(operator, self.build(operand)) for operator, operand in node.rest])
        return operators.chain(self.build(node.first), rest)

    def logic(self, node: Logic) -> Run:
        return operators.logic(self.all(node.operands), node.operator == "||")

    def choice(self, node: Choice) -> Run:
        cases = tuple([(self.build(condition), self.build(then)) for condition, then in node.cases])
        return operators.choice(cases, self.build(node.otherwise))

    def call(self, node: Call) -> Run:
        if node.target is None and node.function == "has":
            return self.has(node)
        if node.target is not None and (macro := MACROS.get(node.function)):
            return self.macro(macro, node.target, node)
        function = FUNCTIONS.get(node.function)
        if function is None:
            raise _unknown_function(node)
        return self.function(function, node)

    def function(self, function: Function, node: Call) -> Run:
        arguments = node.arguments if node.target is None else (node.target, *node.arguments)
        _check_arity(function.usage, len(arguments), function.arity, node.position)
        if function.early and len(arguments) > function.early[0]:
            at, check = function.early
            argument = arguments[at]
            if isinstance(argument, Literal) and isinstance(argument.value, str):
                _check_early(check, argument)
        return call(function, self.all(arguments))

    def macro(self, macro: Macro, target: Node, node: Call) -> Run:
        _check_arity(macro.usage, len(node.arguments), macro.arity, node.position)
        variable, *bodies = node.arguments
        if not isinstance(variable, Name) or variable.absolute or variable.name.startswith("$"):
            raise TemplateError(
                f"{macro.usage}: the first argument names the variable, a plain word", variable.position
            )
        source = self.build(target)
        outer, slot = self.variables, self.loops
        self.variables = outer | {variable.name: slot}
        self.loops += 1
        self.slots = max(self.slots, self.loops)
        built = self.all(tuple(bodies))
        self.variables, self.loops = outer, slot
        return macro.build(source, slot, *built)

    def has(self, node: Call) -> Run:
        _check_arity(HAS_USAGE, len(node.arguments), range(1, 2), node.position)
        match node.arguments[0]:
            case Select() as found:
                return operators.has_field(self.build(found.operand), found.field)
            case Index() as found:
                return operators.has_index(self.build(found.operand), self.build(found.index))
            case Name() as found if found.name not in self.variables:
                read = self.references.optional_reader(found.name, found.name, found.position)
                return operators.has_name(read)
            case other:
                raise TemplateError(f"{HAS_USAGE} asks for a field, an index or a name", other.position)


HAS_USAGE: Final = "has(x.field)"

_BUILD: Final[dict[type, Callable[[_Compiler, Dynamic], Run]]] = {
    Literal: _Compiler.literal,
    Name: _Compiler.name,
    Select: _Compiler.select,
    Index: _Compiler.index,
    ListOf: _Compiler.list_of,
    ObjectOf: _Compiler.object_of,
    Prefix: _Compiler.prefix,
    Relation: _Compiler.relation,
    Chain: _Compiler.chain,
    Logic: _Compiler.logic,
    Choice: _Compiler.choice,
    Call: _Compiler.call,
}


def _variable(slot: int) -> Run:
    def run(scope: Scope) -> Dynamic:
        return scope.frame[slot]

    return run


def _check_arity(usage: str, given: int, arity: range, position: int) -> None:
    if given not in arity:
        wanted = f"{arity.start}" if len(arity) == 1 else f"{arity.start} to {arity.stop - 1}"
        noun = "argument" if arity.stop == 2 else "arguments"
        raise TemplateError(f"{usage} takes {wanted} {noun}, not {given}", position)


def _check_early(check: Callable[[str], object], argument: Literal) -> None:
    try:
        check(argument.value)
    except (EvaluationError, ValueError) as error:
        raise TemplateError(str(error), argument.position, value=argument.value) from None


def _unknown_function(node: Call) -> TemplateError:
    name = node.function
    usages = {"has": HAS_USAGE} | {macro.name: macro.usage for macro in MACROS.values()}
    if name in usages:
        return TemplateError(f"{name} is written {usages[name]}", node.position, value=name)
    guess = nearest(name, sorted({*FUNCTIONS, *usages}))
    return UnknownName(f"there is no function {name!r}", node.position, value=name, nearest=guess)
