"""What a scenario, a manifest and a dataset may say."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from agenttwin.document import Finding, Model
from agenttwin.scenario._check import dataset_findings, manifest_findings, scenario_findings
from agenttwin.scenario._expectation import Common, Expectation
from agenttwin.transcript import ModelKind, Risk
from agenttwin.twin import FaultRule, Name

DEFAULT_TIMEOUT_SECONDS: Final = 120
MAX_TIMEOUT_SECONDS: Final = 24 * 3600
MAX_TRIALS: Final = 1_000
MAX_EXPECTATIONS: Final = 200
MAX_FAULTS: Final = 200

SEMVER: Final = r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$"
SHA256: Final = r"^(sha256:)?[0-9a-f]{64}$"

Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: Final[tuple[Severity, ...]] = ("critical", "high", "medium", "low")

ScenarioSource = Literal[
    "manual", "production_regression", "generated", "policy_derived", "imported", "production_replay"
]


class Generated(Model):
    """Who made a generated scenario, from what, and whether a person has looked at it."""

    by: str = Field(description="Who or what made it.")
    evidence: list[str] = Field(default_factory=list, description="What it was made from.")
    reviewed: bool = Field(default=False, description="Whether a person has looked at it.")


class ScenarioMetadata(Model):
    """Who the scenario is."""

    name: Name
    severity: Severity = Field(description="How bad a failure is.")
    tags: list[str] = Field(default_factory=list, description="Words to select by.")
    owner: str | None = Field(default=None, description="Who answers for it.")
    description: str = Field(default="", description="What it is about.")
    source: ScenarioSource = Field(default="manual", description="Where it comes from.")
    source_trace_id: str | None = Field(default=None, description="The trace it was made from.")
    generated: Generated | None = None


class Turn(Model):
    """One thing the user says; `after` moves the clock before it."""

    say: str = Field(description="The words.")
    after: str | None = Field(default=None, description="An ISO 8601 duration such as PT24H.")


class InputDocument(Model):
    """A document that joins the knowledge base."""

    id: str = Field(min_length=1)
    content: str
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
    until: str | None = Field(default=None, pattern=r"^\d{4}-\d\d-\d\d$", description="Until which day.")


class ScenarioSpec(Model):
    """The scenario itself."""

    agent: str | None = Field(default=None, description="The agent under test; default: any.")
    twin: str = Field(description="The twin that answers its tools.")
    input: Input
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
    simulation_mode: Literal["strict"] = "strict"
    expected_failures: list[ExpectedFailure] = Field(
        default_factory=list, description="Expectations that are known to fail."
    )


class Scenario(Model):
    """What a test is: input, world, faults, expectations."""

    api_version: Literal["agenttwin.dev/v1"]
    kind: Literal["Scenario"]
    metadata: ScenarioMetadata
    spec: ScenarioSpec

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self.metadata.name

    @cached_property
    def expectations(self) -> tuple[tuple[str, Common], ...]:
        """Each expectation with its id; those without one are e1, e2 … by their place."""
        return tuple((item.id or f"e{place}", item) for place, item in enumerate(self.spec.expectations, 1))

    def findings(self) -> list[Finding]:
        """What is wrong beyond the types of the fields, as far as it shows without the twin."""
        return scenario_findings(self)


class PromptRef(Model):
    """Instructions kept elsewhere, pinned by their digest."""

    name: str
    sha256: str = Field(pattern=SHA256)


class ModelRef(Model):
    """The model behind the agent."""

    provider: str | None = None
    name: str | None = None
    temperature: float | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    params: dict[str, Any] = Field(default_factory=dict)


class AgentLimits(Model):
    """What the agent limits itself to."""

    max_steps: int | None = Field(default=None, ge=1)
    max_tool_calls: int | None = Field(default=None, ge=0)
    max_duration_seconds: float | None = Field(default=None, gt=0)
    max_cost_usd: float | None = Field(default=None, ge=0)


class RiskAssessment(Model):
    """A risk level with its reasons."""

    level: Risk
    dimensions: dict[str, Any] | list[str] = Field(default_factory=dict)
    compensating_action: str | None = None


class Approval(Model):
    """When a person must say yes first."""

    required_when: str


class AgentTool(Model):
    """A tool as the agent declares it."""

    name: str
    version: str | None = None
    description: str = ""
    risk: Risk | RiskAssessment | None = None
    approval: Approval | None = None
    input_schema: dict[str, Any] | None = None

    @property
    def level(self) -> Risk | None:
        """The declared risk level."""
        return self.risk.level if isinstance(self.risk, RiskAssessment) else self.risk


class RetrievalSource(Model):
    """Where the agent looks things up."""

    name: str
    kind: str | None = None


class AgentRetrieval(Model):
    """What the agent looks up."""

    sources: list[RetrievalSource] = Field(default_factory=list)


class DataHandling(Model):
    """What may be kept of the agent's contents."""

    capture_content: bool | None = None
    content_mode: str | None = None
    pii_mode: str | None = None


class Runtime(Model):
    """Where the agent runs."""

    endpoint: str | None = None


class Dependency(Model):
    """Something a tool depends on."""

    kind: str
    name: str
    relation: str | None = None
    criticality: str | None = None


class ToolDependencies(Model):
    """What one tool depends on."""

    tool: str
    depends_on: list[Dependency]


class AgentMetadata(Model):
    """Which agent, which version."""

    name: Name
    version: str = Field(pattern=SEMVER)
    description: str = ""
    labels: dict[str, str] = Field(default_factory=dict)


class AgentSpec(Model):
    """What the version is made of."""

    instructions: str | None = None
    prompt_ref: PromptRef | None = None
    model: ModelRef = Field(default_factory=ModelRef)
    limits: AgentLimits = Field(default_factory=AgentLimits)
    tools: list[AgentTool] = Field(default_factory=list)
    retrieval: AgentRetrieval = Field(default_factory=AgentRetrieval)
    data: DataHandling = Field(default_factory=DataHandling)
    runtime: Runtime = Field(default_factory=Runtime)
    expected_outcomes: list[Any] = Field(default_factory=list)
    dependencies: list[ToolDependencies] = Field(default_factory=list)


class Agent(Model):
    """A manifest: one version of an agent."""

    api_version: Literal["agenttwin.dev/v1"]
    kind: Literal["Agent"]
    metadata: AgentMetadata
    spec: AgentSpec

    @property
    def model_kind(self) -> ModelKind:
        """What stands behind the agent, as the manifest says."""
        provider = self.spec.model.provider
        if provider is None:
            return ModelKind.UNKNOWN
        return ModelKind.DETERMINISTIC_FAKE if provider == "scripted" else ModelKind.LLM

    def findings(self) -> list[Finding]:
        """What is wrong beyond the types of the fields."""
        return manifest_findings(self)


class DatasetCase(Model):
    """One pinned scenario."""

    scenario: str
    digest: str = Field(pattern=SHA256)
    tags: list[str] = Field(default_factory=list)
    source: str | None = None
    privacy: Literal["synthetic", "redacted"] = "synthetic"
    note: str = ""


class DatasetMetadata(Model):
    """Which dataset."""

    name: Name
    version: str
    description: str = ""
    tags: list[str] = Field(default_factory=list)


class DatasetSpec(Model):
    """What it pins."""

    cases: Annotated[list[DatasetCase], Field(min_length=1)]


class Dataset(Model):
    """Scenarios pinned by content."""

    api_version: Literal["agenttwin.dev/v1"]
    kind: Literal["Dataset"]
    metadata: DatasetMetadata
    spec: DatasetSpec

    def findings(self) -> list[Finding]:
        """What is wrong beyond the types of the fields."""
        return dataset_findings(self)
