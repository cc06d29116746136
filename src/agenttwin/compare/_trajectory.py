"""Trajectories: what an agent did, as normalised steps that can be laid side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from agenttwin.compare._values import Aligned, Side, Step
from agenttwin.evaluate import effects
from agenttwin.transcript import PolicyDecision, Retrieval, ToolCall
from agenttwin.values import Json, Path, Tree, canonical

IGNORED_SHOWN: Final = 60
"""Characters shown of an argument whose wording is no difference."""

MAX_ALIGNED: Final = 2_000_000
"""Cells of the alignment's table; beyond, the middle is laid side by side as it is."""

Ignore = Mapping[str, tuple[str, ...]]


def trajectory(side: Side, ignore: Ignore) -> tuple[Step, ...]:
    """The steps of a side: calls with the policies they met, retrievals, and last the claimed outcome."""
    transcript = side.transcript
    if transcript is None:
        return ()
    decisions = [event for event in transcript.events if isinstance(event, PolicyDecision)]
    steps: list[Step] = []
    for event in transcript.events:
        if isinstance(event, ToolCall) and not event.redelivered:
            steps.append(_call(event, ignore.get(event.tool, ())))
            steps += [_decision(decision, event) for decision in decisions if decision.call == event.seq]
        elif isinstance(event, Retrieval):
            steps.append(_retrieval(event))
    steps.append(Step(kind="outcome", name=side.claim.outcome.value, shown=side.claim.outcome.value))
    return tuple(steps)


def _call(call: ToolCall, ignored: Sequence[str]) -> Step:
    return Step(
        kind="call",
        name=call.tool,
        arguments=without(call.arguments, ignored),
        shown=f"{call.tool}({_arguments(call.arguments, ignored)})",
        result=call.result.value,
        code=call.code,
        effect=effect_of(call),
        call=call,
    )


def effect_of(call: ToolCall) -> str:
    """Whether the call's effect was applied, replayed from an earlier answer, or there was none."""
    if call.replayed:
        return "replayed"
    return "applied" if effects(call) else "none"


def _decision(decision: PolicyDecision, call: ToolCall) -> Step:
    shown = f"{call.tool} met {decision.policy} ({decision.decision})"
    return Step(kind="policy", name=decision.policy, result=decision.decision, shown=shown, call=call)


def _retrieval(event: Retrieval) -> Step:
    found: Json = [name for name, _ in event.documents]
    return Step(
        kind="retrieval",
        name="search",
        arguments={"query": event.query},
        shown=f"search(query={event.query})",
        result=canonical(found).decode(),
    )


def without(arguments: Json, ignored: Sequence[str]) -> Json:
    """The arguments without those whose wording is no difference."""
    if not ignored or not isinstance(arguments, dict):
        return arguments
    tree = Tree(arguments)
    for path in ignored:
        tree.delete(Path.parse(path).segments)
    return tree.plain()


def _arguments(arguments: Json, ignored: Sequence[str]) -> str:
    if not isinstance(arguments, dict):
        return text_of(arguments)
    return ", ".join(
        f"{name}={_cut(text_of(value)) if name in ignored else text_of(value)}"
        for name, value in sorted(arguments.items())
    )


def text_of(value: Json) -> str:
    """A value as sentences print it: text bare, anything else as canonical JSON."""
    return value if isinstance(value, str) else canonical(value).decode()


def _cut(text: str) -> str:
    return text if len(text) <= IGNORED_SHOWN else text[: IGNORED_SHOWN - 1] + "…"


def align(baseline: Sequence[Step], candidate: Sequence[Step]) -> tuple[Aligned, ...]:
    """Both trajectories side by side: the longest common subsequence on kind and name."""
    left, right = [_mark(step) for step in baseline], [_mark(step) for step in candidate]
    start = _common(left, right)
    end = _common(left[start:][::-1], right[start:][::-1])
    middle = _middle(left[start : len(left) - end], right[start : len(right) - end], start)
    head = [Aligned(baseline=n, candidate=n) for n in range(1, start + 1)]
    tail = [Aligned(baseline=len(left) - end + n, candidate=len(right) - end + n) for n in range(1, end + 1)]
    return (*head, *middle, *tail)


def _mark(step: Step) -> tuple[str, str]:
    return step.kind, "" if step.kind == "outcome" else step.name


def _common(left: Sequence[object], right: Sequence[object]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _middle(left: Sequence[object], right: Sequence[object], start: int) -> list[Aligned]:
    if len(left) * len(right) > MAX_ALIGNED:
        length = max(len(left), len(right))
        return [
            Aligned(
                baseline=start + n + 1 if n < len(left) else None,
                candidate=start + n + 1 if n < len(right) else None,
            )
            for n in range(length)
        ]
    table = _lengths(left, right)
    rows: list[Aligned] = []
    i = j = 0
    while i < len(left) or j < len(right):
        if i < len(left) and j < len(right) and left[i] == right[j]:
            rows.append(Aligned(baseline=start + i + 1, candidate=start + j + 1))
            i, j = i + 1, j + 1
        elif j == len(right) or (i < len(left) and table[i + 1][j] >= table[i][j + 1]):
            rows.append(Aligned(baseline=start + i + 1, candidate=None))
            i += 1
        else:
            rows.append(Aligned(baseline=None, candidate=start + j + 1))
            j += 1
    return rows


def _lengths(left: Sequence[object], right: Sequence[object]) -> list[list[int]]:
    """``table[i][j]``: how long the longest common subsequence of what remains is."""
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            table[i][j] = (
                table[i + 1][j + 1] + 1 if left[i] == right[j] else max(table[i + 1][j], table[i][j + 1])
            )
    return table
