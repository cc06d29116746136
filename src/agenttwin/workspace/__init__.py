"""The directory: `agenttwin.yaml` and the documents beside it; settings resolved once."""

from agenttwin.workspace._checks import check_file, twin_digest, write_check
from agenttwin.workspace._code import ADAPTERS, EVALUATORS, load, registered
from agenttwin.workspace._environment import environment, expand
from agenttwin.workspace._file import AgentEntry, WorkspaceFile
from agenttwin.workspace._open import FOLDER, Workspace, find_root, open_workspace
from agenttwin.workspace._reading import FILE_NAME, read_state
from agenttwin.workspace._run import CommandRun, GitRun, HttpRun, ModelRun, Price, PythonRun
from agenttwin.workspace._schema import document_schemas
from agenttwin.workspace._settings import SETTINGS, Settings

__all__ = [
    "ADAPTERS",
    "EVALUATORS",
    "FILE_NAME",
    "FOLDER",
    "SETTINGS",
    "AgentEntry",
    "CommandRun",
    "GitRun",
    "HttpRun",
    "ModelRun",
    "Price",
    "PythonRun",
    "Settings",
    "Workspace",
    "WorkspaceFile",
    "check_file",
    "document_schemas",
    "environment",
    "expand",
    "find_root",
    "load",
    "open_workspace",
    "read_state",
    "registered",
    "twin_digest",
    "write_check",
]
