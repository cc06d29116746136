"""The command line and the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from agenttwin.cli import _main as cli
from agenttwin.report import FORMATS
from agenttwin.workspace import _settings as workspace_settings

from ._documents import schema_of, type_of
from ._markdown import code, codes, fence, join, link, page, slug, table, value

FORMAT_WORDS: Final[Mapping[str, str]] = {
    "terminal": "The text that the terminal shows, without colour.",
    "markdown": "For a pull request: limited in size, worst first, with a marker by which a comment can be found again.",
    "html": "One file without scripts, for people.",
    "junit": "For a CI's test view: worse is a failure, incomplete an error, inconclusive skipped.",
    "sarif": "SARIF 2.1.0 for code scanning: each finding at its scenario's line.",
    "json": "Everything, as `comparison/1` or `run/1`; its schema is printed by `agenttwin schema`.",
}

HELP: Final = ["-h", "--help"]
"""As the group has it: click keeps the first answer for a command."""

VARIABLES: Final[Mapping[str, str]] = {
    "GITHUB_STEP_SUMMARY": "Where it is set, `compare`, `reproduce` and `run` append their report to that file: the page of the "
    "step in GitHub Actions.",
    "COLUMNS": "How wide the text is, where the terminal does not say it or is not to.",
    "NO_COLOR": "Where it is set, no colour and no live line.",
    "FORCE_COLOR": "Where it is set and not 0, colour also where no terminal is.",
    "TERM": "`dumb` means no colour and no live line.",
    "CI": "Where it is set, no live line.",
    "USER": "Who decides in `review` where `--by` says nothing.",
    "USERNAME": "The same, where `USER` is not set.",
    "AGENTTWIN_KEY": "The key that `push` shows to the server; `agenttwin keys create` makes one.",
    "AGENTTWIN_SERVER": "The server that `push` sends to, where `--server` is left out.",
    "AGENTTWIN_DATABASE": "Where `serve`, `keys` and `doctor` look for runs, where `--database` is left out.",
}
"""Variables beside those of the settings."""


def command_line() -> str:
    """The page of commands."""
    return page(
        "Command line",
        "`agenttwin [-C DIR] COMMAND`. Data goes to stdout, everything else to stderr. Which number a command ends with is "
        "told under [exit codes](results.md#exit-codes).",
        table(("command", "what it does"), _overview()),
        "## agenttwin",
        _parameters(cli.group),
        *_commands(),
        "## Report formats",
        "`--report FORMAT=PATH`, any number of times. A relative path begins where `-C` says, or in the folder you are in. "
        "Every path is tried before anything is run.",
        table(("format", "what it is"), ((code(name), FORMAT_WORDS[name]) for name in FORMATS)),
    )


def _overview() -> Iterator[tuple[str, str]]:
    for name, row in cli.group.table.items():
        yield link(code(name), f"#agenttwin-{slug(name)}"), row.help


def commands() -> dict[str, click.Command]:
    """Every command by its name; one of a group by both words."""
    return dict(_below(cli.group, ""))


def _below(group: click.Group, before: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None:
            yield f"{before}{name}", command
        if isinstance(command, click.Group):
            yield from _below(command, f"{before}{name} ")


def _commands() -> Iterator[str]:
    for name, command in commands().items():
        context = click.Context(command, info_name=f"agenttwin {name}", help_option_names=HELP)
        usage = " ".join(command.collect_usage_pieces(context))
        told = " ".join((command.help or "").replace("\f", "").split())
        yield join(
            (f"## agenttwin {name}", told, fence("text", f"agenttwin {name} {usage}"), _parameters(command))
        )


def _parameters(command: click.Command) -> str:
    context = click.Context(command, info_name="x", help_option_names=HELP)
    options = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    return table(("option", "what it does"), (_option(each, context) for each in options))


def _option(option: click.Option, context: click.Context) -> tuple[str, str]:
    record = option.get_help_record(context)
    names, told = record or (", ".join(option.opts), option.help or "")
    return code(names.replace("|", " or ")), told


def settings() -> str:
    """The page of settings."""
    return page(
        "Settings",
        "A setting has one value for a run. A flag wins over a variable, a variable over "
        "[`agenttwin.yaml`](workspace.md), and that over the default. `agenttwin doctor` says for each where its value came "
        "from.",
        table(("setting", "variable", "flag", "values", "default", "meaning"), _settings()),
        "An empty variable counts as not set. Names and values may also stand in a file `.env` beside `agenttwin.yaml`, as "
        "`NAME=value` lines; what the environment has wins over it.",
        "## Other variables",
        table(("variable", "meaning"), ((code(name), told) for name, told in VARIABLES.items())),
        "## The agent's environment",
        "`agents.NAME.env` in `agenttwin.yaml` is what an agent finds in its environment. `${NAME}` there is taken from "
        "the environment or from `.env`. Such values are never stored, and are masked in what an agent prints.",
    )


def _settings() -> Iterator[tuple[str, ...]]:
    schema = schema_of("Workspace")
    flags = {name for command in commands().values() for each in command.params for name in each.opts}
    for name, row in workspace_settings.SETTINGS.items():
        field = schema["properties"][name]
        shown = name
        if name == "judge":
            shown, field = "judge.provider", schema["$defs"]["JudgeEntry"]["properties"]["provider"]
        flag = "--" + name.replace("_", "-")
        default = field.get("default")
        yield (
            code(shown),
            code(workspace_settings.PREFIX + name.upper()),
            code(flag) if flag in flags else "–",
            _values(field, schema["$defs"]),
            "–" if default is None else value(default),
            row.help,
        )


def _values(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    return codes([field["const"]]) if "const" in field else type_of(field, definitions)
