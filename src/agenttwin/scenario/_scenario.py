"""What a scenario may say."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, Literal

from pydantic import Field

from agenttwin.document import ApiVersion, Finding, Model
from agenttwin.scenario._check import scenario_findings
from agenttwin.scenario._expectation import Common, Expectation
from agenttwin.twin import FaultRule, Name
from agenttwin.values import Json

DEFAULT_TIMEOUT_SECONDS: Final = 120
MAX_TIMEOUT_SECONDS: Final = 24 * 3600
MAX_TRIALS: Final = 1_000
MAX_EXPECTATIONS: Final = 200
MAX_FAULTS: Final = 200

Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: Final[tuple[Severity, ...]] = ("critical", "high", "medium", "low")

ScenarioSource = Literal[
    "manual", "production_regression", "generated", "policy_derived", "imported", "production_replay"
]


class Generated(Model):
    """Who made a generated scenario, from what, and whether a person has looked at it."""

    by: str = Field(default="", description="Who or what made it.")
    evidence: list[Any] = Field(default_factory=list, description="What it was made from.")
    reviewed: bool = Field(default=False, description="Whether a person has looked at it.")


class ScenarioMetadata(Model):
    """Who the scenario is."""

    name: Name = Field(description="The scenario's name, unique in the workspace.")
    severity: Severity = Field(default="medium", description="How bad a failure is.")
    tags: list[str] = Field(default_factory=list, description="Words to select by.")
    owner: str | None = Field(default=None, description="Who answers for it.")
    description: str = Field(default="", description="What it is about.")
    source: ScenarioSource = Field(default="manual", description="Where it comes from.")
    source_trace_id: str | None = Field(default=None, description="The trace it was made from.")
    generated: Generated | None = Field(default=None, description="How it was made, if a program made it.")


class Turn(Model):
    """One thing the user says; `after` moves the clock before it."""

    say: str = Field(description="The words.")
    after: str | None = Field(default=None, description="An ISO 8601 duration such as PT24H.")


class InputDocument(Model):
    """A document that joins the knowledge base."""

    id: str = Field(min_length=1, description="Its name in the knowledge base.")
    content: str = Field(description="Its text.")
    trusted: bool = Field(default=False, description="Whether it is one of ours.")


class Input(Model):
    """What the agent is told."""

    message: str | None = Field(default=None, description="The user's one message.")
    turns: list[Turn] | None = Field(default=None, min_length=1, description="Or what is said turn by turn.")
    context: dict[str, Any] = Field(
        default_factory=dict,
        description="tenant, now and customer_id have a meaning; the rest goes to the agent.",
    )
    documents: list[InputDocument] = Field(
        default_factory=list, description="Documents that join the knowledge base."
    )


class ExpectedFailure(Model):
    """An expectation that is known to fail: shown, counted apart, never silent."""

    expectation: str = Field(description="The expectation's id.")
    reason: str = Field(description="Why it fails.")
    until: str | None = Field(
        default=None,
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        description="Until which day.",
        examples=["2026-12-31"],
    )


class ScenarioSpec(Model):
    """The scenario itself."""

    agent: str | None = Field(default=None, description="The agent under test; default: any.")
    twin: str = Field(description="The twin that answers its tools.")
    input: Input = Field(description="What the agent is told.")
    state: dict[str, Any] | None = Field(
        default=None, description="Merged on the twin's initial state (RFC 7396)."
    )
    allowed_tools: list[str] | None = Field(default=None, description="The only tools it may call.")
    covers: list[str] = Field(
        default_factory=list, description="What it is a test of, as kind:name, such as tool:refund_payment."
    )
    faults: list[FaultRule] = Field(
        default_factory=list, max_length=MAX_FAULTS, description="What goes wrong, and at which call."
    )
    expectations: list[Expectation] = Field(
        min_length=1, max_length=MAX_EXPECTATIONS, description="What must hold afterwards."
    )
    seed: int | None = Field(default=None, ge=0, description="A seed of its own in place of the plan's.")
    trials: int | None = Field(default=None, ge=1, le=MAX_TRIALS, description="How often it is run.")
    timeout_seconds: float = Field(
        default=DEFAULT_TIMEOUT_SECONDS, gt=0, le=MAX_TIMEOUT_SECONDS, description="For the whole case."
    )
    simulation_mode: Literal["strict"] = Field(
        default="strict", description="strict: what the twin does not define is refused."
    )
    expected_failures: list[ExpectedFailure] = Field(
        default_factory=list, description="Expectations that are known to fail."
    )


class Scenario(Model):
    """What a test is: input, world, faults, expectations."""

    api_version: ApiVersion
    kind: Literal["Scenario"] = Field(description="What this document is.")
    metadata: ScenarioMetadata = Field(description="Who the scenario is.")
    spec: ScenarioSpec = Field(description="The scenario itself.")

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self.metadata.name

    @cached_property
    def expectations(self) -> tuple[tuple[str, Common], ...]:
        """Each expectation with its id; those without one are e1, e2 … by their place."""
        return tuple((item.id or f"e{place}", item) for place, item in enumerate(self.spec.expectations, 1))

    @property
    def known_failures(self) -> frozenset[str]:
        """The ids of the expectations that are known to fail."""
        return frozenset(failure.expectation for failure in self.spec.expected_failures)

    @property
    def stimulus(self) -> Json:
        """What it does to an agent, as JSON: its spec but for what is expected and what it covers."""
        return self.spec.model_dump(mode="json", exclude={"expectations", "expected_failures", "covers"})

    def findings(self) -> list[Finding]:
        """What is wrong beyond the types of the fields, as far as it shows without the twin."""
        return scenario_findings(self)
