"""Paths into JSON values: `orders.ORD-1001.items[0]`, `kb[-1]['two words']`, `orders.length()`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from agenttwin.values._json import MISSING, Missing
from agenttwin.values._node import Value, walk

MAX_PATH_CHARACTERS: Final = 500
MAX_PATH_SEGMENTS: Final = 64

Segments: TypeAlias = tuple[str | int, ...]
PartKind: TypeAlias = Literal["key", "index", "hole", "length"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPart:
    """One step of a path as written, at the 1-based character `position`.

    - `key`: `value` is the key; `index`: `value` is the integer.
    - `hole`: `value` is text with a `{placeholder}` in it, as in `.{i}` or, bracketed, `[{i}]`; `position`
      is where that text begins.
    - `length`: the closing `.length()`; `value` is empty.
    """

    kind: PartKind
    value: str | int
    position: int
    bracketed: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """Where something stands in a JSON value: keys, indices (negative ones from the end), maybe `.length()`.

    The empty path is the whole value. `str` gives the text that `parse` reads.
    """

    segments: Segments = ()
    length: bool = False

    @classmethod
    def parse(cls, text: str) -> "Path":
        """Reads a path without placeholders; ValueError as scan_path."""
        return _assembled(scan_path(text), text)

    def get(self, value: object) -> Value | Missing:
        """What stands there in `value`, plain or node, or MISSING; the length of a list, object or text."""
        found = walk(value, self.segments)
        if not self.length:
            return found
        return len(found) if isinstance(found, str | Sequence | Mapping) else MISSING

    def settled(self, value: object) -> Segments:
        """The segments; indices from the end of a list in ``value`` are counted from its start."""
        if not any(isinstance(segment, int) and segment < 0 for segment in self.segments):
            return self.segments
        place: Segments = ()
        for segment in self.segments:
            holder = walk(value, place)
            if isinstance(segment, int) and segment < 0 and isinstance(holder, Sequence):
                segment += len(holder)
            place = (*place, segment)
        return place

    def __str__(self) -> str:
        text = format_path(self.segments)
        if not self.length:
            return text
        return f"{text}.{_LENGTH}" if text else _LENGTH


def format_path(segments: Sequence[str | int]) -> str:
    """Segments as path text: `("orders", "ORD-1001", 0)` gives `orders.ORD-1001[0]`."""
    return formatted(tuple(segments))


@lru_cache(maxsize=4096)
def formatted(segments: Segments) -> str:
    """As format_path, for segments in a tuple."""
    text = "".join([_dotted(part) if isinstance(part, str) else f"[{part}]" for part in segments])
    return text.removeprefix(".")


def scan_path(text: str) -> tuple[PathPart, ...]:
    """The steps of a path, which may hold `{placeholders}`: at most 500 characters and 64 segments.

    ValueError says what is wrong, and at which character.
    """
    if len(text) > MAX_PATH_CHARACTERS:
        raise ValueError(f"a path has at most {MAX_PATH_CHARACTERS} characters, this one has {len(text)}")
    parts = _scan(text)
    if len(parts) - text.endswith(_LENGTH) > MAX_PATH_SEGMENTS:
        raise ValueError(f"a path has at most {MAX_PATH_SEGMENTS} segments, this one has {len(parts)}")
    return parts


@lru_cache(maxsize=4096)
def read_segments(text: str) -> Segments:
    """The segments of a path that was formatted here, however long."""
    return _assembled(_scan(text), text).segments


def _assembled(parts: tuple[PathPart, ...], text: str) -> Path:
    for part in parts:
        if part.kind == "hole":
            raise _fault(f"{part.value!r} is a placeholder, and this path takes none", text, part.position)
    length = bool(parts) and parts[-1].kind == "length"
    return Path(tuple(part.value for part in parts if part.kind != "length"), length)


_LENGTH: Final = "length()"
_BARE: Final = re.compile(r"[\w@:/-]+")
_KEY: Final = re.compile(r"(?:[\w@:/-]|\{[^{}]*\})+")
_BRACKET: Final = re.compile(
    r"""\[(?:
        (?P<index> -?[0-9]{1,15} )
      | ' (?P<single> (?:[^'\\]|\\.)* ) '
      | " (?P<double> (?:[^"\\]|\\.)* ) "
      | (?P<hole> [^\[\]{}'"]* (?: \{[^{}]*\} [^\[\]{}'"]* )+ )
    )\]""",
    re.VERBOSE | re.DOTALL,
)


def _scan(text: str) -> tuple[PathPart, ...]:
    parts: list[PathPart] = []
    at = 0
    while at < len(text):
        if parts and parts[-1].kind == "length":
            raise _fault("nothing may follow .length()", text, at + 1)
        scan = _scan_bracket if text[at] == "[" else _scan_key
        part, at = scan(text, at)
        parts.append(part)
    return tuple(parts)


def _scan_key(text: str, start: int) -> tuple[PathPart, int]:
    at = start
    if start:
        if text[start] != ".":
            raise _fault(f"expected '.' or '[', or ['…'] around a key with {text[start]!r}", text, start + 1)
        at += 1
    if text.startswith(_LENGTH, at):
        return PathPart(kind="length", value="", position=at + 1), at + len(_LENGTH)
    if found := _KEY.match(text, at):
        kind: PartKind = "hole" if "{" in found[0] else "key"
        return PathPart(kind=kind, value=found[0], position=at + 1), found.end()
    if at == len(text):
        raise _fault("a key is missing at the end", text, at + 1)
    if text[at] in ".[":
        raise _fault(f"a key is missing before {text[at]!r}", text, at + 1)
    raise _fault(f"a key with {text[at]!r} needs quotes: ['…']", text, at + 1)


def _scan_bracket(text: str, start: int) -> tuple[PathPart, int]:
    found = _BRACKET.match(text, start)
    if not found:
        raise _fault("expected [index], ['key'] or [{placeholder}]", text, start + 1)
    if hole := found["hole"]:
        part = PathPart(kind="hole", value=hole, position=found.start("hole") + 1, bracketed=True)
    elif index := found["index"]:
        part = PathPart(kind="index", value=int(index), position=start + 1, bracketed=True)
    else:
        key = _ESCAPED.sub(_unescaped, found["single"] or found["double"] or "")
        part = PathPart(kind="key", value=key, position=start + 1, bracketed=True)
    return part, found.end()


def _fault(reason: str, text: str, position: int) -> ValueError:
    return ValueError(f"{reason} (character {position} of {text!r})")


_ESCAPED: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_UNPRINTABLE: Final = re.compile(r"['\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else found[2]


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    return f"\\{character}" if character in "'\\" else f"\\u{ord(character):04x}"


@lru_cache(maxsize=4096)
def _dotted(key: str) -> str:
    """The key behind its dot, or in quotes where it could be read as something else."""
    return f".{key}" if _BARE.fullmatch(key) else f"['{_UNPRINTABLE.sub(_escaped, key)}']"
