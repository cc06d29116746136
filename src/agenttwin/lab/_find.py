"""Finding a case again by the words a person uses: SCENARIO, SCENARIO@VERSION, ID/SCENARIO."""

from __future__ import annotations

from dataclasses import dataclass

from agenttwin.compare import Side
from agenttwin.errors import NotFound
from agenttwin.lab._session import Session
from agenttwin.storage import StoredPair, StoredRun
from agenttwin.values import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCase:
    """One case of one version, as it is stored."""

    stored: StoredPair | StoredRun
    run: StoredRun
    scenario: str
    trial: int
    side: Side


def find_case(session: Session, text: str) -> FoundCase:
    """The case that ``text`` names, of the latest comparison unless an id stands before it.

    The version is the candidate's unless one is named. NotFound says what there is.
    """
    id, slash, rest = text.rpartition("/")
    scenario, _, version = rest.partition("@")
    stored = session.store.find(id) if slash else session.store.latest_pair()
    runs = (stored.candidate, stored.baseline) if isinstance(stored, StoredPair) else (stored,)
    run = next((run for run in runs if version in ("", run.version)), None)
    if run is None:
        there = " and ".join(dict.fromkeys(run.version for run in runs))
        raise NotFound("unknown_version", f"This is about {there}, not {version}.")
    sides = _sides(session, stored, run)
    if scenario not in sides:
        close = nearest(scenario, sides)
        hint = f" Did you mean {close!r}?" if close else ""
        raise NotFound("unknown_case", f"There is no case {scenario!r} in {stored.id}.{hint}")
    return FoundCase(stored=stored, run=run, scenario=scenario, trial=1, side=sides[scenario])


def _sides(session: Session, stored: StoredPair | StoredRun, run: StoredRun) -> dict[str, Side]:
    if isinstance(stored, StoredRun):
        return {case.info.scenario: case.side for case in session.store.load_run(stored).cases}
    pair = session.store.load_pair(stored)
    of_candidate = run.side == "candidate"
    return {case.info.scenario: case.candidate if of_candidate else case.baseline for case in pair.cases}
