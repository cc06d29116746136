"""A recorded case graded again: by today's expectations, evaluators and judge. No agent is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agenttwin.run._conclude import Grading, graded
from agenttwin.run._values import CaseRecord
from agenttwin.scenario import Scenario


def regrade(
    record: CaseRecord, scenario: Scenario, *, pins: Mapping[str, str], grading: Grading
) -> CaseRecord:
    """The record with its evidence and its claim as they were, and a new grade.

    ``scenario`` expects what it likes, but must have done to the agent what the recorded one did; ``pins``
    are those of the new plan, beside the manifest, which stays the recorded one's.
    """
    asked, opinions, grade = graded(scenario, record.transcript, record.claim, grading)
    return replace(record, pins={**record.pins, **pins}, grade=grade, questions=asked, opinions=opinions)
