"""`agenttwin twin serve`: one twin on its own, for a person, a script, or an agent under development."""

from __future__ import annotations

import re
import secrets
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import click

from agenttwin.cli._output import data, say, show

if TYPE_CHECKING:
    from agenttwin.twin import CompiledTwin, FaultRule, World

TOKEN_BYTES = 16
TOKEN_PATTERN = r"[A-Za-z0-9_-]{1,64}"


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, help="Where to listen (default: a free port)."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--allow-remote", is_flag=True, help="Let other machines in: they may call every tool and see the world."
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="A name that others use for this machine, such as a container's.",
)
@click.option("--stdio", is_flag=True, help="Speak MCP on standard input and output instead.")
@click.option("--tenant", metavar="T", help="Whose case it is.")
@click.option(
    "--token",
    metavar="TOKEN",
    help="The name in the address (default: dev; with --allow-remote one that nobody can guess).",
)
@click.option("--now", metavar="TIME", help="The time in the twin's world, such as 2026-01-01T00:00:00Z.")
@click.option(
    "--seed",
    default="0",
    show_default=True,
    metavar="N",
    help="What faults with a probability are drawn from.",
)
@click.option(
    "--faults",
    "faults_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Fault rules to arm: a list as in a scenario.",
)
def command(file: Path, **options: Any) -> int:
    """Serve the twin in FILE over HTTP and MCP, with a console page, until it is interrupted.

    Prints one line with the address when it is ready. Tools are called with POST /t/dev/tools/NAME, MCP is
    spoken at /t/dev/mcp; GET /t/dev/state, /t/dev/calls and /t/dev/changes show what happened, POST
    /t/dev/faults arms fault rules, POST /t/dev/reset begins anew.
    """
    from agenttwin.surfaces import require, serve_standard_io

    _check(options)
    require(*(("mcp", "mcp") if options["stdio"] else ("server", "uvicorn", "httptools")))
    twin = _twin(file)
    rules = _rules(options["faults_file"], twin)
    begin = _beginning(twin, options)
    if options["stdio"]:
        world = begin()
        world.arm(rules)
        serve_standard_io(world, data())
        return 0
    return _serve(begin, rules, options)


def _check(options: Mapping[str, Any]) -> None:
    """UsageError where a token is none, or other machines could reach what is not meant for them."""
    from agenttwin.errors import UsageError
    from agenttwin.surfaces import is_loopback

    if options["token"] is not None and not re.fullmatch(TOKEN_PATTERN, options["token"]):
        message = f"{options['token']!r} is no token: it stands in an address."
        raise UsageError("invalid_token", message)
    if options["allow_remote"] or options["stdio"] or is_loopback(options["host"]):
        return
    message = f"Whoever can reach {options['host']} could call every tool, read the world and arm faults."
    raise UsageError("remote_not_allowed", message)


def _twin(path: Path) -> CompiledTwin:
    """The twin in a file; with the workspace's adapters where it needs any."""
    from agenttwin.lab import Twin

    return Twin.load(path, adapters=adapters_of(path)).compiled


def adapters_of(path: Path) -> dict[str, Callable[..., Any]]:
    """Adapters of installed packages, and of the workspace that the file lies in."""
    from agenttwin.errors import NotFound
    from agenttwin.workspace import ADAPTERS, find_root, open_workspace, registered

    folder = path.resolve().parent
    if b"custom" not in _text(path):
        return {}
    try:
        root = find_root(folder)
    except NotFound:
        return registered(ADAPTERS, {}, folder)
    return registered(ADAPTERS, open_workspace(root).file.adapters, root)


def _text(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _rules(path: Path | None, twin: CompiledTwin) -> tuple[FaultRule, ...]:
    from agenttwin.errors import NotFound
    from agenttwin.surfaces import read_faults

    if path is None:
        return ()
    if not path.is_file():
        raise NotFound("no_such_file", f"There is no file {str(path)!r}.")
    return read_faults(path.read_bytes(), file=path.name, tools=twin.tools)


def _beginning(twin: CompiledTwin, options: Mapping[str, Any]) -> Callable[[], World]:
    from agenttwin.surfaces import CALL_LIMIT
    from agenttwin.twin import begin

    def fresh() -> World:
        return begin(
            twin, tenant=options["tenant"], now=options["now"], seed=options["seed"], call_limit=CALL_LIMIT
        )

    fresh()  # what is wrong with it is told before anything is served
    return fresh


def _serve(begin: Callable[[], World], rules: tuple[FaultRule, ...], options: Mapping[str, Any]) -> int:
    from agenttwin.surfaces import DEV_TOKEN, StandAlone, calm_collector

    token = options["token"] or (secrets.token_hex(TOKEN_BYTES) if options["allow_remote"] else DEV_TOKEN)
    over = SimpleQueue[None]()  # not an Event: a handler that sets one may find its lock held by who waits
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.put(None))
    with (
        calm_collector(),
        StandAlone(
            begin,
            faults=rules,
            token=token,
            host=options["host"],
            port=options["port"],
            names=options["names"],
        ) as served,
    ):
        show(served.url)
        if served.address.mcp_url is None:
            say("MCP is not served: pip install 'agenttwin[mcp]' adds it.")
        say(f"This is the console; tools are at {served.address.http_url}/tools. Ctrl+C ends it.")
        over.get()
    return 0
