"""`agenttwin twin new`: a twin drafted from what others have written down of an API."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from agenttwin.cli._output import say, show

if TYPE_CHECKING:
    from agenttwin.imports import Draft
    from agenttwin.transcript import Risk

LISTS = (".json", ".yaml", ".yml")
"""How a file ends that holds a list of tools, and is no program."""


@click.command()
@click.option("--openapi", type=click.Path(path_type=Path), metavar="FILE", help="An OpenAPI document.")
@click.option("--mcp", metavar="FILE|URL|COMMAND", help="A list of tools, or a server of MCP that has them.")
@click.option(
    "--recording", type=click.Path(path_type=Path), metavar="FILE", help="What `twin record` wrote down."
)
@click.option(
    "--har", type=click.Path(path_type=Path), metavar="FILE", help="What a browser or a proxy saved."
)
@click.option("--name", metavar="NAME", help="What the twin is called (default: after the document).")
@click.option(
    "--risk", "risks", multiple=True, metavar="TOOL=RISK", help="What a tool can do, where you know better."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write it (default: standard output); nothing is overwritten.",
)
def command(
    openapi: Path | None,
    mcp: str | None,
    recording: Path | None,
    har: Path | None,
    name: str | None,
    risks: tuple[str, ...],
    output: Path | None,
) -> int:
    """Draft a twin from an OpenAPI document, the tools of an MCP server, or what was recorded.

    Where paths look like a resource (/orders and /orders/{id}) the draft has a state, and its tools create,
    list, read, change and delete records of it; the document's examples are the first ones. Each risk says
    why it was chosen.
    """
    from agenttwin.errors import UsageError
    from agenttwin.imports import write

    if sum(source is not None for source in (openapi, mcp, recording, har)) != 1:
        message = "Say what the twin is drafted from: one of --openapi, --mcp, --recording and --har."
        raise UsageError("no_source", message)
    if output is not None and output.exists():
        raise UsageError("file_exists", f"There is already a file {str(output)!r}.")
    draft = _drafted(openapi, mcp, recording, har, name)
    text = write(draft, _risks(risks, draft))
    if output is None:
        show(text.rstrip("\n"))
    else:
        keep(text, output)
    tell(draft, output)
    return 0


def _drafted(
    openapi: Path | None, mcp: str | None, recording: Path | None, har: Path | None, name: str | None
) -> Draft:
    if openapi is not None:
        return of_openapi(openapi, name)
    if mcp is not None:
        return of_mcp(mcp, name)
    return of_recording(recording, name) if recording is not None else _of_har(har, name)


def of_recording(file: Path, name: str | None) -> Draft:
    """The draft of what was recorded."""
    from agenttwin.imports import from_recording, read_recording

    return from_recording(read_recording(read_file(file), file=file.name), origin=file.name, name=name)


def _of_har(file: Path | None, name: str | None) -> Draft:
    from agenttwin.imports import from_recording, read_har

    assert file is not None
    return from_recording(read_har(read_file(file), file=file.name), origin=file.name, name=name)


def of_openapi(file: Path, name: str | None) -> Draft:
    from agenttwin.imports import from_openapi

    return from_openapi(read_file(file), file=file.name, name=name)


def of_mcp(source: str, name: str | None) -> Draft:
    """A file where there is one of that name, else an address or a command."""
    from agenttwin.imports import from_mcp, read_loose
    from agenttwin.surfaces import listed_tools

    file = Path(source)
    if file.is_file() and (file.suffix in LISTS or not os.access(file, os.X_OK)):
        return from_mcp(read_loose(read_file(file), file=file.name), origin=file.name, name=name)
    return from_mcp(listed_tools(source), origin=origin(source), name=name)


def origin(source: str) -> str:
    """What a server is called in the draft, which travels: without the folders of this machine."""
    if "://" in source:
        return urlsplit(source).netloc or source
    first, *rest = shlex.split(source)
    return " ".join([Path(first).name, *(Path(word).name if "/" in word[:1] else word for word in rest)])


def read_file(file: Path) -> bytes:
    from agenttwin.errors import AgentTwinError, NotFound

    if not file.is_file():
        raise NotFound("no_such_file", f"There is no file {str(file)!r}.")
    try:
        return file.read_bytes()
    except OSError as error:
        message = f"The file {file} cannot be read: {error.strerror}."
        raise AgentTwinError("unreadable_file", message) from None


def _risks(given: tuple[str, ...], draft: Draft) -> dict[str, Risk]:
    """The risks that are said by hand; UsageError for a tool or a risk that is none."""
    from agenttwin.errors import UsageError
    from agenttwin.transcript import Risk
    from agenttwin.values import nearest

    tools = [tool.name for tool in draft.tools]
    found = {}
    for text in given:
        tool, _, word = text.partition("=")
        words = [risk.value for risk in Risk]
        for what, said, known in (("tool", tool, tools), ("risk", word.upper(), words)):
            if said not in known:
                close = nearest(said, known)
                hint = f" Did you mean {close!r}?" if close else ""
                raise UsageError("invalid_risk", f"--risk {text}: there is no {what} {said!r}.{hint}")
        found[tool] = Risk(word.upper())
    return found


def keep(text: str, output: Path) -> None:
    from agenttwin.errors import AgentTwinError

    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise AgentTwinError("unwritable_file", f"{output} cannot be written: {error.strerror}.") from None


def tell(draft: Draft, output: Path | None) -> None:
    stateful = sum(tool.stateful for tool in draft.tools)
    records = sum(len(found) for found in draft.state.values())
    where = f" in {output}" if output is not None else ""
    say(f"Tools{where}: {len(draft.tools):,}, of which {stateful:,} read or change the state.")
    if draft.state:
        say(f"Collections in the state: {len(draft.state):,}, with {records:,} records from examples.")
    for note in draft.notes[:10]:
        say(f"- {note}")
    if len(draft.notes) > 10:
        say(f"… and {len(draft.notes) - 10} more, which the draft lists.")
