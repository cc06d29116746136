"""What a TwinDefinition may say: tools that behave, over a world that changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Annotated, Any, Final, Literal

from pydantic import Discriminator, Field, Tag

from agenttwin.document import ApiVersion, Finding, Model
from agenttwin.transcript import Risk

MAX_TOOLS: Final = 5_000
MIN_SECRET: Final = 4
"""A shorter canary would be found in ordinary text."""

NAME_PATTERN: Final = r"^[a-z0-9][a-z0-9_-]{0,62}$"
TOOL_PATTERN: Final = r"^[A-Za-z0-9_.-]{1,128}$"

Name = Annotated[
    str,
    Field(pattern=NAME_PATTERN, description="Lower-case letters, digits, - and _.", examples=["support"]),
]
ToolName = Annotated[
    str,
    Field(pattern=TOOL_PATTERN, description="Letters, digits, _, . and -.", examples=["lookup_order"]),
]


class Comparing(Model):
    """A value held against comparators; several must all hold, none means that something is there."""

    equals: Any = Field(default=None, description="Equal as JSON: 1 = 1.0, true is not 1.")
    not_equals: Any = Field(default=None, description="Not equal as JSON.")
    in_: list[Any] = Field(default=[], alias="in", description="Equal to one of these.")
    exists: bool = Field(default=True, description="Whether something is there; null is something.")
    gte: float | str = Field(default=0, description="At least this.")
    lte: float | str = Field(default=0, description="At most this.")
    gt: float | str = Field(default=0, description="More than this.")
    lt: float | str = Field(default=0, description="Less than this.")
    matches: str = Field(default="", description="A regular expression (RE2) that is found in the text.")
    contains: Any = Field(default=None, description="A part of the text, an element of the list, a key.")

    def comparators(self) -> dict[str, Any]:
        """The comparators that were written, by their names."""
        return {
            (field.alias or name): getattr(self, name)
            for name, field in Comparing.model_fields.items()
            if name in self.model_fields_set
        }


class ErrorAnswer(Model):
    """An answer that refuses."""

    status: int = Field(default=0, ge=400, le=599, description="The HTTP status.")
    code: str = Field(default="", min_length=1, description="A code that programs read.")
    message: str = Field(default="", description="A sentence for people; a template.")


class Precondition(Comparing):
    """A guard: a place in the state held against comparators, or a CEL expression that must be true."""

    path: str | None = Field(default=None, description="Where in the state to look.")
    that: str | None = Field(
        default=None, description="A CEL expression; only exactly true lets the call pass."
    )
    error: ErrorAnswer = Field(default_factory=ErrorAnswer, description="The answer where it does not hold.")


class Operation(Model):
    """One change of the state."""

    op: Literal["set", "increment", "decrement", "append", "delete", "merge"] = Field(
        description="What to do."
    )
    path: str = Field(description="Where in the state; `[{order_id}]` is one step, whatever it contains.")
    value: Any = Field(default=None, description="What is set, appended or merged (RFC 7396).")
    by: Any = Field(default=1, description="By how much; a number or a template that gives one.")
    if_: str | None = Field(default=None, alias="if", description="CEL; only where it is exactly true.")


class ForEach(Model):
    """A list to go through, once taken."""

    in_: Any = Field(alias="in", description="The list.")
    as_: str = Field(alias="as", pattern=r"^[A-Za-z_]\w*$", description="The name of the element at hand.")


class Block(Model):
    """Effects that belong together: forEach binds first, then let, then if."""

    for_each: ForEach | None = Field(default=None, description="Once for each element.")
    let: dict[str, Any] = Field(default_factory=dict, description="Names for values.")
    if_: str | None = Field(default=None, alias="if", description="CEL; only where it is exactly true.")
    effects: list[Effect] = Field(min_length=1, description="What to do, in order.")


def _effect_kind(value: object) -> str:
    if isinstance(value, Operation | Block):
        return type(value).__name__
    is_block = isinstance(value, dict) and not value.keys().isdisjoint(("effects", "forEach", "let"))
    return "Block" if is_block else "Operation"


Effect = Annotated[
    Annotated[Operation, Tag("Operation")] | Annotated[Block, Tag("Block")], Discriminator(_effect_kind)
]


class StaticHandler(Model):
    """Always the same answer."""

    kind: Literal["static"]
    response: Any = Field(description="The answer, a template.")


class EchoHandler(Model):
    """Answers the tool's name and the arguments."""

    kind: Literal["echo"]


class ReadHandler(Model):
    """Answers what stands at a path, or what `response` makes of the state."""

    kind: Literal["read"]
    path: str | None = Field(default=None, description="The record to read.")
    let: dict[str, Any] = Field(default_factory=dict, description="Names for values.")
    preconditions: list[Precondition] = Field(default_factory=list, description="Guards, in order.")
    response: Any = Field(default=None, description="The answer, a template.")
    not_found: ErrorAnswer = Field(
        default_factory=ErrorAnswer, description="The answer where the record is missing."
    )


class MutateHandler(Model):
    """Guards, then effects, all or nothing."""

    kind: Literal["mutate"]
    path: str | None = Field(default=None, description="The record that is changed.")
    let: dict[str, Any] = Field(default_factory=dict, description="Names for values.")
    preconditions: list[Precondition] = Field(default_factory=list, description="Guards, in order.")
    effects: list[Effect] = Field(min_length=1, description="What changes, in order, all or nothing.")
    response: Any = Field(default=None, description="The answer, a template; default: the record after.")
    not_found: ErrorAnswer = Field(
        default_factory=ErrorAnswer, description="The answer where the record is missing."
    )


class Fixture(Model):
    """A recorded exchange."""

    match: dict[str, Any] = Field(
        default_factory=dict, description="Fits calls whose arguments contain this."
    )
    status: int | None = Field(default=None, ge=200, le=599, description="The HTTP status; default 200.")
    response: Any = Field(default=None, description="The answer.")
    error: ErrorAnswer | None = Field(default=None, description="The answer, where it was a refusal.")


class RecordedHandler(Model):
    """Answers what was recorded for these arguments."""

    kind: Literal["recorded"]
    fixtures: list[Fixture] = Field(min_length=1, description="The first that fits answers.")


class CustomHandler(Model):
    """A function registered in Python."""

    kind: Literal["custom"]
    adapter: str = Field(min_length=1, description="The name it is registered under.")


Handler = Annotated[
    StaticHandler | EchoHandler | ReadHandler | MutateHandler | RecordedHandler | CustomHandler,
    Field(discriminator="kind"),
]


Keep = Literal["success", "executed", "final"]
Scope = Literal["tool", "tenant", "twin"]
Again = Literal["error", "replay"]

MAX_KEY: Final = 1_000
"""Characters of the longest key that a rule may ask for; vendors stop at 255 or before."""


class Idempotency(Model):
    """Where a caller says that a call is the same as an earlier one, and what the service makes of it."""

    argument: str | None = Field(default=None, description="The argument that holds the key.")
    header: str | None = Field(default=None, description="The header that holds the key.")
    required: bool = Field(default=False, description="A call without a key is refused.")
    min_length: int = Field(default=0, ge=0, le=MAX_KEY, description="A shorter key is refused.")
    max_length: int | None = Field(default=None, ge=1, le=MAX_KEY, description="A longer key is refused.")
    key_error: ErrorAnswer | None = Field(default=None, description="The answer to a key that is refused.")
    keep: Keep = Field(
        default="success",
        description="Which answers are kept: success; executed (any, once execution began); final (as "
        "executed, but for 429 and 5xx).",
    )
    scope: Scope = Field(
        default="tool",
        description="Who shares a key: the tool (for one tenant), the tenant (in all tools), the twin.",
    )
    expires_after: str | None = Field(
        default=None,
        description="How long an answer is kept, on the case's clock.",
        examples=["PT24H"],
    )
    mismatch: Again = Field(default="error", description="What the same key with another call gets.")
    mismatch_error: ErrorAnswer | None = Field(default=None, description="That error.")
    in_flight: Again = Field(
        default="replay", description="What the same call gets while the first is accepted and not done."
    )
    in_flight_error: ErrorAnswer | None = Field(default=None, description="That error.")


class Compare(Model):
    """How two versions' calls of this tool are compared."""

    ignore: list[str] = Field(default_factory=list, description="Arguments whose wording is no difference.")


class Tool(Model):
    """A tool that an agent may call."""

    name: ToolName = Field(description="The tool's name, unique in the twin.")
    description: str = Field(default="", description="What it does, for the agent.")
    risk: Risk | None = Field(default=None, description="How much it can do that cannot be taken back.")
    role: Literal["escalation"] | None = Field(
        default=None, description="escalation: hands a case to a person."
    )
    input_schema: dict[str, Any] | None = Field(default=None, description="JSON Schema of the arguments.")
    output_schema: dict[str, Any] | None = Field(
        default=None, description="JSON Schema of a successful answer."
    )
    idempotency: Idempotency | None = Field(default=None, description="How a repeated call is recognised.")
    effect_key: str | None = Field(
        default=None, description="Names the effect: doing it twice is a duplicate."
    )
    tenant_path: str | None = Field(
        default=None, description="The record that must belong to the case's tenant."
    )
    compare: Compare = Field(default_factory=Compare)
    handler: Handler

    @property
    def actual_risk(self) -> Risk:
        """The declared risk, else READ for a `read` handler and the worst that can be assumed for another."""
        if self.risk is not None:
            return self.risk
        return Risk.READ if isinstance(self.handler, ReadHandler) else Risk.WRITE_IRREVERSIBLE

    @property
    def actual_role(self) -> str | None:
        """The declared role, else escalation for a tool whose name says so."""
        return self.role or ("escalation" if "escalat" in self.name.lower() else None)


class Retrieval(Model):
    """Where the knowledge documents lie."""

    state_path: str = Field(default="kb", description="A list of {id, title, text|content}.")


class Clock(Model):
    """The time of the twin's world."""

    start: str = Field(
        default="2026-01-01T00:00:00Z",
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$",
        description="When a case begins, in UTC.",
        examples=["2026-01-01T00:00:00Z"],
    )


class Metadata(Model):
    """Who the twin is."""

    name: Name = Field(description="The twin's name, unique in the workspace.")
    description: str = Field(default="", description="What it stands in for.")
    source: Literal["declarative", "openapi", "mcp", "recorded", "custom"] = Field(
        default="declarative", description="Where the definition comes from."
    )


class Spec(Model):
    """The twin itself."""

    tools: list[Tool] = Field(min_length=1, max_length=MAX_TOOLS, description="The tools.")
    initial_state: dict[str, Any] | None = Field(default=None, description="The world before the first call.")
    initial_state_from: str | None = Field(default=None, description="A JSON or YAML file with the world.")
    state_schema: dict[str, Any] | None = Field(default=None, description="JSON Schema of the state.")
    tenant_key: str | None = Field(default=None, description="The field of a record that names its owner.")
    secrets: list[Annotated[str, Field(min_length=MIN_SECRET)]] = Field(
        default_factory=list, description="Planted canaries; masked wherever something is shown."
    )
    retrieval: Retrieval = Field(default_factory=Retrieval)
    clock: Clock = Field(default_factory=Clock)
    settings: dict[str, Any] = Field(default_factory=dict, description="Constants under the root `settings`.")
    let: dict[str, Any] = Field(
        default_factory=dict,
        description="Names for values, as if they stood in the `let` of each handler that uses them.",
    )


class TwinDefinition(Model):
    """Tools that behave, over a world that changes."""

    api_version: ApiVersion
    kind: Literal["TwinDefinition"] = Field(description="What this document is.")
    metadata: Metadata
    spec: Spec

    def findings(self) -> list[Finding]:
        """What is wrong beyond the types: templates, paths, schemas, references."""
        from agenttwin.twin._check import findings

        return findings(self)

    @cached_property
    def effect_heads(self) -> frozenset[str]:
        """The first segments that some effect writes to, as far as they are known without a call."""
        handlers = (tool.handler for tool in self.spec.tools)
        effects = (handler.effects for handler in handlers if isinstance(handler, MutateHandler))
        return frozenset(head for each in effects for head in _heads(each))

    def tool(self, name: str) -> Tool | None:
        """The tool of that name."""
        return next((tool for tool in self.spec.tools if tool.name == name), None)


def _heads(effects: Iterable[Effect]) -> Iterator[str]:
    for effect in effects:
        if isinstance(effect, Block):
            yield from _heads(effect.effects)
        else:
            yield head_of(effect.path)


def head_of(path: str) -> str:
    """The first segment of a path, as it is written."""
    return path.split(".", 1)[0].split("[", 1)[0]
