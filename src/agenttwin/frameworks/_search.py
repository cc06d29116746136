"""The knowledge base as a tool, for frameworks: over MCP it is one too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from json import dumps
from typing import Any, Final

SEARCH: Final = "search_knowledge_base"
"""The tool that a twin with knowledge documents has; a tool of that name that it declares wins."""

SEARCH_DESCRIPTION: Final = "Search the knowledge base; the documents that fit best come first."

SEARCH_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "Words to look for."}},
    "required": ["query"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Found:
    """A search's answer in the form of a tool's."""

    body: Any
    text: str
    status: int = 200
    ok: bool = True


def search_answer(documents: list[Any]) -> Found:
    """What a search found, as an answer."""
    body = {"documents": documents}
    return Found(body, dumps(body, ensure_ascii=False))
