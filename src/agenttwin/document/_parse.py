"""Bytes → Source: size and encoding first, then the grammar that the file's name tells."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, NoReturn

from agenttwin.document._compose import Composed, Flaw, TextError
from agenttwin.document._json import compose_json
from agenttwin.document._limits import DOCUMENT_LIMITS, JSON_LIMITS, LIMITS_BY_KIND, Limits
from agenttwin.document._source import Source, in_order
from agenttwin.document._yaml import compose_yaml
from agenttwin.errors import DocumentError, Problem
from agenttwin.values import Json, format_path

_BYTE_ORDER_MARK: Final = "\ufeff"


def parse(text: bytes | str, *, file: str, limits: Limits | None = None) -> Source:
    """The value that a text holds: JSON where `file` ends in .json, else YAML 1.2 without tags and aliases.

    `limits` defaults to those of the kind that the text says it is. DocumentError with every problem: a
    syntax error or a passed limit ends the reading, anything else (duplicate keys, tags, anchors, numbers
    that cannot be held) is collected.
    """
    source, flaws = scan(text, file=file, limits=limits)
    if flaws:
        raise DocumentError(told(source, flaws))
    return source


def parse_json(text: bytes | str, *, file: str = "JSON", limits: Limits = JSON_LIMITS) -> Json:
    """The value of a JSON text from outside; DocumentError as for `parse`, naming the text `file`."""
    source, flaws = _read(text, file, limits, compose_json)
    if flaws:
        raise DocumentError(told(source, flaws))
    return source.value


def scan(text: bytes | str, *, file: str, limits: Limits | None = None) -> tuple[Source, list[Flaw]]:
    """What `parse` reads, with the flaws that leave a value; DocumentError for those that do not."""
    compose = compose_json if file.endswith(".json") else compose_yaml
    if limits is not None:
        return _read(text, file, limits, compose)
    assumed = _likely_limits(text)
    source, flaws = _read(text, file, assumed, compose)
    actual = LIMITS_BY_KIND.get(kind_of(source.value), DOCUMENT_LIMITS)
    return (source, flaws) if actual == assumed else _read(text, file, actual, compose)


def told(source: Source, flaws: Iterable[Flaw]) -> tuple[Problem, ...]:
    """The problems of flaws, with their locations and paths."""
    return in_order(
        replace(flaw.problem, location=source.location(flaw.offset), path=format_path(flaw.at))
        for flaw in flaws
    )


def kind_of(value: Json) -> str:
    """The kind that a value says it is; empty where it says none."""
    kind = value.get("kind") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""


def _likely_limits(text: bytes | str) -> Limits:
    """The widest limits of a kind that the text mentions: which it is, is known when it was read."""
    for kind, limits in LIMITS_BY_KIND.items():
        if (kind in text) if isinstance(text, str) else (kind.encode() in text):
            return limits
    return DOCUMENT_LIMITS


def _read(
    text: bytes | str, file: str, limits: Limits, compose: Callable[[str, Limits], Composed]
) -> tuple[Source, list[Flaw]]:
    decoded = _decode(text, file, limits)
    try:
        composed = compose(decoded, limits)
    except TextError as error:
        raise DocumentError(told(Source(file=file, text=decoded, value=None), error.flaws)) from None
    return Source(file=file, text=decoded, value=composed.value, offsets=composed.offsets), composed.flaws


def _decode(text: bytes | str, file: str, limits: Limits) -> str:
    """The text, once its size and its encoding are right."""
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError as error:
        before = error.object[: error.start]
        _refuse(file, before, "lone_surrogate", f"{error.object[error.start]!a} is half of a surrogate pair")
    if len(data) > limits.bytes:
        _refuse(
            file, "", "document_too_large", f"the text has {len(data):,} bytes; {limits.bytes:,} are allowed"
        )
    try:
        decoded = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()
        _refuse(file, before, "not_utf8", f"the byte 0x{error.object[error.start]:02x} is not UTF-8 here")
    if decoded.startswith(_BYTE_ORDER_MARK):
        _refuse(
            file,
            "",
            "byte_order_mark",
            "the file begins with a byte order mark; save it as UTF-8 without one",
        )
    return decoded


def _refuse(file: str, before: str, code: str, message: str) -> NoReturn:
    """Refuse a text for what stands after `before`."""
    location = Source(file=file, text=before, value=None).location(len(before))
    raise DocumentError([Problem(code=code, message=message, location=location)])
