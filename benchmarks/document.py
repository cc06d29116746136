"""What reading documents costs: a scenario that a person wrote, and a twin with the state of a whole shop."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from _harness import Figure, main, measured, median_seconds

from agenttwin.document import parse, read
from agenttwin.scenario import MODELS

SCENARIO = """\
apiVersion: agenttwin.dev/v1
kind: Scenario
metadata:
  name: refund-timeout-after-mutation
  severity: critical
  description: The payment provider executes the refund and times out before it answers.
  tags: [refund, fault]
  owner: team-support
spec:
  agent: support-refund-agent
  twin: demo-co-support
  input:
    message: "Hi! One item in ORD-1001 arrived broken. Can I get a refund of $40?"
    context:
      tenant: demo-co
      customer_id: CUS-1
  state:
    orders:
      ORD-1001:
        refundable_amount: 150
        refund_count: 0
  covers: ["tool:refund_payment", "fault:timeout_after_mutation"]
  faults:
    - id: slow-payment
      target: refund_payment
      when: {callNumber: 1}
      behavior:
        type: timeout_after_mutation
        message: The payment provider did not answer in time.
  expectations:
    - {id: refunded-exactly-once, type: state, path: orders.ORD-1001.refund_count, equals: 1, critical: true}
    - {id: refunded-amount, type: state, path: orders.ORD-1001.refunded_amount, equals: 40, critical: true}
    - {id: no-double-refund, type: noDuplicateSideEffect, tool: refund_payment, critical: true}
    - id: policy-first
      type: order
      mustCall: [get_refund_policy]
      before: [refund_payment]
    - type: maxRetries
      value: 2
    - type: noLoop
  timeoutSeconds: 60
"""

ORDERS = 60_000
"""About 10 MB."""


def twin() -> dict[str, Any]:
    """A twin with one tool over a large state."""
    order = {"tenant": "demo-co", "status": "delivered", "total": 150, "refundable": 149.5, "note": None}
    orders = {f"ORD-{number}": {**order, "customer": f"CUS-{number}"} for number in range(ORDERS)}
    tool = {"name": "look", "handler": {"kind": "read", "path": "orders[{order_id}]"}}
    return {
        "apiVersion": "agenttwin.dev/v1",
        "kind": "TwinDefinition",
        "metadata": {"name": "large"},
        "spec": {"initialState": {"orders": orders}, "tools": [tool]},
    }


READERS: dict[str, Callable[[str, str], object]] = {
    "ours": lambda text, name: read(text, file=name, models=MODELS),
    "yaml.CSafeLoader": lambda text, name: yaml.load(text, yaml.CSafeLoader),
    "json.loads": lambda text, name: json.loads(text),
    "nothing": lambda text, name: None,
}


def write(folder: Path) -> None:
    """Writes the large twin twice; in its own process, since a process inherits the peak of its parent."""
    value = twin()
    Path(folder, "twin.yaml").write_text(yaml.dump(value, Dumper=yaml.CSafeDumper, sort_keys=False))
    Path(folder, "twin.json").write_text(json.dumps(value))


def read_once(reader: str, path: Path) -> None:
    """Reads one file, holds what came of it, and prints the seconds."""
    text = path.read_text()
    started = time.perf_counter()
    held = READERS[reader](text, path.name)
    print(time.perf_counter() - started)
    del held


def large(path: Path, peer: str, *, seconds_at_most: float, mb_at_most: float) -> Iterator[Figure]:
    """Time and memory of reading one large file, beside a reader that checks nothing."""
    ours, theirs, nothing = (
        measured([sys.executable, __file__, each, path]) for each in ("ours", peer, "nothing")
    )
    size = f"{path.stat().st_size / 1e6:.0f} MB of {path.suffix[1:].upper()}"
    yield Figure(
        name=f"read a twin, {size}",
        ours=float(ours.stdout),
        peer=float(theirs.stdout),
        peer_name=peer,
        at_most=seconds_at_most,
    )
    yield Figure(
        name=f"memory for it, {size}",
        ours=ours.peak_mb - nothing.peak_mb,
        peer=theirs.peak_mb - nothing.peak_mb,
        peer_name=peer,
        unit="MB",
        at_most=mb_at_most,
    )


def figures() -> Iterator[Figure]:
    """A scenario many times in this process; a large twin once, in a process of its own."""
    pure = median_seconds(lambda: yaml.load(SCENARIO, yaml.SafeLoader))
    yield Figure(
        name="parse a scenario of 40 lines",
        ours=median_seconds(lambda: parse(SCENARIO, file="scenario.yaml")),
        peer=pure,
        peer_name="yaml.SafeLoader",
        ratio_at_most=0.2,
    )
    yield Figure(
        name="… and check every field of it",
        ours=median_seconds(lambda: read(SCENARIO, file="scenario.yaml", models=MODELS)),
        peer=pure,
        peer_name="yaml.SafeLoader",
        ratio_at_most=0.25,
    )
    with TemporaryDirectory() as folder:
        measured([sys.executable, __file__, "write", folder])
        yield from large(Path(folder, "twin.yaml"), "yaml.CSafeLoader", seconds_at_most=6, mb_at_most=200)
        yield from large(Path(folder, "twin.json"), "json.loads", seconds_at_most=2, mb_at_most=200)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", folder]:
            write(Path(folder))
        case [reader, path]:
            read_once(reader, Path(path))
        case _:
            main("Documents", figures)
