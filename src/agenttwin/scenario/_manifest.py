"""What differs between two manifests: the lines of the instructions, and every other field."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from agenttwin.values import Change, Json, diff


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the instructions that only one side has."""

    sign: Literal["-", "+"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestDiff:
    """What a change of version changed. The version itself is not listed."""

    lines: tuple[Line, ...]
    fields: tuple[Change, ...]


def manifest_diff(before: Json, after: Json) -> ManifestDiff:
    """The difference between two manifests as written."""
    changes = diff(_without_instructions(before), _without_instructions(after))
    fields = tuple(change for change in changes if change.path != "metadata.version")
    return ManifestDiff(lines=_lines(_instructions(before), _instructions(after)), fields=fields)


def _spec(manifest: Json) -> dict[str, Json]:
    spec = manifest.get("spec") if isinstance(manifest, dict) else None
    return spec if isinstance(spec, dict) else {}


def _instructions(manifest: Json) -> str:
    text = _spec(manifest).get("instructions")
    return text if isinstance(text, str) else ""


def _without_instructions(manifest: Json) -> Json:
    if not isinstance(manifest, dict):
        return manifest
    spec = {name: value for name, value in _spec(manifest).items() if name != "instructions"}
    return {**manifest, "spec": spec}


def _lines(before: str, after: str) -> tuple[Line, ...]:
    old, new = before.splitlines(), after.splitlines()
    found: list[Line] = []
    for tag, a, b, c, d in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag != "equal":
            found += [Line(sign="-", text=text) for text in old[a:b]]
            found += [Line(sign="+", text=text) for text in new[c:d]]
    return tuple(found)
