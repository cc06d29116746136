"""Canonical JSON: one spelling for each value, so that equal values have equal digests."""

import re
from hashlib import sha256
from math import isfinite
from typing import Final

import orjson

from agenttwin.values._json import MAX_DEPTH, MAX_INTEGER
from agenttwin.values._node import JSON_ONLY, encode_node, plain
from agenttwin.values._path import format_path

# What the encoder spells otherwise than the canonical form, or hides: fractions, exponents, NaN as null.
# The same inside a text only costs the slower way. Every token but the first follows one of [:,[].
_SUSPECT: Final = re.compile(rb"[:,\[](?:-?\d+[.e]|null)")
_SORTED: Final = orjson.OPT_SORT_KEYS | JSON_ONLY


def canonical(value: object) -> bytes:
    """The one spelling of a value: keys by code point, no spaces, numbers as ECMAScript writes them.

    1.0 is 1 and -0 is 0. ValueError, naming the path, for what has no canonical form: NaN, infinities,
    integers beyond ±2^53, halves of surrogate pairs, keys that are no text, more than 254 levels, and
    what is not JSON.
    """
    try:
        spelling = orjson.dumps(value, encode_node, _SORTED | orjson.OPT_STRICT_INTEGER)
    except TypeError:
        return orjson.dumps(_respelled(plain(value), ()), option=_SORTED)
    if _SUSPECT.search(b"," + spelling):
        return orjson.dumps(_respelled(plain(value), ()), option=_SORTED)
    return spelling


def digest(value: object) -> str:
    """`sha256:` and 64 hex digits over the canonical form; ValueError as canonical."""
    return digest_bytes(canonical(value))


def digest_bytes(content: bytes) -> str:
    """`sha256:` and 64 hex digits over `content`."""
    return f"sha256:{sha256(content).hexdigest()}"


def _respelled(value: object, path: tuple[str | int, ...]) -> object:
    """`value` with its numbers replaced by their canonical spelling; ValueError where something has none."""
    match value:
        case None | bool():
            return value
        case str():
            return _checked_text(value, path)
        case int():
            return _checked_integer(value, path)
        case float():
            return _respelled_float(value, path)
        case dict() | list() if len(path) >= MAX_DEPTH:
            raise ValueError(f"{format_path(path[:3])}…: nested deeper than {MAX_DEPTH} levels")
        case dict():
            return {
                _checked_key(key, path): _respelled(member, (*path, key)) for key, member in value.items()
            }
        case list():
            return [_respelled(element, (*path, index)) for index, element in enumerate(value)]
    raise _refusal(f"a {type(value).__name__} is not JSON", path)


def _checked_text(text: str, path: tuple[str | int, ...]) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _refusal("half of a surrogate pair is not text", path) from None
    return text


def _checked_key(key: object, path: tuple[str | int, ...]) -> str:
    if not isinstance(key, str):
        raise _refusal(f"the key {key!r} is not text", path)
    return _checked_text(str.__str__(key), path)


def _checked_integer(value: int, path: tuple[str | int, ...]) -> int:
    if abs(value) > MAX_INTEGER:
        raise _refusal(f"the integer {value} is beyond ±2^53 and not exact everywhere", path)
    return value


def _respelled_float(value: float, path: tuple[str | int, ...]) -> object:
    if not isfinite(value):
        raise _refusal(f"{value!r} is not a JSON number", path)
    if value.is_integer() and abs(value) <= MAX_INTEGER:
        return int(value)
    return orjson.Fragment(_ecmascript(value))


def _ecmascript(value: float) -> str:
    """A float as ECMAScript writes it: the shortest digits, an exponent below 1e-6 and from 1e21 on."""
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits.removesuffix(".0")
    power = int(exponent)
    if power >= 21 or power < -6:
        return f"{digits}e{power:+d}"
    sign, digits = ("-", digits[1:]) if value < 0 else ("", digits)
    digits = digits.replace(".", "")
    return sign + (digits.ljust(power + 1, "0") if power > 0 else "0." + "0" * (-power - 1) + digits)


def _refusal(reason: str, path: tuple[str | int, ...]) -> ValueError:
    return ValueError(f"{format_path(path)}: {reason}" if path else reason)
