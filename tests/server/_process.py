"""`agenttwin serve` as a process of its own, for tests that treat it badly."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit


class Server:
    """A server that has been started and said where it is. Ends with the block."""

    def __init__(self, root: Path, *options: str, env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "agenttwin.cli", "serve", "--port", "0", *options]
        self.log = (root.parent / f"{root.name}.log").open("ab")
        self.process = subprocess.Popen(
            command, cwd=root, stdout=subprocess.PIPE, stderr=self.log, env={**os.environ, **(env or {})}
        )
        assert self.process.stdout
        line = self.process.stdout.readline().decode()
        assert line.startswith("AgentTwin serves http://127.0.0.1:"), Path(self.log.name).read_text()
        self.address = line.split()[-1]
        self.port = urlsplit(self.address).port or 0

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def kill(self) -> None:
        """Ends it with SIGKILL, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        self.log.close()

    def ask(self, path: str, body: object = None, *, timeout: float = 30.0) -> Any:
        """The answer of a route of the API as JSON; an OSError where there is none."""
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(
            f"{self.address}/api/v1/{path}", data, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)

    def settled(self, path: str, *, timeout: float = 60.0) -> Any:
        """What a pair or run is in the end."""
        until = time.monotonic() + timeout
        while (found := self.ask(path))["state"] in ("queued", "running"):
            assert time.monotonic() < until, found
            time.sleep(0.02)
        return found

    @property
    def resident(self) -> int:
        """The memory that it holds now, in bytes."""
        return self._status("VmRSS")

    @property
    def peak(self) -> int:
        """The most memory that it held since `forget_peak`, in bytes."""
        return self._status("VmHWM")

    def forget_peak(self) -> None:
        """Lets `peak` begin anew."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def _status(self, name: str) -> int:
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(rf"^{name}:\s+(\d+) kB$", text, re.MULTILINE)
        assert found, text
        return int(found[1]) * 1024
