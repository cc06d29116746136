"""The same agent, reached in every way: the comparison is the same to the last digit of its digest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.journeys._workspace import DemoWorkspace

OVER_MCP = str(Path(__file__).with_name("_over_mcp.py"))

WAYS: dict[str, dict[str, Any]] = {
    "command": {"kind": "command", "argv": ["{python}", "remote.py"]},
    "http": {
        "kind": "http",
        "url": "http://127.0.0.1:{port}",
        "start": ["{python}", "remote.py", "{port}"],
    },
    "mcp": {"kind": "command", "argv": ["{python}", OVER_MCP]},
}


def run_as(demo: DemoWorkspace, run: dict[str, Any], **more: Any) -> None:
    """Changes how the demo's agent is run."""
    file = demo.root / "agenttwin.yaml"
    content = yaml.safe_load(file.read_text())
    content["agents"]["support-refund-agent"] |= {"run": run, **more}
    file.write_text(yaml.safe_dump(content))


@pytest.fixture(scope="module")
def digest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What comes out in this process."""
    demo = DemoWorkspace(tmp_path_factory.mktemp("python") / "demo")
    return str(demo.report("1.2.4", "1.3.0")["report_digest"])


@pytest.mark.parametrize("way", WAYS)
def test_it_makes_no_difference_how_an_agent_is_reached(demo: DemoWorkspace, digest: str, way: str) -> None:
    run_as(demo, WAYS[way])
    assert demo.report("1.2.4", "1.3.0")["report_digest"] == digest
