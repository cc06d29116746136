"""CEL text → tokens: numbers, texts, names, operators; each knows where it stands."""

import re
from math import isfinite
from typing import Final, Literal, NamedTuple, TypeAlias

from agenttwin.expression._errors import TemplateError
from agenttwin.expression._numbers import Number, from_float
from agenttwin.expression._scope import Dynamic
from agenttwin.values import MAX_INTEGER

MAX_EXPRESSION_BYTES: Final = 4 * 2**10
"""Of one expression in UTF-8; what is longer is unreadable, and belongs into several `let`."""

Kind: TypeAlias = Literal["literal", "name", "field", "operator", "end"]


class Token(NamedTuple):
    """`symbol` is an operator, or empty at the end, else None; `value` what a literal or name stands for."""

    kind: Kind
    symbol: str | None
    value: Dynamic
    text: str
    position: int


def tokenize(text: str, start: int = 0, *, enclosed: bool = False) -> tuple[list[Token], int]:
    """The tokens from `start` on, closed by an `end` token, and where they stop.

    `enclosed`: they stop at the brace that closes more than was opened, rather than at the end of the text.
    """
    if not enclosed:
        _check_size(text[start:], start)
    tokens: list[Token] = []
    depth, position, size = 0, _after_space(text, start), len(text)
    while position < size:
        token, end = _scan(text, position)
        if enclosed and token.symbol in _BRACES:
            depth += _BRACES[token.symbol]
            if depth < 0:
                _check_size(text[start:position], start)
                return [*tokens, _end(position)], end
        tokens.append(token)
        position = _after_space(text, end)
    if enclosed:
        raise TemplateError("the expression is not closed by '}'", start)
    return [*tokens, _end(size)], size


_SPACE = re.compile(r"(?:[ \t\r\n\f]+|//[^\n]*)*")
_TOKEN = re.compile(
    r"(?P<prefix>[rRbB]{0,2})(?P<text>'''|\"\"\"|'|\")"
    r"|(?P<name>\$?[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<hex>0[xX][0-9a-fA-F]+)"
    r"|(?P<double>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<integer>[0-9]+)"
    r"|(?P<operator>&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}])"
    r"|`(?P<field>[A-Za-z0-9_.\-/ ]+)`"
)
_BRACES: Final[dict[str | None, int]] = {"{": 1, "}": -1}
_CONSTANTS: Final = {"true": True, "false": False, "null": None}
_HINTS: Final = {"=": "equality is ==", "&": "and is &&", "|": "or is ||"}


def _check_size(text: str, position: int) -> None:
    size = len(text.encode(errors="surrogatepass"))
    if size > MAX_EXPRESSION_BYTES:
        raise TemplateError(
            f"an expression has at most {MAX_EXPRESSION_BYTES:,} bytes, this one has {size:,}", position
        )


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _end(position: int) -> Token:
    return Token("end", "", None, "", position)


def _scan(text: str, position: int) -> tuple[Token, int]:
    found = _TOKEN.match(text, position)
    if found is None:
        hint = f"; {_HINTS[text[position]]}" if text[position] in _HINTS else ""
        raise TemplateError(f"unexpected {text[position]!r}{hint}", position, value=text[position])
    return _SCANNERS[found.lastgroup or ""](text, found)


def _scan_operator(_: str, found: re.Match[str]) -> tuple[Token, int]:
    return Token("operator", found[0], None, found[0], found.start()), found.end()


def _scan_name(_: str, found: re.Match[str]) -> tuple[Token, int]:
    word = found[0]
    if word == "in":
        return _scan_operator(_, found)
    if word in _CONSTANTS:
        return _literal(found, _CONSTANTS[word])
    return Token("name", None, word, word, found.start()), found.end()


def _scan_field(_: str, found: re.Match[str]) -> tuple[Token, int]:
    return Token("field", None, found["field"], found[0], found.start()), found.end()


def _literal(found: re.Match[str], value: Dynamic) -> tuple[Token, int]:
    return Token("literal", None, value, found[0], found.start()), found.end()


def _scan_number(text: str, found: re.Match[str]) -> tuple[Token, int]:
    start, end = found.span()
    following = text[end : end + 1]
    if following in ("u", "U"):
        raise TemplateError(f"{found[0]}u: there are no unsigned integers, numbers are JSON numbers", start)
    if following.isalnum() or following in ("_", "$"):
        raise TemplateError(f"unexpected {following!r} after the number {found[0]}", end)
    return _literal(found, _number(found))


def _number(found: re.Match[str]) -> Number:
    if found.lastgroup == "double":
        double = float(found[0])
        if isfinite(double):
            return from_float(double)
        raise TemplateError(f"{found[0]} is beyond the largest number", found.start())
    integer = int(found[0], 16 if found.lastgroup == "hex" else 10)
    if integer <= MAX_INTEGER:
        return integer
    raise TemplateError(
        f"{found[0]} is beyond 2^53, where integers are not exact; write ids as text", found.start()
    )


_BODIES: Final = {
    (quote, raw): re.compile(body.replace("Q", quote), re.DOTALL)
    for raw, short, long in (
        (True, r"([^Q\n\r]*)Q", r"(.*?)Q"),
        (False, r"((?:[^Q\\\n\r]|\\[^\n\r])*)Q", r"((?:[^\\]|\\.)*?)Q"),
    )
    for quote, body in (("'", short), ('"', short), ("'''", long), ('"""', long))
}


def _scan_text(text: str, opening: re.Match[str]) -> tuple[Token, int]:
    prefix, start = opening["prefix"].lower(), opening.start()
    if "b" in prefix:
        raise TemplateError("there are no bytes, JSON has only text", start)
    body = _BODIES[opening["text"], "r" in prefix].match(text, opening.end())
    if body is None:
        raise TemplateError(f"the text is not closed by {opening['text']}", start)
    value = body[1] if "r" in prefix else _unescape(body[1], opening.end())
    return Token("literal", None, value, text[start : body.end()], start), body.end()


_ESCAPE = re.compile(
    r"\\(?:(?P<plain>[abfnrtv\\?\"'`])|[xX](?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})"
    r"|U(?P<U>[0-9a-fA-F]{8})|(?P<octal>[0-3][0-7]{2})|(?P<wrong>.))",
    re.DOTALL,
)
_PLAIN: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LAST_CHARACTER: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)


def _unescape(text: str, position: int) -> str:
    def replace(found: re.Match[str]) -> str:
        kind, digits = found.lastgroup, found[found.lastgroup or 0]
        if kind == "plain":
            return _PLAIN.get(digits, digits)
        code = -1 if kind == "wrong" else int(digits, 8 if kind == "octal" else 16)
        if not 0 <= code <= _LAST_CHARACTER or code in _SURROGATES:
            raise TemplateError(f"{found[0]!r} is no escape", position + found.start())
        return chr(code)

    return _ESCAPE.sub(replace, text)


_SCANNERS: Final = {
    "text": _scan_text,
    "name": _scan_name,
    "hex": _scan_number,
    "double": _scan_number,
    "integer": _scan_number,
    "operator": _scan_operator,
    "field": _scan_field,
}
