"""Plain functions as tools: the twin's while a case is active, the real ones otherwise, and never by mistake."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import pytest

import agenttwin
from agenttwin.interception import (
    NoCase,
    NoSuchFunction,
    ToolAnswerError,
    ToolConnectionError,
    ToolError,
    ToolTimeoutError,
    intercept,
    tool,
)
from agenttwin.lab import Twin, example_folder
from tests.unit.interception import payments
from tests.unit.interception.payments import REAL, Desk, Refund, refund_payment

HERE = "tests.unit.interception.payments"


@pytest.fixture(autouse=True)
def nothing_real():
    REAL.clear()
    yield
    REAL.clear()


@pytest.fixture(scope="module")
def twin():
    return Twin.load(example_folder("support-refund") / "twin.yaml")


def started(twin, *faults):
    rules = [{"target": "refund_payment", "behavior": {"type": kind}} for kind in faults]
    return twin.start(tenant="demo-co", faults=rules)


def marked(**options):
    return tool(name="refund_payment", **options)(refund_payment)


# -- where a call goes


def test_without_a_case_the_function_runs_as_ever():
    assert marked()("ORD-1001", 40) == {"refund_id": "REAL", "order_id": "ORD-1001"}
    assert REAL == [("ORD-1001", 40, None)]


def test_in_a_case_the_twin_answers_and_the_function_is_not_run(twin):
    case = started(twin)
    with case.active():
        assert marked()("ORD-1001", amount=40)["refund_id"] == "RF-0001"
    assert REAL == []
    assert [(call.tool, call.arguments) for call in case.calls] == [
        ("refund_payment", {"order_id": "ORD-1001", "amount": 40})
    ]


def test_a_coroutine_function_stays_one(twin):
    look = tool(payments.lookup_order)

    async def agent():
        with case.active():
            return await look("ORD-1001")

    case = started(twin)
    assert asyncio.run(agent())["id"] == "ORD-1001"
    assert asyncio.run(look("ORD-1001")) == {"id": "REAL"}


def test_cases_side_by_side_keep_apart(twin):
    cases = [started(twin) for _ in range(8)]
    refund = marked()

    def act(number):
        with cases[number].active():
            for _ in range(number):
                refund("ORD-1001", 1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(act, range(8)))
    assert [len(case.calls) for case in cases] == list(range(8))


def test_a_task_and_a_thread_with_the_context_belong_to_the_case(twin):
    case, refund = started(twin), marked()

    async def agent():
        with case.active():
            await asyncio.gather(*(asyncio.to_thread(refund, "ORD-1001", 1) for _ in range(2)))
            await asyncio.create_task(asyncio.to_thread(refund, "ORD-1001", 1))

    asyncio.run(agent())
    assert len(case.calls) == 3
    assert REAL == []


# -- never by mistake


def told_in_thread(act, **options):
    """What a call in a new thread raised."""
    told = []

    def call():
        try:
            told.append(act())
        except NoCase as error:
            told.append(str(error))

    thread = threading.Thread(target=call, **options)
    thread.start()
    thread.join()
    return told[0]


def test_a_thread_without_the_context_reaches_nothing_while_a_case_runs(twin):
    case, refund = started(twin), marked()
    with case.active():
        said = told_in_thread(lambda: refund("ORD-1001", 1))
        context = contextvars.copy_context()
        assert told_in_thread(lambda: context.run(refund, "ORD-1001", 1))["refund_id"] == "RF-0001"
    assert said.startswith("refund_payment was not called: a case is running in this process, but not in")
    assert REAL == []
    assert len(case.calls) == 1


def test_a_thread_that_outlives_the_last_case_reaches_nothing_either(twin):
    go, refund, told = threading.Event(), marked(), []

    def late():
        go.wait()
        try:
            refund("ORD-1001", 1)
        except NoCase as error:
            told.append(str(error))

    with started(twin).active():
        thread = threading.Thread(target=late)
        thread.start()
    go.set()
    thread.join()
    assert "may still be at work for it" in told[0]
    assert REAL == []
    assert told_in_thread(lambda: refund("ORD-1001", 1))["refund_id"] == "REAL", "a new thread is free"


def test_a_call_with_the_context_of_a_case_that_ended_is_refused(tmp_path):
    """The context outlives the case: what comes late is the case's still, and the case is over."""
    (tmp_path / "agent.py").write_text(LATE)
    agenttwin.lab.write_example("support-refund", tmp_path / "w")
    (tmp_path / "w" / "agent.py").write_text(LATE)
    with agenttwin.lab.Session.open(tmp_path / "w") as session:
        session.run("1.3.0", agenttwin.lab.Ask(scenarios=("refund-happy-path",)))
    module = sys.modules["agent"]
    module.THREADS[0].join(10)
    assert module.TOLD == ["CaseClosed"]
    assert module.REAL == []


LATE = """
import contextvars, threading, time
from agenttwin import tool
REAL, TOLD, THREADS = [], [], []

@tool
def refund_payment(order_id, amount):
    REAL.append(order_id)

def late():
    time.sleep(0.5)
    try:
        refund_payment("ORD-1001", 1)
    except Exception as error:
        TOLD.append(type(error).__name__)

def run(request, tools):
    refund_payment("ORD-1001", 40)
    THREADS.append(threading.Thread(target=contextvars.copy_context().run, args=(late,)))
    THREADS[0].start()
    return {"output": "Done.", "claimed_outcome": "SUCCESS"}
"""


# -- what comes back


@pytest.mark.parametrize(
    ("fault", "kind", "also"),
    [
        ("timeout_after_mutation", ToolTimeoutError, TimeoutError),
        ("dropped_connection", ToolConnectionError, ConnectionError),
        ("dropped_after_mutation", ToolConnectionError, ConnectionError),
        ("partial_response", ToolError, Exception),
        ("malformed_json", ToolAnswerError, ValueError),
        ("http_500", ToolError, Exception),
        ("http_429", ToolError, Exception),
    ],
)
def test_what_is_no_success_is_raised_as_a_real_client_would(twin, fault, kind, also):
    with started(twin, fault).active(), pytest.raises(kind) as caught:
        marked()("ORD-1001", 40)
    assert isinstance(caught.value, also)
    assert caught.value.tool == "refund_payment"
    assert caught.value.reply.ok is False


def test_a_refusal_says_what_the_tool_said(twin):
    with started(twin).active(), pytest.raises(ToolError) as caught:
        marked()("ORD-9", 40)
    assert (caught.value.status, caught.value.code) == (404, "ORDER_NOT_FOUND")
    assert str(caught.value) == "refund_payment: There is no order ORD-9."


def test_a_name_that_the_twin_lacks_is_refused_with_the_nearest(twin):
    case = started(twin)
    with case.active(), pytest.raises(ToolError, match="refund_payment") as caught:
        tool(name="refund_paymnt")(refund_payment)("ORD-1001", 40)
    assert caught.value.code == "UNKNOWN_TOOL"
    assert len(case.calls) == 1


def test_the_agents_own_way_with_failures_is_kept(twin):
    with started(twin, "http_500").active():
        assert marked(failed=lambda reply: f"failed: {reply.status}")("ORD-1001", 40) == "failed: 500"


def test_a_dataclass_comes_back_as_one(twin):
    def refund_payment(order_id: str, amount: float) -> Refund:
        raise AssertionError

    with started(twin).active():
        given = tool(refund_payment)("ORD-1001", 40)
    assert isinstance(given, Refund)
    assert (given.refund_id, given.amount) == ("RF-0001", 40)


def test_an_answer_of_another_form_is_no_answer(twin):
    @dataclass
    class Other:
        nothing_like_it: int

    def refund_payment(order_id, amount) -> Other:
        raise AssertionError

    refund_payment.__annotations__["return"] = Other
    with started(twin).active(), pytest.raises(ToolAnswerError, match="nothing_like_it"):
        tool(refund_payment)("ORD-1001", 40)


# -- how arguments are bound


class Recorder:
    """Tools that keep what they are asked."""

    def __init__(self):
        self.asked = []

    def call(self, tool, arguments=None, /, **named):
        self.asked.append((tool, arguments))
        return type("Reply", (), {"ok": True, "status": 200, "text": "{}", "body": {}})()


def asked(function, *args, **named):
    tools = Recorder()
    with agenttwin.interception.active(tools):
        tool(function)(*args, **named)
    return tools.asked[0][1]


def test_arguments_become_json():
    assert asked(payments.odd, date(2026, 1, 2), Decimal("1.50"), 7, 8, extra=(1, 2)) == {
        "when": "2026-01-02",
        "how_much": "1.50",
        "rest": [7, 8],
        "flag": False,
        "extra": [1, 2],
    }


def test_none_is_sent_where_it_was_given():
    assert asked(refund_payment, "A", 1) == {"order_id": "A", "amount": 1}
    assert asked(refund_payment, "A", 1, None) == {"order_id": "A", "amount": 1, "reason": None}


def test_what_is_no_json_is_told_before_anything_is_called(twin):
    case = started(twin)
    with case.active(), pytest.raises(TypeError, match="refund_payment: the argument 'amount' is no JSON"):
        marked()("ORD-1001", object())
    assert case.calls == ()


def test_arguments_that_do_not_fit_the_signature_are_refused_as_ever(twin):
    with started(twin).active(), pytest.raises(TypeError, match="amount"):
        marked()("ORD-1001")


def test_parameters_can_be_left_out(twin):
    def lookup_order(client, order_id):
        raise AssertionError

    with started(twin).active():
        found = tool(leave_out=["client"])(lookup_order)(object(), "ORD-1001")
    assert found["id"] == "ORD-1001"
    with pytest.raises(TypeError, match="no parameter cleint to leave out"):
        tool(leave_out=["cleint"])(lookup_order)


@pytest.mark.parametrize("odd", [7, int, (lambda: (yield))])
def test_what_is_no_tool_is_refused(odd):
    with pytest.raises(TypeError):
        tool(odd)


# -- functions that stay as they are


def test_intercepted_functions_are_tools_wherever_they_were_imported(twin):
    case, before = started(twin), refund_payment
    with intercept({"refund_payment": f"{HERE}:refund_payment", "lookup_order": Desk.lookup_order}):
        assert refund_payment("ORD-1001", 1)["refund_id"] == "REAL", "no case, no twin"
        REAL.clear()
        with case.active():
            assert refund_payment("ORD-1001", 40)["refund_id"] == "RF-0001"
            assert payments.refund_payment("ORD-1001", 1)["refund_id"] == "RF-0002"
            assert Desk().lookup_order("ORD-1001")["id"] == "ORD-1001"
    assert refund_payment is before is payments.refund_payment
    assert "agenttwin" not in Desk.lookup_order.__dict__
    assert len(case.calls) == 3
    assert REAL == []


@pytest.mark.parametrize("name", ["by_class", "by_itself"])
def test_methods_of_every_kind_are_intercepted(twin, name):
    with intercept({"lookup_order": f"{HERE}:Desk.{name}"}), started(twin).active():
        assert getattr(Desk, name)("ORD-1001")["id"] == "ORD-1001"
        assert getattr(Desk(), name)("ORD-1001")["id"] == "ORD-1001"
    getattr(Desk, name)("ORD-1001")
    assert REAL == ["ORD-1001"]


def test_everything_is_put_back_after_an_error():
    before = payments.refund_payment
    with pytest.raises(NoSuchFunction), intercept({"a": payments.refund_payment, "b": f"{HERE}:nothing"}):
        raise AssertionError
    assert payments.refund_payment is before


@pytest.mark.parametrize("odd", [f"{HERE}:nothing", "no.such.module:f", "nothing", f"{HERE}:Desk.nothing"])
def test_a_name_that_leads_nowhere_is_told(odd):
    with pytest.raises(NoSuchFunction), intercept({"a": odd}):
        raise AssertionError


def test_a_function_inside_of_another_cannot_be_replaced():
    def inner():
        raise AssertionError

    with pytest.raises(NoSuchFunction, match="lies in another function"), intercept({"a": inner}):
        raise AssertionError


def test_marking_costs_no_import_of_what_is_heavy():
    code = (
        "import sys, agenttwin\n"
        "@agenttwin.tool\n"
        "def f(a): return a\n"
        "assert f(1) == 1\n"
        "bad = [m for m in sys.modules if m.split('.')[0] in ('pydantic', 'sqlalchemy', 'yaml', 'orjson')]\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
