"""Templates: JSON whose texts may hold `{placeholders}` and `{= expressions }`, compiled once to closures.

A part of the value without any is given back as it is, and costs nothing.
"""

from dataclasses import dataclass
from typing import Final

from agenttwin.expression._errors import TemplateError
from agenttwin.expression._names import Names, References, Run
from agenttwin.expression._operators import constant
from agenttwin.expression._placeholder import Part, scan
from agenttwin.expression._scope import Dynamic, Scope
from agenttwin.expression._text import MAX_TEXT, check_text, text_form
from agenttwin.values import MISSING, Json

MAX_TEMPLATE_DEPTH: Final = 64  # levels of a template; the deepest document has no more


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled template. `render(scope)` gives its value, or raises EvaluationError.

    The value shares what it can with the template, the arguments and the state: read it only. It is MISSING
    where the template is one optional placeholder that finds nothing. `static`: it is the same in every
    scope. `names_used` are the arguments and roots it reads; `shadowed` those arguments that hide a root.
    """

    render: Run
    static: bool
    names_used: frozenset[str]
    shadowed: frozenset[str]


def compile(value: Json, names: Names) -> Template:
    """Reads a template: every text in `value` is one, keys are not.

    A text that is one placeholder keeps the JSON type of its value (a line break after it does not count),
    any other joins the text forms. A member or element that is an optional placeholder is left out where
    that finds nothing. TemplateError tells the first problem, and with it the others.
    """
    builder = _Builder(References(names))
    return builder.template(*builder.build(value, ()))


def compile_text(text: str, names: Names) -> Template:
    """As compile, for a text whose value is text even where it is one placeholder, and never MISSING."""
    builder = _Builder(References(names))
    return builder.template(*joined(builder.parts(text, ())))


class _Builder:
    """Compiles the texts of one value; goes on after a problem, to tell them all."""

    def __init__(self, references: References) -> None:
        self.references = references
        self.problems: list[TemplateError] = []

    def template(self, value: Json, run: Run | None) -> Template:
        if self.problems:
            self.problems[0].others = tuple(self.problems[1:])
            raise self.problems[0]
        used, shadowed = frozenset(self.references.used), frozenset(self.references.shadowed)
        return Template(run or constant(value), run is None, used, shadowed)

    def build(self, value: Json, path: tuple[str | int, ...]) -> tuple[Json, Run | None]:
        """What gives the value, or None beside a value that never changes."""
        if isinstance(value, dict | list):
            return self.container(value, path)
        if not isinstance(value, str):
            return value, None
        parts = self.parts(value, path)
        lone = parts[0] if len(parts) == 1 or parts[1:] == ["\n"] else ""
        return joined(parts) if isinstance(lone, str) else (None, lone)

    def container(self, value: Dynamic, path: tuple[str | int, ...]) -> tuple[Json, Run | None]:
        if len(path) == MAX_TEMPLATE_DEPTH:
            self.tell(TemplateError(f"a template has at most {MAX_TEMPLATE_DEPTH} levels"), path)
            return None, None
        keys = list(value) if isinstance(value, dict) else range(len(value))
        made, runs = value.copy(), []
        for key in keys:
            made[key], run = self.build(value[key], (*path, key))
            if run:
                runs.append((key, run))
        if runs:
            return None, _filled(made, tuple(runs))
        return (value if all(made[key] is value[key] for key in keys) else made), None

    def parts(self, text: str, path: tuple[str | int, ...]) -> list[Part]:
        try:
            return scan(text, self.references)
        except TemplateError as error:
            self.tell(error, path)
            return []

    def tell(self, problem: TemplateError, path: tuple[str | int, ...]) -> None:
        problem.path = path
        self.problems.append(problem)


def _filled(made: Dynamic, runs: tuple[tuple[Dynamic, Run], ...]) -> Run:
    """An object or list: a copy of the unchanging `made`, with the values of `runs` put in."""

    def render(scope: Scope) -> Dynamic:
        result, gaps = made.copy(), False
        for key, run in runs:
            value = result[key] = run(scope)
            gaps = gaps or value is MISSING
        return _closed(result) if gaps else result

    return render


def _closed(made: Dynamic) -> Dynamic:
    """An object or list without the members that are missing."""
    if isinstance(made, list):
        return [value for value in made if value is not MISSING]
    return {key: value for key, value in made.items() if value is not MISSING}


def joined(parts: list[Part]) -> tuple[Json, Run | None]:
    """The text forms of the parts as one text."""
    opening, pieces = "", list[tuple[Run, str]]()
    for part in parts:
        if not isinstance(part, str):
            pieces.append((part, ""))
        elif pieces:
            pieces[-1] = (pieces[-1][0], part)
        else:
            opening = part
    if not pieces:
        return opening, None

    def render(scope: Scope) -> str:
        text = opening
        for read, literal in pieces:
            value = read(scope)
            text += (value if type(value) is str else text_form(value)) + literal
            if len(text) > MAX_TEXT:
                check_text(len(text))
        return text

    return None, render
