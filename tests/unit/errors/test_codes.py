"""The table of codes is complete: every code that is raised has a row, and every row is raised somewhere."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import agenttwin
from agenttwin import errors
from agenttwin.errors import CODES, AgentTwinError

SOURCES = Path(agenttwin.__file__).parent
EXCEPTIONS = {
    name: 0 for name, cls in vars(errors).items() if isinstance(cls, type) and issubclass(cls, AgentTwinError)
}
CODE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+")
"""What a code looks like; an answer of a tool has a code too, in capitals."""


@cache
def nodes() -> dict[Path, list[ast.AST]]:
    """Every node of every module. Parsed when a test asks: whoever only collects the tests does not wait."""
    modules = [path for path in SOURCES.rglob("*.py") if path.name != "_codes.py"]
    return {path: list(ast.walk(ast.parse(path.read_text()))) for path in modules}


def takers(module: Iterable[ast.AST]) -> dict[str, int]:
    """Functions and classes with a parameter `code`, and which positional argument it is."""
    found = {}
    for node in module:
        if isinstance(node, ast.FunctionDef):
            names = [arg.arg for arg in node.args.args if arg.arg not in ("self", "cls")]
        elif isinstance(node, ast.ClassDef):
            names = [each.target.id for each in node.body if isinstance(each, ast.AnnAssign)]
        else:
            continue
        if "code" in names:
            found[node.name] = names.index("code")
    return found


def coined(module: Iterable[ast.AST], everywhere: dict[str, int]) -> Iterator[str]:
    """The codes that a module hands to whatever takes one; those that it puts together as patterns."""
    places = everywhere | takers(module)
    for node in module:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = [word.value for word in node.keywords if word.arg == "code"]
            if not given and name in places:
                given = node.args[places[name] :][:1]
            yield from (text for value in given for text in texts(value))


def texts(value: ast.expr) -> Iterator[str]:
    """The texts that an expression may be."""
    match value:
        case ast.Constant(value=str() as text) if CODE.fullmatch(text):
            yield text
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*texts(body), *texts(orelse))
        case ast.JoinedStr(values=parts):
            pattern = "".join(part.value if isinstance(part, ast.Constant) else "[a-z_]+" for part in parts)
            yield from (pattern,) if CODE.fullmatch(pattern.replace("[a-z_]+", "x")) else ()


@cache
def raised() -> dict[str, str]:
    """The codes and patterns that are raised, each with the name of a file."""
    modules = nodes()
    everywhere = {name: place for each in modules.values() for name, place in takers(each).items()}
    return {
        code: path.name for path, each in modules.items() for code in coined(each, everywhere | EXCEPTIONS)
    }


def written() -> set[str]:
    """Every text in the code: some codes stand in tables before they are raised."""
    return {
        node.value
        for each in nodes().values()
        for node in each
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_every_code_that_is_raised_stands_in_the_table() -> None:
    unlisted = {
        code: name for code, name in raised().items() if not any(re.fullmatch(code, row) for row in CODES)
    }
    assert unlisted == {}


def test_every_row_of_the_table_is_raised_somewhere() -> None:
    texts_there = written()
    assert [
        row
        for row in CODES
        if row not in texts_there and not any(re.fullmatch(code, row) for code in raised())
    ] == []


def test_codes_are_lower_snake_case() -> None:
    assert [code for code in CODES if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", code)] == []


def test_every_row_says_what_how_and_what_to_do() -> None:
    assert [code for code, row in CODES.items() if not (row.title and row.example and row.remedy)] == []


def test_remedies_are_sentences_and_titles_are_not() -> None:
    assert [code for code, row in CODES.items() if not row.remedy.endswith(".")] == []
    assert [code for code, row in CODES.items() if row.title.endswith(".")] == []
