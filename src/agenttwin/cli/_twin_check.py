"""`agenttwin twin check`: does a twin still say what the real thing says?"""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson

from agenttwin.cli._options import json_option
from agenttwin.cli._output import say, show

if TYPE_CHECKING:
    from agenttwin.fidelity import Fidelity
    from agenttwin.imports import Draft

SHOWN = 100
NAMED = 20


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--against",
    required=True,
    metavar="FILE|URL|COMMAND",
    help="An OpenAPI document, a recording, a list of MCP tools, or a server of MCP.",
)
@click.option("--no-note", is_flag=True, help="Write down nowhere that the twin was checked.")
@json_option
def command(file: Path, against: str, no_note: bool, as_json: bool) -> int:
    """Hold the twin in FILE against the real API, and say where they disagree.

    Compared are tools, arguments, risks, and the answers of reading tools that can be called; a recording is
    played again, and compared answer by answer. The day of
    the check is written beside the twin (TWIN.checked.json), and every report says it. Exit code 0 where
    they agree, 1 where they differ.
    """
    from agenttwin.cli._twin_new import read_file
    from agenttwin.cli._twin_serve import adapters_of
    from agenttwin.errors import AgentTwinError
    from agenttwin.fidelity import hold, replay
    from agenttwin.imports import read_recording
    from agenttwin.lab import Twin

    twin = Twin.load(file, adapters=adapters_of(file))
    if against.endswith(".jsonl"):
        recorded = read_recording(read_file(Path(against)), file=Path(against).name)
        found = replay(twin.compiled, recorded)
    else:
        found = hold(twin.definition, twin.compiled, _real(against))
    if as_json:
        show(orjson.dumps(asdict(found), option=orjson.OPT_INDENT_2).decode())
    else:
        _tell(found)
    total = found.agrees + len(found.differences)
    if not total:
        raise AgentTwinError(
            "nothing_compared", f"{against} holds nothing that the twin could be held against."
        )
    if not no_note:
        _note(file, against, found)
    return 1 if found.differences else 0


def _real(against: str) -> Draft:
    """What is known of the real thing."""
    from agenttwin.cli._twin_new import of_mcp, of_openapi, read_file
    from agenttwin.imports import read_loose

    file = Path(against)
    if file.suffix in (".json", ".yaml", ".yml"):
        value = read_loose(read_file(file), file=file.name)
        if isinstance(value, dict) and value.keys() & {"openapi", "swagger"}:
            return of_openapi(file, None)
    return of_mcp(against, None)


def _tell(found: Fidelity) -> None:
    from agenttwin.report import clean

    rows = [("tool", "what", "where", "twin", "real")]
    rows += [(each.tool, each.what, each.where, each.twin, each.real) for each in found.differences[:SHOWN]]
    if found.differences:
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        for row in rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            show(clean("  ".join([*cells, row[4]])).rstrip())
        if len(found.differences) > SHOWN:
            show(f"… and {len(found.differences) - SHOWN:,} more; --json has them all.")
        show("")
    total = found.agrees + len(found.differences)
    show(f"{found.agrees:,} of {total:,} comparisons agree.")
    if found.untried:
        more = " …" if len(found.untried) > NAMED else ""
        show(f"Answers that were not tried: {', '.join(found.untried[:NAMED])}{more}.")


def _note(file: Path, against: str, found: Fidelity) -> None:
    from agenttwin.cli._twin_new import origin
    from agenttwin.compare import TwinCheck
    from agenttwin.workspace import twin_digest, write_check

    name, digest = twin_digest(file)
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    what: dict[str, Any] = {"agrees": found.agrees, "differs": len(found.differences)}
    named = Path(against).name if Path(against).exists() else origin(against)
    path = write_check(file, TwinCheck(twin=name, digest=digest, at=at, against=named, **what))
    say(f"Noted in {path.name}; reports say it from now on.")
