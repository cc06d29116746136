"""How large a document may be. Each limit is checked while reading, before more is spent."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bytes of a text, how deep containers may nest, how many nodes (values and keys) it may hold."""

    bytes: int
    depth: int
    nodes: int


DOCUMENT_LIMITS: Final = Limits(bytes=512 * 1024, depth=32, nodes=20_000)
"""Documents that people write."""

TWIN_LIMITS: Final = Limits(bytes=32 * 1024 * 1024, depth=64, nodes=1_000_000)
"""Twins: drafts made from an API description, and states taken from a system, are large."""

STATE_LIMITS: Final = Limits(bytes=64 * 1024 * 1024, depth=64, nodes=4_000_000)
"""The state of a twin, in a file of its own or handed in."""

JSON_LIMITS: Final = Limits(bytes=20 * 1024 * 1024, depth=64, nodes=1_000_000)
"""JSON that others send: as large as a request body."""

LIMITS_BY_KIND: Final[Mapping[str, Limits]] = MappingProxyType({"TwinDefinition": TWIN_LIMITS})
"""Kinds that may be larger than DOCUMENT_LIMITS."""

MAX_PROBLEMS: Final = 100
"""Problems told about one text. A reader fixes these first; what remains is mostly their echo."""
