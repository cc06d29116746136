"""What `agenttwin.yaml` may say."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal, TypeAlias

from pydantic import Field

from agenttwin.document import Finding, Model
from agenttwin.scenario import Suite
from agenttwin.twin import Name
from agenttwin.values import MAX_INTEGER
from agenttwin.workspace._run import Price, Run, Target, run_findings

SEEDS: Final = (0, MAX_INTEGER)
CONCURRENCIES: Final = (1, 256)
"""Cases beside one another; each may hold a thread."""
CALL_LIMITS: Final = (1, 100_000)
MAX_COST_USD: Final = 1_000_000

Isolation: TypeAlias = Literal["thread", "process"]
Provider: TypeAlias = Literal["keyword"]

OneOrMany: TypeAlias = str | list[str]


class AgentEntry(Model):
    """One agent: where its manifests lie and how it is run."""

    manifests: OneOrMany = Field(
        default_factory=list,
        description="Files or globs of the agent's manifests, one version each. A git ref has its own.",
    )
    run: Run = Field(description="How to drive the agent.")
    env: dict[str, str] = Field(
        default_factory=dict,
        description="The agent's environment; `${NAME}` comes from the environment or .env. Never stored.",
    )

    def findings(self) -> list[Finding]:
        """What is wrong beyond the types of the fields."""
        found = [replace(finding, at=("run", *finding.at)) for finding in run_findings(self.run)]
        if not self.manifests and self.run.kind != "git":
            message = "the field 'manifests' is missing"
            found.append(Finding(at=("manifests",), code="missing_field", message=message))
        return found


class SuiteEntry(Model):
    """A named selection of scenarios; names, globs and tags add up."""

    scenarios: list[str] = Field(default_factory=list, description="Names or globs of scenarios.")
    tags: list[str] = Field(default_factory=list, description="Every scenario with one of these tags.")

    def as_suite(self) -> Suite:
        """The selection as `scenario.select` takes it."""
        return Suite(scenarios=tuple(self.scenarios), tags=tuple(self.tags))


class JudgeEntry(Model):
    """Who answers semantic questions."""

    provider: Provider = Field(default="keyword", description="The judge's provider.")


class WorkspaceFile(Model):
    """The workspace: agents, and where the documents lie. Paths are relative to this file."""

    agents: dict[Name, AgentEntry] = Field(
        default_factory=dict, description="The agents under test, by name."
    )
    twins: OneOrMany = Field(description="Files or globs of twin definitions.")
    scenarios: OneOrMany = Field(description="Files or globs of scenarios.")
    datasets: OneOrMany = Field(default_factory=list, description="Files or globs of datasets.")
    suites: dict[str, SuiteEntry] = Field(default_factory=dict, description="Named selections of scenarios.")
    default_suite: str | None = Field(
        default=None, alias="default_suite", description="The suite that is taken where none is named."
    )
    adapters: dict[str, Target] = Field(
        default_factory=dict, description="Custom twin handlers, each as `module:function`."
    )
    evaluators: dict[str, Target] = Field(
        default_factory=dict, description="Custom evaluators, each as `module:function`."
    )
    judge: JudgeEntry = Field(default_factory=JudgeEntry, description="Who answers semantic questions.")
    prices: dict[str, Price] = Field(
        default_factory=dict, description="What language models cost, by the name of the model."
    )
    seed: int = Field(
        default=0,
        ge=SEEDS[0],
        le=SEEDS[1],
        description="The plan's seed; each trial's seed is drawn from it.",
    )
    concurrency: int = Field(
        default=8,
        ge=CONCURRENCIES[0],
        le=CONCURRENCIES[1],
        description="How many cases run beside one another.",
    )
    isolation: Isolation = Field(
        default="thread",
        description="Where a Python agent runs: a process can be killed at its deadline, a thread only left.",
    )
    call_limit: int = Field(
        default=200,
        alias="call_limit",
        ge=CALL_LIMITS[0],
        le=CALL_LIMITS[1],
        description="Tool calls a case may make.",
    )
    max_cost: float | None = Field(
        default=None,
        alias="max_cost",
        gt=0,
        le=MAX_COST_USD,
        description="US dollars that the language models of a run may cost.",
    )

    def findings(self) -> list[Finding]:
        """What is wrong beyond the types of the fields."""
        return [
            replace(finding, at=("agents", name, *finding.at))
            for name, entry in self.agents.items()
            for finding in entry.findings()
        ]
