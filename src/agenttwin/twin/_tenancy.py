"""Whose a record is: a record names its owner in one field, and the case has one tenant."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from agenttwin.values import MISSING, Json, Obj, encode


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
        if not isinstance(record, dict | Obj):
            return False
        owner = record.get(self.key, MISSING)
        return owner is not MISSING and owner is not None and owner != self.tenant

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
