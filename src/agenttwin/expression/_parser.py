"""CEL tokens → tree, by precedence climbing; chains and sequences are loops, so only nesting recurses."""

from typing import Final

from agenttwin.expression._errors import TemplateError
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
from agenttwin.expression._tokens import Token

MAX_NESTING: Final = 50
"""Levels of an expression; it bounds the recursion of parser, compiler and evaluation alike."""

RESERVED: Final = frozenset(
    {"as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package"}
    | {"namespace", "return", "var", "void", "while"}
)

_RELATION, _ADDITION = 3, 4
_LEVELS: Final[dict[str | None, int]] = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in"), _RELATION),
    **dict.fromkeys(("+", "-"), _ADDITION),
    **dict.fromkeys(("*", "/", "%"), 5),
}
_WORDS: Final = {"and": "&&", "or": "||", "not": "!"}


def parse(tokens: list[Token]) -> Node:
    """The tree of one whole expression; TemplateError says what is wrong and where."""
    parser = _Parser(tokens)
    node = parser.expression()
    parser.expect("")
    return node


def too_deep(position: int) -> TemplateError:
    """What an expression of too many levels is refused with."""
    return TemplateError(f"the expression nests deeper than {MAX_NESTING} levels", position)


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self.rest = iter(tokens)
        self.token = next(self.rest)
        self.nesting = 0

    def advance(self) -> Token:
        """Goes on to the next token; the last one is its own next."""
        token = self.token
        self.token = next(self.rest, token)
        return token

    def accept(self, symbol: str) -> bool:
        if self.token.symbol != symbol:
            return False
        self.advance()
        return True

    def expect(self, symbol: str) -> None:
        if not self.accept(symbol):
            raise self.unexpected(f"{symbol!r}" if symbol else "an operator or the end")

    def unexpected(self, wanted: str) -> TemplateError:
        token = self.token
        if token.kind == "end":
            return TemplateError(f"expected {wanted}, but the expression ends", token.position)
        hint = f"; {token.text} is {_WORDS[token.text]}" if token.text in _WORDS else ""
        return TemplateError(f"expected {wanted}, not {token.text!r}{hint}", token.position, value=token.text)

    def enter(self) -> None:
        """Goes one level deeper; whoever enters takes the level back when it is done."""
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise too_deep(self.token.position)

    def expression(self) -> Node:
        self.enter()
        position = self.token.position
        cases: list[tuple[Node, Node]] = []
        node = self.binary(1)
        while self.accept("?"):
            then = self.binary(1)
            self.expect(":")
            cases.append((node, then))
            node = self.binary(1)
        self.nesting -= 1
        return Choice(tuple(cases), node, position) if cases else node

    def binary(self, lowest: int) -> Node:
        """Operators that bind at least as tightly as level `lowest`."""
        node = self.prefixed()
        while (level := self.level()) >= lowest:
            node = self.chain(node, level)
        return node

    def level(self) -> int:
        return _LEVELS.get(self.token.symbol, 0)

    def chain(self, first: Node, level: int) -> Node:
        """All that follows `first` on this level."""
        self.enter()
        rest: list[tuple[str, Node]] = []
        while self.level() == level:
            operator = self.advance().text
            rest.append((operator, self.binary(level + 1)))
        self.nesting -= 1
        if level < _RELATION:
            return Logic(rest[0][0], (first, *(node for _, node in rest)), first.position)
        if level > _RELATION:
            return Chain(first, tuple(rest), first.position)
        for operator, right in rest:
            first = Relation(operator, first, right, first.position)
        return first

    def prefixed(self) -> Node:
        prefixes: list[Token] = []
        while self.token.symbol in ("!", "-"):
            prefixes.append(self.advance())
        node = self.member()
        for prefix in reversed(prefixes):
            node = Prefix(prefix.text, node, prefix.position)
        return node

    def member(self) -> Node:
        node = self.primary()
        while True:
            position = self.token.position
            if self.accept("."):
                node = self.selection(node)
            elif self.accept("["):
                index = self.expression()
                self.expect("]")
                node = Index(node, index, position)
            elif self.token.symbol == "{":
                raise TemplateError("there are no message types; write an object, {'key': value}", position)
            else:
                return node

    def selection(self, operand: Node) -> Node:
        token = self.token
        if token.kind not in ("name", "field") or token.text.startswith("$"):
            raise self.unexpected("a field name")
        self.advance()
        if token.kind == "name" and self.accept("("):
            return Call(token.text, operand, self.sequence(")"), token.position)
        return Select(operand, token.value, token.position)

    def primary(self) -> Node:
        token = self.token
        if token.kind == "literal":
            self.advance()
            return Literal(token.value, token.position)
        if self.accept("("):
            node = self.expression()
            self.expect(")")
            return node
        if self.accept("["):
            return ListOf(self.sequence("]"), token.position)
        if self.accept("{"):
            return self.object(token.position)
        return self.named(absolute=self.accept("."))

    def named(self, *, absolute: bool) -> Node:
        token = self.token
        if token.kind != "name":
            raise self.unexpected("a value")
        if token.text in RESERVED:
            raise TemplateError(
                f"{token.text!r} is a reserved word; an argument of that name is args.{token.text}",
                token.position,
                value=token.text,
            )
        self.advance()
        if self.accept("("):
            return Call(token.text, None, self.sequence(")"), token.position)
        return Name(token.text, token.position, absolute)

    def sequence(self, closing: str) -> tuple[Node, ...]:
        """Expressions between commas up to `closing`; a list may end with a comma, a call may not."""
        nodes: list[Node] = []
        while not self.accept(closing):
            if nodes:
                self.expect(",")
                if closing == "]" and self.accept(closing):
                    break
            nodes.append(self.expression())
        return tuple(nodes)

    def object(self, position: int) -> Node:
        members: list[tuple[Node, Node]] = []
        while not self.accept("}"):
            if members:
                self.expect(",")
                if self.accept("}"):
                    break
            key = self.expression()
            self.expect(":")
            members.append((key, self.expression()))
        return ObjectOf(tuple(members), position)
