"""The shape of every document model: frozen, closed, camelCase in the file."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

API_VERSION: Final = "agenttwin.dev/v1"

ApiVersion: TypeAlias = Annotated[
    Literal["agenttwin.dev/v1"],
    Field(description="The version of the document's format."),
]
"""The type of every document's `apiVersion`."""


class Model(BaseModel):
    """A part of a document. Fields are snake_case in Python and camelCase in the file; nothing is coerced.

    A model is built when it is first used: a process that reads no document of a kind does not pay for it.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=False,
        defer_build=True,
    )
