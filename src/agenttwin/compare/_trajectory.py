"""Trajectories: what a side did, from the evidence, as steps that can be held against another side's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeAlias

from agenttwin.compare._values import Side
from agenttwin.evaluate import effects
from agenttwin.transcript import PolicyDecision, Retrieval, ToolCall
from agenttwin.values import Json, Path, Tree, canonical

MAX_IGNORED_CHARACTERS: Final = 60
"""How much of an argument is printed whose wording is no difference."""

MAX_PRINTED_CHARACTERS: Final = 400
"""How much of any one value is printed in a sentence: an argument may hold a whole document."""

MAX_ALIGNMENT_CELLS: Final = 250_000
"""What an alignment may cost, in pairs of steps: two sides of 500 steps that share neither start nor end."""

RETRIEVAL: Final = "search_knowledge_base"
"""The name of a search, however it was made."""

Ignored: TypeAlias = Mapping[str, Sequence[str]]


class Kind(StrEnum):
    """What a step is."""

    CALL = "call"
    POLICY = "policy"
    RETRIEVAL = "retrieval"
    OUTCOME = "outcome"


class Effect(StrEnum):
    """What a call did to the world."""

    APPLIED = "applied"
    REPLAYED = "replayed"
    NONE = "none"


@dataclass(slots=True, kw_only=True)  # not frozen: every call of every case becomes one; never written to
class Step:
    """One step. ``compared`` is the canonical form of the arguments without those that are ignored.

    ``event`` is the evidence: the call, for a policy decision the call that it is about, None for the
    claimed outcome, whose name is the outcome. ``ignored`` are the arguments that are printed short.
    """

    kind: Kind
    name: str
    arguments: Json = None
    compared: bytes = b""
    result: str = ""
    code: str | None = None
    effect: Effect = Effect.NONE
    event: ToolCall | Retrieval | None = None
    ignored: frozenset[str] = frozenset()

    @property
    def signature(self) -> tuple[object, ...]:
        """What must be equal for two steps to be the same. The body of an answer is no part of it."""
        return self.kind, self.name, self.compared, self.result, self.code, self.effect

    @property
    def call(self) -> ToolCall | None:
        """The call, where the step is one."""
        return self.event if self.kind is Kind.CALL and isinstance(self.event, ToolCall) else None

    def __str__(self) -> str:
        """The step as sentences print it: `refund_payment(amount=40, order_id=ORD-1001)`."""
        return f"{self.name}({printed_arguments(self.arguments, self.ignored)})"


def trajectory(side: Side, ignore: Ignored) -> tuple[Step, ...]:
    """The steps of a side: calls, each with the policies it met, retrievals, and the claimed outcome last.

    Nothing where the side never ran.
    """
    if side.transcript is None:
        return ()
    events = side.transcript.events
    decisions: dict[int, list[PolicyDecision]] = {}
    for event in events:
        if isinstance(event, PolicyDecision):
            decisions.setdefault(event.call, []).append(event)
    steps: list[Step] = []
    for event in events:
        if isinstance(event, ToolCall):
            if not event.redelivered:
                steps.append(_call(event, ignore))
                steps += [_decision(decision, event) for decision in decisions.get(event.seq, ())]
        elif isinstance(event, Retrieval):
            steps.append(_retrieval(event))
    steps.append(Step(kind=Kind.OUTCOME, name=side.claim.outcome))
    return tuple(steps)


def _call(call: ToolCall, ignore: Ignored) -> Step:
    ignored = ignore.get(call.tool, ())
    return Step(
        kind=Kind.CALL,
        name=call.tool,
        arguments=call.arguments,
        compared=canonical(without(call.arguments, ignored) if ignored else call.arguments),
        result=call.result,
        code=call.code,
        effect=effect_of(call),
        event=call,
        ignored=_heads(tuple(ignored)),
    )


def _decision(decision: PolicyDecision, call: ToolCall) -> Step:
    return Step(kind=Kind.POLICY, name=decision.policy, result=decision.decision, event=call)


def _retrieval(event: Retrieval) -> Step:
    arguments: Json = {"query": event.query}
    return Step(
        kind=Kind.RETRIEVAL, name=RETRIEVAL, arguments=arguments, compared=canonical(arguments), event=event
    )


def effect_of(call: ToolCall) -> Effect:
    """Whether the call changed the world, repeated an earlier answer without doing so, or did nothing."""
    if call.replayed:
        return Effect.REPLAYED
    return Effect.APPLIED if effects(call) else Effect.NONE


def without(arguments: Json, ignored: Iterable[str]) -> Json:
    """The arguments without what stands at the paths ``ignored``."""
    tree = Tree(arguments)
    for path in ignored:
        segments = _path(path).segments
        if segments:
            tree.delete(segments)
    return tree.plain()


@lru_cache(maxsize=4096)
def _path(text: str) -> Path:
    return Path.parse(text)


@lru_cache(maxsize=4096)
def _heads(ignored: tuple[str, ...]) -> frozenset[str]:
    """The names of the arguments in which something is ignored."""
    return frozenset(str(segments[0]) for path in ignored if (segments := _path(path).segments))


# -- as text


def printed_arguments(arguments: Json, ignored: Iterable[str] = ()) -> str:
    """Arguments as `name=value`, sorted by name; those that are ignored cut short."""
    if not isinstance(arguments, dict):
        return printed(arguments)
    short = frozenset(ignored)
    return ", ".join(
        f"{name}={printed(value, MAX_IGNORED_CHARACTERS if name in short else MAX_PRINTED_CHARACTERS)}"
        for name, value in sorted(arguments.items())
    )


def printed(value: Json, limit: int = MAX_PRINTED_CHARACTERS) -> str:
    """A value in a sentence: text bare, anything else in canonical form; cut beyond ``limit`` characters."""
    text = value if isinstance(value, str) else canonical(value).decode()
    return text if len(text) <= limit else f"{text[:limit]}…"


# -- side by side


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Steps that stand side by side, by number from 1; None where only the other side has one there.

    ``same``: both are there and do not differ.
    """

    baseline: int | None
    candidate: int | None
    same: bool = False


def align(baseline: Sequence[Step], candidate: Sequence[Step]) -> tuple[Row, ...]:
    """Both trajectories side by side: the longest common subsequence on kind and name; outcome by outcome.

    Where that would cost too much, what lies between the common start and end stands unaligned.
    """
    left, right = [_mark(step) for step in baseline], [_mark(step) for step in candidate]
    start = _common(left, right)
    end = _common(left[start:][::-1], right[start:][::-1])
    pairs: list[tuple[int | None, int | None]] = [(index, index) for index in range(start)]
    pairs += [
        (None if i is None else i + start, None if j is None else j + start)
        for i, j in _matched(left[start : len(left) - end], right[start : len(right) - end])
    ]
    pairs += [(len(left) - end + offset, len(right) - end + offset) for offset in range(end)]
    return tuple(_row(i, j, baseline, candidate) for i, j in pairs)


def _mark(step: Step) -> tuple[Kind, str]:
    return step.kind, "" if step.kind is Kind.OUTCOME else step.name


def _row(i: int | None, j: int | None, baseline: Sequence[Step], candidate: Sequence[Step]) -> Row:
    if i is None or j is None:
        return Row(baseline=None if i is None else i + 1, candidate=None if j is None else j + 1)
    return Row(baseline=i + 1, candidate=j + 1, same=baseline[i].signature == candidate[j].signature)


def _common(left: Sequence[object], right: Sequence[object]) -> int:
    """How many elements two sequences have in common at their beginning."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _matched(left: Sequence[object], right: Sequence[object]) -> list[tuple[int | None, int | None]]:
    """Indices side by side along a longest common subsequence; what only the left has comes first."""
    if len(left) * len(right) > MAX_ALIGNMENT_CELLS:
        return [*((i, None) for i in range(len(left))), *((None, j) for j in range(len(right)))]
    longest = _longest(left, right)
    pairs: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < len(left) or j < len(right):
        if i < len(left) and j < len(right) and left[i] == right[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif j == len(right) or (i < len(left) and longest[i + 1][j] >= longest[i][j + 1]):
            pairs.append((i, None))
            i += 1
        else:
            pairs.append((None, j))
            j += 1
    return pairs


def _longest(left: Sequence[object], right: Sequence[object]) -> list[list[int]]:
    """The length of a longest common subsequence of ``left[i:]`` and ``right[j:]``, at [i][j]."""
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            same = left[i] == right[j]
            table[i][j] = table[i + 1][j + 1] + 1 if same else max(table[i + 1][j], table[i][j + 1])
    return table
