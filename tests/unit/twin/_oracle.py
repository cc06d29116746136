"""What the columns of a fault say must come out, worked out on plain dicts that are copied whole.

Written from the rules, not from the twin: the order of one call, what is committed, what is kept under a
key, what is sent. It knows the tools of `conformance/fault-table.json` and nothing else.
"""

import json
from copy import deepcopy
from dataclasses import dataclass, field, replace


@dataclass
class Answer:
    status: int | None
    body: bytes | None
    headers: dict = field(default_factory=dict)


@dataclass
class Seen:
    """One record: what the caller saw, and what really happened."""

    answer: Answer
    wire: str = "whole"
    committed: str | None = None
    took_effect: bool = False
    replayed: bool = False
    redelivered: bool = False


class Oracle:
    """One case: calls of one tool, with the same arguments each time."""

    def __init__(self, state, tool, arguments):
        self.before = deepcopy(state)
        self.state = deepcopy(state)
        self.tool = tool
        self.arguments = arguments
        self.writes = tool != "look"
        self.keyed = tool == "take_with_key"
        self.executions = 0
        self.kept = None  # under the key
        self.previous = None
        self.waiting = []
        self.records = []

    def restock(self):
        self.state["items"]["A"]["left"] += 1

    def call(self, fault=None):
        if fault and fault["commit"] == "none" and fault["answer"] in ("error", "nothing"):
            self.record(Seen(self.error(fault), fault["wire"], self.nothing, took_effect=True))
            return
        replayed = self.keyed and self.kept is not None
        true, done = (replay_of(self.kept), self.state) if replayed else self.execute(self.state)
        success = true.status == 200
        whole = "all" if done != self.state else self.nothing
        self.commit(fault, true, done, success and not replayed, whole)
        sent = self.sent(fault, true, success, replayed) if fault else true
        seen = Seen(sent, fault["wire"] if fault else "whole", self.committed, replayed=replayed)
        again = self.deliver_again(true) if fault and fault["commit"] == "twice" and success else None
        if again and again.committed == "all":
            seen.committed = "twice"
        seen.took_effect = bool(fault) and (
            sent != true or seen.committed != whole or fault["wire"] != "whole"
        )
        self.previous = true
        self.record(seen)
        if again:
            self.record(again)

    @property
    def nothing(self):
        """What is committed where nothing is: a tool that can change nothing says nothing."""
        return "none" if self.writes else None

    def execute(self, state):
        """The true answer, and the state in which all of it is done."""
        self.executions += 1
        return self.handle(state, f"T-{self.executions:04}")

    def handle(self, state, ref):
        done = deepcopy(state)
        item = done["items"].get(self.arguments["item"])
        if item is None:
            return refusal(404, "NO_ITEM", f"There is no item {self.arguments['item']}."), state
        if not self.writes:
            return Answer(200, compact(item)), state
        amount = self.arguments["amount"]
        if amount > item["left"]:
            return refusal(409, "TOO_MANY", f"Only {item['left']} are left."), state
        item["taken"] += 1
        item["left"] -= amount
        done["log"].append({"ref": ref, "amount": amount})
        return Answer(200, compact({"ref": ref, "left": item["left"]})), done

    def commit(self, fault, true, done, fresh, whole):
        """Moves the state on as far as the fault lets it."""
        plan = fault["commit"] if fault and fresh and self.writes else "all"
        self.committed = {"all": whole, "twice": whole}.get(plan, plan)
        if plan in ("all", "twice"):
            self.state = done
        elif plan == "first":
            self.state["items"][self.arguments["item"]]["taken"] += 1
        elif plan == "late":
            self.waiting.append(f"T-{self.executions:04}")
        if self.keyed and fresh and (self.committed == whole or plan == "late"):
            self.kept = true

    def sent(self, fault, true, success, replayed):
        if fault["answer"] in ("error", "nothing"):
            answer = self.error(fault)
        elif success:
            answer = self.falsified(fault, true, replayed)
        else:
            answer = true
        return replace(answer, body=damaged(answer.body, fault["wire"]))

    def error(self, fault):
        if fault["answer"] == "nothing":
            return Answer(None, None)
        headers = {"Retry-After": str(fault["retry_after"])} if "retry_after" in fault else {}
        return refusal(fault["status"], fault["code"], fault["message"], headers)

    def falsified(self, fault, true, replayed):
        body, behavior = json.loads(true.body), fault.get("behavior", {})
        match fault["answer"]:
            case "stale":
                ref = f"T-{self.executions:04}"
                return true if replayed else self.handle(self.before, ref)[0]
            case "previous":
                return self.previous or true
            case "substitute":
                return Answer(fault["status"], compact(behavior["body"]))
            case "drifted":
                (_, first), *rest = body.items()
                return replace(true, body=compact({behavior["renameTo"]: first, **dict(rest)}))
            case "padded":
                room = behavior["bytes"] - len(compact(body | {"padding": ""}))
                return replace(true, body=compact(body | {"padding": "x" * room}))
        return true

    def deliver_again(self, true):
        if self.keyed:
            return Seen(replay_of(true), committed="none", redelivered=True, replayed=True)
        second, self.state = self.execute(self.state)
        changed = self.writes and second.status == 200
        committed = "all" if changed else self.nothing
        return Seen(second, committed=committed, redelivered=True, took_effect=changed)

    def end(self):
        """The case ends, and what is late is executed."""
        for ref in self.waiting:
            _, self.state = self.handle(self.state, ref)

    def record(self, seen):
        self.records.append(seen)


def refusal(status, code, message, headers=None):
    return Answer(status, compact({"error": {"code": code, "message": message}}), headers or {})


def replay_of(answer):
    return replace(answer, headers={"Idempotent-Replayed": "true"})


def damaged(body, wire):
    if wire == "truncated":
        return body[: len(body) // 2]
    return body[:-1] + b",}<" if wire == "garbled" else body


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()
