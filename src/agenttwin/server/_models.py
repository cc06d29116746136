"""What travels: the shapes of requests and responses, from which the OpenAPI document is made."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from agenttwin.compare import CaseDocument, ComparisonDocument, CoverageDocument, ManifestDiffDocument

T = TypeVar("T")

State: TypeAlias = Literal["queued", "running", "finished", "interrupted", "cancelled", "failed"]
SideWord: TypeAlias = Literal["baseline", "candidate"]


class Out(BaseModel):
    """Something that the server says."""

    model_config = ConfigDict(extra="forbid")


class In(BaseModel):
    """Something that the server is told. Whatever is unknown is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Items(Out, Generic[T]):
    """Part of a list; `next_cursor` asks for the next part, and is null at the end."""

    items: list[T]
    next_cursor: str | None = None


class Error(Out):
    """What is wrong, where, and what to do about it. `code` is one of the catalogue of errors."""

    code: str
    message: str
    where: str | None = None
    hint: str | None = None


class Health(Out):
    """The server answers."""

    status: Literal["ok"] = "ok"
    version: str


class Project(Out):
    """What comparisons, runs and keys belong to. Runs older than `retention_days` are deleted; null: kept."""

    id: str
    name: str
    title: str
    retention_days: int | None
    created_at: str | None


class ProjectIn(In):
    """A new project."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")
    title: str = Field(default="", max_length=200)


class ProjectChange(In):
    """What is to be set; what is left out stays."""

    title: str | None = Field(default=None, max_length=200)
    retention_days: int | None = Field(default=None, ge=1, le=36_500)


class KeyOut(Out):
    """An API key, without its secret. `hint` is how the secret begins."""

    id: str
    name: str
    hint: str
    scopes: list[str]
    created_at: str
    created_by: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None


class KeyIn(In):
    """A new key. `expires_at` is a time in ISO 8601; null: it holds until it is revoked."""

    name: str = Field(min_length=1, max_length=100)
    scopes: list[Literal["read", "write", "run", "admin", "owner"]] = Field(min_length=1)
    expires_at: str | None = None


class KeyMade(Out):
    """A new key with its secret, which is told this once."""

    key: KeyOut
    secret: str


class AuditItem(Out):
    """One thing that somebody did."""

    id: str
    at: str
    actor: str
    action: str
    target: str
    detail: dict[str, Any]


class Imported(Out):
    """What was taken in. `kind` is pair or run; `new` whether anything of it was not there before."""

    id: str
    kind: Literal["pair", "run"]
    key: str
    new: bool
    comparison: str | None


class Workspace(Out):
    """The folder that the server was started in."""

    name: str


class Me(Out):
    """Who is asking, and what there is."""

    project: Project
    projects: list[Project]
    scopes: list[str]
    actor: str
    authentication: bool
    workspace: Workspace | None
    features: list[str]
    version: str


class VersionOut(Out):
    """One side of a comparison."""

    version: str
    digest: str
    model_kind: str


class ComparisonItem(Out):
    """A comparison in a list."""

    id: str
    key: str
    agent: str
    baseline: VersionOut
    candidate: VersionOut
    state: State
    created_at: str
    finished_at: str | None
    counts: dict[str, int]
    headline: str
    exit_code: int
    cases: int
    seed: int | str


class Place(TypedDict):
    """What is known of a comparison beside its report."""

    id: str
    state: State
    created_at: str
    finished_at: str | None


class ComparisonHead(ComparisonDocument, Place):
    """A comparison without its cases (`cases` is empty here), and where it stands."""


class DivergenceSummary(Out):
    """Where two sides part, in a list."""

    step: int
    kind: str
    summary: str


class SideSummary(Out):
    """What one side did, in a list."""

    verdict: str | None
    claimed_outcome: str
    tool_calls: int
    retries: int


class CaseItem(Out):
    """A case in a list. `why` is the reason of the first expectation that got worse."""

    scenario: str
    trial: int
    severity: str
    tags: list[str]
    classification: str
    reason: str
    why: str | None
    divergence: DivergenceSummary | None
    baseline: SideSummary
    candidate: SideSummary
    overridden: bool


class OverrideOut(TypedDict):
    """A person's word over a result."""

    side: SideWord
    expectation: str
    verdict: str
    note: str
    by: str
    at: str


class CaseWhole(CaseDocument):
    """One case as in `comparison/1`, and every override of it, oldest first."""

    overrides: list[OverrideOut]


class OverrideIn(In):
    """A decision on one expectation of one side."""

    side: SideWord
    expectation: str
    verdict: Literal["PASS", "FAIL"]
    note: str
    trial: int = 1


class PairOut(Out):
    """Two versions that run, or have run, as one pair."""

    id: str
    key: str
    agent: str
    baseline: str
    candidate: str
    state: State
    done: int
    total: int
    created_at: str
    finished_at: str | None
    seed: int | str
    plan_digest: str
    error: str | None
    comparison: str | None


class PairIn(In):
    """Two versions by name, and what of the workspace is run; never a command, a path or an address."""

    agent: str | None = None
    baseline: str = Field(min_length=1, max_length=200)
    candidate: str = Field(min_length=1, max_length=200)
    suite: str | None = None
    scenarios: list[str] = []
    tags: list[str] = []
    severities: list[str] = []
    seed: int | None = Field(default=None, ge=0)
    key: str | None = Field(default=None, pattern=r"^[A-Za-z0-9._-]{1,64}$")


class RunOut(Out):
    """One version that runs, or has run: alone, or as a side of a pair."""

    id: str
    key: str
    agent: str
    version: str
    side: str
    state: State
    done: int
    total: int
    created_at: str
    finished_at: str | None
    seed: int | str
    pair: str | None
    error: str | None


class RunIn(In):
    """One version by name, and what of the workspace is run."""

    agent: str | None = None
    version: str = Field(min_length=1, max_length=200)
    suite: str | None = None
    scenarios: list[str] = []
    tags: list[str] = []
    severities: list[str] = []
    seed: int | None = Field(default=None, ge=0)
    key: str | None = Field(default=None, pattern=r"^[A-Za-z0-9._-]{1,64}$")


class AgentItem(Out):
    """An agent in a list."""

    name: str
    versions: int
    latest: str | None
    last_run_at: str | None


class VersionItem(Out):
    """A version in a list."""

    agent: str
    version: str
    digest: str
    model_kind: str
    last_run_at: str | None


class VersionWhole(VersionItem):
    """A version with its manifest, as JSON and as it is written."""

    manifest: dict[str, Any]
    text: str
    file: str


class TwinItem(Out):
    """A twin in a list."""

    name: str
    description: str
    tools: int
    digest: str


class ToolOut(Out):
    """A tool of a twin."""

    name: str
    description: str
    risk: str
    role: str | None
    irreversible: bool
    input_schema: dict[str, Any] | None
    effect_key: str | None
    handler: dict[str, Any]


class FaultOut(Out):
    """A kind of fault: what the dependency does, and what the caller sees."""

    type: str
    commit: str
    answer: str
    wire: str
    status: int | None
    can_know: bool
    description: str


class CheckOut(Out):
    """When the twin was last held against the real thing."""

    at: str
    against: str
    agrees: int
    differs: int
    current: bool


class TwinWhole(TwinItem):
    """A twin with its tools, its world before the first call, and the faults that there are."""

    source: str
    text: str
    file: str
    tool_list: list[ToolOut]
    state: Any
    faults: list[FaultOut]
    checked: CheckOut | None


class ScenarioItem(Out):
    """A scenario in a list."""

    name: str
    severity: str
    tags: list[str]
    description: str
    agent: str | None
    twin: str
    faults: list[str]


class ProblemOut(Out):
    """One thing that is wrong with a document."""

    line: int | None
    column: int | None
    path: str
    code: str
    message: str
    hint: str | None
    warning: bool


class ScenarioWhole(ScenarioItem):
    """A scenario as it is written."""

    digest: str
    text: str
    file: str
    message: str
    problems: list[ProblemOut]


class ScenarioVersion(Out):
    """A scenario as it was run. `current`: the workspace has it so now; then it may not have run yet."""

    digest: str
    current: bool
    first_run_at: str | None
    last_run_at: str | None
    text: str


class ResultItem(Out):
    """How a scenario came out in one comparison."""

    comparison: str
    baseline: str
    candidate: str
    classification: Literal[
        "NEW_CRITICAL_FAILURE", "REGRESSED", "INCOMPLETE", "INCONCLUSIVE", "IMPROVED", "UNCHANGED"
    ]
    reason: str
    created_at: str


class TextIn(In):
    """A document to be read."""

    text: str = Field(max_length=600_000)


class Validation(Out):
    """What is wrong with a document; nothing, where `problems` holds warnings alone."""

    problems: list[ProblemOut]
    digest: str | None


class SuiteItem(Out):
    """A named selection of the workspace."""

    name: str
    scenarios: list[str]
    tags: list[str]
    default: bool


class TrendItem(Out):
    """The classes of one comparison, for a chart."""

    comparison: str
    baseline: str
    candidate: str
    created_at: str
    counts: dict[str, int]


class ConsoleIn(In):
    """A twin to take in one's hands."""

    twin: str
    tenant: str | None = None


class ConsoleOut(Out):
    """A case of a twin whose tools a person calls."""

    id: str
    twin: str
    tenant: str | None
    tools: list[str]


class CallIn(In):
    """One call by hand."""

    tool: str
    arguments: dict[str, Any] = {}


class CallOut(Out):
    """What came back, and what it did."""

    status: int | None
    ok: bool
    headers: dict[str, str]
    text: str
    body: Any
    record: dict[str, Any] | None
    changes: list[dict[str, Any]]


class FaultIn(In):
    """One fault for the next call of a tool."""

    tool: str
    type: str


class StateOut(Out):
    """The world as it is now, and what differs from its start."""

    state: Any
    changes: list[dict[str, Any]]
    now: str


DiffOut: TypeAlias = ManifestDiffDocument
Coverage: TypeAlias = CoverageDocument
