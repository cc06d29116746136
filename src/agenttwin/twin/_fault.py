"""Faults: what the dependency did and what the caller sees. One table says which there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from agenttwin.document import Model
from agenttwin.expression import TemplateError, compile, compile_text
from agenttwin.transcript import Commit
from agenttwin.twin._names import fault_names
from agenttwin.values import nearest

MAX_DELAY_MS: Final = 30_000
MAX_PADDING: Final = 8 * 1024 * 1024


class Answer(StrEnum):
    """What the answer is made of."""

    ERROR = "error"
    NOTHING = "nothing"
    COMPUTED = "computed"
    STALE = "stale"
    PREVIOUS = "previous"
    SUBSTITUTE = "substitute"
    DRIFTED = "drifted"
    PADDED = "padded"


class Wire(StrEnum):
    """How the answer travels."""

    WHOLE = "whole"
    NOTHING = "nothing"
    TRUNCATED = "truncated"
    GARBLED = "garbled"
    SLOW = "slow"
    DRIPPING = "dripping"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultKind:
    """One row: what the dependency did (``commit``), and what the caller sees (the rest).

    ``knowable``: whether a caller can learn from what it sees that nothing, or everything, was done.
    ``fields`` are the fields that a behavior of this kind has beside the common ones.
    """

    commit: Commit
    answer: Answer
    wire: Wire
    knowable: bool
    status: int | None = None
    code: str | None = None
    message: str = ""
    retry_after: bool = False
    fields: tuple[str, ...] = ()
    description: str

    @property
    def reaches(self) -> bool:
        """Whether the dependency is reached at all."""
        return self.commit is not Commit.NONE or self.answer not in (Answer.ERROR, Answer.NOTHING)


COMMON_FIELDS: Final = ("type", "delayMs", "retryAfterSeconds", "message", "body")
"""Every behavior may say these; an answer that is no error has no use for the last three."""


def _error(
    status: int, code: str, message: str, description: str, *, knowable: bool, commit: Commit = Commit.NONE,
    retry_after: bool = False, fields: tuple[str, ...] = (),
) -> FaultKind:  # fmt: skip
    return FaultKind(
        commit=commit,
        answer=Answer.ERROR,
        wire=Wire.WHOLE,
        knowable=knowable,
        status=status,
        code=code,
        message=message,
        retry_after=retry_after,
        fields=fields,
        description=description,
    )


def _success(
    commit: Commit, answer: Answer, description: str, *, wire: Wire = Wire.WHOLE, knowable: bool = False,
    status: int | None = None, fields: tuple[str, ...] = (),
) -> FaultKind:  # fmt: skip
    return FaultKind(
        commit=commit,
        answer=answer,
        wire=wire,
        knowable=knowable,
        status=status,
        fields=fields,
        description=description,
    )


def _nothing(commit: Commit, description: str) -> FaultKind:
    return FaultKind(
        commit=commit, answer=Answer.NOTHING, wire=Wire.NOTHING, knowable=False, description=description
    )


_NONE, _FIRST, _ALL, _TWICE, _LATE = Commit.NONE, Commit.FIRST, Commit.ALL, Commit.TWICE, Commit.LATE

FAULTS: Final[Mapping[str, FaultKind]] = MappingProxyType(
    {
        "timeout_before_mutation": _error(
            504, "TIMEOUT", "The request timed out.",
            "Nothing was done, and no answer came in time.", knowable=False,
        ),
        "timeout_after_mutation": _error(
            504, "TIMEOUT", "The request timed out.",
            "Everything was done, and no answer came in time.", knowable=False, commit=_ALL,
        ),
        "http_429": _error(
            429, "RATE_LIMITED", "Too many requests.",
            "The call is turned away.", knowable=True, retry_after=True,
        ),
        "rate_limit": _error(
            429, "RATE_LIMITED", "Too many requests.",
            "Calls beyond `quota` are turned away.", knowable=True, retry_after=True, fields=("quota",),
        ),
        "http_500": _error(
            500, "UPSTREAM_ERROR", "The service failed.",
            "Nothing was done; the caller sees a crash.", knowable=False,
        ),
        "http_503": _error(
            503, "UNAVAILABLE", "The service is unavailable.",
            "The call is turned away.", knowable=True,
        ),
        "transient_unavailable": _error(
            503, "TRANSIENT_UNAVAILABLE", "The service is unavailable for a moment.",
            "The call is turned away for now.", knowable=True, retry_after=True,
        ),
        "permanent_unavailable": _error(
            503, "PERMANENTLY_UNAVAILABLE", "The service has been shut down.",
            "The call is turned away for good.", knowable=True,
        ),
        "non_retryable_error": _error(
            422, "NON_RETRYABLE_ERROR", "The request cannot be processed.",
            "The call is refused; the same again is too.", knowable=True,
        ),
        "auth_denied": _error(
            403, "AUTH_DENIED", "The credentials were rejected.",
            "The caller is not let in.", knowable=True,
        ),
        "dropped_connection": _nothing(
            _NONE, "Nothing was done, and the connection broke without an answer."
        ),
        "partial_response": _success(
            _ALL, Answer.COMPUTED, "Everything was done; the answer breaks off half-way.",
            wire=Wire.TRUNCATED,
        ),
        "malformed_json": _success(
            _ALL, Answer.COMPUTED, "Everything was done; the answer is no JSON.", wire=Wire.GARBLED
        ),
        "delay": _success(
            _ALL, Answer.COMPUTED, "Everything was done; the answer comes late.",
            wire=Wire.SLOW, knowable=True,
        ),
        "stale_response": _success(
            _ALL, Answer.STALE, "Everything was done; the answer shows the state before the case's writes."
        ),
        "duplicate_response": _success(
            _ALL, Answer.PREVIOUS, "Everything was done; the answer is the tool's previous one."
        ),
        "semantic_bad_response": _success(
            _ALL, Answer.SUBSTITUTE, "Everything was done; the answer says something else.", status=200
        ),
        "inconsistent_state": _error(
            500, "INCONSISTENT_STATE", "The operation was interrupted.",
            "Only the first effect was done.", knowable=False, commit=_FIRST,
        ),
        "success_without_mutation": _success(
            _NONE, Answer.COMPUTED, "Nothing was done; the answer says that it was."
        ),
        "message_duplication": _success(
            _TWICE, Answer.COMPUTED, "The message arrived twice, and was acted on twice."
        ),
        "dropped_after_mutation": _nothing(
            _ALL, "Everything was done, and the connection broke without an answer."
        ),
        "http_500_after_mutation": _error(
            500, "UPSTREAM_ERROR", "The service failed.",
            "Everything was done; the caller sees a crash.", knowable=False, commit=_ALL,
        ),
        "late_mutation": _error(
            504, "TIMEOUT", "The request timed out.",
            "The call was accepted and is executed later; no answer came in time.",
            knowable=False, commit=_LATE, fields=("landsBeforeCall",),
        ),
        "schema_drift": _success(
            _ALL, Answer.DRIFTED, "Everything was done; a field of the answer is renamed or missing.",
            fields=("field", "renameTo"),
        ),
        "oversized_response": _success(
            _ALL, Answer.PADDED, "Everything was done; the answer is far larger than usual.",
            knowable=True, fields=("bytes",),
        ),
        "slow_response": _success(
            _ALL, Answer.COMPUTED, "Everything was done; the answer drips in.",
            wire=Wire.DRIPPING, knowable=True,
        ),
        "custom": _success(
            _ALL, Answer.COMPUTED, "The columns of this table, spelled out.",
            fields=(
                "commit", "answer", "wire", "status", "code", "knowable",
                "landsBeforeCall", "field", "renameTo", "bytes",
            ),
        ),
    }
)  # fmt: skip
"""The one table of fault kinds; validation, schema, reference and legend are read off it."""

DEFAULT_DELAY_MS: Final[Mapping[str, int]] = MappingProxyType({"delay": 1_000, "slow_response": 1_000})


class When(Model):
    """Which calls a rule fits; all that is said must hold, nothing said means every call."""

    call_number: int | None = Field(default=None, ge=1, description="The n-th call of the tool.")
    call_numbers: list[Annotated[int, Field(ge=1)]] | None = Field(
        default=None, min_length=1, description="Any of these calls of the tool."
    )
    first_n: int | None = Field(default=None, ge=1, description="The first n calls of the tool.")
    every_call: Literal[True] | None = Field(default=None, description="Every call.")
    args_match: dict[str, Any] | None = Field(default=None, description="Calls whose arguments contain this.")
    probability: float | None = Field(
        default=None, ge=0, le=1, description="Drawn from the seed, call by call."
    )
    matching: int | None = Field(
        default=None, ge=1, description="The n-th of the calls that fit the other conditions."
    )


class Behavior(Model):
    """What a fault does. Which fields there are beside the common ones depends on the type."""

    type: str = Field(description="The kind of fault.", json_schema_extra={"enum": list(FAULTS)})
    delay_ms: int = Field(
        default=0, ge=0, le=MAX_DELAY_MS, description="How long the answer takes, in milliseconds."
    )
    retry_after_seconds: int = Field(default=1, ge=0, le=86_400, description="What Retry-After says.")
    message: str | None = Field(default=None, description="The message of the error; a template.")
    body: Any = Field(default=None, description="The body of the answer; a template that also sees `result`.")
    quota: int = Field(default=0, ge=0, description="Calls that pass before the limit holds.")
    lands_before_call: int = Field(
        default=2, ge=1, description="A late commit lands before this further call of any tool, from 1."
    )
    field: str | None = Field(
        default=None, description="The field of the answer that drifts; default: the first."
    )
    rename_to: str | None = Field(default=None, description="Its new name; without it the field is missing.")
    bytes: int = Field(default=1_048_576, ge=1, le=MAX_PADDING, description="The size of the answer.")
    commit: Commit | None = Field(default=None, description="How much is done.")
    answer: Answer | None = Field(default=None, description="What the answer is made of.")
    wire: Wire | None = Field(default=None, description="How the answer travels.")
    status: int | None = Field(default=None, ge=200, le=599, description="The status of the answer.")
    code: str | None = Field(default=None, min_length=1, description="The code of the error.")
    knowable: bool = Field(default=False, description="Whether the caller can know what was done.")

    @field_validator("type")
    @classmethod
    def _is_a_kind(cls, name: str) -> str:
        if name in FAULTS:
            return name
        close = nearest(name, FAULTS)
        hint = f"; did you mean {close!r}?" if close else "."
        message = f"{name!r} is no kind of fault{hint} One of: {', '.join(FAULTS)}"
        expected = ", ".join(map(repr, FAULTS))
        raise PydanticCustomError("literal_error", "{message}", {"message": message, "expected": expected})

    @field_validator(
        "quota", "lands_before_call", "field", "rename_to", "bytes",
        "commit", "answer", "wire", "status", "code", "knowable",
    )  # fmt: skip
    @classmethod
    def _is_of_its_kind(cls, value: Any, info: ValidationInfo) -> Any:
        kind = info.data.get("type")
        name = cls.model_fields[info.field_name or ""].alias
        if kind is not None and name not in FAULTS[kind].fields:
            valid = ", ".join((*COMMON_FIELDS, *FAULTS[kind].fields))
            message = f"{name!r} is no field of a {kind} fault. One of: {valid}"
            raise PydanticCustomError("unknown_field", "{message}", {"message": message})
        return value

    @field_validator("message", "body")
    @classmethod
    def _is_a_template(cls, value: Any, info: ValidationInfo) -> Any:
        try:
            (compile_text if info.field_name == "message" else compile)(value or "", fault_names())
        except TemplateError as error:
            raise PydanticCustomError("invalid_template", "{message}", {"message": str(error)}) from None
        return value

    @model_validator(mode="after")
    def _has_what_it_sends(self) -> Behavior:
        if self.answer_made_of is Answer.SUBSTITUTE and "body" not in self.model_fields_set:
            raise ValueError(f"a {self.type} fault whose answer is a substitute needs a body")
        return self

    @property
    def answer_made_of(self) -> Answer:
        """The column `answer`, as the kind or a custom fault says it; nothing travels as nothing."""
        return Answer.NOTHING if self.wire is Wire.NOTHING else self.answer or FAULTS[self.type].answer

    def columns(self) -> FaultKind:
        """The row of the table that holds here; a custom fault spells its own out."""
        kind = FAULTS[self.type]
        if self.type != "custom":
            return kind
        answer = self.answer_made_of
        is_error = answer is Answer.ERROR
        return FaultKind(
            commit=self.commit or kind.commit,
            answer=answer,
            wire=Wire.NOTHING if answer is Answer.NOTHING else self.wire or kind.wire,
            knowable=self.knowable,
            status=self.status or (500 if is_error else None),
            code=self.code or ("CUSTOM_FAULT" if is_error else None),
            message="The call failed.",
            description=kind.description,
        )


class FaultRule(Model):
    """A fault, and the calls it befalls. The first rule that fits a call wins."""

    id: str | None = Field(default=None, min_length=1, description="The rule's name; default: its index.")
    target: str = Field(min_length=1, description="A tool, `*`, or `risk:` and a risk level.")
    when: When = Field(default_factory=When)
    behavior: Behavior
