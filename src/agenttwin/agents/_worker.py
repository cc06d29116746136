"""The near end of a process that runs an agent: started early, one turn at a time, killed if need be."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from agenttwin.agents._group import how_it_ended, kill_group
from agenttwin.agents._wire import Wire
from agenttwin.errors import AgentTwinError
from agenttwin.run import AgentFailed, Lease, Request, Sink
from agenttwin.transcript import Claim, Ending, decode_claim

NO_JSON: Final[Any] = {"": object()}
"""In place of arguments that could not be sent: the tool refuses them, and that is recorded."""

_PROGRAM = (
    "import sys; sys.path[:] = {path!r}; from agenttwin.agents._child import main; "
    "main({target!r}, {intercepted!r})"
)


class Worker:
    """One process. ``ready`` once the agent is loaded; ``usable`` until it was killed, or ended by itself."""

    def __init__(
        self, target: str, folder: str, env: Mapping[str, str], intercepted: Mapping[str, str]
    ) -> None:
        path = [folder, *(entry for entry in sys.path if entry != folder)]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM.format(path=path, target=target, intercepted=dict(intercepted))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **env},
            start_new_session=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._wire = Wire(self._process.stdout, self._process.stdin)
        self._sink: Sink | None = None
        self._turns = 0
        self.ready = False
        self.usable = True
        threading.Thread(target=self._drain, name="agenttwin-drain", daemon=True).start()

    def get_ready(self, lease: Lease) -> None:
        """Waits until the agent is loaded; AgentFailed where it cannot be."""
        self._sink = lease.case.sinks[1]
        kind, content = self._receive()
        if kind != "ready":
            self.kill()
            message, traceback = content
            text = f"It could not be loaded: {message}"
            raise AgentFailed(Ending.AGENT_CRASHED, text, traceback=traceback)
        self.ready = True

    def turn(self, request: Request, lease: Lease) -> Claim:
        """Runs one turn, answering the agent's calls from here."""
        self._turns += 1
        self._sink = lease.case.sinks[1]
        try:
            self._wire.send("turn", self._turns, _as_json(request))
            while True:
                kind, (number, *content) = self._receive()
                if number != self._turns:
                    continue
                if kind == "done":
                    return _claim(lease, *content)
                self._answer(lease, kind, content)
        except EOFError:
            raise self._crashed() from None
        finally:
            self._sink = None

    def kill(self) -> None:
        """Ends the process and those that it started."""
        self.usable = False
        kill_group(self._process)

    def close(self) -> None:
        """Ends the process and lets go of it."""
        self.kill()
        self._process.wait()
        self._wire.close()

    def _answer(self, lease: Lease, kind: str, content: list[Any]) -> None:
        if kind == "printed":
            stream, text = content
            lease.case.sinks[stream].write(text)
            return
        try:
            self._wire.send("answered", _asked(lease, kind, content))
        except AgentTwinError as error:
            self._wire.send("raised", error.code, error.message)

    def _receive(self) -> tuple[str, list[Any]]:
        try:
            return self._wire.receive()
        except EOFError:
            raise self._crashed() from None

    def _crashed(self) -> AgentFailed:
        """Why nothing more comes from the process."""
        self.kill()
        how = how_it_ended(self._process.wait())
        return AgentFailed(Ending.AGENT_CRASHED, f"Its process {how}.")

    def _drain(self) -> None:
        """Keeps what is written past Python's streams: by C code, other programs, a dying interpreter."""
        stream = self._process.stderr
        assert stream
        with contextlib.suppress(OSError, ValueError), stream:
            while data := stream.read1(65_536):  # type: ignore[attr-defined]
                sink = self._sink
                if sink is not None:
                    sink.write(data.decode("utf-8", "replace"))


def _asked(lease: Lease, kind: str, content: list[Any]) -> Any:
    if kind == "specs":
        return [asdict(spec) for spec in lease.tools.specs]
    if kind == "search":
        return lease.tools.search(content[0])
    tool, arguments, headers = content
    reply = lease.tools.call(tool, NO_JSON if arguments is None else arguments, headers=headers)
    return {name: getattr(reply, name) for name in ("status", "ok", "headers", "text", "body")}


def _claim(lease: Lease, cut: list[int], *outcome: str) -> Claim:
    for sink, characters in zip(lease.case.sinks, cut, strict=True):
        sink.skip(characters)
    if len(outcome) == 1:
        return decode_claim(outcome[0].encode())
    ending, message, traceback = outcome
    raise AgentFailed(Ending(ending), message, traceback=traceback)


def _as_json(request: Request) -> dict[str, Any]:
    return {name: getattr(request, name) for name in Request.__dataclass_fields__}
