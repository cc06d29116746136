"""The environment of a workspace: the process's own, and `.env` beside `agenttwin.yaml` for what it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from os.path import isfile
from pathlib import Path
from typing import Final

from agenttwin.errors import LimitExceeded, UsageError

ENV_FILE: Final = ".env"
MAX_ENV_BYTES: Final = 64 * 1024
"""A .env file is a page of names; anything larger is something else."""

_LINE: Final = re.compile(
    r"""\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*?))\s*(?:(?<=\s)\#.*|)""",
    re.VERBOSE,
)
_REFERENCE: Final = re.compile(r"\$\{([^}]*)\}")


def environment(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Name → value; what the process has wins over what `.env` says."""
    path = root / ENV_FILE
    if not isfile(path):
        return dict(environ)
    with path.open("rb") as file:
        data = file.read(MAX_ENV_BYTES + 1)
    if len(data) > MAX_ENV_BYTES:
        raise LimitExceeded("env_file_too_large", f"{ENV_FILE} has more than {MAX_ENV_BYTES:,} bytes.")
    return {**dict(_entries(data.decode("utf-8-sig", "replace"))), **environ}


def expand(text: str, environ: Mapping[str, str], *, where: str) -> str:
    """The text with each `${NAME}` replaced; UsageError names what is not set, and ``where`` it is needed."""

    def value(found: re.Match[str]) -> str:
        if found[1] not in environ:
            raise UsageError("unset_variable", f"{where} needs {found[1]!r}, which is not set.")
        return environ[found[1]]

    return _REFERENCE.sub(value, text)


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """`NAME=value` lines; quotes keep spaces and `#`, a `#` after a space begins a comment."""
    for line in text.splitlines():
        found = _LINE.fullmatch(line)
        if found is not None:
            yield found[1], next(value for value in found.groups()[1:] if value is not None)
