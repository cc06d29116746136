"""The table of codes is complete, and each code is spelled the same way."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import agenttwin
from agenttwin import errors
from agenttwin.errors import CODES, AgentTwinError

SOURCES = sorted(Path(agenttwin.__file__).parent.rglob("*.py"))
COINING = {"Problem"} | {
    name
    for name in errors.__all__
    if isinstance(cls := getattr(errors, name), type) and issubclass(cls, AgentTwinError)
}


def coined(tree: ast.AST) -> Iterator[str]:
    """The codes that a module writes out where it makes a problem or an error."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in COINING:
            given = [word.value for word in node.keywords if word.arg == "code"] or node.args[:1]
            values = [arg.value for arg in given if isinstance(arg, ast.Constant)]
            yield from (value for value in values if isinstance(value, str))


def test_every_code_in_use_stands_in_the_table() -> None:
    used = {(code, path.name) for path in SOURCES for code in coined(ast.parse(path.read_text()))}
    assert {(code, name) for code, name in used if code not in CODES} == set()


def test_codes_are_lower_snake_case() -> None:
    assert [code for code in CODES if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", code)] == []


def test_every_row_says_what_how_and_what_to_do() -> None:
    assert [code for code, row in CODES.items() if not (row.title and row.example and row.remedy)] == []


def test_remedies_are_sentences_and_titles_are_not() -> None:
    assert [code for code, row in CODES.items() if not row.remedy.endswith(".")] == []
    assert [code for code, row in CODES.items() if row.title.endswith(".")] == []
