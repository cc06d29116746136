"""The same agent in a process of its own, which reaches its tools over HTTP. Nothing but Python is needed.

    run: {kind: command, argv: ["{python}", remote.py]}
    run: {kind: http, url: "http://127.0.0.1:{port}", start: ["{python}", remote.py, "{port}"]}

As a program it reads one request from standard input and writes the reply as its last line. As a server it
answers `POST /run`. Any language does it in the same way.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from agent import run


class HttpTools:
    """The tools of one conversation: `POST {base}/tools/<tool>` and `GET {base}/kb/search?q=…`."""

    def __init__(self, base: str, headers: dict[str, str]) -> None:
        self.base = base
        self.headers = headers

    def call(self, tool: str, **arguments: Any) -> SimpleNamespace:
        """Call a tool; an error of its is an answer too, and no answer at all has no status."""
        headers = {"Content-Type": "application/json", **self.headers}
        request = Request(f"{self.base}/tools/{tool}", json.dumps(arguments).encode(), headers)
        try:
            with urlopen(request) as answer:
                return SimpleNamespace(status=answer.status, ok=True, body=json.load(answer))
        except HTTPError as error:
            return SimpleNamespace(status=error.code, ok=False, body=_json(error.read()))
        except (OSError, ValueError):  # nothing came, or not all of it
            return SimpleNamespace(status=None, ok=False, body=None)

    def search(self, query: str) -> list[dict[str, Any]]:
        """Search the knowledge base."""
        url = f"{self.base}/kb/search?{urlencode({'q': query})}"
        with urlopen(Request(url, headers=self.headers)) as answer:
            documents: list[dict[str, Any]] = json.load(answer)["documents"]
        return documents


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """One request in, one reply out."""
    tools = HttpTools(asked["tools_base_url"], asked["tool_headers"])
    return run(SimpleNamespace(message=asked["input"], **asked), tools)


class Handler(BaseHTTPRequestHandler):
    """`POST /run`."""

    def do_POST(self) -> None:
        """Answer one request."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        data = json.dumps(answer(asked)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main() -> None:
    """Serve on the port that is named, or answer what stands on standard input."""
    if len(sys.argv) > 1:
        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
    sys.stdout.write(json.dumps(answer(json.load(sys.stdin))) + "\n")


if __name__ == "__main__":
    main()
