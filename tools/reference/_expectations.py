"""The page of expectations: each kind with its fields, an example, and what is said when it passes or fails."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

from agenttwin.scenario import AGENT_FINISHED, EXPECTATIONS, Common, ExpectationKind

from ._documents import COMPARATORS, fields, part
from ._markdown import code, codes, fence, join, link, page, slug, table

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "The world afterwards": ("state", "stateUnchanged", "onlyChanged"),
    "The outcome": ("finalOutcome", "outcomeVerified", "requiredEscalation"),
    "Effects": ("noDuplicateSideEffect", "noBlindRepeat", "noIrreversibleAction", "approvalRequired"),
    "Calls": (
        "toolCalled",
        "toolNotCalled",
        "toolArgs",
        "toolStatus",
        "order",
        "maxToolCalls",
        "maxRetries",
        "noLoop",
        "faultFired",
    ),
    "Safety": ("noPolicyViolation", "noSecretDisclosure", "noCrossTenantAccess"),
    "The answer": (
        "outputContains",
        "outputNotContains",
        "outputRegex",
        "outputJsonSchema",
        "outputJsonPath",
        "semantic",
    ),
    "Cost": ("maxSteps", "maxLatencyMs", "maxTokens", "maxCostUsd"),
    "Your own": ("custom",),
}
"""The kinds by what they look at."""

NEEDS: Final[Mapping[str, str]] = {
    "evidence": "the recorded calls",
    "state": "the state of the twin",
    "claim": "what the agent says",
    "judge": "a judge",
    "twin": "calls that a twin answered",
}

COMMON: Final = frozenset(field.alias or name for name, field in Common.model_fields.items())


def expectations() -> str:
    """The page of expectations."""
    placed = [name for names in GROUPS.values() for name in names]
    missing = [name for name in EXPECTATIONS if name not in placed]
    if missing:
        raise KeyError(f"{missing[0]} has no place in GROUPS")
    return page(
        "Expectations",
        "What must hold after a case. [Choosing expectations](../how-to/choose-expectations.md) says which to take.",
        fence("yaml", EXAMPLE),
        "## Every expectation",
        fields("Common", Common.model_json_schema(by_alias=True), {}),
        f"One more is part of every case and cannot be written: `{AGENT_FINISHED}`, critical, which says that the "
        f"agent came to an end. Its [labels](results.md#how-an-agent-ends) say how it did not.",
        "## Comparators",
        "Where a kind takes comparators, several must all hold; with none, something must be there. Equality is that "
        "of JSON: 1 equals 1.0, and true is no number. They are listed "
        + link("with the twin's", "twin-definition.md#comparators")
        + ".",
        "## All kinds",
        "*Needs*: without it the result is SKIPPED, with the reason. *Version*: that of the evaluator; results "
        "under different versions are not compared.",
        *_overview(),
        *(join((f"### {name}", _kind(name))) for name in placed),
    )


EXAMPLE: Final = """
expectations:
  - {id: refunded-once, type: state, path: orders.ORD-1001.refund_count, equals: 1, critical: true}
  - {type: noDuplicateSideEffect, tool: refund_payment, critical: true}
"""


def _overview() -> Iterator[str]:
    for title, names in GROUPS.items():
        rows = ((link(code(name), f"#{slug(name)}"), EXPECTATIONS[name].description) for name in names)
        yield join((f"**{title}**", table(("kind", "passes when"), rows)))


def _kind(name: str) -> str:
    kind, row = EXPECTATIONS[name], _tested()[name]
    compares = "gte" in kind.model.model_fields
    return join(
        (
            kind.description,
            fence("yaml", f"expectations:\n  - {_flow({'type': name, **row.fields})}"),
            _facts(kind),
            part(
                "Scenario", kind.model.__name__, leave_out=COMMON | frozenset(COMPARATORS if compares else ())
            ),
            "and the [comparators](#comparators)." if compares else "",
            "It says, for instance:",
            table(("result", "sentence"), _sentences(row)),
        )
    )


def _facts(kind: ExpectationKind) -> str:
    needs = " and ".join(words for need, words in NEEDS.items() if need in kind.needs)
    optional = f" Unknown where {kind.unknown}: then SKIPPED." if kind.unknown else ""
    bears = " It bears on the verified outcome." if kind.outcome else ""
    return f"Version {kind.version}. Needs {needs}. Labels: {codes(kind.labels)}.{bears}{optional}"


def _sentences(row: Any) -> Iterator[tuple[str, str]]:
    yield "PASS", code(row.yes)
    yield f"FAIL {code(row.label)}", code(row.no)
    yield str(row.unjudged), code(row.why)


def _tested() -> Mapping[str, Any]:
    """The rows that the tests of the evaluators hold, so that every sentence here is one that was said."""
    rows: Mapping[str, Any] = import_module("tests.unit.evaluate.test_kinds").ROWS
    return rows


def _flow(found: Mapping[str, Any]) -> str:
    """A mapping as YAML in one line; JSON is YAML, but quotes only where they are needed."""
    return "{" + ", ".join(f"{key}: {_scalar(value)}" for key, value in found.items()) + "}"


def _scalar(value: Any) -> str:
    if isinstance(value, Mapping):
        return _flow(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_scalar, value))}]"
    plain = isinstance(value, str) and value.replace(".", "").replace("-", "").replace("_", "").isalnum()
    return value if plain and not value[0].isdigit() else json.dumps(value, ensure_ascii=False)
