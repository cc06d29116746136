"""Names for tools and arguments: legal where they are used, each once, the same in every import."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

MAX_NAME: Final = 128

_ODD_IN_TOOL: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_ODD_IN_ARGUMENT: Final = re.compile(r"[^A-Za-z0-9_]+")
_ODD_IN_DOCUMENT: Final = re.compile(r"[^a-z0-9]+")


def tool_name(text: str, taken: Container[str]) -> str:
    """The text as a tool's name: 1 to 128 of `A-Za-z0-9_.-`, numbered where it is taken."""
    plain = _ODD_IN_TOOL.sub("_", text).strip("_.-") or "tool"
    return unique(plain[:MAX_NAME].rstrip("_.-") or "tool", taken, MAX_NAME)


def argument_name(text: str, taken: Container[str]) -> str:
    """The text as an argument that a template can name."""
    plain = _ODD_IN_ARGUMENT.sub("_", text).strip("_") or "argument"
    if plain[0].isdigit():
        plain = f"_{plain}"
    return unique(plain[:MAX_NAME], taken, MAX_NAME)


def document_name(text: str) -> str:
    """The text as the name of a document."""
    return _ODD_IN_DOCUMENT.sub("-", text.lower()).strip("-")[:63].strip("-") or "twin"


def state_key(text: str, taken: Container[str]) -> str:
    """The text as the name of a collection in the state."""
    plain = _ODD_IN_ARGUMENT.sub("_", text).strip("_").lower() or "records"
    return unique(f"_{plain}" if plain[0].isdigit() else plain, taken, MAX_NAME)


def unique(name: str, taken: Container[str], longest: int) -> str:
    """The name, with a number behind it where it is taken."""
    number, found = 1, name
    while found in taken:
        number += 1
        end = f"_{number}"
        found = f"{name[: longest - len(end)]}{end}"
    return found
