"""When a twin was last held against the real thing: a small file beside it, to be committed with it.

It is no part of the twin, whose digest a check must not change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from os.path import isfile
from pathlib import Path
from typing import Annotated, Literal

import orjson
from pydantic import Field

from agenttwin.compare import TwinCheck
from agenttwin.document import DOCUMENT_LIMITS, TWIN_LIMITS, Model, parse, read, validate
from agenttwin.errors import AgentTwinError, DocumentError, Location, Problem
from agenttwin.scenario import Library
from agenttwin.twin import TwinDefinition
from agenttwin.workspace._reading import CHECKED, read_bytes, read_state

Count = Annotated[int, Field(ge=0)]


class CheckFile(Model):
    """What `agenttwin twin check` writes down. ``digest`` is that of the twin as it was then."""

    format: Literal["checked/1"]
    twin: str
    digest: str
    at: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
    against: str
    agrees: Count
    differs: Count


def check_file(twin: Path) -> Path:
    """Where the check of a twin's file is written down."""
    return twin.with_name(twin.stem + CHECKED)


def write_check(twin: Path, check: TwinCheck) -> Path:
    """Writes a check down beside the twin's file, over an earlier one, and gives the path.

    AgentTwinError where the file cannot be written.
    """
    path = check_file(twin)
    content = {
        "format": "checked/1",
        "twin": check.twin,
        "digest": check.digest,
        "at": check.at,
        "against": check.against,
        "agrees": check.agrees,
        "differs": check.differs,
    }
    try:
        path.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    except OSError as error:
        raise AgentTwinError("unwritable_file", f"{path} cannot be written: {error.strerror}.") from None
    return path


def twin_digest(file: Path) -> tuple[str, str]:
    """The name of the twin in a file, and what it is: its document and the state that it keeps beside it.

    NotFound, AgentTwinError or DocumentError where it cannot be read.
    """
    text = read_bytes(file, file.name, TWIN_LIMITS.bytes)
    document = read(text, file=file.name, models={"TwinDefinition": TwinDefinition})
    name, kept = document.model.metadata.name, document.model.spec.initial_state_from
    states = {name: read_state(file.parent / kept, name=kept)} if kept is not None else {}
    return name, Library.of([document], states=states).twin_digest(name)


def read_checks(root: Path, library: Library) -> Iterator[TwinCheck | Problem]:
    """What is known of every twin, or what is wrong with the file that says so, as a warning."""
    for name, document in library.twins.items():
        path = check_file(root / document.source.file)
        try:
            found = _read(path, Path(document.source.file).with_name(path.name).as_posix())
        except DocumentError as error:
            yield from (_warning(problem) for problem in error.problems)
            found = None
        except AgentTwinError as error:
            yield _unreadable(path.name, error)
            found = None
        # A file that was copied along with another twin says nothing of this one.
        if found is None or found.twin != name:
            yield TwinCheck(twin=name)
        else:
            digest = library.twin_digest(name)
            yield TwinCheck(
                twin=name,
                digest=found.digest,
                at=found.at,
                against=found.against,
                agrees=found.agrees,
                differs=found.differs,
                current=found.digest == digest,
            )


def _read(path: Path, name: str) -> CheckFile | None:
    if not isfile(path):
        return None
    source = parse(read_bytes(path, name, DOCUMENT_LIMITS.bytes), file=name)
    file, problems = validate(source, CheckFile)
    if file is None:
        raise DocumentError(problems)
    return file


def _warning(problem: Problem) -> Problem:
    return replace(problem, warning=True)


def _unreadable(name: str, error: AgentTwinError) -> Problem:
    return Problem(
        code=error.code,
        message=str(error),
        location=Location(file=name, line=1, column=1),
        warning=True,
    )
