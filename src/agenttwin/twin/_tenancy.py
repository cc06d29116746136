"""Whose a record is: a record names its owner in one field, and the case has one tenant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from agenttwin.values import Json, Obj, Tree, encode

OBJECTS: Final = frozenset({dict, Obj})


def owner_at(tree: Tree, path: Sequence[str | int], key: str) -> object:
    """Who owns what stands at a path: the innermost record on the way that names an owner, else None."""
    owner = _owner_of(tree.get(path), key)
    end = len(path)
    while owner is None and end:
        end -= 1
        owner = _owner_of(tree.get(path[:end]), key)
    return owner


def _owner_of(part: object, key: str) -> object:
    return part.get(key) if type(part) in OBJECTS else None  # type: ignore[attr-defined]


def is_foreign(owner: object, tenant: str) -> bool:
    """Whether an owner is somebody else than the tenant; what nobody owns is open to all."""
    return owner is not None and owner != tenant


@dataclass(frozen=True, slots=True)
class Tenancy:
    """The tenant of a case. A record that names nobody belongs to nobody, and is open to all."""

    key: str
    tenant: str
    marker: bytes
    own: bytes

    @classmethod
    def of(cls, key: str | None, tenant: str | None) -> Tenancy | None:
        """None where records name no owner, or the case has no tenant."""
        if key is None or tenant is None:
            return None
        marker = encode(key) + b":"
        return cls(key, tenant, marker, marker + encode(tenant))

    def is_foreign(self, record: object) -> bool:
        """Whether a record belongs to somebody else."""
        return is_foreign(_owner_of(record, self.key), self.tenant)

    def is_foreign_at(self, tree: Tree, path: Sequence[str | int]) -> bool:
        """Whether what stands at a path, or what it is a part of, belongs to somebody else."""
        return is_foreign(owner_at(tree, path, self.key), self.tenant)

    def shows_foreign(self, answer: bytes | None) -> bool:
        """Whether a record of somebody else stands anywhere in an answer, which is compact JSON.

        Quotes within a text are escaped, so the marker is only found where a member of an object begins.
        """
        if answer is None or self.marker not in answer or answer.count(self.marker) == answer.count(self.own):
            return False
        return self._holds_foreign(orjson.loads(answer))

    def _holds_foreign(self, value: Json) -> bool:
        if isinstance(value, dict):
            return self.is_foreign(value) or any(map(self._holds_foreign, value.values()))
        return isinstance(value, list) and any(map(self._holds_foreign, value))
