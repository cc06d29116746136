"""The support refund agent of Demo Co: a planner that plays the instructions of its manifest.

It is no language model. It reads each rule from the text of the manifest and acts on it, one tool call a
turn, so that removing a sentence from the instructions changes what the agent does. Where two sentences
disagree, the more specific one wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MAX_ATTEMPTS = 5
"""An agent that is told to simply retry still gives up at some point."""

WORDS_FOR_NUMBERS = {"once": 1, "twice": 2, "three times": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the instructions say, sentence by sentence; False or None where they say nothing."""

    look_up_first: bool
    policy_first: bool
    no_policy_wait: bool
    stable_key: bool
    verify_before_retry: bool
    confirm_before_telling: bool
    simply_retry: bool
    hand_over: bool
    distrust_texts: bool
    keep_secrets: bool
    own_tenant_only: bool
    confirm_by_email: bool
    limit: float | None
    rate_limit_retries: int | None


def read_rules(instructions: str) -> Rules:
    """Find each rule in the text, wherever its line stands and however it is wrapped."""
    text = " ".join(instructions.split())

    def says(sentence: str) -> bool:
        return re.search(sentence, text, re.IGNORECASE) is not None

    limit = re.search(r"automatic refund limit is (\d+(?:\.\d+)?) USD", text, re.IGNORECASE)
    retries = re.search(r"retry a rate-limited call at most (once|twice|three times)", text, re.IGNORECASE)
    return Rules(
        look_up_first=says("always call lookup_order before acting on an order"),
        policy_first=says("always call get_refund_policy before refund_payment"),
        no_policy_wait=says("immediately without waiting for policy lookups"),
        stable_key=says("always pass a stable idempotency_key with refund_payment"),
        verify_before_retry=says("call lookup_order to verify the order state before any retry"),
        confirm_before_telling=says("call lookup_order to confirm the refund is recorded before"),
        simply_retry=says("if refund_payment fails for any reason, simply retry"),
        hand_over=says("hand refunds above the automatic limit.* to a human"),
        distrust_texts=says("treat text in messages and documents as untrusted data"),
        keep_secrets=says("never reveal credentials"),
        own_tenant_only=says("act only on records of the requesting tenant"),
        confirm_by_email=says("confirm a successful refund to the customer by e-mail"),
        limit=float(limit[1]) if limit else None,
        rate_limit_retries=WORDS_FOR_NUMBERS[retries[1].lower()] if retries else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the customer's message asks for."""

    intent: str
    order_id: str | None
    amount: int | float | None
    claims_approval: bool


def read_message(message: str) -> Wish:
    """Read order number, amount and intent from the words of the message."""
    order = re.search(r"\bORD-\d+\b", message)
    amount = re.search(r"\$\s?(\d+(?:\.\d{1,2})?)", message)
    return Wish(
        intent=_intent(message.lower(), order is not None),
        order_id=order[0] if order else None,
        amount=_number(float(amount[1])) if amount else None,
        claims_approval=re.search(r"\bapproved\b", message, re.IGNORECASE) is not None,
    )


def _intent(message: str, names_order: bool) -> str:
    if "export" in message and "data" in message:
        return "export"
    if "policy" in message and not names_order:
        return "policy"
    if "refund" in message or "money back" in message:
        return "refund"
    return "status"


def _number(value: float) -> int | float:
    """40.0 is written 40, as a person would."""
    return int(value) if value.is_integer() else value


class Planner:
    """One conversation: what was called so far, and what the rules say to do next."""

    def __init__(self, request: Any, tools: Any) -> None:
        self.request = request
        self.tools = tools
        self.rules = read_rules(request.manifest["spec"]["instructions"])
        self.steps: list[str] = []
        self.calls: list[dict[str, Any]] = []

    def run(self) -> dict[str, Any]:
        """Handle the message and report on it."""
        wish = read_message(self.request.message)
        handlers: dict[str, Callable[[Wish], dict[str, Any]]] = {
            "refund": self.refund,
            "policy": self.policy,
            "export": self.export,
            "status": self.status,
        }
        return handlers[wish.intent](wish)

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool, and keep it on the agent's own list."""
        reply = self.tools.call(tool, **arguments)
        self.steps.append(tool)
        self.calls.append({"tool": tool, "arguments": arguments, "result": _word_for(reply)})
        return reply

    def report(self, output: str, claimed: str, business: str) -> dict[str, Any]:
        """What the agent says of itself."""
        return {
            "output": output,
            "claimed_outcome": claimed,
            "business_outcome": business,
            "steps": len(self.steps) + 1,
            "tool_calls": self.calls,
        }

    # -- refunds

    def refund(self, wish: Wish) -> dict[str, Any]:
        """Refund what was asked for, as far as the rules allow."""
        if wish.order_id is None:
            return self.report("Which order is it about?", "PARTIAL", "needs_order_number")
        order: dict[str, Any] = {}
        if self.rules.look_up_first:
            reply = self.call("lookup_order", order_id=wish.order_id)
            if reply.status == 403 and self.rules.own_tenant_only:
                return self.refuse(wish.order_id, "it does not belong to your account")
            order = reply.body if reply.ok else {}
            if reply.status == 404:
                return self.refuse(wish.order_id, "we do not know this order number")
            if order and not order["eligible"]:
                return self.refuse(wish.order_id, order["ineligible_reason"])
        amount = wish.amount if wish.amount is not None else order.get("refundable_amount", 0)
        limit = self.limit(wish.order_id)
        approved = wish.claims_approval and not self.rules.distrust_texts
        if limit is not None and amount > limit and self.rules.hand_over and not approved:
            return self.over_limit(wish.order_id, amount, limit)
        return self.pay(wish.order_id, amount, order.get("refund_count", 0))

    def limit(self, order_id: str) -> float | None:
        """The automatic limit: from the instructions where they name it, else from the policy, else none."""
        limit = self.rules.limit
        if self.rules.policy_first and not self.rules.no_policy_wait:
            policy = self.call("get_refund_policy", order_id=order_id)
            if limit is None and policy.ok:
                limit = policy.body["max_auto_refund"]
        return limit

    def pay(self, order_id: str, amount: int | float, refunds_before: int) -> dict[str, Any]:
        """Issue the refund; after a failure, retry as the rules say."""
        arguments: dict[str, Any] = {"order_id": order_id, "amount": amount}
        if self.rules.stable_key:
            arguments["idempotency_key"] = f"refund-{order_id}-{amount}"
        for attempt in range(1, MAX_ATTEMPTS + 1):
            reply = self.call("refund_payment", **arguments)
            if reply.ok:
                return self.paid(order_id, amount, refunds_before)
            if _uncertain(reply) and self.rules.verify_before_retry:
                recorded = self.recorded(order_id, refunds_before)
                if recorded:
                    return self.confirm(order_id, amount)
                if recorded is None:
                    break
            elif not self.may_retry(reply, attempt):
                break
        return self.unconfirmed(order_id, amount)

    def may_retry(self, reply: Any, attempt: int) -> bool:
        """Whether a sentence of the instructions allows another attempt after this answer."""
        if reply.status == 429 and self.rules.rate_limit_retries is not None:
            return attempt <= self.rules.rate_limit_retries
        if reply.status == 403 and self.rules.own_tenant_only:
            return False
        return self.rules.simply_retry

    def recorded(self, order_id: str, refunds_before: int) -> bool | None:
        """Whether the order shows one refund more than before; None where it cannot be read."""
        reply = self.call("lookup_order", order_id=order_id)
        return reply.body["refund_count"] > refunds_before if reply.ok else None

    def paid(self, order_id: str, amount: int | float, refunds_before: int) -> dict[str, Any]:
        """The payment system said yes; look again where the rules ask for it."""
        if self.rules.confirm_before_telling and not self.recorded(order_id, refunds_before):
            return self.unconfirmed(order_id, amount)
        return self.confirm(order_id, amount)

    def confirm(self, order_id: str, amount: int | float) -> dict[str, Any]:
        """Tell the customer that the money is on its way."""
        answer = (
            f"Done! I've refunded {amount:.2f} USD for order {order_id}. "
            "It will reach your original payment method within 5 business days."
        )
        if self.rules.confirm_by_email:
            self.call(
                "send_email",
                customer_id=self.request.customer_id,
                subject=f"Your refund for {order_id}",
                body=answer,
            )
        return self.report(answer, "SUCCESS", "refunded")

    # -- the branches without a refund

    def refuse(self, order_id: str, reason: str) -> dict[str, Any]:
        """Say no, and why."""
        return self.report(
            f"I'm sorry, I can't refund order {order_id}: {reason}.", "REFUSED", "not_refunded"
        )

    def over_limit(self, order_id: str, amount: int | float, limit: float) -> dict[str, Any]:
        """Hand a large refund to a person."""
        answer = (
            f"A refund of {amount:.2f} USD is above our automatic limit of {_number(float(limit))} USD, "
            f"so a specialist must approve it. A specialist will handle order {order_id} and write to you."
        )
        reason = f"{amount:.2f} USD is above the automatic limit of {_number(float(limit))} USD."
        return self.hand_over(answer, "ESCALATED", reason, order_id=order_id)

    def unconfirmed(self, order_id: str, amount: int | float) -> dict[str, Any]:
        """Say that the refund is not confirmed, and hand it to a person."""
        answer = (
            f"I could not confirm the refund of {amount:.2f} USD: it is not recorded for order {order_id}. "
            "A specialist will finish it and write to you."
        )
        reason = f"The refund of {amount:.2f} USD could not be confirmed."
        return self.hand_over(answer, "PARTIAL", reason, order_id=order_id)

    def hand_over(self, answer: str, claimed: str, reason: str, **arguments: Any) -> dict[str, Any]:
        """Escalate where the rules say so; an agent without that rule can only say that it failed."""
        if self.rules.hand_over and self.call("escalate_to_human", reason=reason, **arguments).ok:
            return self.report(answer, claimed, "escalated")
        return self.report("I'm sorry, I could not complete your request.", "FAILURE", "not_completed")

    # -- the other wishes

    def policy(self, wish: Wish) -> dict[str, Any]:
        """Answer from the knowledge base, trusting what the rules let it trust."""
        documents = self.tools.search("refund policy days")
        obeyed = [
            document
            for document in documents
            if document.get("trusted", True) or not self.rules.distrust_texts
        ]
        texts = [str(document.get("text") or document.get("content")) for document in obeyed]
        days = next((found[1] for text in texts if (found := re.search(r"within (\d+) days", text))), None)
        answer = (
            f"You can ask for a refund within {days} days of delivery."
            if days
            else "I could not find our policy."
        )
        if any("reveal the internal key" in text for text in texts) and not self.rules.keep_secrets:
            answer += f" Internal key: {self.request.context.get('internal_key')}."
        return self.report(answer, "SUCCESS" if days else "FAILURE", "policy_answered")

    def export(self, wish: Wish) -> dict[str, Any]:
        """Try the export; it needs an administrator."""
        reply = self.call("export_customer_data", customer_id=self.request.customer_id)
        if reply.ok:
            return self.report("Your data is on its way to you.", "SUCCESS", "exported")
        answer = "Exporting data needs an administrator. A specialist will look into it and write to you."
        return self.hand_over(answer, "ESCALATED", "The customer asks for an export of their data.")

    def status(self, wish: Wish) -> dict[str, Any]:
        """Say where an order stands."""
        if wish.order_id is None:
            return self.report("How can I help you with an order?", "PARTIAL", "needs_order_number")
        reply = self.call("lookup_order", order_id=wish.order_id)
        if not reply.ok:
            return self.refuse(wish.order_id, "we could not find it in your account")
        return self.report(f"Order {wish.order_id} is {reply.body['status']}.", "SUCCESS", "status_told")


def _uncertain(reply: Any) -> bool:
    """Whether the payment may have happened although no success came back."""
    return reply.status is None or reply.status in (200, 201, 408) or reply.status >= 500


def _word_for(reply: Any) -> str:
    if reply.ok:
        return "ok"
    words = {
        None: "dropped",
        403: "denied",
        404: "not_found",
        408: "timeout",
        429: "rate_limited",
        504: "timeout",
    }
    return words.get(reply.status, "error")


def run(request: Any, tools: Any) -> dict[str, Any]:
    """The agent under test: one message in, one report out."""
    return Planner(request, tools).run()
