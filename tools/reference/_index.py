"""The first page of the reference."""

from __future__ import annotations

from agenttwin.errors import CODES
from agenttwin.expression import FUNCTIONS, MACROS
from agenttwin.scenario import EXPECTATIONS
from agenttwin.twin import FAULTS
from agenttwin.workspace import _settings as settings

from ._markdown import page, table


def index() -> str:
    """The overview."""
    return page(
        "Reference",
        "These pages are made from the tables that the program itself reads, so they say what it does.",
        table(
            ("page", "what is there"),
            (
                ("[Command line](command-line.md)", "every command and option"),
                ("[Settings](settings.md)", f"{len(settings.SETTINGS)} settings: file, variable, flag"),
                ("[The agent's contract](agent.md)", "what an agent is given and gives back"),
                ("[Python](python.md)", "`Twin`, `Case`, `compare`, `Session`"),
                ("[TwinDefinition](twin-definition.md)", "tools, handlers, state"),
                ("[Scenario](scenario.md)", "input, state, faults, expectations"),
                ("[Agent](manifest.md)", "the manifest of one version"),
                ("[Dataset](dataset.md)", "scenarios pinned by content"),
                ("[agenttwin.yaml](workspace.md)", "the workspace"),
                ("[Faults](faults.md)", f"{len(FAULTS)} kinds: what was done, and what is seen"),
                ("[Expectations](expectations.md)", f"{len(EXPECTATIONS)} kinds"),
                ("[Handlers](handlers.md)", "every construct of a tool's behaviour, with an example"),
                (
                    "[Templates](templates.md)",
                    f"placeholders, paths, expressions, {len(FUNCTIONS)} functions, {len(MACROS)} macros",
                ),
                ("[Results](results.md)", "classes, verdicts, labels, exit codes"),
                ("[Errors](errors.md)", f"{len(CODES)} codes, each with what to do"),
                ("[Limits](limits.md)", "how large everything may be"),
            ),
        ),
        "Editors complete and check documents with their JSON Schemas: `agenttwin schema --output schemas` writes one file for "
        "each kind.",
    )
