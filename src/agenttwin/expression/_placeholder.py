"""Text with `{placeholders}` → literals and closures; shared by templates and path templates."""

import re
from typing import TypeAlias

from agenttwin.expression._errors import EvaluationError, TemplateError
from agenttwin.expression._expression import compile_tokens
from agenttwin.expression._names import References, Run
from agenttwin.expression._scope import Dynamic, Scope
from agenttwin.expression._tokens import tokenize
from agenttwin.values import MISSING, Path

Part: TypeAlias = str | Run
"""A stretch of literal text, or what reads the value of a placeholder."""


def scan(text: str, references: References, *, optional: bool = True) -> list[Part]:
    """The parts of a template text, in order; TemplateError says what is wrong and where.

    `{name.path}` reads a value, `{name.path?}` gives MISSING where there is none, `{= CEL }` computes one,
    `{{` and `}}` are braces. Unless `optional`, a trailing `?` is refused.
    """
    parts: list[Part] = []
    literal, position = "", 0
    while found := _BRACE.search(text, position):
        at = found.start()
        literal += text[position:at]
        if found[0] in ("{{", "}}"):
            literal += found[0][0]
            position = found.end()
            continue
        run, position = _placeholder(text, at, references, optional)
        parts += [literal, run] if literal else [run]
        literal = ""
    literal += text[position:]
    return [*parts, literal] if literal else parts


_BRACE = re.compile(r"\{\{|\}\}|\{|\}")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def _placeholder(text: str, at: int, references: References, optional: bool) -> tuple[Run, int]:
    """What stands at the single brace `text[at]`, and where it ends."""
    if text.startswith("{=", at):
        tokens, end = tokenize(text, at + 2, enclosed=True)
        return compile_tokens(tokens, text[at + 2 : end - 1].strip(), references), end
    found = _PLACEHOLDER.match(text, at)
    if found is None:
        what = "'{' is not closed" if text[at] == "{" else "'}' closes nothing"
        raise TemplateError(f"{what}; a brace itself is doubled", at)
    content = found[1].strip()
    if content.endswith("?") and not optional:
        raise TemplateError(f"{found[0]} cannot be left out here, so it takes no '?'", at)
    return _reader(found[0], content, at, references), found.end()


def _reader(shown: str, content: str, at: int, references: References) -> Run:
    optional, escape = content.endswith("?"), "$" if content.startswith("$") else ""
    try:
        path = Path.parse(content.removeprefix("$").removesuffix("?").rstrip())
    except ValueError as error:
        raise TemplateError(f"{shown} is no placeholder: {error}; a brace itself is doubled", at) from None
    if not path.segments or not isinstance(path.segments[0], str):
        raise TemplateError(
            f"{shown} is no placeholder: it begins with a name; a brace itself is doubled", at
        )
    resolve = references.optional_reader if optional else references.reader
    head = resolve(escape + path.segments[0], shown, at)
    inner = Path(path.segments[1:], path.length)
    if not inner.segments and not inner.length:
        return head
    return _walk(head, inner) if optional else _strict_walk(head, inner, shown)


def _walk(head: Run, path: Path) -> Run:
    get = path.get

    def read(scope: Scope) -> Dynamic:
        return get(head(scope))

    return read


def _strict_walk(head: Run, path: Path, shown: str) -> Run:
    get = path.get

    def read(scope: Scope) -> Dynamic:
        value = get(head(scope))
        if value is MISSING:
            raise EvaluationError(f"{shown} is missing")
        return value

    return read
