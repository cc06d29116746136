"""How long a server takes to answer with a comparison of 10,000 cases, and a million recorded calls in all.

The 95th percentile over many requests to a real process, one after the other; and what it took to work all
comparisons out, which is done once.
"""

import asyncio
import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from _harness import Figure, main
from _run_ours import documents

from agenttwin.agents import PythonAgent
from agenttwin.lab import write_example
from agenttwin.run import Contender, prepare, run
from agenttwin.scenario import Filters, Library, plan, select
from agenttwin.storage import Order, Recorder, Store, open_store
from agenttwin.surfaces import lend_python

AGENT = "support-refund-agent"
CASES = 10_000
OTHERS, OTHER_CASES, CALLS = 92, 100, 50
"""Further comparisons, their cases, and the calls of each side of each case."""

REQUESTS = 60
P95 = 0.2

PATHS = {
    "comparisons": "comparisons",
    "comparisons of a class": "comparisons?classification=NEW_CRITICAL_FAILURE&text=worse",
    "pairs": "pairs",
    "runs": "runs",
    "trend": "trend",
    "results of a scenario": "scenarios/refund-7/results",
    "the comparison": "comparisons/{id}",
    "its cases": "comparisons/{id}/cases",
    "its cases, the last page": "comparisons/{id}/cases?cursor=9900&limit=100",
    "its cases by class and text": "comparisons/{id}/cases?classification=UNCHANGED&text=refund-99&limit=200",
    "one case": "comparisons/{id}/cases/refund-{number}",
}


def many_calls(request: Any, tools: Any) -> str:
    for _ in range(CALLS - 4):
        tools.call("lookup_order", order_id="ORD-1001")
    return pays(request, tools)


def pays(request: Any, tools: Any) -> str:
    tools.call("lookup_order", order_id="ORD-1001")
    tools.call("get_refund_policy", order_id="ORD-1001")
    times = 2 if request.version == "1.3.0" and request.context["amount"] % 10 == 0 else 1
    for time_ in range(times):
        key = f"k{time_}"
        tools.call(
            "refund_payment", order_id="ORD-1001", amount=request.context["amount"], idempotency_key=key
        )
    tools.call("send_email", customer_id=request.customer_id, subject="Refund", body="It is on its way.")
    return "Done! I've refunded your order."


async def ran(store: Store, library: Library, key: str, agent: Any) -> str:
    chosen = plan(library, select(library, agent=AGENT, filters=Filters()), agent=AGENT, seed=7)
    sides = {"baseline": "1.2.4", "candidate": "1.3.0"}
    manifests = {side: library.manifest(AGENT, version) for side, version in sides.items()}
    pair = store.pair(key, Order.of(library, chosen), manifests["baseline"], manifests["candidate"])
    contenders = [
        Contender(side=side, agent=PythonAgent(agent), manifest=manifest)
        for side, manifest in manifests.items()
    ]
    works = prepare(library, chosen, contenders, only=store.missing(pair))
    with Recorder(store, pair.runs) as recorder:
        async for _ in recorder.through(run(works, lend=lend_python)):
            pass
    store.finish(pair)
    return pair.id


def filled(database: Path) -> str:
    """Runs it all; the id of the large pair."""
    with open_store(database) as store:
        small = documents(OTHER_CASES)
        for number in range(OTHERS):
            asyncio.run(ran(store, small, f"small-{number}", many_calls))
        id = asyncio.run(ran(store, documents(CASES), "large", pays))
        with store.database.read() as connection:
            calls = sum(len(row) for row in connection.exec_driver_sql("SELECT events FROM cases").scalars())
        assert calls > 50_000_000, calls  # bytes of a million records at the least
        return id


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "shop"
        write_example("support-refund", root)
        id = filled(root / ".agenttwin" / "agenttwin.db")
        command = [sys.executable, "-m", "agenttwin.cli", "serve", "--port", "0"]
        process = subprocess.Popen(
            command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert process.stdout
        address = process.stdout.readline().split()[-1]
        try:
            with httpx.Client(base_url=f"{address}/api/v1/", timeout=300) as client:
                started = time.perf_counter()
                asked(client, f"comparisons/{id}")
                while len(client.get("comparisons?limit=200").json()["items"]) <= OTHERS:
                    time.sleep(1)
                worked_out = time.perf_counter() - started
                for name, path in PATHS.items():
                    yield Figure(name=f"{name}, 95th percentile", ours=p95(client, path, id), at_most=P95)
                yield Figure(name="working them all out, once", ours=worked_out)
        finally:
            process.terminate()
            process.communicate()


def asked(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    if answer.status_code != 200 or len(answer.content) < 100:
        raise SystemExit(f"{path}: {answer.status_code} {answer.text[:200]}")


def p95(client: httpx.Client, path: str, id: str) -> float:
    seconds = []
    for number in itertools.islice(itertools.count(17, 163), REQUESTS):
        here = path.format(id=id, number=number % CASES)
        started = time.perf_counter()
        asked(client, here)
        seconds.append(time.perf_counter() - started)
    return sorted(seconds)[int(len(seconds) * 0.95)]


if __name__ == "__main__":
    main("Server", figures)
