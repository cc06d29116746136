"""The peer inspect-ai: as many samples, a mock model that makes the same four tool calls, one scorer.

Runs among the peers. Prints one JSON object: the seconds that the samples took. The mock model's token
counter is stubbed: it would download an encoding.
"""

import json
import sys
import tempfile
import time

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ModelAPI, ModelOutput, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import Tool, tool


async def no_tokens(*_: object, **__: object) -> int:
    return 1


ModelAPI.count_tokens = no_tokens
ModelAPI.count_text_tokens = no_tokens
ModelAPI.count_tool_tokens = no_tokens


@tool
def lookup_order() -> Tool:
    async def execute(order_id: str) -> str:
        """Looks an order up.

        Args:
            order_id: The order.
        """
        return json.dumps({"order_id": order_id, "total": 150})

    return execute


@tool
def get_refund_policy() -> Tool:
    async def execute(order_id: str) -> str:
        """Gives the refund policy.

        Args:
            order_id: The order.
        """
        return json.dumps({"max_auto_refund": 100})

    return execute


@tool
def refund_payment() -> Tool:
    async def execute(order_id: str, amount: int, idempotency_key: str) -> str:
        """Refunds money.

        Args:
            order_id: The order.
            amount: How much.
            idempotency_key: The same for the same refund.
        """
        return json.dumps({"id": "RF-0001", "amount": amount})

    return execute


@tool
def send_email() -> Tool:
    async def execute(customer_id: str, subject: str, body: str) -> str:
        """Writes to a customer.

        Args:
            customer_id: Who.
            subject: About what.
            body: The text.
        """
        return "ok"

    return execute


CALLS = (
    ("lookup_order", {"order_id": "ORD-1001"}),
    ("get_refund_policy", {"order_id": "ORD-1001"}),
    ("refund_payment", {"order_id": "ORD-1001", "amount": 40, "idempotency_key": "k"}),
    ("send_email", {"customer_id": "CUS-1", "subject": "Refund", "body": "It is on its way."}),
)


def answer(messages: list[object], *_: object) -> ModelOutput:
    """The next of the four calls, counted by the answers that are there; then the reply."""
    done = sum(isinstance(message, ChatMessageTool) for message in messages)
    if done < len(CALLS):
        name, arguments = CALLS[done]
        return ModelOutput.for_tool_call("mockllm", name, arguments)
    return ModelOutput.from_message(ChatMessageAssistant(content="Done! I've refunded your order."))


def main() -> None:
    count = int(sys.argv[1])
    samples = [Sample(input="Please refund ORD-1001.", target="Done!") for _ in range(count)]
    tools = use_tools(lookup_order(), get_refund_policy(), refund_payment(), send_email())
    model = get_model("mockllm/model", custom_outputs=answer)
    with tempfile.TemporaryDirectory() as folder:
        for chosen in (samples[:1], samples):  # once to warm up
            task = Task(dataset=chosen, solver=[tools, generate()], scorer=includes())
            started = time.perf_counter()
            (log,) = eval(task, model=model, log_dir=folder, display="none", max_samples=8)
            seconds = time.perf_counter() - started
    assert log.status == "success", log.error
    assert log.results
    assert log.results.scores[0].metrics["accuracy"].value == 1
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
