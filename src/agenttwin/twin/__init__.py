"""Tools that behave, over a world that changes; faults as data."""

from agenttwin.twin._answer import read_result
from agenttwin.twin._check import fault_findings
from agenttwin.twin._choice import targets_of
from agenttwin.twin._clock import milliseconds, read_clock
from agenttwin.twin._compile import CompiledTool, CompiledTwin, compile
from agenttwin.twin._fault import FAULTS, MAX_DELAY_MS, Answer, Behavior, FaultKind, FaultRule, When, Wire
from agenttwin.twin._gate import Call
from agenttwin.twin._handler import Adapter, AdapterAnswer
from agenttwin.twin._model import NAME_PATTERN, TOOL_PATTERN, Comparing, Name, Tool, ToolName, TwinDefinition
from agenttwin.twin._names import arguments_of
from agenttwin.twin._reply import Reply, Step
from agenttwin.twin._schema import schema_findings, schema_validator
from agenttwin.twin._search import search
from agenttwin.twin._shape import state_problem
from agenttwin.twin._step import finish, step
from agenttwin.twin._tenancy import is_foreign, owner_at
from agenttwin.twin._world import DEFAULT_CALL_LIMIT, World, begin

__all__ = [
    "DEFAULT_CALL_LIMIT",
    "FAULTS",
    "MAX_DELAY_MS",
    "NAME_PATTERN",
    "TOOL_PATTERN",
    "Adapter",
    "AdapterAnswer",
    "Answer",
    "Behavior",
    "Call",
    "Comparing",
    "CompiledTool",
    "CompiledTwin",
    "FaultKind",
    "FaultRule",
    "Name",
    "Reply",
    "Step",
    "Tool",
    "ToolName",
    "TwinDefinition",
    "When",
    "Wire",
    "World",
    "arguments_of",
    "begin",
    "compile",
    "fault_findings",
    "finish",
    "is_foreign",
    "milliseconds",
    "owner_at",
    "read_clock",
    "read_result",
    "schema_findings",
    "schema_validator",
    "search",
    "state_problem",
    "step",
    "targets_of",
]
