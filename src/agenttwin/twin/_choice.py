"""Which fault befalls a call: rules in order, the first that fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from agenttwin.expression import Template, compile, compile_text
from agenttwin.transcript import Risk
from agenttwin.twin._fault import DEFAULT_DELAY_MS, Answer, Behavior, FaultKind, FaultRule, When
from agenttwin.twin._handler import contains
from agenttwin.twin._names import fault_names
from agenttwin.values import Json, draw

if TYPE_CHECKING:
    from agenttwin.twin._compile import CompiledTool
    from agenttwin.twin._world import World

ANY_TOOL: Final = "*"
RISK_PREFIX: Final = "risk:"


def targets_of(tools: Iterable[str]) -> tuple[str, ...]:
    """What a rule may aim at: every tool, one, or those of a risk."""
    return (ANY_TOOL, *tools, *(RISK_PREFIX + risk for risk in Risk))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRule:
    """A rule ready to be asked. ``name`` is its id, or its index; ``headers`` go with an error."""

    index: int
    name: str
    target: str
    when: When
    behavior: Behavior
    kind: FaultKind
    delay_ms: int
    headers: dict[str, str]
    message: Template
    body: Template | None

    def aims_at(self, tool: str, risk: Risk) -> bool:
        """Whether the rule is about calls of this tool at all."""
        return self.target in (ANY_TOOL, tool, RISK_PREFIX + risk)


def compile_rules(rules: Sequence[FaultRule]) -> tuple[CompiledRule, ...]:
    """The rules in their order; TemplateError where a message or body cannot be compiled."""
    return tuple(_compile(rule, index) for index, rule in enumerate(rules))


def _compile(rule: FaultRule, index: int) -> CompiledRule:
    behavior, said = rule.behavior, rule.behavior.model_fields_set
    kind = behavior.columns()
    tells_when = kind.answer is Answer.ERROR and (kind.retry_after or "retry_after_seconds" in said)
    delay_ms = behavior.delay_ms if "delay_ms" in said else DEFAULT_DELAY_MS.get(behavior.type, 0)
    return CompiledRule(
        index=index,
        name=rule.id or str(index),
        target=rule.target,
        when=rule.when,
        behavior=behavior,
        kind=kind,
        delay_ms=delay_ms,
        headers={"Retry-After": str(behavior.retry_after_seconds)} if tells_when else {},
        message=_compile_message(kind.message if behavior.message is None else behavior.message),
        body=compile(behavior.body, fault_names()) if "body" in said else None,
    )


@lru_cache(maxsize=256)
def _compile_message(text: str) -> Template:
    return compile_text(text, fault_names())


def choose(world: World, tool: CompiledTool, arguments: dict[str, Json], number: int) -> CompiledRule | None:
    """The rule that befalls this call, if any.

    Every rule that counts calls counts this one where it fits, whichever rule is chosen: so no rule depends
    on those before it.
    """
    chosen = None
    for rule in world.rules:
        if (
            rule.aims_at(tool.name, tool.risk)
            and _fits(world, rule, tool.name, arguments, number)
            and chosen is None
        ):
            chosen = rule
    return chosen


def _fits(world: World, rule: CompiledRule, tool: str, arguments: dict[str, Json], number: int) -> bool:
    when = rule.when
    if not _conditions_hold(when, arguments, number):
        return False
    if when.probability is not None and draw(world.seed, rule.name, tool, number) >= when.probability:
        return False
    if when.matching is not None and _count(world.counters.fitting, rule) != when.matching:
        return False
    return rule.behavior.quota == 0 or _count(world.counters.within_quota, rule) > rule.behavior.quota


def _conditions_hold(when: When, arguments: dict[str, Json], number: int) -> bool:
    return not (
        (when.call_number is not None and number != when.call_number)
        or (when.call_numbers is not None and number not in when.call_numbers)
        or (when.first_n is not None and number > when.first_n)
        or (when.args_match is not None and not contains(when.args_match, arguments))
    )


def _count(counts: dict[int, int], rule: CompiledRule) -> int:
    """This call included."""
    counts[rule.index] = counts.get(rule.index, 0) + 1
    return counts[rule.index]
