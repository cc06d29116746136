"""The tools of a case as an agent framework wants them. Every framework is imported when it is asked for."""

from agenttwin.frameworks._given import GivenTools
from agenttwin.frameworks._of_world import SEARCH_SPEC, arguments_schema, searches, specs_of
from agenttwin.frameworks._search import SEARCH
from agenttwin.frameworks._spec import ToolSpec
from agenttwin.frameworks._table import FRAMEWORKS, Framework

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
