"""What the benchmarks share: timing, peers, and the table in which ours stands beside theirs.

A benchmark is a script in this directory. It yields `Figure`s to `main`, which prints them as a table, or as
one JSON object with `--json`. Peers that are not installed beside us run in `.venv-bench`, which `make bench`
makes.
"""

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time
import timeit
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PEERS = ROOT / ".venv-bench" / "bin" / "python"

UNITS = {"s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")), "MB": ((1.0, "MB"),)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured thing, where less is better: ours, a peer's from the same run, and what we aim at.

    `at_most` bounds ours in `unit` ("s" or "MB"); `ratio_at_most` bounds ours : peer's.
    """

    name: str
    ours: float
    unit: str = "s"
    peer: float | None = None
    peer_name: str = ""
    at_most: float | None = None
    ratio_at_most: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.ours / self.peer if self.peer else None

    @property
    def met(self) -> bool | None:
        """Whether every target that could be judged is met; None when there was none."""
        bounds = ((self.ours, self.at_most), (self.ratio, self.ratio_at_most))
        judged = [value <= bound for value, bound in bounds if value is not None and bound is not None]
        return all(judged) if judged else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a finished process took and printed."""

    seconds: float
    peak_mb: float
    stdout: str


def median_seconds(act: Callable[[], object], *, repeats: int = 7) -> float:
    """The median over `repeats` of the seconds one call takes, with the garbage collector on, as in life."""
    timer = timeit.Timer(act, gc.enable)
    number, _ = timer.autorange()
    return statistics.median(timer.repeat(repeats, number)) / number


def measured(command: Sequence[str | Path], **env: str) -> Measured:
    """Run a command to its end and measure it; CalledProcessError when it fails."""
    started = time.perf_counter()
    environment = {**os.environ, **env}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    stdout = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, stdout)
    per_mb = 2**20 if sys.platform == "darwin" else 2**10  # ru_maxrss counts bytes there, KiB elsewhere
    return Measured(seconds=seconds, peak_mb=usage.ru_maxrss / per_mb, stdout=stdout)


def peer(script: str, *arguments: str) -> Any:
    """The JSON that a script of this directory prints last when run among the peers; None without them."""
    if not PEERS.exists():
        return None
    run = measured([PEERS, ROOT / "benchmarks" / script, *arguments])
    return json.loads(run.stdout.splitlines()[-1])


def main(title: str, figures: Callable[[], Iterable[Figure]]) -> None:
    """Measure and print; the whole of a benchmark script's entry point."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    as_json = parser.parse_args().json
    rows = list(figures())
    print(to_json(title, rows) if as_json else to_table(title, rows), flush=True)


def to_json(title: str, figures: Iterable[Figure]) -> str:
    rows = [asdict(figure) | {"ratio": figure.ratio, "met": figure.met} for figure in figures]
    return json.dumps({"title": title, "figures": rows}, ensure_ascii=False)


def to_table(title: str, figures: Iterable[Figure]) -> str:
    head = ("", "ours", "peer", "ratio", "target", "")
    table = [head, *map(_row, figures)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
    return "\n".join(["", title, "", *lines])


def _row(figure: Figure) -> tuple[str, ...]:
    peer = _amount(figure.peer, figure.unit) if figure.peer else "not installed"
    met = {True: "met", False: "MISSED", None: ""}[figure.met]
    beside = f"{figure.peer_name} {peer}" if figure.peer_name else ""
    return (
        figure.name,
        _amount(figure.ours, figure.unit),
        beside,
        _times(figure.ratio),
        _target(figure),
        met,
    )


def _target(figure: Figure) -> str:
    bounds = [f"≤ {_amount(figure.at_most, figure.unit)}"] if figure.at_most is not None else []
    ratio = [f"≤ {_times(figure.ratio_at_most)}"] if figure.ratio_at_most is not None else []
    return ", ".join(bounds + ratio)


def _amount(value: float, unit: str) -> str:
    scale, name = next((step for step in UNITS[unit] if value >= step[0]), UNITS[unit][-1])
    return f"{value / scale:.3g} {name}"


def _times(ratio: float | None) -> str:
    """A ratio as people say it: 1.4×, 1/34."""
    if ratio is None:
        return ""
    return f"{ratio:.2g}×" if ratio >= 1 else f"1/{1 / ratio:.3g}"
