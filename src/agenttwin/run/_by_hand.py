"""A case whose calls somebody makes by hand, in a test: judged as the engine would judge an agent's."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Final

from agenttwin.evaluate import Grade
from agenttwin.run._case import Case
from agenttwin.run._conclude import Grading, graded, transcript_of
from agenttwin.run._drive import Drive
from agenttwin.run._input import begin_world
from agenttwin.scenario import Expectation, Scenario
from agenttwin.transcript import Claim, ModelKind, Transcript
from agenttwin.twin import DEFAULT_CALL_LIMIT, CompiledTwin

TOKEN_BYTES: Final = 16


class ByHand:
    """A scenario's case, begun. ``case`` is what surfaces lend; any thread may call its tools.

    ``clock`` gives seconds, for the latency that is judged.
    """

    def __init__(
        self,
        scenario: Scenario,
        twin: CompiledTwin,
        seed: str,
        *,
        grading: Grading | None = None,
        call_limit: int = DEFAULT_CALL_LIMIT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.scenario = scenario
        self.case = Case(
            begin_world(twin, scenario, seed, call_limit=call_limit),
            token=secrets.token_hex(TOKEN_BYTES),
            started=clock(),
            seconds=scenario.spec.timeout_seconds,
        )
        self._grading = grading or Grading()
        self._clock = clock

    def grade(self, claim: Claim, expectations: list[Expectation] | None = None) -> Grade:
        """How the case stands: by the scenario's expectations, or by others, which are models of kinds.

        The case goes on: calls made later count in a later grade.
        """
        scenario = self.scenario
        if expectations is not None:
            spec = scenario.spec.model_copy(update={"expectations": expectations})
            scenario = scenario.model_copy(update={"spec": spec})
            vars(scenario).pop("expectations", None)  # those that were worked out for the other ones
        return graded(scenario, self._transcript(claim), claim, self._grading)[2]

    def end(self) -> None:
        """Lands what is late, and refuses further calls."""
        self.case.close()

    def _transcript(self, claim: Claim) -> Transcript:
        latency_ms = (self._clock() - self.case.started) * 1000 + self.case.delayed_ms
        return transcript_of(self.case, Drive(claim=claim), ModelKind.UNKNOWN, latency_ms, at_rest=True)
