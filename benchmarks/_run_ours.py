"""Ours: generated scenarios with four tool calls, both sides run, graded, stored, loaded and compared.

Prints one JSON object: the seconds that the whole took, without reading the documents, and its parts.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

from agenttwin.agents import PythonAgent
from agenttwin.compare import compare
from agenttwin.document import Document, read
from agenttwin.run import Contender, prepare, run
from agenttwin.scenario import MODELS, Filters, Library, plan, select
from agenttwin.storage import Order, Recorder, open_store
from agenttwin.surfaces import lend_python

EXAMPLE = Path(__file__).parents[1] / "examples" / "support-refund"
CALLS = ("lookup_order", "get_refund_policy", "refund_payment", "send_email")

SCENARIO = """{{
  "apiVersion": "agenttwin.dev/v1", "kind": "Scenario",
  "metadata": {{"name": "refund-{number}", "severity": "high", "tags": ["generated"]}},
  "spec": {{
    "agent": "support-refund-agent", "twin": "demo-co-support",
    "input": {{
      "message": "Please refund {amount} USD of ORD-1001.",
      "context": {{"tenant": "demo-co", "customer_id": "CUS-1", "amount": {amount}}}
    }},
    "expectations": [
      {{"type": "state", "path": "orders.ORD-1001.refund_count", "equals": 1, "critical": true}},
      {{"type": "order", "mustCall": ["get_refund_policy"], "before": ["refund_payment"]}},
      {{"type": "noDuplicateSideEffect", "tool": "refund_payment", "critical": true}},
      {{"type": "toolCalled", "tool": "send_email"}}
    ]
  }}
}}"""


def four_calls(request: Any, tools: Any) -> str:
    order = "ORD-1001"
    tools.call("lookup_order", order_id=order)
    tools.call("get_refund_policy", order_id=order)
    tools.call("refund_payment", order_id=order, amount=request.context["amount"], idempotency_key="k")
    tools.call("send_email", customer_id=request.customer_id, subject="Refund", body="It is on its way.")
    return "Done! I've refunded your order."


def documents(count: int) -> Library:
    def example(path: str) -> Document[Any]:
        return read((EXAMPLE / path).read_bytes(), file=path, models=MODELS)

    manifests = [example(f"manifests/{version}.yaml") for version in ("1.2.4", "1.3.0")]
    texts = (SCENARIO.format(number=number, amount=number % 100 + 1) for number in range(count))
    scenarios = [read(text, file=f"{number}.json", models=MODELS) for number, text in enumerate(texts)]
    return Library.of([example("twin.yaml"), *manifests, *scenarios])


async def whole(library: Library, folder: Path) -> dict[str, float]:
    agent = "support-refund-agent"
    marks = [("begin", time.perf_counter())]

    def done(part: str) -> None:
        marks.append((part, time.perf_counter()))

    with open_store(folder / "agenttwin.db") as store:
        done("open")
        chosen = plan(library, select(library, agent=agent, filters=Filters()), agent=agent, seed=7)
        baseline, candidate = (library.manifest(agent, version) for version in ("1.2.4", "1.3.0"))
        pair = store.pair("benchmark", Order.of(library, chosen), baseline, candidate)
        driven = PythonAgent(four_calls)
        contenders = [
            Contender(side="baseline", agent=driven, manifest=baseline),
            Contender(side="candidate", agent=driven, manifest=candidate),
        ]
        works = prepare(library, chosen, contenders, only=store.missing(pair))
        done("prepare")
        with Recorder(store, pair.runs) as recorder:
            async for _ in recorder.through(run(works, lend=lend_python)):
                pass
        done("run and store")
        loaded = store.load_pair(pair)
        done("load")
        comparison = compare(loaded)
        done("compare")
        verdicts = Counter(case.candidate.grade.verdict for case in loaded.cases if case.candidate.grade)
        assert verdicts == {"PASSED": len(loaded.cases)}, verdicts
        assert len(comparison.cases) == len(loaded.cases)
    parts = {name: after - before for (_, before), (name, after) in pairwise(marks)}
    return {"seconds": marks[-1][1] - marks[0][1], **parts}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    library = documents(count)
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(asyncio.run(whole(library, Path(folder)))))


if __name__ == "__main__":
    main()
