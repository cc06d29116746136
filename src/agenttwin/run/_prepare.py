"""From a plan to works: everything that the trials need, made ready once and shared by all sides."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from agenttwin.document import Document
from agenttwin.run._protocols import Agent
from agenttwin.run._work import Work
from agenttwin.scenario import Agent as Manifest
from agenttwin.scenario import Library, Plan, evaluator_versions
from agenttwin.twin import DEFAULT_CALL_LIMIT, Adapter, CompiledTwin, compile
from agenttwin.values import digest

Key = tuple[str, str, int]
"""One trial of one side: side, scenario, trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One side of a run: its name (baseline, candidate), its manifest, and how its agent is driven."""

    side: str
    agent: Agent
    manifest: Document[Manifest]


def prepare(
    library: Library,
    plan: Plan,
    contenders: Sequence[Contender],
    *,
    adapters: Mapping[str, Adapter] | None = None,
    call_limit: int = DEFAULT_CALL_LIMIT,
    only: Collection[Key] | None = None,
) -> tuple[Work, ...]:
    """The works of a plan, the sides of a trial next to one another; ``only`` those that are named.

    Both sides of a trial begin in the same world. NotFound for an adapter that is not registered.
    """
    return tuple(_works(library, plan, contenders, adapters or {}, call_limit, only))


def _works(
    library: Library,
    plan: Plan,
    contenders: Sequence[Contender],
    adapters: Mapping[str, Adapter],
    call_limit: int,
    only: Collection[Key] | None,
) -> Iterator[Work]:
    evaluators = digest(evaluator_versions())
    twins: dict[str, tuple[CompiledTwin, str]] = {}
    manifests = {contender.side: orjson.dumps(contender.manifest.source.value) for contender in contenders}
    for trial in plan.cases:
        document = library.scenarios[trial.scenario]
        for contender in contenders:
            if only is not None and (contender.side, trial.scenario, trial.trial) not in only:
                continue
            name = document.model.spec.twin
            if name not in twins:
                twins[name] = _compiled(library, name, adapters), library.twin_digest(name)
            twin, twin_digest = twins[name]
            yield Work(
                side=contender.side,
                scenario=document.model,
                trial=trial.trial,
                seed=trial.seed,
                twin=twin,
                call_limit=call_limit,
                agent=contender.agent,
                version=contender.manifest.model.metadata.version,
                manifest=manifests[contender.side],
                model_kind=contender.manifest.model.model_kind,
                pins={  # read off what is run, and not off the plan
                    "scenario": document.digest,
                    "twin": twin_digest,
                    "evaluators": evaluators,
                    "seed": trial.seed,
                    "manifest": contender.manifest.digest,
                },
            )


def _compiled(library: Library, name: str, adapters: Mapping[str, Adapter]) -> CompiledTwin:
    return compile(library.twins[name].model, adapters=adapters, initial_state=library.states.get(name))
