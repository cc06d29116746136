"""What is to be run, with all that a report will want to know of it and that stands in the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agenttwin.compare import CaseInfo, TwinCheck, Version, case_info
from agenttwin.document import Document
from agenttwin.scenario import Agent, Library, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts of a run as a whole, from its documents.

    They are the risk of each tool, what is masked when shown, and when each twin was held against the real
    thing.
    """

    tools: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    checks: tuple[TwinCheck, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A plan, what its cases are, the facts beside them, and the documents it is made of."""

    plan: Plan
    infos: Sequence[CaseInfo]
    facts: Facts
    documents: Sequence[Document[Any]]

    @classmethod
    def of(
        cls,
        library: Library,
        plan: Plan,
        *,
        warnings: Sequence[str] = (),
        checks: Mapping[str, TwinCheck] | None = None,
    ) -> Order:
        """The order of a plan over the documents that it was made from; ``checks`` by the twin's name."""
        scenarios = {trial.scenario: library.scenarios[trial.scenario] for trial in plan.cases}
        twins = {
            scenario.model.spec.twin: library.twins[scenario.model.spec.twin]
            for scenario in scenarios.values()
        }
        tools = [tool for twin in twins.values() for tool in twin.model.spec.tools]
        secrets = [secret for twin in twins.values() for secret in twin.model.spec.secrets]
        return cls(
            plan=plan,
            infos=[
                case_info(scenario, twins[scenario.model.spec.twin].model) for scenario in scenarios.values()
            ],
            facts=Facts(
                tools={tool.name: tool.actual_risk.value for tool in tools},
                secrets=tuple(dict.fromkeys(secrets)),
                warnings=tuple(warnings),
                checks=tuple(check for name, check in sorted((checks or {}).items()) if name in twins),
            ),
            documents=[*scenarios.values(), *twins.values()],
        )


def version_of(manifest: Document[Agent]) -> Version:
    """One side's agent, as its manifest says."""
    model = manifest.model
    return Version(
        agent=model.metadata.name,
        version=model.metadata.version,
        digest=manifest.digest,
        model_kind=model.model_kind.value,
        manifest=manifest.source.value,
    )
