"""The Vercel AI SDK for TypeScript, over MCP, with its mock model."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.frameworks._shop import CALLED, CUT, DONE, GARBLED, LOST, PART, SLOW, TURNS, served

PLACE = Path(os.environ.get("AGENTTWIN_NODE_MODULES", "."))
SCRIPT = Path(__file__).with_name("vercel_ai.mjs")


def converse(url: str) -> dict[str, object]:
    """What the agent said, and the tool errors that the framework met."""
    program = PLACE / SCRIPT.name  # beside its modules, where it finds them
    program.write_text(SCRIPT.read_text())
    given = json.dumps({"turns": TURNS, "done": DONE})
    done = subprocess.run(
        ["node", str(program), url, given], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_over_mcp():
    with served(LOST) as twin:
        told = converse(twin.mcp)
        assert told["said"] == DONE
        twin.paid_twice()
    assert len(told["failed"]) == 1, "the timeout is an error of the protocol, which the model reads"


@pytest.mark.parametrize(
    ("fault", "met"), [(CUT, "fetch failed"), (GARBLED, "SyntaxError"), (PART, "terminated")]
)
def test_a_broken_wire_over_mcp_reaches_the_frameworks_own_error_handling(fault, met):
    with served(fault) as twin:
        told = converse(twin.mcp)
        assert twin.called == CALLED
    (error,) = told["failed"]
    assert met in error


def test_parallel_calls_over_mcp_are_recorded_in_order():
    with served(SLOW) as twin:
        assert converse(twin.mcp)["said"] == DONE
        assert twin.called == CALLED
