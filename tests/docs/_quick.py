"""The command `agenttwin`, without waiting for its imports: a process that has them forks for each call.

A page calls the command often, journeys too, and most of a call is imports. `folder()` gives a folder for the
PATH, with a command of that name; what it does is what the installed one does, in a process of its own.
What Python reads when it starts (PYTHONHASHSEED, PYTHONIOENCODING) is that of the process that forks.

    python -m tests.docs._quick serve SOCKET       the process that forks
    python _quick.py SOCKET [ARGUMENT …]           one call, which stands in the command
"""

import array
import json
import os
import socket
import sys
from functools import cache

FD_BYTES = array.array("i").itemsize
MAX_CALL = 1 << 20


def call(path: str, arguments: list[str]) -> int:
    """One call: its arguments, folder, environment and streams go to the server; its status comes back."""
    told = json.dumps(
        {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    ).encode()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        server.sendmsg([b"!"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
        server.sendall(told)
        server.shutdown(socket.SHUT_WR)
        return int(server.recv(16))


def serve(path: str) -> None:
    """Imports the product, then forks for each call, one after the other, until who started it is gone."""
    import select

    _import_everything()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        while listener in select.select([listener, sys.stdin], [], [])[0]:
            caller, _ = listener.accept()
            with caller:
                _, ancillary, _, _ = caller.recvmsg(1, socket.CMSG_SPACE(3 * FD_BYTES))
                streams = array.array("i", ancillary[0][2][: 3 * FD_BYTES])
                told = json.loads(caller.makefile("rb").read(MAX_CALL))
                if (child := os.fork()) == 0:
                    return _become(told, streams)
                for stream in streams:
                    os.close(stream)
                caller.sendall(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _import_everything() -> None:
    """What most commands need, so that the forks have it; the models of documents too, which a use builds."""
    import importlib
    from pathlib import Path

    from agenttwin.scenario import MODELS

    for name in ("agents", "evaluate", "frameworks", "run", "storage"):
        package = importlib.import_module(f"agenttwin.{name}")
        for public in package.__all__:
            getattr(package, public)
    for module in Path(importlib.import_module("agenttwin.cli").__path__[0]).glob("_[a-z]*.py"):
        importlib.import_module(f"agenttwin.cli.{module.stem}")
    for model in MODELS.values():
        model.model_rebuild(force=True)


def _become(told: dict, streams: array.array) -> None:
    """In the fork: be the command that was called, to its end."""
    from agenttwin.cli import main

    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["environment"])
    sys.argv = ["agenttwin", *told["arguments"]]
    sys.path[0] = os.path.dirname(sys.executable)  # as for the installed command
    main()


@cache
def folder() -> str:
    """A folder with the command; the server ends with this process."""
    import atexit
    import subprocess
    import tempfile
    import time
    from pathlib import Path

    home = tempfile.TemporaryDirectory(prefix="agenttwin-docs-")
    atexit.register(home.cleanup)
    path = Path(home.name, "socket")
    server = subprocess.Popen(
        [sys.executable, "-m", __name__, "serve", str(path)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,  # its end is how the server learns that this process was ended from outside
    )
    atexit.register(server.kill)
    command = Path(home.name, "bin", "agenttwin")
    command.parent.mkdir()
    command.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -SE "{__file__}" "{path}" "$@"\n', encoding="utf-8"
    )
    command.chmod(0o755)
    while not path.exists():
        assert server.poll() is None, "the server of the command did not start"
        time.sleep(0.01)
    return str(command.parent)


def command() -> str:
    """The command in that folder."""
    return os.path.join(folder(), "agenttwin")


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        sys.exit(call(sys.argv[1], sys.argv[2:]))
