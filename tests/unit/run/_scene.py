"""A small twin, scenarios for it, and the shortest way to run an agent in them."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from agenttwin.agents import PythonAgent
from agenttwin.document import Document, read
from agenttwin.run import (
    Agent,
    CaseFinished,
    CaseRecord,
    Contender,
    Grading,
    RunEvent,
    RunFinished,
    Work,
    prepare,
    run,
)
from agenttwin.scenario import MODELS, Filters, Library, Plan, plan, select
from agenttwin.surfaces import lend_python

TWIN = """
apiVersion: agenttwin.dev/v1
kind: TwinDefinition
metadata: {name: bank}
spec:
  secrets: [hunter2-canary]
  initialState:
    accounts: {A-1: {balance: 100, tenant: acme}, A-2: {balance: 50, tenant: acme}}
    kb: [{id: fees, title: Fees, text: Transfers are free.}]
  tools:
    - name: balance
      risk: READ
      handler: {kind: read, path: "accounts[{account}]"}
    - name: pay
      risk: WRITE_IRREVERSIBLE
      effectKey: "pay:{account}"
      handler:
        kind: mutate
        path: "accounts[{account}]"
        effects: [{op: decrement, path: "accounts[{account}].balance", by: "{amount}"}]
    - name: broken
      handler: {kind: static, response: "{= 1 / 0 }"}
"""

SCENARIO = """
apiVersion: agenttwin.dev/v1
kind: Scenario
metadata: {name: NAME, severity: high}
spec:
  twin: bank
  timeoutSeconds: 60
  input: {message: "Pay 10 from A-1.", context: {tenant: acme, customer_id: CUS-1, plan: gold}}
  expectations: [{id: paid, type: state, path: accounts.A-1.balance, equals: 90, critical: true}]
"""

MANIFEST = """
apiVersion: agenttwin.dev/v1
kind: Agent
metadata: {name: payer, version: VERSION}
spec: {instructions: Pay., model: {provider: scripted}}
"""


def document(text: str) -> Document[Any]:
    return read(text, file="test.yaml", models=MODELS)


def scenario(name: str = "pay-once", **changes: Any) -> Document[Any]:
    """The scenario, with fields of its spec replaced by other YAML text."""
    head, _, spec = SCENARIO.replace("NAME", name).partition("spec:\n")
    fields = {line.strip().partition(":")[0]: line.partition(":")[2] for line in spec.splitlines()} | changes
    return document("\n".join([f"{head}spec:", *(f"  {field}: {value}" for field, value in fields.items())]))


def library(scenarios: Iterable[Document[Any]], twin: str = TWIN) -> Library:
    return Library.of([document(twin), *scenarios, *(manifest(version) for version in ("1.0.0", "2.0.0"))])


def manifest(version: str = "1.0.0") -> Document[Any]:
    return document(MANIFEST.replace("VERSION", version))


def planned(library: Library, trials: int = 1) -> Plan:
    chosen = select(library, agent="payer", filters=Filters())
    return plan(library, chosen, agent="payer", seed=7, trials=trials)


def works(
    agent: Agent | Callable[..., Any],
    *scenarios: Document[Any],
    sides: Sequence[str] = ("candidate",),
    **more: Any,
) -> tuple[Work, ...]:
    """Works of one agent on scenarios (default: one) of the small twin."""
    driven = agent if hasattr(agent, "act") else PythonAgent(agent)
    documents = library(scenarios or [scenario()])
    contenders = [Contender(side=side, agent=driven, manifest=manifest()) for side in sides]
    return prepare(documents, planned(documents), contenders, **more)


def events(prepared: Sequence[Work], **options: Any) -> list[RunEvent]:
    async def collect() -> list[RunEvent]:
        return [event async for event in run(prepared, lend=lend_python, **options)]

    return asyncio.run(collect())


def records(prepared: Sequence[Work], **options: Any) -> list[CaseRecord]:
    found = [event.record for event in events(prepared, **options) if isinstance(event, CaseFinished)]
    return sorted(found, key=lambda record: (record.scenario, record.trial, record.side))


def finished(told: Sequence[RunEvent]) -> RunFinished:
    (end,) = [event for event in told if isinstance(event, RunFinished)]
    return end


def record(agent: Agent | Callable[..., Any], grading: Grading | None = None, **changes: Any) -> CaseRecord:
    """What becomes of one agent in one scenario."""
    (found,) = records(works(agent, scenario(**changes)), grading=grading)
    return found


def pays(request: Any, tools: Any) -> str:
    """The agent that does as it is told."""
    tools.call("pay", account="A-1", amount=10)
    return "Done! I have paid 10."
