"""What was recorded earlier, used again: whether it may be, and what a report then says of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from agenttwin.document import Document, read
from agenttwin.errors import Conflict, NotFound
from agenttwin.evaluate import Grade
from agenttwin.review import Override
from agenttwin.scenario import Agent as Manifest
from agenttwin.scenario import Library, Plan, Scenario, Trial
from agenttwin.storage import Store, StoredRun

REGRADED: Final = "No agent was run: cases that were recorded earlier were graded again."
STORED_BASELINE: Final = "The baseline was not run again: its cases were recorded earlier."
LAST: Final = "last"

_MOST: Final = 5
"""Differences that are named; more are counted."""


def last_run(store: Store, agent: str, version: str) -> StoredRun:
    """The newest run of the agent that is complete and of another version; NotFound where there is none."""
    after: str | None = None
    while True:
        page = store.runs(after=after)
        for run in page.items:
            if run.agent == agent and run.version != version and run.complete:
                return run
        if page.after is None:
            message = f"There is no complete run of another version of {agent} than {version}."
            raise NotFound("unknown_run", message)
        after = page.after


def check_complete(run: StoredRun) -> None:
    """Conflict where cases of the run were never recorded."""
    if not run.complete:
        message = f"The run {run.id} has only {run.finished} of its {run.cases} cases."
        raise Conflict("incomplete_run", message, f"Finish it: run it again with --key {run.key}.")


def check_reusable(store: Store, library: Library, run: StoredRun, agreed: Plan) -> None:
    """Conflict where the run is of something else than what is planned now: any digest, or a seed."""
    there = {(trial.scenario, trial.trial): trial for trial in store.trials(run)}
    apart = list(_manifest_differences(library, run))
    for trial in agreed.cases:
        found = there.get((trial.scenario, trial.trial))
        apart += [f"{trial.scenario} is not in it"] if found is None else _differences(found, trial)
    if apart:
        remedy = "Run the baseline again, or compare both versions anew."
        if all(text.endswith(_EVALUATORS) for text in apart):
            remedy = f"Grade it again first: agenttwin regrade {run.id}."
        elif run.seed != agreed.seed:
            remedy = f"It was run with --seed {run.seed}; give the same."
        message = f"The run {run.id} cannot be the baseline: {_told(apart)}."
        raise Conflict("changed_since", message, remedy)


def check_gradable(store: Store, library: Library, run: StoredRun, agreed: Plan) -> None:
    """Conflict where a scenario or a twin has come to do something else to the agent than it did then."""
    there = {(trial.scenario, trial.trial): trial for trial in store.trials(run)}
    apart = []
    for trial in agreed.cases:
        found = there[trial.scenario, trial.trial]
        if found.pins["twin"] != trial.pins["twin"]:
            apart.append(f"the twin of {trial.scenario} has changed")
        if (
            found.seed != trial.seed
            or _stimulus(store, found) != library.scenarios[trial.scenario].model.stimulus
        ):
            apart.append(f"{trial.scenario} has changed in more than its expectations")
    if apart:
        message = f"The run {run.id} cannot be graded again: {_told(apart)}."
        raise Conflict("changed_since", message, "Run the agent again.")


def stored_manifest(store: Store, run: StoredRun) -> Document[Manifest]:
    """The manifest as it was when it was run."""
    kept = store.document(run.digest)
    return read(kept.text, file=kept.file, models={"Agent": Manifest})


def carried(
    before: Grade, after: Grade, decided: Iterable[Override]
) -> tuple[list[Override], list[Override]]:
    """People's decisions that hold for the new grade too, and those whose result came out otherwise now."""
    old, new = _verdicts(before), _verdicts(after)
    kept, dropped = list[Override](), list[Override]()
    for override in decided:
        name = override.expectation
        same = name in new and old.get(name) == new[name]
        (kept if same else dropped).append(override)
    return kept, dropped


def dropped_warning(dropped: int) -> str:
    """What a report says of decisions that no longer hold."""
    decisions = "1 decision" if dropped == 1 else f"{dropped} decisions"
    return f"{decisions} by people no longer applied, since the result below came out otherwise."


def _verdicts(grade: Grade) -> Mapping[str, tuple[str, str]]:
    return {item.id: (item.type, item.verdict.value) for item in grade.evaluations}


def _stimulus(store: Store, trial: Trial) -> object:
    kept = store.document(trial.pins["scenario"])
    scenario = read(kept.text, file=kept.file, models={"Scenario": Scenario})
    return scenario.model.stimulus


_EVALUATORS: Final = "was judged by other versions of the evaluators"

_CHANGED: Final[Mapping[str, str]] = {
    "scenario": "has changed",
    "twin": "has another twin now",
    "evaluators": _EVALUATORS,
    "seed": "had another seed",
}
"""What is said of a case whose pin differs, in order of what weighs most."""


def _differences(found: Trial, planned: Trial) -> list[str]:
    return [
        f"{planned.scenario} {text}"
        for pin, text in _CHANGED.items()
        if found.pins.get(pin) != planned.pins.get(pin)
    ]


def _manifest_differences(library: Library, run: StoredRun) -> Iterator[str]:
    """A version whose manifest is gone from the workspace is what it was; one that was edited is not."""
    today = library.manifests.get((run.agent, run.version))
    if today is not None and today.digest != run.digest:
        yield f"the manifest of {run.version} has changed"


def _told(differences: list[str]) -> str:
    rest = len(differences) - _MOST
    return "; ".join(differences[:_MOST]) + (f"; and {rest} more" if rest > 0 else "")
