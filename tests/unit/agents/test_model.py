"""A language model as agent: the providers' own packages, against a stand-in of their APIs."""

import json
import time
from importlib.util import find_spec
from typing import Any

import pytest

from agenttwin.agents import Budget, ModelAgent, ModelPrice, ModelSettings, estimate
from agenttwin.errors import AgentTwinError
from agenttwin.run import CaseRecord
from agenttwin.transcript import Ending
from tests.unit.agents._provider import Provider, Turn, provider
from tests.unit.agents._web import talking
from tests.unit.run._scene import record, records, scenario, works

pytestmark = pytest.mark.skipif(
    not (find_spec("anthropic") and find_spec("openai")), reason="the providers' packages are not here"
)

BOTH = pytest.mark.parametrize("dialect", ["anthropic", "openai"])
PAYS = Turn(calls=[("pay", {"account": "A-1", "amount": 10})])
DONE = Turn(text="Done! I have paid 10.", tokens=(200, 20))
PRICE = ModelPrice(input_per_million=10, output_per_million=100)


def model(there: Provider | str, dialect: str, budget: Budget | None = None, **options: Any) -> ModelAgent:
    url = there if isinstance(there, str) else there.url
    settings = options.pop("settings", ModelSettings(name="large", params={}))
    return ModelAgent(
        dialect,
        settings,
        budget=budget or Budget(),
        base_url=url if dialect == "anthropic" else f"{url}/v1",
        api_key="s3cret-key",
        **{"system": "Pay what is asked.", **options},
    )


def ending(found: CaseRecord) -> tuple[Ending, str]:
    return found.transcript.ending, found.transcript.ending_message


def results(request: dict[str, Any]) -> list[str]:
    """What a request tells of calls, whichever its dialect is."""
    last = [each for each in request["messages"] if each["role"] == "tool"]
    return [each["content"] for each in last] or [
        part["content"] for part in request["messages"][-1]["content"]
    ]


@BOTH
def test_it_calls_the_twin_until_it_wants_nothing_more(dialect: str) -> None:
    with provider(PAYS, DONE) as there:
        found = record(model(there, dialect, price=PRICE))
    assert found.transcript.ending is Ending.FINISHED
    assert [call.tool for call in found.transcript.calls] == ["pay"]
    assert found.transcript.after.get(("accounts", "A-1", "balance")) == 90
    assert found.claim.answer == "Done! I have paid 10."
    assert found.claim.steps == 2
    assert json.loads(results(there.requests[1])[0])["balance"] == 90


@BOTH
def test_its_tokens_and_their_cost_are_recorded(dialect: str) -> None:
    with provider(PAYS, DONE) as there:
        budget = Budget()
        found = record(model(there, dialect, budget, price=PRICE))
    assert found.measured["tokens"] == 330
    assert found.measured["cost_usd"] == pytest.approx((300 * 10 + 30 * 100) / 1e6)
    assert budget.spent_usd == pytest.approx(found.measured["cost_usd"])


@BOTH
def test_without_a_price_its_cost_is_unknown(dialect: str) -> None:
    with provider(DONE) as there:
        measured = record(model(there, dialect)).measured
    assert (measured["tokens"], measured["cost_usd"]) == (220, None)


def test_what_anthropic_is_asked() -> None:
    settings = ModelSettings(name="large", temperature=0.5, max_tokens=50, params={"top_k": 3})
    with provider(DONE) as there:
        record(model(there, "anthropic", settings=settings))
    (asked,) = there.requests
    assert there.paths == ["/v1/messages"]
    assert "s3cret-key" in str(there.headers[0])
    assert (asked["model"], asked["max_tokens"], asked["temperature"], asked["top_k"]) == (
        "large",
        50,
        0.5,
        3,
    )
    assert asked["system"].startswith("Pay what is asked.\n\nContext of this conversation: {")
    assert '"tenant":"acme","customer_id":"CUS-1","plan":"gold"' in asked["system"]
    assert asked["messages"] == [{"role": "user", "content": "Pay 10 from A-1."}]
    assert [tool["name"] for tool in asked["tools"]] == ["balance", "pay", "broken", "search_knowledge_base"]
    assert all(tool["input_schema"]["type"] == "object" for tool in asked["tools"])


def test_what_openai_is_asked() -> None:
    settings = ModelSettings(name="large", temperature=0, max_tokens=50, params={})
    with provider(DONE) as there:
        record(model(there, "openai", settings=settings, tools=["pay"]))
    (asked,) = there.requests
    assert there.paths == ["/v1/chat/completions"]
    assert there.headers[0]["authorization"] == "Bearer s3cret-key"
    assert (asked["model"], asked["max_tokens"], asked["temperature"]) == ("large", 50, 0)
    assert [each["role"] for each in asked["messages"]] == ["system", "user"]
    names = [tool["function"]["name"] for tool in asked["tools"]]
    assert names == ["pay", "search_knowledge_base"]


@BOTH
def test_calls_of_one_answer_are_made_in_their_order(dialect: str) -> None:
    several = Turn(
        calls=[
            ("balance", {"account": "A-1"}),
            ("pay", {"account": "A-1", "amount": 10}),
            ("search_knowledge_base", {"query": "fees"}),
            ("balance", {"account": "A-1"}),
        ]
    )
    with provider(several, DONE) as there:
        found = record(model(there, dialect))
    assert [call.tool for call in found.transcript.calls] == ["balance", "pay", "balance"]
    assert len(found.transcript.retrievals) == 1
    told = results(there.requests[1])
    assert [json.loads(told[0])["balance"], json.loads(told[3])["balance"]] == [100, 90]
    assert json.loads(told[2])[0]["id"] == "fees"


@BOTH
def test_a_conversation_remembers_what_was_called(dialect: str) -> None:
    with provider(PAYS, Turn(text="Paid."), Turn(text="As I said.")) as there:
        found = record(model(there, dialect), input="{turns: [{say: Pay 10.}, {say: Sure?}]}")
    assert found.claim.answer == "Paid.\n\nAs I said."
    roles = [each["role"] for each in there.requests[2]["messages"] if each["role"] != "system"]
    assert roles[:2] == ["user", "assistant"]
    assert roles[-2:] == ["assistant", "user"]
    assert found.measured["tokens"] == 330


@BOTH
def test_a_tool_that_it_made_up_is_told_and_recorded(dialect: str) -> None:
    with provider(Turn(calls=[("pya", {})]), DONE) as there:
        found = record(model(there, dialect))
    assert found.transcript.calls[0].code == "UNKNOWN_TOOL"
    assert "UNKNOWN_TOOL" in results(there.requests[1])[0]


def test_arguments_that_are_no_json_are_refused_and_recorded() -> None:
    with provider(Turn(calls=[("pay", "{amount: ")]), DONE) as there:
        found = record(model(there, "openai"))
    assert found.transcript.calls[0].status == 400
    assert found.transcript.ending is Ending.FINISHED


@BOTH
def test_it_does_not_go_on_for_ever(dialect: str) -> None:
    with provider(PAYS, forever=True) as there:
        found = record(model(there, dialect, max_turns=3))
    assert ending(found) == (Ending.AGENT_ERROR, "The model wanted to go on after 3 answers.")
    assert len(found.transcript.calls) == 3


@BOTH
@pytest.mark.parametrize(
    ("status", "expected"),
    [(400, Ending.AGENT_REJECTED), (401, Ending.AGENT_AUTH), (404, Ending.AGENT_REJECTED)],
)
def test_a_provider_that_refuses_is_no_failure_of_the_agent(
    dialect: str, status: int, expected: Ending
) -> None:
    with provider(Turn(status=status), forever=True) as there:
        found = record(model(there, dialect))
    assert ending(found) == (expected, f"The provider answered with HTTP status {status}.")
    assert "s3cret-key" not in found.measured["traceback"]


@BOTH
def test_a_provider_that_is_busy_is_asked_again(dialect: str) -> None:
    with provider(Turn(status=503), DONE) as there:
        assert record(model(there, dialect)).transcript.ending is Ending.FINISHED
    assert len(there.requests) == 2


@BOTH
def test_the_deadline_is_total(dialect: str) -> None:
    started = time.monotonic()
    with talking(lambda wire: time.sleep(5)) as url:
        found = record(model(url, dialect), timeoutSeconds=0.5)
    assert found.transcript.ending is Ending.AGENT_TIMEOUT
    assert time.monotonic() - started < 4


@BOTH
def test_a_budget_ends_what_goes_beyond_it(dialect: str) -> None:
    budget = Budget(limit_usd=0.003)
    with provider(DONE, forever=True) as there:
        agent = model(there, dialect, budget, price=PRICE)
        prepared = works(agent, *(scenario(f"case-{n}") for n in range(3)))
        found = records(prepared, concurrency=1)
    endings = [each.transcript.ending for each in found]
    assert endings == [Ending.FINISHED, Ending.AGENT_REJECTED, Ending.AGENT_REJECTED]
    assert found[2].transcript.ending_message == "The budget of the run is spent: its limit is 0.003 USD."
    assert found[2].grade.verdict == "ERRORED"
    assert len(there.requests) == 1


def test_names_that_providers_refuse_are_changed_for_them_only() -> None:
    from agenttwin.agents._model import _free

    taken: set[str] = set()
    assert [_free(name, taken) for name in ("a.b", "a_b", "x" * 80, "x" * 81)] == [
        "a_b",
        "a_b_2",
        "x" * 64,
        "x" * 60 + "_2",
    ]


def test_an_estimate_grows_with_what_is_read_again() -> None:
    once = estimate(PRICE, messages=1, prompt=4_000)
    assert once == pytest.approx((5 * 1_000 + 200 * 5 * 6) * 10 / 1e6 + 1_000 * 100 / 1e6)
    assert estimate(PRICE, messages=2, prompt=4_000) > 2 * once


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(AgentTwinError, match="openai, which is not installed") as raised:
        model("http://127.0.0.1:1", "openai")
    assert raised.value.code == "missing_extra"
