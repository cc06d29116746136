"""The JSON Schemas of everything that a workspace's people write, for their editors."""

from __future__ import annotations

from agenttwin.document import schema, schema_of
from agenttwin.scenario import MODELS
from agenttwin.values import Json
from agenttwin.workspace._file import WorkspaceFile


def document_schemas() -> dict[str, dict[str, Json]]:
    """The schema of each kind of document, and of `agenttwin.yaml` under the name Workspace."""
    return {**schema(MODELS), "Workspace": schema_of(WorkspaceFile, title="Workspace")}
