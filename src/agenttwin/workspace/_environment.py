"""The environment of a workspace: the process's own, and `.env` beside `agenttwin.yaml` for what it lacks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from agenttwin.errors import UsageError

MAX_ENV_BYTES = 64 * 1024
"""A .env file is a page of names; anything larger is something else."""

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$")
_REFERENCE = re.compile(r"\$\{([A-Za-z_]\w*)\}")


def environment(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Name → value; what the process has wins over what `.env` says."""
    path = root / ".env"
    if not path.is_file():
        return dict(environ)
    text = path.read_bytes()[:MAX_ENV_BYTES].decode("utf-8", "replace")
    return {**dict(_entries(text)), **environ}


def expand(text: str, environ: Mapping[str, str], *, where: str) -> str:
    """The text with each `${NAME}` replaced; UsageError names what is not set."""

    def value(found: re.Match[str]) -> str:
        if found[1] not in environ:
            raise UsageError("unset_variable", f"{where} needs {found[1]}, which is not set.")
        return environ[found[1]]

    return _REFERENCE.sub(value, text)


def _entries(text: str) -> list[tuple[str, str]]:
    found = (_LINE.match(line) for line in text.splitlines() if not line.lstrip().startswith("#"))
    return [(line[1], _unquoted(line[2])) for line in found if line]


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"" else text
