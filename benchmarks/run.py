"""A thousand scenarios with four tool calls, both sides run, graded, stored, compared; and the peers."""

import json
import sys
from collections.abc import Iterator

from _harness import ROOT, Figure, main, measured, peer

SCENARIOS = 1_000
SAMPLES = 50
"""For the peer that takes two hundred times as long."""

REPEATS = 3


def figures() -> Iterator[Figure]:
    script = ROOT / "benchmarks" / "_run_ours.py"
    runs = [measured([sys.executable, script, str(SCENARIOS)]) for _ in range(REPEATS)]
    seconds = min(json.loads(run.stdout)["seconds"] for run in runs)
    yield Figure(name=f"{SCENARIOS:,} scenarios, both sides, stored and compared", ours=seconds, at_most=2)
    memory = max(run.peak_mb for run in runs)
    yield Figure(name="its memory", ours=memory, unit="MB", at_most=200)
    case = seconds / (2 * SCENARIOS)
    plain = peer("_run_pydantic_evals.py", str(SCENARIOS))
    yield Figure(
        name="one case of one side",
        ours=case,
        peer=plain and plain["seconds"] / SCENARIOS,
        peer_name="pydantic-evals (records nothing)",
        ratio_at_most=5,
    )
    recorded = peer("_run_inspect.py", str(SAMPLES))
    yield Figure(
        name="one case of one side",
        ours=case,
        peer=recorded and recorded["seconds"] / SAMPLES,
        peer_name="inspect-ai (mock model)",
        ratio_at_most=1 / 30,
    )


if __name__ == "__main__":
    main("Runs", figures)
