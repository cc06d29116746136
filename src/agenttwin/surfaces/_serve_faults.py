"""Fault rules that a person hands in: the list of a scenario's `faults`, alone or under that name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import orjson
from pydantic import Field

from agenttwin.document import Finding, Model, Source, located, parse, validate
from agenttwin.errors import DocumentError, Problem
from agenttwin.transcript import Risk
from agenttwin.twin import FaultRule
from agenttwin.values import Path, format_path, nearest


class FaultList(Model):
    """Rules, the first that fits a call wins."""

    faults: list[FaultRule] = Field(default_factory=list)


def read_faults(text: bytes | str, *, file: str, tools: Iterable[str]) -> tuple[FaultRule, ...]:
    """The rules in a YAML text, or in a JSON text if ``file`` ends in .json.

    DocumentError holds every problem, each with its place; ``tools`` are the targets that there are.
    """
    source = parse(text, file=file)
    if isinstance(source.value, list):
        named, depth = parse(orjson.dumps({"faults": source.value}), file="faults.json"), 1
    else:
        named, depth = source, 0
    read, problems = validate(named, FaultList)
    told = [_at(source, problem, depth) for problem in problems]
    rules = tuple(read.faults) if read is not None else ()
    told += [located(source, finding) for finding in _unknown_targets(rules, tuple(tools), depth)]
    if read is None or any(not problem.warning for problem in told):
        raise DocumentError(told)
    return rules


def _at(source: Source, problem: Problem, depth: int) -> Problem:
    """A problem of the named list at its place in what was handed in."""
    if not depth:
        return problem
    segments = Path.parse(problem.path).segments[depth:] if problem.path else ()
    return replace(problem, path=format_path(segments), location=source.locate(segments))


def _unknown_targets(rules: Sequence[FaultRule], tools: tuple[str, ...], depth: int) -> Iterator[Finding]:
    targets = ("*", *tools, *(f"risk:{risk}" for risk in Risk))
    for index, rule in enumerate(rules):
        if rule.target not in targets:
            yield Finding(
                at=("faults", index, "target")[depth:],
                code="unknown_tool",
                message=f"there is no tool {rule.target!r}",
                value=rule.target,
                nearest=nearest(rule.target, targets),
                valid=targets,
            )
