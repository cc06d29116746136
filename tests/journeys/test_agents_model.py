"""A language model as the agent of a workspace: what it is told, what it costs, and where its key is not."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from agenttwin.errors import AgentTwinError
from tests.docs import _quick
from tests.journeys._workspace import DemoWorkspace
from tests.journeys.test_agents_any import run_as
from tests.unit.agents._provider import Provider, Turn, provider

pytestmark = pytest.mark.skipif(not find_spec("openai"), reason="the providers' packages are not here")

KEY = "sk-test-4f1b0c"
REFUND = {"order_id": "ORD-1001", "amount": 40}
TURNS = [
    Turn(calls=[("lookup_order", {"order_id": "ORD-1001"}), ("get_refund_policy", {"order_id": "ORD-1001"})]),
    Turn(calls=[("refund_payment", REFUND)]),
    Turn(text="Done! I've refunded 40.00 USD for order ORD-1001."),
]
PRICES = {"large": {"inputPerMillion": 1000, "outputPerMillion": 10000}}


def prepare(demo: DemoWorkspace, there: Provider, **model: Any) -> None:
    """The demo with a language model at a stand-in provider in both versions."""
    run = {
        "kind": "model",
        "provider": "openai",
        "baseUrl": f"{there.url}/v1",
        "apiKey": "${MODEL_KEY}",
    }
    run_as(demo, run)
    for version in ("1.2.4", "1.3.0"):
        file = demo.root / "manifests" / f"{version}.yaml"
        manifest = yaml.safe_load(file.read_text())
        manifest["spec"]["model"] = {"provider": "example", "name": "large"} | model
        file.write_text(yaml.safe_dump(manifest))
    file = demo.root / "agenttwin.yaml"
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | {"prices": PRICES}))


def agenttwin(root: Path, *words: str, env: Mapping[str, str] | None = None) -> Any:
    return subprocess.run(
        [_quick.command(), *words],
        cwd=root,
        env={**os.environ, "MODEL_KEY": KEY, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def test_both_versions_are_asked_with_their_own_instructions(
    demo: DemoWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    with provider(*TURNS, *TURNS) as there:
        prepare(demo, there)
        report = demo.report("1.2.4", "1.3.0", scenarios=("refund-happy-path",), concurrency=1)
    assert {report[side]["model_kind"] for side in ("baseline", "candidate")} == {"llm"}
    assert report["cases"][0]["classification"] == "UNCHANGED"
    assert report["cases"][0]["candidate"]["measured"]["cost_usd"] == pytest.approx(0.6)
    systems = [request["messages"][0]["content"] for request in there.requests]
    assert "Always call get_refund_policy" in systems[0]
    assert "simply retry" in systems[-1]
    assert {headers["authorization"] for headers in there.headers} == {f"Bearer {KEY}"}


def test_the_estimate_is_told_and_the_limit_holds(demo: DemoWorkspace) -> None:
    with provider(TURNS[2], forever=True) as there:
        prepare(demo, there)
        done = agenttwin(demo.root, "run", "1.2.4", "--max-cost", "0.3", "--concurrency", "1")
    assert "USD for 9 cases with a language model. The run ends at 0.3 USD." in done.stderr
    assert len(there.requests) == 2
    assert done.returncode in (1, 3)
    assert "The budget of the run is spent: its limit is 0.3 USD." in " ".join(done.stdout.split())


def test_the_key_is_kept_nowhere(demo: DemoWorkspace) -> None:
    with provider(Turn(status=401), forever=True) as there:
        prepare(demo, there)
        done = agenttwin(demo.root, "run", "1.2.4", "--scenario", "refund-happy-path")
    assert "HTTP status 401" in " ".join(done.stdout.split())
    kept = [file for file in (demo.root / ".agenttwin").rglob("*") if file.is_file()]
    assert kept
    assert all(KEY.encode() not in file.read_bytes() for file in kept)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--max-cost", "-1"), "--max-cost is '-1', but must be a number of US dollars above 0"),
        (("--max-cost", "nan"), "--max-cost is 'nan'"),
    ],
)
def test_a_limit_that_is_none_is_told(demo: DemoWorkspace, words: tuple[str, ...], told: str) -> None:
    done = agenttwin(demo.root, "run", "1.2.4", *words)
    assert done.returncode == 2
    assert told in done.stderr


def test_a_limit_needs_a_price(demo: DemoWorkspace) -> None:
    with provider(TURNS[2], forever=True) as there:
        prepare(demo, there, name="small")
        done = agenttwin(demo.root, "run", "1.2.4", "--max-cost", "1")
    assert done.returncode == 2
    assert "There is no price for the model 'small'" in done.stderr
    assert there.requests == []


def test_a_manifest_of_a_planner_names_no_model(demo: DemoWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    with provider(TURNS[2]) as there:
        prepare(demo, there, provider="scripted")
        with pytest.raises(AgentTwinError, match=r"1\.2\.4 names no language model"):
            demo.report("1.2.4", "1.3.0")


def test_a_prompt_in_a_file_is_pinned_by_the_manifest(
    demo: DemoWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hashlib import sha256

    monkeypatch.setenv("MODEL_KEY", KEY)
    with provider(TURNS[2], forever=True) as there:
        prepare(demo, there)
        file = demo.root / "agenttwin.yaml"
        workspace = yaml.safe_load(file.read_text())
        workspace["agents"]["support-refund-agent"]["run"]["system"] = "prompt.md"
        file.write_text(yaml.safe_dump(workspace))
        (demo.root / "prompt.md").write_text("Be kind.")
        manifest = yaml.safe_load((demo.root / "manifests" / "1.2.4.yaml").read_text())
        del manifest["spec"]["instructions"]
        manifest["spec"]["promptRef"] = {"name": "prompt.md", "sha256": sha256(b"Be kind.").hexdigest()}
        (demo.root / "manifests" / "1.2.4.yaml").write_text(yaml.safe_dump(manifest))
        demo.report("1.2.4", "1.2.4", scenarios=("refund-happy-path",))
        assert there.requests[0]["messages"][0]["content"].startswith("Be kind.")
        (demo.root / "prompt.md").write_text("Be quick.")
        with pytest.raises(AgentTwinError, match=r"does not pin 'prompt\.md' as it is"):
            demo.report("1.2.4", "1.2.4", scenarios=("refund-happy-path",))
