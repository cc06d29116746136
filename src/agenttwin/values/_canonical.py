"""Canonical JSON: one spelling for each value, so that equal values have equal digests."""

import re
from hashlib import sha256
from math import isfinite
from typing import Any, Final

import orjson

from agenttwin.values._json import MAX_DEPTH, MAX_INTEGER
from agenttwin.values._node import encode_node, plain
from agenttwin.values._path import format_path

# Tokens that orjson spells otherwise than this form, or hides: fractions, exponents, NaN written as null.
# A match inside a text only costs the slower way.
_SUSPECT = re.compile(rb"(?:^|[:,\[])(?:-?\d+[.e]|null)")
_OPTIONS: Final = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER


def canonical(value: Any) -> bytes:
    """The one spelling of a value: keys by code point, no spaces, numbers as ECMAScript writes them.

    1.0 is 1 and -0 is 0. ValueError, naming the path, for what has no canonical form: NaN, infinities,
    integers beyond ±2^53, lone surrogates, keys that are no text, what is not JSON, more than 254 levels.
    """
    try:
        text = orjson.dumps(value, encode_node, _OPTIONS)
    except TypeError:
        text = b"null"
    if _SUSPECT.search(text):
        return orjson.dumps(_respelled(plain(value), ()), option=orjson.OPT_SORT_KEYS)
    return text


def digest(value: Any) -> str:
    """`sha256:` and 64 hex digits of the canonical form; ValueError as canonical."""
    return digest_bytes(canonical(value))


def digest_bytes(content: bytes) -> str:
    """`sha256:` and 64 hex digits of `content`."""
    return f"sha256:{sha256(content).hexdigest()}"


def _respelled(value: Any, path: tuple[str | int, ...]) -> Any:
    """`value` with its fractions replaced by their spelling, or the reason why it has none."""
    if len(path) > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _checked_text(value, path)
    if isinstance(value, int):
        return _checked_integer(value, path)
    if isinstance(value, float):
        return _respelled_float(value, path)
    if isinstance(value, dict):
        return {_checked_key(key, path): _respelled(member, (*path, key)) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_respelled(element, (*path, index)) for index, element in enumerate(value)]
    raise _refusal(f"a {type(value).__name__} is not JSON", path)


def _checked_text(text: str, path: tuple[str | int, ...]) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _refusal("the text holds half of a surrogate pair", path) from None
    return text


def _checked_key(key: object, path: tuple[str | int, ...]) -> str:
    if not isinstance(key, str):
        raise _refusal(f"the key {key!r} is not text", path)
    return _checked_text(key, path)


def _checked_integer(value: int, path: tuple[str | int, ...]) -> int:
    if abs(value) > MAX_INTEGER:
        raise _refusal("an integer beyond ±2^53 is not exact everywhere", path)
    return value


def _respelled_float(value: float, path: tuple[str | int, ...]) -> Any:
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
