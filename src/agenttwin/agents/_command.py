"""An agent that is a program: a process for each turn, the request on stdin, the reply as the last line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from agenttwin.agents._claim import claim_from
from agenttwin.agents._group import Group, check_program, how_it_ended
from agenttwin.agents._output import MAX_REPLY_BYTES, TAIL_BYTES, Output, reply_in
from agenttwin.agents._request import as_body, as_environment
from agenttwin.run import AgentFailed, Lease, Request
from agenttwin.transcript import Claim, Ending

PIPE_GRACE_SECONDS: Final = 1.0
"""For what was written to be read, where a process that left the group still holds the pipe."""


class CommandAgent:
    """``argv``, started in ``folder`` for each turn. There is no shell between.

    Its reply is a JSON object as the last line of standard output, or as all of it; where neither is one, all
    that it wrote is its answer. What it writes is kept like the prints of an agent in Python. A deadline ends
    it together with what it started; so does its own end. NotFound where there is no such program.
    """

    def __init__(self, argv: Sequence[str], *, folder: Path, env: Mapping[str, str] | None = None) -> None:
        self._argv = tuple(argv)
        self._folder = folder
        self._env = {**os.environ, **(env or {})}
        check_program(self._argv[0], folder=folder, env=self._env)

    def act(self, request: Request, lease: Lease) -> Claim:
        """One turn."""
        with TemporaryFile() as stdin:  # a pipe would block where a program does not read it
            stdin.write(as_body(request, lease))
            stdin.seek(0)
            env = {**self._env, **as_environment(request, lease)}
            process = Group(self._argv, folder=self._folder, env=env, stdin=stdin)
        lease.case.at_end(lambda running: process.end())
        said = Output(lease.case.sinks[0], room=MAX_REPLY_BYTES)
        told = Output(lease.case.sinks[1], room=TAIL_BYTES)
        readers = process.read(stdout=said.take, stderr=told.take)
        code = process.wait()
        for reader in readers:
            reader.join(PIPE_GRACE_SECONDS)
        if code:
            raise AgentFailed(Ending.AGENT_CRASHED, f"Its process {how_it_ended(code)}.", traceback=told.text)
        return claim_from(reply_in(said))
