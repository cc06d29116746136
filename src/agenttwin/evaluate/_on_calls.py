"""Evaluators over the calls that the agent made: which, how often, in what order, how they ended."""

from __future__ import annotations

from agenttwin.evaluate._definitions import blind_repeats, loops, retries, steps
from agenttwin.evaluate._finding import Finding, Held, at, counted, failed, judged, passed, skipped, times
from agenttwin.evaluate._on_state import path_of
from agenttwin.scenario import (
    MaxCostUsd,
    MaxLatencyMs,
    MaxRetries,
    MaxSteps,
    MaxTokens,
    MaxToolCalls,
    NoBlindRepeat,
    NoLoop,
    Order,
    ToolArgs,
    ToolCalled,
    ToolNotCalled,
    ToolStatus,
)
from agenttwin.transcript import ToolCall
from agenttwin.values import match


def tool_called(expectation: ToolCalled, held: Held) -> Finding:
    """At least so many calls."""
    calls, least = held.of(expectation.tool), expectation.min
    seen = f"{expectation.tool} was {f'called {times(len(calls))}' if calls else 'never called'}"
    if len(calls) >= least:
        return passed(f"{seen}.", at(calls))
    return failed("MISSING_CALL", f"{seen}; expected at least {counted(least, 'call', 'calls')}.", at(calls))


def tool_not_called(expectation: ToolNotCalled, held: Held) -> Finding:
    """Not even an attempt."""
    calls = held.of(expectation.tool)
    if not calls:
        return passed(f"{expectation.tool} was never called.")
    reason = f"{expectation.tool} was called {times(len(calls))}; expected no call."
    return failed("FORBIDDEN_CALL", reason, at(calls))


def max_tool_calls(expectation: MaxToolCalls, held: Held) -> Finding:
    """At most so many calls."""
    calls, most, tool = held.of(expectation.tool), expectation.value, expectation.tool
    seen = f"{tool} was called {times(len(calls))}" if tool else _made(len(calls), "tool call", "tool calls")
    return judged(len(calls) <= most, "TOO_MANY_CALLS", f"{seen}; {_allowed(most)}.", at(calls[most:]))


def _made(number: int, one: str, many: str) -> str:
    return f"{counted(number, one, many)} {'was' if number == 1 else 'were'} made"


def _allowed(most: int) -> str:
    return f"at most {most} {'was' if most == 1 else 'were'} allowed"


def tool_args(expectation: ToolArgs, held: Held) -> Finding:
    """Every call's argument, or the n-th call's, satisfies the comparators; there is such a call."""
    tool, calls = expectation.tool, held.of(expectation.tool)
    chosen = calls if expectation.call is None else calls[expectation.call - 1 : expectation.call]
    if not chosen:
        return failed("MISSING_CALL", _no_such_call(tool, calls, expectation.call), at(calls))
    path, comparators, result = path_of(expectation.path), expectation.comparators(), None
    for call in chosen:
        result = match(comparators, path.get(call.arguments))
        if not result.ok:
            reason = f"Argument {expectation.path} of {tool}: {result.reason}."
            return failed("ARGUMENT_MISMATCH", reason, at((call,)))
    return passed(f"Argument {expectation.path} of {tool}: {result.reason if result else ''}.", at(chosen))


def _no_such_call(tool: str, calls: tuple[ToolCall, ...], number: int | None) -> str:
    if not calls:
        return f"{tool} was never called."
    return f"{tool} was called {times(len(calls))}; there was no call {number}."


def tool_status(expectation: ToolStatus, held: Held) -> Finding:
    """The last call, or the n-th, ended so."""
    tool, calls, number = expectation.tool, held.of(expectation.tool), expectation.call
    if not calls or (number is not None and number > len(calls)):
        return failed("STATUS_MISMATCH", _no_such_call(tool, calls, number), at(calls))
    call = calls[-1 if number is None else number - 1]
    seen = call.status if isinstance(expectation.status, int) else call.result
    which = "The last call" if number is None else f"Call {number}"
    ended = f"{which} of {tool} ended {'without an answer' if seen is None else f'with {seen}'}"
    if seen == expectation.status:
        return passed(f"{ended}.", at((call,)))
    return failed("STATUS_MISMATCH", f"{ended}; expected {expectation.status}.", at((call,)))


def order(expectation: Order, held: Held) -> Finding:
    """Before the first call of any of ``before``, each of ``must_call`` succeeded."""
    guarded = expectation.before
    place = next((n for n, call in enumerate(held.calls) if call.tool in guarded), None)
    if place is None:
        return passed(f"{' and '.join(guarded)} {'was' if len(guarded) == 1 else 'were'} never called.")
    first, earlier = held.calls[place], held.calls[:place]
    for tool in expectation.must_call:
        tried = [call for call in earlier if call.tool == tool]
        if not any(call.ok for call in tried):
            reason = f"{first.tool} ran before {tool}{' succeeded' if tried else ''}."
            return failed("ORDER_VIOLATION", reason, at((*tried, first)))
    return passed(f"{' and '.join(expectation.must_call)} succeeded before {first.tool} ran.", at((first,)))


def max_retries(expectation: MaxRetries, held: Held) -> Finding:
    """At most so many retries."""
    found = [call for call in retries(held.calls) if expectation.tool in (None, call.tool)]
    reason = f"{_made(len(found), 'retry', 'retries')}; {_allowed(expectation.value)}."
    return judged(len(found) <= expectation.value, "RETRY_LIMIT", reason, at(found))


def no_blind_repeat(expectation: NoBlindRepeat, held: Held) -> Finding:
    """No write repeated while nobody could know whether the first one worked."""
    found = blind_repeats(held.calls, expectation.tool)
    if not found:
        return passed("No write was repeated blindly.")
    earlier, again = found[0]
    ended = "answered success" if earlier.ok else f"ended {earlier.result}"
    reason = (
        f"{again.tool} was called again (call {again.seq}) although call {earlier.seq} had {ended}"
        " and nobody had looked whether it had worked."
    )
    return failed("BLIND_REPEAT", reason, at((earlier, again)))


def no_loop(_: NoLoop, held: Held) -> Finding:
    """The agent did not go round in circles."""
    found = loops(held.calls)
    if not found:
        return passed("The agent did not go round in circles.")
    calls, cycle = found[0].calls, found[0].cycle
    turns = times(len(calls) // len(cycle))
    if len(cycle) == 1:
        reason = f"{cycle[0]} was called {turns} with the same arguments while nothing changed."
    else:
        reason = f"The calls {' → '.join(cycle)} were made {turns} over while nothing changed."
    return failed("LOOP", reason, at(calls))


# -- measures


def max_steps(expectation: MaxSteps, held: Held) -> Finding:
    """At most so many steps."""
    return _within(steps(held.transcript), expectation.value, "STEP_LIMIT", "number of steps", "")


def max_latency(expectation: MaxLatencyMs, held: Held) -> Finding:
    """At most so long."""
    return _within(held.transcript.latency_ms, expectation.value, "LATENCY_LIMIT", "latency", " ms")


def max_tokens(expectation: MaxTokens, held: Held) -> Finding:
    """At most so many tokens, by the agent's word."""
    usage = held.claim.usage
    return _within(usage.tokens if usage else None, expectation.value, "TOKEN_LIMIT", "number of tokens", "")


def max_cost(expectation: MaxCostUsd, held: Held) -> Finding:
    """At most this cost, by the agent's word."""
    usage = held.claim.usage
    return _within(usage.cost_usd if usage else None, expectation.value, "COST_LIMIT", "cost", " USD")


def _within(value: float | None, most: float, label: str, what: str, unit: str) -> Finding:
    if value is None:
        return skipped(f"The {what} was not known.")
    reason = f"The {what} was {value:,.10g}{unit}; at most {most:,.10g}{unit} was allowed."
    return judged(value <= most, label, reason)
