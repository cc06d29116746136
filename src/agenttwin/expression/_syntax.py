"""The tree of a CEL expression: what the parser makes and the compiler walks."""

from dataclasses import dataclass
from typing import TypeAlias

from agenttwin.expression._scope import Dynamic


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, text, boolean or null."""

    value: Dynamic
    position: int


@dataclass(frozen=True, slots=True)
class Name:
    """A variable of a macro, an argument or a root; `absolute` (a leading dot) is no variable of a macro."""

    name: str
    position: int
    absolute: bool = False


@dataclass(frozen=True, slots=True)
class Select:
    """`operand.field`."""

    operand: "Node"
    field: str
    position: int


@dataclass(frozen=True, slots=True)
class Index:
    """`operand[index]`."""

    operand: "Node"
    index: "Node"
    position: int


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)` or `target.function(arguments)`."""

    function: str
    target: "Node | None"
    arguments: "tuple[Node, ...]"
    position: int


@dataclass(frozen=True, slots=True)
class ListOf:
    """`[elements]`."""

    elements: "tuple[Node, ...]"
    position: int


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """`{key: value}`."""

    members: "tuple[tuple[Node, Node], ...]"
    position: int


@dataclass(frozen=True, slots=True)
class Prefix:
    """`!operand` or `-operand`."""

    operator: str
    operand: "Node"
    position: int


@dataclass(frozen=True, slots=True)
class Relation:
    """`left == right` and its like, `in` among them."""

    operator: str
    left: "Node"
    right: "Node"
    position: int


@dataclass(frozen=True, slots=True)
class Chain:
    """`first + second - third`: operators of one precedence, from left to right."""

    first: "Node"
    rest: "tuple[tuple[str, Node], ...]"
    position: int


@dataclass(frozen=True, slots=True)
class Logic:
    """`a && b && c` or `a || b || c`."""

    operator: str
    operands: "tuple[Node, ...]"
    position: int


@dataclass(frozen=True, slots=True)
class Choice:
    """`condition ? then : otherwise`, with further conditions in the place of `otherwise`."""

    cases: "tuple[tuple[Node, Node], ...]"
    otherwise: "Node"
    position: int


Node: TypeAlias = (
    Literal | Name | Select | Index | Call | ListOf | ObjectOf | Prefix | Relation | Chain | Logic | Choice
)
