"""An agent that is a program: whatever it does costs its case only."""

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agenttwin.agents import CommandAgent
from agenttwin.errors import NotFound
from agenttwin.run import MAX_CAPTURED, CaseRecord
from agenttwin.transcript import ClaimedOutcome, Ending
from tests.unit.run._scene import record

HERE = Path(__file__).parent
TURNS = "{turns: [{say: Hi.}, {say: And now?}]}"


def shell(text: str, **changes: Any) -> CaseRecord:
    return record(CommandAgent(["sh", "-c", text], folder=HERE), **changes)


def python(code: str, **changes: Any) -> CaseRecord:
    return record(CommandAgent([sys.executable, "-S", "-c", code], folder=HERE), **changes)


def test_the_last_line_is_its_reply() -> None:
    found = shell("""echo thinking; echo '{"output": "Paid.", "claimed_outcome": "SUCCESS", "steps": 2}'""")
    assert found.transcript.ending is Ending.FINISHED
    assert found.claim.answer == "Paid."
    assert found.claim.outcome is ClaimedOutcome.SUCCESS
    assert found.claim.steps == 2
    assert found.measured["stdout"].startswith("thinking\n")


def test_a_reply_may_span_lines_where_there_is_nothing_else() -> None:
    assert shell("""printf '{\\n"output":\\n"Paid."\\n}\\n\\n'""").claim.answer == "Paid."


@pytest.mark.parametrize(
    ("written", "answer"),
    [("Hello,\\nyou.\\n", "Hello,\nyou."), ("{not json}", "{not json}"), ("", ""), ("[1]\\n", "[1]")],
)
def test_what_is_no_json_object_is_the_answer_as_a_whole(written: str, answer: str) -> None:
    assert shell(f"printf '{written}'").claim.answer == answer


def test_it_is_told_what_was_said_and_by_whom() -> None:
    code = "import json, sys; r = json.load(sys.stdin); r.pop('manifest'); print(json.dumps({'output': json.dumps(r)}))"
    told = json.loads(python(code).claim.answer or "")
    trace = told["tool_headers"].pop("traceparent")
    assert len(told.pop("session_id")) == 32
    assert len(trace) == 55
    assert told == {
        "input": "Pay 10 from A-1.",
        "turns": ["Pay 10 from A-1."],
        "answers": [],
        "agent_version": "1.0.0",
        "tools_base_url": None,
        "mcp_url": None,
        "tool_headers": {},
        "tenant": "acme",
        "customer_id": "CUS-1",
        "context": {"plan": "gold"},
    }


def test_each_turn_is_a_process_that_knows_the_turns_before() -> None:
    code = (
        "import json, os, sys; r = json.load(sys.stdin);"
        "print(json.dumps({'output': f\"{r['input']} {r['turns']} {r['answers']} {r['session_id']}\"}))"
    )
    first, second = (python(code, input=TURNS).claim.answer or "").split("\n\n")
    assert first.startswith("Hi. ['Hi.'] [] ")
    assert second.startswith(f"And now? ['Hi.', 'And now?'] [{first!r}] ") or first[:9] in second
    assert first.split()[-1] == second.split()[-1]


def test_the_version_and_the_trace_are_in_its_environment() -> None:
    answer = shell('echo "$AGENTTWIN_AGENT_VERSION ${#TRACEPARENT} ${AGENTTWIN_TOOLS_URL-none}"').claim.answer
    assert answer == "1.0.0 55 none"


def test_it_runs_in_its_folder_with_its_environment() -> None:
    agent = CommandAgent(["sh", "-c", "echo $NAME; ls"], folder=HERE, env={"NAME": "Ada"})
    assert (record(agent).claim.answer or "").split("\n")[0] == "Ada"
    assert "test_command.py" in (record(agent).claim.answer or "")


def test_a_program_that_fails_is_a_crash_with_the_end_of_what_it_wrote() -> None:
    found = shell("echo no such account >&2; exit 3")
    assert found.transcript.ending is Ending.AGENT_CRASHED
    assert found.transcript.ending_message == "Its process ended with exit code 3."
    assert found.measured["traceback"] == found.measured["stderr"] == "no such account\n"


def test_a_signal_is_told() -> None:
    assert shell("kill -9 $$").transcript.ending_message == "Its process was ended by signal 9."


def test_a_program_that_does_not_read_is_none_the_worse() -> None:
    assert shell("exec <&-; echo Hello.").claim.answer == "Hello."


def test_a_deadline_ends_it_with_what_it_started(tmp_path: Path) -> None:
    started = time.monotonic()
    text = f"echo begun; (sleep 30; touch {tmp_path}/late) & echo $! > {tmp_path}/pid; sleep 30"
    found = shell(text, timeoutSeconds=0.5)
    assert found.transcript.ending is Ending.AGENT_TIMEOUT
    assert found.measured["stdout"] == "begun\n"
    assert time.monotonic() - started < 5
    assert _has_ended(int((tmp_path / "pid").read_text()))


def test_its_own_end_ends_what_it_started(tmp_path: Path) -> None:
    started = time.monotonic()
    found = shell(f"sleep 30 & echo $! > {tmp_path}/pid; echo Done.")
    assert found.claim.answer == "Done."
    assert time.monotonic() - started < 5
    assert _has_ended(int((tmp_path / "pid").read_text()))


def test_much_is_cut_and_said_to_be_and_the_reply_still_counts() -> None:
    code = "import sys\nfor _ in range(40): sys.stdout.write('x' * 1_000_000)\nprint('\\n{\"output\": \"Done.\"}')"
    found = python(code)
    assert found.claim.answer == "Done."
    kept, note = found.measured["stdout"].split("\n")
    assert len(kept) == MAX_CAPTURED
    assert note.endswith("more characters were cut.")


def test_a_reply_has_a_limit() -> None:
    found = python("print('{' + 'x' * 9_000_000)")
    assert found.transcript.ending is Ending.AGENT_ERROR
    assert found.transcript.ending_message == "Its reply has more than 8,388,608 bytes."


def test_what_is_no_reply_is_an_error() -> None:
    found = shell("""echo '{"outptu": "Paid."}'""")
    assert found.transcript.ending is Ending.AGENT_ERROR
    assert "'outptu'" in found.transcript.ending_message


def test_a_program_that_does_not_exist_is_told_at_once() -> None:
    with pytest.raises(NotFound, match="There is no program 'no-such-program' to run"):
        CommandAgent(["no-such-program"], folder=HERE)


def test_a_path_is_looked_for_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("#!/bin/sh\necho Here.")
    (tmp_path / "agent").chmod(0o755)
    assert record(CommandAgent(["./agent"], folder=tmp_path)).claim.answer == "Here."


def _has_ended(pid: int) -> bool:
    """A killed process is gone, or a zombie that nobody has waited for."""
    status = Path("/proc") / str(pid) / "stat"
    for _ in range(100):
        if not status.exists() or status.read_text().split()[2] == "Z":
            return True
        time.sleep(0.01)
    return False
