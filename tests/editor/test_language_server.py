"""Completion, hover and problems in an editor, asked of the YAML language server that editors run."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agenttwin.lab import write_example

pytestmark = [
    pytest.mark.extended,
    pytest.mark.skipif(shutil.which("npm") is None, reason="the language server comes from npm"),
]


class Server:
    """A language server on standard input and output, asked one thing at a time."""

    def __init__(self, program: Path, root: Path) -> None:
        self._process = subprocess.Popen(
            ["node", str(program), "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root
        )
        self._number = 0
        self.told: dict[str, list[Any]] = {}
        self.ask("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": {}})
        self.tell("initialized", {})

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self._number and "method" not in message:
                return message.get("result")
            self._take(message)

    def problems(self, uri: str) -> list[str]:
        """The problems of a document, once they were told."""
        while uri not in self.told:
            self._take(self._receive())
        return [item["message"] for item in self.told[uri]]

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("method") == "textDocument/publishDiagnostics":
            self.told[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "id" in message and "method" in message:  # the server asks us: it may do as it likes
            items = message.get("params", {}).get("items", [])
            result = [{} for _ in items] if message["method"] == "workspace/configuration" else None
            self._send({"id": message["id"], "result": result})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._process.stdout
        assert stream
        length = 0
        while (line := stream.readline().strip()) or not length:
            assert line or not stream.closed
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        found: dict[str, Any] = json.loads(stream.read(length))
        return found

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("npm")
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "yaml-language-server"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_example("starter", tmp_path)
    return tmp_path


@pytest.fixture
def server(program: Path, root: Path) -> Iterator[Server]:
    server = Server(program, root)
    yield server
    server.close()


def opened(server: Server, file: Path, text: str) -> str:
    uri = file.as_uri()
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
    server.tell("textDocument/didOpen", {"textDocument": document})
    return uri


@pytest.mark.parametrize(
    ("file", "line", "expected"),
    [
        ("scenarios/adds-credit.yaml", "  timeou", "timeoutSeconds"),
        ("twin.yaml", "  tenantK", "tenantKey"),
        ("manifests/1.0.0.yaml", "  promptR", "promptRef"),
        ("agenttwin.yaml", "isol", "isolation"),
    ],
)
def test_fields_are_completed(server: Server, root: Path, file: str, line: str, expected: str) -> None:
    text = (root / file).read_text().rstrip("\n") + f"\n{line}"
    uri = opened(server, root / file, text)
    place = {"line": text.count("\n"), "character": len(line)}
    found = server.ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": place})
    assert expected in [item["label"] for item in found["items"]]


def test_a_field_is_explained(server: Server, root: Path) -> None:
    file = root / "scenarios" / "adds-credit.yaml"
    text = file.read_text()
    uri = opened(server, file, text)
    number = next(n for n, line in enumerate(text.splitlines()) if line.startswith("  twin:"))
    place = {"line": number, "character": 3}
    found = server.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
    assert "The twin that answers its tools" in json.dumps(found)


@pytest.mark.parametrize(
    "file", ["agenttwin.yaml", "twin.yaml", "scenarios/adds-credit.yaml", "manifests/1.0.0.yaml"]
)
def test_what_init_writes_has_no_problem(server: Server, root: Path, file: str) -> None:
    assert server.problems(opened(server, root / file, (root / file).read_text())) == []


def test_a_slip_is_told_as_one_types(server: Server, root: Path) -> None:
    file = root / "scenarios" / "adds-credit.yaml"
    uri = opened(server, file, file.read_text().replace("severity: high", "severity: hihg"))
    assert any("hihg" in text or "critical" in text for text in server.problems(uri))
