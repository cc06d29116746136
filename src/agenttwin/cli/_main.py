"""The command line: a table of commands, each loaded when it is used, and one place where errors end."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping, Sequence

import click

from agenttwin.cli._lazy import Lazy, Row
from agenttwin.cli._output import keep_stdout, leave, let_go, say
from agenttwin.errors import AgentTwinError, DocumentError

USAGE_ERROR = 2
INTERRUPTED = 130


COMMANDS: Mapping[str, Row] = {
    "demo": Row("_demo", "See a refund paid twice by an agent that says the same words as before."),
    "init": Row("_init", "Write a small workspace to start from, or the demo's with --example."),
    "check": Row("_check", "Read every document of the workspace and list every problem."),
    "run": Row("_run", "Run one version of an agent and grade it."),
    "compare": Row("_compare", "Run two versions as one pair and say what the change did."),
    "reproduce": Row("_reproduce", "Compare a version with itself: does it do the same thing twice?"),
    "regrade": Row("_regrade", "Grade what was recorded again by today's expectations; no agent is run."),
    "list": Row("_list", "List comparisons, runs, scenarios, suites, versions or twins."),
    "show": Row("_show", "Show a comparison, a run, or one case with every call."),
    "explain": Row("_explain", "Tell the story of one case: what the agent believed, what the world did."),
    "review": Row("_review", "Set the result of one expectation by hand, with a note."),
    "serve": Row("_serve", "Show the workspace in a browser, and run versions from there."),
    "push": Row("_push", "Send a comparison or run to a team's server."),
    "keys": Row("_keys", "Make, list and revoke the keys of a server."),
    "twin": Row("_twin", "Draft, serve or try one twin on its own."),
    "schema": Row("_schema", "Print or write the JSON Schemas of the documents."),
    "completion": Row("_completion", "Print the script that lets a shell complete commands and names."),
    "doctor": Row("_doctor", "Say what AgentTwin finds here, and where each setting comes from."),
}
"""The one table of commands, in the order of `--help`."""


@click.group(cls=Lazy, commands_table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-C", "directory", metavar="DIR", default=".", help="Work as if started in DIR (default: this folder)."
)
@click.version_option(package_name="agenttwin", message="agenttwin %(version)s")
@click.pass_context
def group(ctx: click.Context, directory: str) -> None:
    """Run an agent against stateful stand-ins of its tools, and learn what provably happened.

    Exit codes: 0 nothing worse, 1 worse, 2 usage or document error, 3 incomplete or no evidence,
    5 nothing selected, 130 interrupted.
    """
    from agenttwin.errors import NotFound

    try:
        os.chdir(directory)
    except OSError:
        message = f"There is no folder {directory!r}."
        raise NotFound("no_such_file", message, "Correct its name.") from None
    ctx.obj = "."  # where we are now


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code; data goes to stdout, everything else to stderr.

    Without ``arguments`` the process is the command's own, and so is its standard output.
    """
    if arguments is None:
        keep_stdout()
    here = os.getcwd()
    try:
        code = _run(arguments)
    finally:
        os.chdir(here)
    leave(code)


def _run(arguments: Sequence[str] | None) -> int:
    """Runs the command; whatever it raises becomes words and a code."""
    try:
        code = group.main(args=arguments, prog_name="agenttwin", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = USAGE_ERROR
    except (KeyboardInterrupt, click.Abort):
        say("Interrupted. What was finished is kept.")
        code = INTERRUPTED
    except DocumentError as error:
        say(str(error))
        code = USAGE_ERROR
    except AgentTwinError as error:
        say(f"Error: {error} [{error.code}]")
        code = USAGE_ERROR
    except BrokenPipeError:
        let_go()
        code = 0
    except OSError as error:
        say(f"Error: Reading or writing failed: {error.strerror or error}.")
        let_go()
        code = USAGE_ERROR
    except Exception:
        traceback.print_exc()
        say("Error: This is a fault of AgentTwin itself, and says nothing about an agent. Please report it.")
        code = USAGE_ERROR
    return code if isinstance(code, int) else 0
