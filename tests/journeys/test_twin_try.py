"""A twin at a prompt: every line is answered, none ends it, and what a fault did is told beside what was seen."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from agenttwin.lab import Console, Twin, example_folder
from tests.docs import _quick

TWIN = example_folder("support-refund") / "twin.yaml"


@pytest.fixture
def console() -> Console:
    return Console(Twin.load(TWIN), tenant="demo-co")


def told(console: Console, *lines: str) -> str:
    """What the last of the lines comes to."""
    shown = ""
    for line in lines:
        shown = "\n".join(console.answer(line))
    return shown


REFUND = "refund_payment order_id=ORD-1001 amount=40"


def test_a_call_tells_its_answer_and_what_it_changed(console: Console) -> None:
    shown = told(console, REFUND)
    assert shown.startswith('200 ok  {"refund_id":"RF-0001"')
    assert "orders.ORD-1001.refund_count  0 → 1" in shown
    assert "orders.ORD-1001.refund_count  1 → 2" in told(console, REFUND), "since the call before"


def test_a_fault_tells_what_was_done_beside_what_was_seen(console: Console) -> None:
    armed = told(console, ":fault timeout_after_mutation refund_payment")
    assert (
        armed
        == "The next call of refund_payment meets timeout_after_mutation: Everything was done, and no answer came in time."
    )
    shown = told(console, REFUND)
    assert shown.startswith("504 timeout")
    assert "fault timeout_after_mutation: committed all" in shown
    assert "refund_count  0 → 1" in shown
    assert told(console, REFUND).startswith("200 ok"), "the next call alone"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", ""),
        ("# a remark", ""),
        (":help", "TOOL name=value"),
        (":tools", "refund_payment        write_irreversible"),
        (":tools refund_payment", "amount: number"),
        (":tools refnd_payment", "Did you mean 'refund_payment'?"),
        (":fault", "success_without_mutation"),
        (":fault timeout refund_payment", "There is no kind of fault 'timeout'."),
        (":fault http_500", "Say on which tool"),
        (":fault http_500 on refund_payment", "meets http_500"),
        (":fault late_mutation refund_payment", "late_mutation"),
        (":falt", "Did you mean ':fault'?"),
        (":state orders.ORD-1001.refund_count", "0"),
        (":state orders[ORD-1001].refund_count", "0"),
        (":state refunds[0]", "There is no '0'."),
        (":state orders.NONE", "there is ORD-1001"),
        (":changes", "Nothing has changed."),
        (":calls", "Nothing was called yet."),
        (":search refund policy", "kb-refunds"),
        (":search xyzzy", "Nothing is found."),
        ("refund_payment x", "Write name=value, not 'x'"),
        ("refund_payment 'x", "cannot be read"),
        ('refund_payment {"a', "no JSON"),
        ("refund_payment [1]", "Write name=value"),
        ('lookup_order {"order_id": "ORD-1001"}', "200 ok"),
        ("lookup_order order_id=1001", "404 not_found"),
        ("refund_payment order_id=ORD-1001 amount=many", "422"),
        ("lookup_ordr order_id=1", "lookup_order"),
        ("export_customer_data customer_id=CUS-1", "refused before the tool was reached: ADMIN_ONLY"),
    ],
)
def test_every_line_is_answered(console: Console, line: str, said: str) -> None:
    shown = told(console, line)
    assert said in shown
    assert bool(shown) == bool(said)
    assert not console.over


def test_it_begins_anew_and_ends(console: Console) -> None:
    assert told(console, REFUND, ":reset", ":changes") == "Nothing has changed."
    assert "refund_payment" in told(console, REFUND, ":calls")
    told(console, ":quit")
    assert console.over


def test_lines_of_a_pipe_are_answered(tmp_path: Path) -> None:
    command = [_quick.command(), "twin", "try", str(TWIN), "--tenant", "demo-co"]
    given = f"{REFUND}\n:state orders.ORD-1001.refund_count\n:quit\nnever reached\n"
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "1"


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of this kind is Unix's")
def test_a_person_at_a_terminal_gets_a_prompt() -> None:
    command = [sys.executable, "-m", "agenttwin.cli", "twin", "try", str(TWIN)]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
    os.close(theirs)
    seen = b""
    try:
        while b"> " not in seen:
            seen += os.read(ours, 1024)
        os.write(ours, b":changes\n")
        while b"Nothing has changed." not in seen:
            seen += os.read(ours, 1024)
        os.write(ours, b":quit\n")
        assert process.wait(10) == 0
    finally:
        process.kill()
        os.close(ours)
    assert b"a call is TOOL name=value" in seen
