"""Path templates: where in the state a tool reads and writes, with segments that come from the call.

A segment with a placeholder is exactly one segment whatever it contains: text is a key of an object and is
never parsed, a number is an index of a list. So no argument can lead anywhere else.
"""

import re
from dataclasses import dataclass

from agenttwin.expression._errors import EvaluationError, TemplateError
from agenttwin.expression._names import Names, References, Run
from agenttwin.expression._operators import constant
from agenttwin.expression._placeholder import scan
from agenttwin.expression._scope import Dynamic, Scope
from agenttwin.expression._template import joined
from agenttwin.values import Path, PathPart, describe, scan_path


@dataclass(frozen=True, slots=True)
class PathTemplate:
    """A compiled path template. `resolve(scope)` gives its segments, or raises EvaluationError.

    `length`: it ends in `.length()`, which is no segment. `shape` has the segments as far as they are known
    without a call, None for the others; `heads` is the first of them; `static` the path where all are known.
    `names_used` are the arguments and roots it reads; `shadowed` those arguments that hide a root.
    """

    text: str
    resolve: Run
    shape: tuple[str | int | None, ...]
    length: bool
    names_used: frozenset[str]
    shadowed: frozenset[str]

    @property
    def heads(self) -> str | int | None:
        """The first segment; None where a call decides it, or there is none."""
        return self.shape[0] if self.shape else None

    @property
    def static(self) -> Path | None:
        """The path, where no segment depends on the call."""
        segments = tuple(segment for segment in self.shape if segment is not None)
        return Path(segments, self.length) if len(segments) == len(self.shape) else None


def compile_path(text: str, names: Names) -> PathTemplate:
    """Reads a path with placeholders: `orders[{order_id}].items`, `users.{value.user_id}`, `log.length()`.

    At most 500 characters and 64 segments. TemplateError says what is wrong and where.
    """
    references = References(names)
    try:
        parts = scan_path(text)
    except ValueError as error:
        raise TemplateError(str(error)) from None
    length = bool(parts) and parts[-1].kind == "length"
    steps = parts[:-1] if length else parts
    shape = tuple(None if step.kind == "hole" else step.value for step in steps)
    runs = tuple([_hole(step, references) for step in steps if _is_hole(step)])
    resolve = _resolver(shape, runs) if runs else constant(shape)
    used, shadowed = frozenset(references.used), frozenset(references.shadowed)
    return PathTemplate(text, resolve, shape, length, used, shadowed)


_QUOTED_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def _is_hole(part: PathPart) -> bool:
    """Whether a call decides the segment."""
    if part.kind == "hole":
        return True
    if isinstance(part.value, str) and _QUOTED_PLACEHOLDER.fullmatch(part.value):
        raise TemplateError(f"a placeholder stands without quotes: [{part.value}]", part.position - 1)
    return False


def _hole(part: PathPart, references: References) -> Run:
    """What gives one segment."""
    try:
        parts = scan(str(part.value), references, optional=False)
    except TemplateError as error:
        error.position += part.position - 1
        raise
    if len(parts) == 1 and not isinstance(parts[0], str):
        return _segment(parts[0], str(part.value))
    _, run = joined(parts)
    return run or constant(part.value)


def _segment(read: Run, shown: str) -> Run:
    def run(scope: Scope) -> str | int:
        value = read(scope)
        kind = type(value)
        if kind is str or kind is int:
            return value  # type: ignore[no-any-return]
        if kind is float and value.is_integer():
            return int(value)
        raise EvaluationError(f"{shown} is {describe(value)}, but a segment of a path is text or an integer")

    return run


def _resolver(shape: tuple[str | int | None, ...], runs: tuple[Run, ...]) -> Run:
    """Puts what `runs` give into the gaps of `shape`, as many as there are."""
    if len(runs) > 1:
        return _filler(shape, runs)
    (run,) = runs
    gap = shape.index(None)
    before, after = shape[:gap], shape[gap + 1 :]

    def resolve(scope: Scope) -> tuple[Dynamic, ...]:
        return (*before, run(scope), *after)

    return resolve


def _filler(shape: tuple[str | int | None, ...], runs: tuple[Run, ...]) -> Run:
    def resolve(scope: Scope) -> tuple[Dynamic, ...]:
        values = iter(runs)
        return tuple([next(values)(scope) if segment is None else segment for segment in shape])

    return resolve
