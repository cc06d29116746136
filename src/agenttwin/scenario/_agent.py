"""What a manifest may say: one version of an agent."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from agenttwin.document import ApiVersion, Finding, Model
from agenttwin.scenario._finding import repeated
from agenttwin.transcript import ModelKind, Risk
from agenttwin.twin import Name

_NUMBER: Final = r"(?:0|[1-9][0-9]*)"
_PART: Final = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
SEMVER: Final = (
    rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_PART}(?:\.{_PART})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$"
)

Sha256 = Annotated[
    str, Field(pattern=r"^(sha256:)?[0-9a-f]{64}$", examples=["sha256:9f86d081884c7d659a2feaa0c55ad015…"])
]


class PromptRef(Model):
    """Instructions kept elsewhere, pinned by their digest."""

    name: str = Field(description="What they are called there.")
    sha256: Sha256 = Field(description="The SHA-256 of their text.")


class ModelRef(Model):
    """The model behind the agent."""

    provider: str | None = Field(
        default=None, description="Whose model it is; `scripted` for an agent without a language model."
    )
    name: str | None = Field(default=None, description="The model's name.")
    temperature: float | None = Field(default=None, description="The sampling temperature.")
    max_tokens: int | None = Field(default=None, ge=1, description="Tokens of one answer, at most.")
    params: dict[str, Any] = Field(default_factory=dict, description="Further parameters of the model.")


class AgentLimits(Model):
    """What the agent limits itself to."""

    max_steps: int | None = Field(default=None, ge=1, description="Steps of a case, at most.")
    max_tool_calls: int | None = Field(default=None, ge=0, description="Tool calls of a case, at most.")
    max_duration_seconds: float | None = Field(default=None, gt=0, description="Seconds a case may take.")
    max_cost_usd: float | None = Field(default=None, ge=0, description="US dollars a case may cost.")


class RiskAssessment(Model):
    """A risk level with its reasons."""

    level: Risk = Field(description="How much the tool can do that cannot be taken back.")
    dimensions: dict[str, Any] | list[str] = Field(default_factory=dict, description="In what respects.")
    compensating_action: str | None = Field(default=None, description="What takes the effect back.")


class Approval(Model):
    """When a person must say yes first."""

    required_when: Any = Field(default=None, description="When; in words, or as a condition.")


class AgentTool(Model):
    """A tool as the agent declares it."""

    name: str = Field(description="The tool's name, as the twin has it.")
    version: str | None = Field(default=None, description="The tool's version.")
    description: str = Field(default="", description="What the agent is told of it.")
    risk: Risk | RiskAssessment | None = Field(
        default=None,
        description="How much it can do that cannot be taken back: a level, or one with reasons.",
    )
    approval: Approval | None = Field(default=None, description="When a person must say yes first.")
    input_schema: dict[str, Any] | None = Field(default=None, description="JSON Schema of the arguments.")

    @property
    def level(self) -> Risk | None:
        """The declared risk level."""
        return self.risk.level if isinstance(self.risk, RiskAssessment) else self.risk


class RetrievalSource(Model):
    """Where the agent looks things up."""

    name: str = Field(description="What it is called.")
    kind: str | None = Field(default=None, description="What sort of source it is.")


class AgentRetrieval(Model):
    """What the agent looks up."""

    sources: list[RetrievalSource] = Field(default_factory=list, description="Where.")


class DataHandling(Model):
    """What may be kept of the agent's contents."""

    capture_content: bool | None = Field(default=None, description="Whether contents may be kept at all.")
    content_mode: str | None = Field(default=None, description="How contents are kept.")
    pii_mode: str | None = Field(default=None, description="How personal data is treated.")


class Runtime(Model):
    """Where the agent runs."""

    endpoint: str | None = Field(default=None, description="The address it is reached at.")


class Dependency(Model):
    """Something a tool depends on."""

    kind: str = Field(description="What sort of thing it is.")
    name: str = Field(description="What it is called.")
    relation: str | None = Field(default=None, description="How the tool depends on it.")
    criticality: str | None = Field(default=None, description="How much.")


class ToolDependencies(Model):
    """What one tool depends on."""

    tool: str = Field(description="The tool.")
    depends_on: list[Dependency] = Field(default_factory=list, description="What it depends on.")


class AgentMetadata(Model):
    """Which agent, which version."""

    name: Name = Field(description="The agent's name, as agenttwin.yaml has it.")
    version: str = Field(
        pattern=SEMVER,
        description="The version, as SemVer; it never changes its content.",
        examples=["1.3.0"],
    )
    description: str = Field(default="", description="What the agent does.")
    labels: dict[str, str | float | bool] = Field(default_factory=dict, description="Words to sort it by.")


class AgentSpec(Model):
    """What the version is made of."""

    instructions: str | None = Field(default=None, description="What the agent is told to do.")
    prompt_ref: PromptRef | None = Field(default=None, description="Or where its instructions are kept.")
    model: ModelRef = Field(default_factory=ModelRef, description="The model behind the agent.")
    limits: AgentLimits = Field(default_factory=AgentLimits, description="What it limits itself to.")
    tools: list[AgentTool] = Field(default_factory=list, description="The tools that it uses.")
    retrieval: AgentRetrieval = Field(default_factory=AgentRetrieval, description="What it looks up.")
    data: DataHandling = Field(default_factory=DataHandling, description="What may be kept of its contents.")
    runtime: Runtime = Field(default_factory=Runtime, description="Where it runs.")
    expected_outcomes: list[Any] = Field(default_factory=list, description="How its cases should end.")
    dependencies: list[ToolDependencies] = Field(
        default_factory=list, description="What its tools depend on."
    )


class Agent(Model):
    """A manifest: one version of an agent."""

    api_version: ApiVersion
    kind: Literal["Agent"] = Field(description="What this document is.")
    metadata: AgentMetadata = Field(description="Which agent, which version.")
    spec: AgentSpec = Field(default_factory=AgentSpec, description="What the version is made of.")

    @property
    def model_kind(self) -> ModelKind:
        """What stands behind the agent, as the manifest says."""
        provider = self.spec.model.provider
        if provider is None:
            return ModelKind.UNKNOWN
        return ModelKind.DETERMINISTIC_FAKE if provider == "scripted" else ModelKind.LLM

    def findings(self) -> list[Finding]:
        """What is wrong beyond the types of the fields."""
        spec, tools = self.spec, enumerate(self.spec.tools)
        found = list(repeated((("spec", "tools", n, "name"), tool.name) for n, tool in tools))
        if spec.instructions is not None and spec.prompt_ref is not None:
            message = "a manifest has instructions or promptRef, not both"
            at = ("spec", "promptRef")
            found.append(Finding(at=at, code="conflicting_fields", message=message, key=True))
        return found
