"""One tool call over HTTP, with schema, state and record, beside a bare Starlette route and WireMock.

WireMock checks the body against a JSON Schema, answers from a template and keeps a journal, as a mock server
is used; it has no state and no record of what changed. Its journal is as long as our record has become.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from _harness import ROOT, Figure, main
from _surface_wiremock import has_wiremock

CONNECTIONS = 32
SECONDS = 5
JOURNALS = (1_000, 100_000)
"""How many requests WireMock keeps; each is full before it is measured."""

FILL_SECONDS = 120
"""As long as a journal may take to fill."""

BODY = json.dumps({"order_id": "ORD-1001"})
PATH = "t/dev/tools/lookup_order"

OURS = [
    sys.executable,
    "-m",
    "agenttwin.cli",
    "twin",
    "serve",
    str(ROOT / "examples/support-refund/twin.yaml"),
]
PEER = [sys.executable, str(ROOT / "benchmarks/_surface_starlette.py")]
WIREMOCK = str(ROOT / "benchmarks/_surface_wiremock.py")


class Load(NamedTuple):
    """Requests answered a second, and the 99th percentile of their seconds."""

    rate: float
    p99: float


@contextmanager
def serving(command: Sequence[str]) -> Iterator[str]:
    """A server that prints its address when it is ready."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate()


def loaded(command: Sequence[str], *, kept: int = 0) -> Load:
    """Measured when it is warm, and has answered ``kept`` requests."""
    with serving(command) as url:
        done = 0.0
        for seconds in [1, *[SECONDS] * (FILL_SECONDS // SECONDS)]:
            done += seconds * under_load(url + PATH, seconds).rate
            if done >= kept:
                break
        return under_load(url + PATH, SECONDS)


def under_load(url: str, seconds: int) -> Load:
    wrk = shutil.which("wrk")
    if wrk is None:
        script = str(ROOT / "benchmarks/_load.py")
        told = json.loads(_printed([sys.executable, script, url, BODY, str(CONNECTIONS), str(seconds)]))
        return Load(told["rate"], told["p99"])
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script_file:
        script_file.write(f"wrk.method = 'POST'\nwrk.body = '{BODY}'\n")
        script_file.flush()
        options = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", script_file.name]
        return _read(_printed([wrk, *options, url]))


def _read(text: str) -> Load:
    if failed := re.search(r"Non-2xx.*|Socket errors.*", text):
        raise SystemExit(failed[0])
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    p99 = re.search(r"99%\s+([\d.]+)(us|ms|s)", text)
    assert rate
    assert p99
    return Load(float(rate[1]), float(p99[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1.0}[p99[2]])


def _printed(command: Sequence[str | Path]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def figures() -> Iterator[Figure]:
    ours, peer = loaded(OURS), loaded(PEER)
    yield Figure(
        name=f"one tool call over HTTP, {CONNECTIONS} connections",
        ours=1 / ours.rate,
        peer=1 / peer.rate,
        peer_name="bare Starlette route (records nothing)",
        at_most=1 / 10_000,
        ratio_at_most=2,
    )
    yield Figure(
        name="its 99th percentile", ours=ours.p99, peer=peer.p99, peer_name="the same", at_most=0.010
    )
    for kept, ratio in zip(JOURNALS, (1, 1 / 10), strict=True):
        ours = loaded(OURS, kept=kept)
        wiremock = loaded([sys.executable, WIREMOCK, str(kept)], kept=kept) if has_wiremock() else None
        yield Figure(
            name=f"one call after {kept:,}",
            ours=1 / ours.rate,
            peer=wiremock and 1 / wiremock.rate,
            peer_name=f"WireMock, journal of {kept:,}",
            ratio_at_most=ratio,
        )
        yield Figure(
            name="its 99th percentile", ours=ours.p99, peer=wiremock and wiremock.p99, peer_name="the same"
        )


if __name__ == "__main__":
    main("Surface", figures)
