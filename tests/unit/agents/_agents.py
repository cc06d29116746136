"""Agents that run in a process of their own in the tests."""
# ruff: noqa: T201 - some of them print

import asyncio
import os
import sys
import threading
import time
from typing import Any

SEEN: dict[str, int] = {}


def pays(request: Any, tools: Any) -> dict[str, Any]:
    reply = tools.call("pay", account="A-1", amount=10)
    return {
        "output": f"Paid: {reply.status} {reply.body['balance']} {reply.ok}.",
        "usage": {"input_tokens": 7},
    }


async def pays_soon(request: Any, tools: Any) -> str:
    await asyncio.sleep(0)
    reply = await tools.call("pay", {"account": "A-1", "amount": 10}, headers={"X-Trace": "1"})
    found = await tools.search("fees")
    return f"Paid: {reply.status}, {found[0]['id']}."


def says_what_it_was_told(request: Any, tools: Any) -> str:
    return f"{request.message} {request.turns} {request.context} {request.tenant} {request.manifest['kind']}"


def prints(request: Any, tools: Any) -> str:
    print("out")
    print("err", file=sys.stderr)
    os.write(1, b"past Python\n")
    time.sleep(0.3)
    return "Printed."


def prints_much(request: Any, tools: Any) -> str:
    for _ in range(10):
        print("x" * 1_000_000, end="")
    return "Printed."


def crashes(request: Any, tools: Any) -> str:
    raise ValueError("no such account")


def leaves(request: Any, tools: Any) -> str:
    os._exit(7)


def hangs(request: Any, tools: Any) -> str:
    print("before", flush=True)
    tools.call("pay", account="A-1", amount=10)
    while True:
        try:
            time.sleep(60)
        except BaseException:
            continue


def counts(request: Any, tools: Any) -> str:
    SEEN[request.session_id] = SEEN.get(request.session_id, 0) + 1
    return f"{os.getpid()} {SEEN[request.session_id]}"


def calls_later(request: Any, tools: Any) -> str:
    def call() -> None:
        time.sleep(0.1)
        tools.call("pay", account="A-1", amount=10)

    threading.Thread(target=call, daemon=True).start()
    return "Done."


def gives_nonsense(request: Any, tools: Any) -> Any:
    return 7


def sends_no_json(request: Any, tools: Any) -> str:
    return f"{tools.call('pay', account=object()).status}"
