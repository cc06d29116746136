"""Which fault befalls a call: rules in order, the first that fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from agenttwin.expression import Template, compile, compile_text
from agenttwin.transcript import Risk
from agenttwin.twin._fault import DEFAULT_DELAY_MS, Behavior, FaultKind, FaultRule, When
from agenttwin.twin._handler import contains
from agenttwin.twin._names import fault_names
from agenttwin.values import Json, draw

if TYPE_CHECKING:
    from agenttwin.twin._compile import CompiledTool
    from agenttwin.twin._world import World

ANY_TOOL: Final = "*"
RISK_PREFIX: Final = "risk:"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRule:
    """A rule ready to be asked. ``name`` is its id, or its index in the case."""

    name: str
    type: str
    target: str
    when: When
    behavior: Behavior
    kind: FaultKind
    delay_ms: int
    message: Template
    body: Template | None


def compile_rules(rules: Sequence[FaultRule]) -> tuple[CompiledRule, ...]:
    """The rules in their order."""
    return tuple(_compile(rule, index) for index, rule in enumerate(rules))


def _compile(rule: FaultRule, index: int) -> CompiledRule:
    behavior = rule.behavior
    kind = behavior.columns()
    has_delay = "delay_ms" in behavior.model_fields_set
    return CompiledRule(
        name=rule.id or str(index),
        type=behavior.type,
        target=rule.target,
        when=rule.when,
        behavior=behavior,
        kind=kind,
        delay_ms=behavior.delay_ms if has_delay else DEFAULT_DELAY_MS.get(behavior.type, 0),
        message=compile_text(behavior.message or kind.message, fault_names()),
        body=compile(behavior.body, fault_names()) if "body" in behavior.model_fields_set else None,
    )


def choose(world: World, tool: CompiledTool, arguments: dict[str, Json], number: int) -> CompiledRule | None:
    """The rule that befalls this call, if any. Counts the call for every rule that it fits."""
    for rule in world.rules:
        if _aims_at(rule.target, tool.name, tool.risk) and _fits(world, rule, tool.name, arguments, number):
            return rule
    return None


def _aims_at(target: str, tool: str, risk: Risk) -> bool:
    return target in (ANY_TOOL, tool) or target == RISK_PREFIX + risk


def _fits(world: World, rule: CompiledRule, tool: str, arguments: dict[str, Json], number: int) -> bool:
    when = rule.when
    if not _conditions_hold(when, arguments, number):
        return False
    if when.probability is not None and draw(world.seed, rule.name, tool, number) >= when.probability:
        return False
    if when.matching is not None:
        fitting = world.counters.fitting[rule.name] = world.counters.fitting.get(rule.name, 0) + 1
        if fitting != when.matching:
            return False
    return not _within_quota(world, rule)


def _conditions_hold(when: When, arguments: Any, number: int) -> bool:
    return not (
        (when.call_number is not None and number != when.call_number)
        or (when.call_numbers is not None and number not in when.call_numbers)
        or (when.first_n is not None and number > when.first_n)
        or (when.args_match is not None and not contains(when.args_match, arguments))
    )


def _within_quota(world: World, rule: CompiledRule) -> bool:
    """Whether a rate limit lets the call pass; it counts the calls that fit the rule."""
    if rule.behavior.quota == 0:
        return False
    admitted = world.counters.admitted[rule.name] = world.counters.admitted.get(rule.name, 0) + 1
    return admitted <= rule.behavior.quota
