"""A scenario in one's own hands, in a test: its world and its faults, and its expectations as assertions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import TypeAdapter, ValidationError

from agenttwin.agents import claim_from
from agenttwin.errors import UsageError
from agenttwin.evaluate import CaseVerdict, Evaluation, Grade, Verdict
from agenttwin.interception import active
from agenttwin.run import AgentFailed, ByHand, Reply, Tools
from agenttwin.scenario import AGENT_FINISHED, EXPECTATIONS, Expectation
from agenttwin.surfaces import PythonTools
from agenttwin.transcript import Claim, ToolCall
from agenttwin.values import Change, Json, nearest


class ExpectationFailed(AssertionError):  # noqa: N818 - reads as what happened
    """An expectation that does not hold, or cannot be judged; the text is what the evaluation says."""

    __module__ = "agenttwin.lab"  # as it is imported, and shown by pytest


class ScenarioCase:
    """A case of a scenario whose tools you call: through `call`, or by code under test while it is `active`.

    Its expectations are judged when they are asked for, by what happened up to then.
    """

    def __init__(self, held: ByHand) -> None:
        self._held = held
        self.tools: Tools = PythonTools(held.case)

    def __repr__(self) -> str:
        return f"<case of {self._held.scenario.name}, {len(self.calls)} calls>"

    def call(self, tool: str, /, **arguments: Json) -> Reply:
        """Calls a tool. Whatever it answers, and whatever fault befalls it, nothing is raised."""
        return self.tools.call(tool, arguments)

    @contextmanager
    def active(self) -> Iterator[None]:
        """While it lasts, functions that are marked or intercepted as tools reach this case."""
        with active(self.tools):
            yield

    @property
    def message(self) -> str:
        """What the user says: the message, or the last of the turns."""
        given = self._held.scenario.spec.input
        return given.message if given.message is not None else (given.turns or [])[-1].say

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The record of every call."""
        return self._held.case.world.calls

    @property
    def changes(self) -> tuple[Change, ...]:
        """What differs from the start: path, before, after."""
        return self._held.case.world.changes

    @property
    def state(self) -> Any:
        """The state as plain JSON. Parts that were never written to are shared: read it only."""
        return self._held.case.world.tree.plain()

    def grade(self, reply: Any = None) -> Grade:
        """How the scenario's expectations stand. ``reply`` is what the agent gave back: text or a mapping."""
        return self._held.grade(_claim(reply))

    def assert_passed(self, reply: Any = None) -> None:
        """ExpectationFailed with the sentence of every expectation of the scenario that does not hold."""
        __tracebackhide__ = True  # pytest shows the line that asked, and the sentence
        grade = self.grade(reply)
        if grade.verdict is not CaseVerdict.PASSED:
            raise ExpectationFailed("\n".join(_wrong(grade)))

    def assert_holds(self, type: str, reply: Any = None, /, **fields: Any) -> None:
        """One expectation: ``assert_holds("noDuplicateSideEffect", tool="refund_payment")``.

        ``fields`` are named as in a scenario. ExpectationFailed with the evaluation's sentence, also where it
        cannot be judged; UsageError for what is no expectation.
        """
        __tracebackhide__ = True
        grade = self._held.grade(_claim(reply), [_expectation(type, fields)])
        evaluation = next(item for item in grade.evaluations if item.id != AGENT_FINISHED)
        if evaluation.verdict is not Verdict.PASS:
            raise ExpectationFailed(_sentence(evaluation))

    def end(self) -> None:
        """Ends the case: what is late happens now, and further calls are refused."""
        self._held.end()


def _claim(reply: Any) -> Claim:
    """What the agent claims; TypeError for a reply that no agent may give."""
    try:
        return Claim() if reply is None else claim_from(reply)
    except AgentFailed as failed:
        raise TypeError(failed.message) from None


def _wrong(grade: Grade) -> Iterator[str]:
    found = [item for item in grade.evaluations if item.verdict in (Verdict.FAIL, Verdict.ERROR)]
    found += [item for item in grade.evaluations if item.verdict is Verdict.SKIPPED and item.critical]
    if not found:
        yield "Nothing was judged, so nothing is shown."
    yield from (f"{item.id}: {_sentence(item)}" for item in found)


def _sentence(evaluation: Evaluation) -> str:
    judged = evaluation.verdict is Verdict.FAIL
    return evaluation.reason if judged else f"It could not be judged: {evaluation.reason}"


def _expectation(type: str, fields: dict[str, Any]) -> Expectation:
    if type not in EXPECTATIONS:
        close = nearest(type, EXPECTATIONS)
        hint = f" Did you mean {close!r}?" if close else ""
        raise UsageError("invalid_expectation", f"There is no kind of expectation {type!r}.{hint}")
    try:
        found: Expectation = TypeAdapter(Expectation).validate_python({"type": type, **fields})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        raise UsageError("invalid_expectation", f"{type}: {where or 'it'}: {first['msg']}.") from None
    return found
