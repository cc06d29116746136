"""A small shop behind sockets: a twin, cases of it on a server, and clients that see every byte."""

from __future__ import annotations

import http.client
import itertools
import json
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from agenttwin.document import read
from agenttwin.run import Case
from agenttwin.surfaces import TwinServer, lend_http
from agenttwin.twin import CompiledTwin, FaultRule, TwinDefinition, begin, compile

SHOP = """
apiVersion: agenttwin.dev/v1
kind: TwinDefinition
metadata: {name: shop}
spec:
  initialState:
    orders: {A-1: {id: A-1, paid: 0}, Zoë: {id: Zoë, paid: 0}}
    kb: [{id: kb-1, title: Paying, text: Pay in full.}]
  tools:
    - name: read_order
      description: Read an order.
      inputSchema: {type: object, properties: {id: {type: string}}, required: [id], additionalProperties: false}
      handler: {kind: read, path: 'orders[{id}]'}
    - name: pay
      risk: WRITE_IRREVERSIBLE
      idempotency: {header: Idempotency-Key}
      inputSchema: {type: object, properties: {id: {type: string}, amount: {type: number}}, required: [id]}
      handler:
        kind: mutate
        path: 'orders[{id}]'
        effects: [{op: increment, path: 'orders[{id}].paid', by: 1}]
        response: {paid: '{= state.orders[id].paid }', call: '{call.seq}'}
    - name: note
      risk: WRITE_REVERSIBLE
      handler: {kind: echo}
    - name: slow
      handler: {kind: custom, adapter: slow}
"""

_tokens = itertools.count()


def shop(slow: Callable[..., Any] = lambda *_: None) -> CompiledTwin:
    model = read(SHOP, file="shop.yaml", models={"TwinDefinition": TwinDefinition}).model
    return compile(model, adapters={"slow": slow})


def fault(type: str, target: str = "*", **fields: Any) -> FaultRule:
    return FaultRule.model_validate({"target": target, "behavior": {"type": type, **fields}})


@dataclass
class Client:
    """A case on a server, and a caller of its tools."""

    server: TwinServer
    case: Case
    url: str

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> http.client.HTTPResponse:
        """The answer, read; `data` is its body and `json` its value."""
        parts = urlsplit(self.url)
        with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)) as connection:
            data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            connection.request(method, parts.path + path, data, dict(headers or {}))
            answer: Any = connection.getresponse()
            answer.data = answer.read()
            answer.json = json.loads(answer.data) if answer.data else None
            return answer

    def call(self, tool: str, _headers: Mapping[str, str] | None = None, /, **arguments: Any) -> Any:
        return self.ask("POST", f"/tools/{tool}", arguments, _headers)

    def raw(self, data: bytes, *, seconds: float = 10) -> bytes:
        """All that comes until the other side closes, after sending exactly these bytes."""
        with self.socket(seconds) as connection:
            connection.sendall(data)
            return rest(connection)

    def socket(self, seconds: float = 10) -> socket.socket:
        parts = urlsplit(self.url)
        return socket.create_connection((parts.hostname, parts.port), timeout=seconds)

    def request(self, tool: str, body: bytes = b'{"id": "A-1"}', **headers: str) -> bytes:
        """The bytes of one call, after which the connection is closed."""
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        head = [
            f"POST {urlsplit(self.url).path}/tools/{tool} HTTP/1.1",
            "Host: 127.0.0.1",
            "Connection: close",
            f"Content-Length: {len(body)}",
            *lines,
        ]
        return "\r\n".join([*head, "", ""]).encode() + body

    @property
    def statuses(self) -> list[int | None]:
        return [call.status for call in self.case.world.calls]

    def end(self) -> None:
        assert self.case.end()
        self.case.let_go(running=False)


def rest(connection: socket.socket) -> bytes:
    found = b""
    try:
        while part := connection.recv(65_536):
            found += part
    except ConnectionResetError:
        pass
    return found


def open_case(
    server: TwinServer,
    *faults: FaultRule,
    twin: CompiledTwin | None = None,
    seconds: float = 60,
    **begins: Any,
) -> Client:
    world = begin(twin or _SHOP, faults=faults, **begins)
    case = Case(world, token=f"token-{next(_tokens)}", started=time.monotonic(), seconds=seconds)
    url = lend_http(server)(case).http_url
    assert url is not None
    return Client(server, case, url)


_SHOP = shop()
