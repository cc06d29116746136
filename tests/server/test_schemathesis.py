"""The server against its own OpenAPI document: thousands of requests that somebody could think up."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.test_process import served  # noqa: F401 - a fixture

HOOKS = Path(__file__).parent / "_schemathesis_hooks.py"

NOT_MEANT = "positive_data_acceptance"
"""That whatever fits the document is taken: no schema can say which names there are, or which key was used."""

ENDLESS = "/api/v1/events"
"""A stream does not end, and each request would wait for it."""


def tried(address: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("schemathesis", path=Path(sys.executable).parent) or "schemathesis"
    command = [program, "run", f"{address}/openapi.json", "--no-color", "--seed", "7", *options]
    common = ["--exclude-checks", NOT_MEANT, "--exclude-path", ENDLESS, "--generation-database", "none"]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": str(HOOKS)}
    return subprocess.run(
        [*command, *common], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def held(done: subprocess.CompletedProcess[str], at_least: int) -> None:
    """That requests were made, and nothing was found."""
    made = re.search(r"(\d+) generated", done.stdout)
    assert made, done.stdout[-3000:] + done.stderr
    assert int(made[1]) >= at_least, made[0]
    assert done.returncode == 0, done.stdout[-6000:]


def test_the_server_does_what_its_document_says(served, tmp_path: Path) -> None:  # noqa: F811
    few = ["--include-path-regex", "^/api/v1/(comparisons|projects|keys|audit)$"]
    held(tried(served[1], tmp_path, *few, "--phases", "coverage"), 100)


@pytest.mark.extended
def test_it_does_so_for_thousands_of_requests(served, tmp_path: Path) -> None:  # noqa: F811
    done = tried(served[1], tmp_path, "--max-examples", "60", "--max-time", "900", "--continue-on-failure")
    held(done, 5_000)
