"""The Python front door: a twin in one's own hands, and two versions compared."""

from agenttwin.lab._again import compare_with_stored, regrade
from agenttwin.lab._alive import is_gone, process_name
from agenttwin.lab._code import load_code
from agenttwin.lab._compare import compare, schemas
from agenttwin.lab._console import Console
from agenttwin.lab._example import EXAMPLES, example_folder, write_example
from agenttwin.lab._find import FoundCase, find_case
from agenttwin.lab._scenario_case import ExpectationFailed, ScenarioCase
from agenttwin.lab._session import Ask, Ordered, Session, new_key, reviewer
from agenttwin.lab._stored import LAST
from agenttwin.lab._twin import Case, Twin

__all__ = [
    "EXAMPLES",
    "LAST",
    "Ask",
    "Case",
    "Console",
    "ExpectationFailed",
    "FoundCase",
    "Ordered",
    "ScenarioCase",
    "Session",
    "Twin",
    "compare",
    "compare_with_stored",
    "example_folder",
    "find_case",
    "is_gone",
    "load_code",
    "new_key",
    "process_name",
    "regrade",
    "reviewer",
    "schemas",
    "write_example",
]
