"""References within a document of others: followed, marked where they lead in a circle, never fetched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

MAX_HOPS: Final = 50
"""References that lead to references, one after the other."""


class References:
    """The references of a document. ``external`` and ``dangling`` gather those that lead out, or nowhere."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self.external: dict[str, None] = {}
        self.dangling: dict[str, None] = {}

    def target(self, reference: str) -> Any:
        """What a reference leads to; None where that is not here."""
        if not reference.startswith("#"):
            self.external[reference] = None
            return None
        value = self._document
        for part in reference.lstrip("#").split("/")[1:]:
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(value, Mapping) and key in value:
                value = value[key]
            elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
                value = value[int(key)]
            else:
                self.dangling[reference] = None
                return None
        return value

    def followed(self, value: Any) -> Any:
        """The value, or what its reference leads to; an empty object where that is nowhere."""
        for _ in range(MAX_HOPS):
            if not isinstance(value, Mapping) or not isinstance(value.get("$ref"), str):
                return value
            value = self.target(value["$ref"])
            if value is None:
                return {}
        return {}

    def notes(self) -> list[str]:
        """What was not followed, in sentences."""
        told = [f"It refers to {reference}, which is not read." for reference in self.external]
        return told + [f"It refers to {reference}, which is not there." for reference in self.dangling]
