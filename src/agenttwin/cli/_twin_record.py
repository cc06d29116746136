"""`agenttwin twin record`: between an agent and its real tools, writing down what is said."""

from __future__ import annotations

from pathlib import Path

import click

from agenttwin.cli._output import say, show


@click.command()
@click.option("--upstream", metavar="URL", help="The address of the real API.")
@click.option("--upstream-mcp", metavar="URL|COMMAND", help="Or the real server of MCP.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=Path("recording.jsonl"),
    show_default=True,
    metavar="FILE",
    help="Where exchanges are written; what is there already stays.",
)
@click.option(
    "--twin", type=click.Path(path_type=Path), metavar="FILE", help="Draft a twin of it in the end."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, help="Where to listen (default: a free port)."
)
def command(
    upstream: str | None, upstream_mcp: str | None, output: Path, twin: Path | None, host: str, port: int
) -> int:
    """Pass an agent's requests on to the real API, and write every exchange down.

    Point the agent at the address that is printed instead of the real one, and let it work; Ctrl+C ends the
    recording. Credentials are passed on and never written down. `agenttwin twin new --recording FILE` drafts
    a twin of it, or --twin at once.
    """
    from agenttwin.errors import UsageError
    from agenttwin.surfaces import is_local, require

    require("server", "uvicorn", "httpx")
    from agenttwin.recording import Recorder, record_http, record_mcp

    if (upstream is None) == (upstream_mcp is None):
        raise UsageError("invalid_upstream", "Say what is recorded: --upstream URL, or --upstream-mcp.")
    if upstream_mcp is not None:
        require("mcp", "mcp")

    if not is_local(host):
        message = f"Whoever reaches {host} could use the credentials of whoever records."
        raise UsageError("not_local", message)
    if twin is not None and twin.exists():
        raise UsageError("file_exists", f"There is already a file {str(twin)!r}.")
    recorder = Recorder(output)

    def ready(address: str) -> None:
        show(f"AgentTwin records {upstream or upstream_mcp} at {address}")
        say(f"Every exchange is written to {output}. Ctrl+C ends it.")

    try:
        if upstream is not None:
            record_http(upstream, recorder, host=host, port=port, ready=ready)
        else:
            record_mcp(str(upstream_mcp), recorder, host=host, port=port, ready=ready)
    finally:
        recorder.close()
        say(f"{recorder.count:,} exchanges were recorded in {output}.")
    if twin is not None and recorder.count:
        from agenttwin.cli._twin_new import keep, of_recording, tell
        from agenttwin.imports import write

        draft = of_recording(output, None)
        keep(write(draft), twin)
        tell(draft, twin)
    return 0
