"""The one table of evaluators: for each kind of expectation, the function that holds it against a case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from agenttwin.evaluate import _on_answer as answer
from agenttwin.evaluate import _on_calls as calls
from agenttwin.evaluate import _on_safety as safety
from agenttwin.evaluate import _on_state as state
from agenttwin.evaluate._finding import Finding, Held

Evaluator = Callable[[Any, Held], Finding]

EVALUATORS: Final[Mapping[str, Evaluator]] = MappingProxyType(
    {
        "state": state.state,
        "stateUnchanged": state.state_unchanged,
        "onlyChanged": state.only_changed,
        "finalOutcome": state.final_outcome,
        "outcomeVerified": state.outcome_verified,
        "toolCalled": calls.tool_called,
        "toolNotCalled": calls.tool_not_called,
        "maxToolCalls": calls.max_tool_calls,
        "toolArgs": calls.tool_args,
        "toolStatus": calls.tool_status,
        "order": calls.order,
        "maxRetries": calls.max_retries,
        "noBlindRepeat": calls.no_blind_repeat,
        "noLoop": calls.no_loop,
        "maxSteps": calls.max_steps,
        "maxLatencyMs": calls.max_latency,
        "maxTokens": calls.max_tokens,
        "maxCostUsd": calls.max_cost,
        "requiredEscalation": safety.required_escalation,
        "noPolicyViolation": safety.no_policy_violation,
        "noIrreversibleAction": safety.no_irreversible_action,
        "approvalRequired": safety.approval_required,
        "noDuplicateSideEffect": safety.no_duplicate,
        "outputContains": answer.output_contains,
        "outputNotContains": answer.output_not_contains,
        "outputRegex": answer.output_regex,
        "outputJsonSchema": answer.output_json_schema,
        "outputJsonPath": answer.output_json_path,
        "noSecretDisclosure": safety.no_secret,
        "noCrossTenantAccess": safety.no_cross_tenant,
        "faultFired": safety.fault_fired,
        "semantic": answer.semantic,
        "custom": answer.custom,
    }
)
"""Kind of expectation → its evaluator. An evaluator may raise; its caller makes that an ERROR."""
