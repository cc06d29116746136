"""Groups of commands whose modules are imported when they are used: a table says which there are."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True, slots=True)
class Row:
    """One command: the module that holds it, and the line that `--help` shows."""

    module: str
    help: str


class Lazy(click.Group):
    """A group that imports a command's module only when that command is run."""

    def __init__(self, *args: Any, commands_table: Mapping[str, Row], **more: Any) -> None:
        super().__init__(*args, **more)
        self.table = commands_table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the table's order."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command itself, imported now."""
        if cmd_name not in self.table:
            return None
        module = importlib.import_module(f"agenttwin.cli.{self.table[cmd_name].module}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Click's own, with the nearest command named where there is none."""
        from agenttwin.values import nearest

        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in self.table:
            close = nearest(name, self.table)
            ctx.fail(f"There is no command {name!r}." + (f" Did you mean {close!r}?" if close else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table as it is: nothing is imported to print the help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, row.help) for name, row in self.table.items()])
