"""Paths into JSON values: `orders.ORD-1001.items[0]`, `kb[-1]['two words']`, `orders.length()`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from agenttwin.values._json import MISSING
from agenttwin.values._node import walk

MAX_PATH_CHARACTERS: Final = 500
MAX_PATH_SEGMENTS: Final = 64

PartKind = Literal["key", "index", "hole", "length"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPart:
    """One step of a path as written, at 1-based character `position`.

    `key`: `value` is the text of the key. `index`: `value` is the integer. `hole`: `value` is the text
    written there, with a `{placeholder}` in it; `bracketed` tells `[{i}]` from `.{name}`.
    `length`: the closing `.length()`, `value` empty.
    """

    kind: PartKind
    value: str | int
    position: int
    bracketed: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """Where something stands in a JSON value: keys and indices (negative from the end), maybe a final length.

    The empty path is the whole value.
    """

    segments: tuple[str | int, ...] = ()
    length: bool = False

    @classmethod
    def parse(cls, text: str) -> "Path":
        """Reads a path of at most 500 characters and 64 segments; ValueError says what is wrong and where."""
        if len(text) > MAX_PATH_CHARACTERS:
            raise ValueError(f"a path has at most {MAX_PATH_CHARACTERS} characters, this one has {len(text)}")
        path = read_path(text)
        if len(path.segments) > MAX_PATH_SEGMENTS:
            raise ValueError(
                f"a path has at most {MAX_PATH_SEGMENTS} segments, this one has {len(path.segments)}"
            )
        return path

    def get(self, value: Any) -> Any:
        """What stands there in `value` (plain or node), or MISSING. The length of a list, object or text."""
        found = walk(value, self.segments)
        if not self.length or found is MISSING:
            return found
        return len(found) if isinstance(found, str | Sequence | Mapping) else MISSING

    def __str__(self) -> str:
        text = format_path(self.segments)
        if not self.length:
            return text
        return f"{text}.length()" if text else "length()"


def format_path(segments: Sequence[str | int]) -> str:
    """Segments as path text: `('orders', 'ORD-1001', 0)` → `orders.ORD-1001[0]`; the inverse of reading it."""
    text = "".join(map(_spell, segments))
    return text[1:] if text.startswith(".") else text


def read_path(text: str) -> Path:
    """As Path.parse, without its limits: for paths that were computed rather than written by somebody."""
    parts = scan_path(text)
    for part in parts:
        if part.kind == "hole":
            raise _fault(f"{part.value!r} is a placeholder, and this path takes none", text, part.position)
    length = bool(parts) and parts[-1].kind == "length"
    return Path(tuple(part.value for part in parts if part.kind != "length"), length)


def scan_path(text: str) -> tuple[PathPart, ...]:
    """The steps of a path that may hold `{placeholders}`; ValueError says what is wrong and where."""
    parts: list[PathPart] = []
    position = 0
    while position < len(text):
        if parts and parts[-1].kind == "length":
            raise _fault("nothing may follow .length()", text, position + 1)
        part, position = _scan_part(text, position, first=not parts)
        parts.append(part)
    return tuple(parts)


_KEY = re.compile(r"(?:[\w$@:/-]|\{[^{}]*\})+")
_INDEX = re.compile(r"\[(-?\d{1,15})\]")
_HOLE = re.compile(r"\[((?:[^\[\]{}]|\{[^{}]*\})*\{[^{}]*\}(?:[^\[\]{}]|\{[^{}]*\})*)\]")
_QUOTED = re.compile(r"""\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]""", re.DOTALL)
_LENGTH = "length()"


def _scan_part(text: str, start: int, *, first: bool) -> tuple[PathPart, int]:
    if text[start] == "[":
        return _scan_bracket(text, start)
    at = start
    if not first:
        if text[start] != ".":
            raise _fault(f"expected '.' or '[', got {text[start]!r}", text, start + 1)
        at += 1
    if text.startswith(_LENGTH, at):
        return PathPart(kind="length", value="", position=at + 1), at + len(_LENGTH)
    found = _KEY.match(text, at)
    if not found:
        raise _fault(_why_no_key(text, at), text, at + 1)
    kind: PartKind = "hole" if "{" in found[0] else "key"
    return PathPart(kind=kind, value=found[0], position=at + 1), found.end()


def _scan_bracket(text: str, start: int) -> tuple[PathPart, int]:
    if found := _INDEX.match(text, start):
        return PathPart(kind="index", value=int(found[1]), position=start + 1, bracketed=True), found.end()
    if found := _QUOTED.match(text, start):
        key = _unescape(found[1] if found[1] is not None else found[2], text, start)
        return PathPart(kind="key", value=key, position=start + 1, bracketed=True), found.end()
    if found := _HOLE.match(text, start):
        return PathPart(kind="hole", value=found[1], position=start + 2, bracketed=True), found.end()
    raise _fault("expected [index], [{placeholder}] or ['key']", text, start + 1)


def _why_no_key(text: str, at: int) -> str:
    if at == len(text):
        return "a key is missing at the end"
    if text[at] == ".":
        return "a key is missing before '.'"
    return f"a key with {text[at]!r} must be quoted: ['…']"


def _fault(reason: str, text: str, position: int) -> ValueError:
    return ValueError(f"{reason} (character {position} of the path {text!r})")


_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_BARE = re.compile(r"[\w$@:/-]+")
_SPECIAL = re.compile(r"['\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _unescape(text: str, path: str, start: int) -> str:
    def replace(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 16))
        return _ESCAPES.get(found[2], found[2])

    return _ESCAPE.sub(replace, text)


@lru_cache(maxsize=4096)
def _spell_key(key: str) -> str:
    if _BARE.fullmatch(key):
        return f".{key}"
    return "['" + _SPECIAL.sub(_escape, key) + "']"


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return f"\\{character}" if character in "'\\" else f"\\u{ord(character):04x}"


def _spell(segment: str | int) -> str:
    return _spell_key(segment) if isinstance(segment, str) else f"[{segment}]"
