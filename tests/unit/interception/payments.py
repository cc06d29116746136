"""The tools of an agent as its authors wrote them: plain functions, which here would cost money."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

REAL: list[Any] = []
"""What really happened."""


@dataclass
class Refund:
    refund_id: str
    order_id: str
    amount: float
    currency: str


def refund_payment(order_id: str, amount: float, reason: str | None = None) -> dict[str, Any]:
    """Pays money back."""
    REAL.append((order_id, amount, reason))
    return {"refund_id": "REAL", "order_id": order_id}


async def lookup_order(order_id: str) -> dict[str, Any]:
    """Looks an order up."""
    REAL.append(order_id)
    return {"id": "REAL"}


class Desk:
    """Functions that belong to a class."""

    def lookup_order(self, order_id: str) -> Any:
        REAL.append(order_id)

    @classmethod
    def by_class(cls, order_id: str) -> Any:
        REAL.append(order_id)

    @staticmethod
    def by_itself(order_id: str) -> Any:
        REAL.append(order_id)


def odd(when: date, how_much: Decimal, *rest: int, flag: bool = False, **more: Any) -> Any:
    REAL.append((when, how_much, rest, flag, more))
