"""The tools of a case as an agent framework wants them. Every framework is imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agenttwin._lazy import lazily

if TYPE_CHECKING:
    from agenttwin.frameworks._given import GivenTools
    from agenttwin.frameworks._of_world import SEARCH_SPEC, arguments_schema, searches, specs_of
    from agenttwin.frameworks._search import SEARCH
    from agenttwin.frameworks._spec import ToolSpec
    from agenttwin.frameworks._table import FRAMEWORKS, Framework
else:
    __getattr__ = lazily(
        __name__,
        {
            "_given": "GivenTools",
            "_of_world": "SEARCH_SPEC arguments_schema searches specs_of",
            "_search": "SEARCH",
            "_spec": "ToolSpec",
            "_table": "FRAMEWORKS Framework",
        },
    )

__all__ = [
    "FRAMEWORKS",
    "SEARCH",
    "SEARCH_SPEC",
    "Framework",
    "GivenTools",
    "ToolSpec",
    "arguments_schema",
    "searches",
    "specs_of",
]
