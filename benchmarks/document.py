"""Documents read from text, beside PyYAML's loaders, which build the same value but guard nothing.

The pure loader is what a reader with lines and columns is usually made of.
"""

import json
from collections.abc import Iterator

import yaml
from _harness import ROOT, Figure, main, median_seconds

from agenttwin.document import Limits, parse, parse_json, read
from agenttwin.scenario import MODELS

EXAMPLE = ROOT / "examples" / "support-refund"
SCENARIO = (EXAMPLE / "scenarios" / "refund-timeout-after-mutation.yaml").read_bytes()
TWIN = (EXAMPLE / "twin.yaml").read_bytes()
ARGUMENTS = b'{"order_id": "ORD-1001", "amount": 40, "reason": "charged twice", "idempotency_key": "k-1"}'

AMPLE = Limits(bytes=2**30, depth=64, nodes=10**7)
RECORDS = 20_000
ORDERS = {
    f"ORD-{n}": {"status": "delivered", "total": n * 0.5, "items": ["a", "b"], "note": f"order {n}"}
    for n in range(RECORDS)
}
STATE_JSON = json.dumps({"orders": ORDERS})
STATE_YAML = "orders:\n" + "".join(f"  {key}: {json.dumps(order)}\n" for key, order in ORDERS.items())


def figures() -> Iterator[Figure]:
    for name, text in {"scenario": SCENARIO, "twin": TWIN}.items():
        yield from small(f"a {name} of {len(text.splitlines())} lines", text)
    yield Figure(
        name="arguments, JSON",
        ours=median_seconds(lambda: parse_json(ARGUMENTS)),
        peer=median_seconds(lambda: json.loads(ARGUMENTS)),
        peer_name="json",
    )
    yield Figure(
        name=f"a state of {RECORDS:,} records, JSON",
        ours=median_seconds(lambda: parse_json(STATE_JSON, limits=AMPLE), repeats=3),
        peer=median_seconds(lambda: json.loads(STATE_JSON), repeats=3),
        peer_name="json",
    )
    yield Figure(
        name=f"a state of {RECORDS:,} records, YAML",
        ours=median_seconds(lambda: parse(STATE_YAML, file="a.yaml", limits=AMPLE), repeats=3),
        peer=median_seconds(lambda: yaml.load(STATE_YAML, yaml.CSafeLoader), repeats=3),
        peer_name="CSafeLoader",
    )


def small(name: str, text: bytes) -> Iterator[Figure]:
    """A document that people write: its value alone, and its model."""
    parsed = median_seconds(lambda: parse(text, file="a.yaml"))
    whole = median_seconds(lambda: read(text, file="a.yaml", models=MODELS))
    pure = median_seconds(lambda: yaml.load(text, yaml.SafeLoader))
    compiled = median_seconds(lambda: yaml.load(text, yaml.CSafeLoader))
    yield Figure(name=f"value of {name}", ours=parsed, peer=pure, peer_name="SafeLoader", ratio_at_most=0.1)
    yield Figure(name="  the same", ours=parsed, peer=compiled, peer_name="CSafeLoader", ratio_at_most=1)
    yield Figure(name="  and its model", ours=whole, peer=pure, peer_name="SafeLoader", ratio_at_most=1)


if __name__ == "__main__":
    main("Documents", figures)
