"""What the tools of a case tell a framework, and what is said where there is none."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from agenttwin.errors import AgentTwinError, NotFound, UsageError
from agenttwin.frameworks import FRAMEWORKS, SEARCH
from agenttwin.lab import Ask, Session, Twin, example_folder, write_example

TWIN = example_folder("support-refund") / "twin.yaml"


@pytest.fixture
def tools():
    return Twin.load(TWIN).start().tools


def test_every_tool_is_told_with_its_schema_and_its_risk(tools):
    told = {spec.name: spec for spec in tools.specs}
    assert told["refund_payment"].risk == "WRITE_IRREVERSIBLE"
    assert told["refund_payment"].schema["type"] == "object"
    assert "order_id" in told["refund_payment"].schema["properties"]
    assert told[SEARCH].searches
    assert tools.awaited.specs == tools.specs


def test_the_search_is_a_tool_where_there_is_something_to_search(tools):
    spec = next(spec for spec in tools.specs if spec.searches)
    found = tools.answer(spec, {"query": "refund policy days"})
    assert found.ok
    assert found.body["documents"]
    bare = Twin.load(TWIN).start(state={}, replace_state=True).tools
    assert SEARCH not in {spec.name for spec in bare.specs}


def test_a_framework_that_is_not_known_is_told_with_the_nearest(tools):
    with pytest.raises(NotFound, match="Did you mean 'langchain'"):
        tools(framework="langchian")
    with pytest.raises(NotFound, match="There are: pydantic-ai"):
        tools.awaited(framework="x")


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_that_is_not_installed_says_how_to_get_it(tools, name, monkeypatch):
    monkeypatch.setitem(sys.modules, FRAMEWORKS[name].package, None)
    with pytest.raises(AgentTwinError) as caught:
        tools(framework=name)
    assert caught.value.code == "framework_missing"
    assert FRAMEWORKS[name].distribution in caught.value.remedy


def test_nothing_stands_in_for_what_is_no_agent(tools):
    with pytest.raises(UsageError, match=r"builtins\.int is no agent of a framework that is known"):
        tools.stand_in(7)


@pytest.mark.parametrize("module", ["agents.support", "agents", "agents.agents", "my.agents.agent"])
def test_a_package_of_ones_own_that_is_called_agents_is_not_the_sdk(tools, module):
    kind = type("Support", (), {"__module__": module})
    with pytest.raises(UsageError, match="no agent of a framework"):
        tools.stand_in(kind())


def test_an_agent_of_another_framework_in_such_a_package_is_one_of_that_framework(tools, monkeypatch):
    for package in ("google", "google.adk", "agents"):
        monkeypatch.setitem(sys.modules, package, None)
    base = type("LlmAgent", (), {"__module__": "google.adk.agents.llm_agent"})
    kind = type("Support", (base,), {"__module__": "agents.support"})
    with pytest.raises(AgentTwinError, match="google-adk is not installed"):
        tools.stand_in(kind())


def test_a_graph_is_told_of_the_middleware(tools):
    kind = type("CompiledStateGraph", (), {"__module__": "langgraph.graph.state"})
    with pytest.raises(UsageError, match=r"tools\.middleware\(\)"):
        tools.stand_in(kind())


def test_no_framework_is_imported_by_itself():
    assert not {found.package.split(".")[0] for found in FRAMEWORKS.values()} & {
        name for name in sys.modules if isinstance(sys.modules[name], ModuleType)
    } - {"google"}


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_an_agent_of_a_workspace_is_told_the_tools_wherever_it_runs(tmp_path, isolation):
    write_example("support-refund", tmp_path)
    (tmp_path / "agent.py").write_text(
        "def run(request, tools):\n"
        "    names = [spec.name for spec in tools.specs]\n"
        "    spec = next(spec for spec in tools.specs if spec.name == 'lookup_order')\n"
        "    found = tools.answer(spec, {'order_id': 'ORD-1001'})\n"
        "    return {'output': f'{len(names)} {names[-1]} {found.ok}'}\n"
    )
    with Session.open(tmp_path, flags={"isolation": isolation}) as session:
        _, run = session.run("1.3.0", Ask(scenarios=("refund-happy-path",)))
    assert run.cases[0].side.claim.answer == f"8 {SEARCH} True"
