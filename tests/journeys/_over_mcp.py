"""The demo's agent over MCP, as a program: plain messages, so that nothing has to be installed."""

import json
import os
import sys
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

sys.path.insert(0, os.getcwd())  # the workspace, where the demo's agent lies

from agent import run

HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
STATUS = {"TIMEOUT": 504, "ADMIN_ONLY": 403, "ACCESS_DENIED": 403}


class McpTools:
    def __init__(self, url: str) -> None:
        self.url = url

    def call(self, tool: str, **arguments: Any) -> SimpleNamespace:
        try:
            result = self.send("tools/call", {"name": tool, "arguments": arguments})
        except HTTPError as error:
            return SimpleNamespace(status=error.code, ok=False, body=None)
        except KeyError:  # an error of the protocol: the request was sent, and no result came
            return SimpleNamespace(status=504, ok=False, body=None)
        body = json.loads(result["content"][0]["text"])
        if result.get("isError"):
            return SimpleNamespace(status=STATUS.get(body["error"]["code"], 400), ok=False, body=body)
        return SimpleNamespace(status=200, ok=True, body=body)

    def search(self, query: str) -> Any:
        found = self.send("tools/call", {"name": "search_knowledge_base", "arguments": {"query": query}})
        return found["structuredContent"]["documents"]

    def send(self, method: str, params: dict[str, Any]) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        with urlopen(Request(self.url, json.dumps(message).encode(), HEADERS)) as answer:
            return json.load(answer)["result"]


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    reply = run(SimpleNamespace(message=asked["input"], **asked), McpTools(asked["mcp_url"]))
    sys.stdout.write(json.dumps(reply))
