"""A stand-in for providers of language models: plays a script over their HTTP APIs, in both dialects."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.unit.agents._web import serving


@dataclass
class Turn:
    """What the model says next: a text, calls `(name, arguments)`, or a status that is no success."""

    text: str = ""
    calls: Sequence[tuple[str, Any]] = ()
    status: int = 200
    tokens: tuple[int, int] = (100, 10)


@dataclass
class Provider:
    """Where it is, and the requests that it got."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def provider(*turns: Turn, forever: bool = False) -> Iterator[Provider]:
    """A provider that says one turn after the other; ``forever``: the last one again and again."""
    left = list(turns)
    found = Provider(url="")

    def answer(handler: Any, body: bytes) -> None:
        found.requests.append(json.loads(body))
        found.paths.append(handler.path)
        found.headers.append({name.lower(): value for name, value in handler.headers.items()})
        turn = left[0] if forever and len(left) == 1 else left.pop(0)
        said = _anthropic(turn) if handler.path.endswith("/messages") else _openai(turn)
        data = json.dumps(said if turn.status == 200 else {"error": {"message": "no"}}).encode()
        handler.send_response(turn.status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    with serving(answer) as url:
        found.url = url
        yield found


def _anthropic(turn: Turn) -> dict[str, Any]:
    text = [{"type": "text", "text": turn.text}] if turn.text else []
    calls = [
        {"type": "tool_use", "id": f"call_{n}", "name": name, "input": arguments}
        for n, (name, arguments) in enumerate(turn.calls)
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "large",
        "content": [*text, *calls],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": turn.tokens[0], "output_tokens": turn.tokens[1]},
    }


def _openai(turn: Turn) -> dict[str, Any]:
    calls = [
        {
            "id": f"call_{n}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
            },
        }
        for n, (name, arguments) in enumerate(turn.calls)
    ]
    message = {"role": "assistant", "content": turn.text or None} | ({"tool_calls": calls} if calls else {})
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "large",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {
            "prompt_tokens": turn.tokens[0],
            "completion_tokens": turn.tokens[1],
            "total_tokens": sum(turn.tokens),
        },
    }
