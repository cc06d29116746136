"""The peer pydantic-evals: as many cases, four plain function calls each, nothing recorded of them.

Runs among the peers. Prints one JSON object: the seconds that the cases took.
"""

import asyncio
import json
import os
import sys
import time

os.environ["LOGFIRE_IGNORE_NO_CONFIG"] = "1"

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext


class Confirmed(Evaluator[int, str, None]):
    def evaluate(self, ctx: EvaluatorContext[int, str, None]) -> bool:
        return ctx.output.startswith("Done!")


def lookup_order(order_id: str) -> dict[str, object]:
    return {"order_id": order_id, "total": 150, "refund_count": 0}


def get_refund_policy(order_id: str) -> dict[str, object]:
    return {"max_auto_refund": 100, "currency": "USD"}


def refund_payment(order_id: str, amount: int, idempotency_key: str) -> dict[str, object]:
    return {"id": "RF-0001", "amount": amount}


def send_email(customer_id: str, subject: str, body: str) -> dict[str, object]:
    return {"ok": True}


async def four_calls(amount: int) -> str:
    lookup_order(order_id="ORD-1001")
    get_refund_policy(order_id="ORD-1001")
    refund_payment(order_id="ORD-1001", amount=amount, idempotency_key="k")
    send_email(customer_id="CUS-1", subject="Refund", body="It is on its way.")
    return "Done! I've refunded your order."


async def main() -> None:
    count = int(sys.argv[1])
    cases = [Case(name=f"refund-{number}", inputs=number % 100 + 1) for number in range(count)]
    dataset = Dataset(name="refunds", cases=cases, evaluators=[Confirmed()])
    started = time.perf_counter()
    report = await dataset.evaluate(four_calls, max_concurrency=8, progress=False)
    seconds = time.perf_counter() - started
    assert len(report.cases) == count
    assert report.averages().assertions == 1
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    asyncio.run(main())
