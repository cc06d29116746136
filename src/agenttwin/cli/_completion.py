"""`agenttwin completion`: the script that lets a shell complete commands, versions and scenarios."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from agenttwin.cli._output import show

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_AGENTTWIN_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print the completion script of SHELL.

    bash: put `eval "$(agenttwin completion bash)"` into ~/.bashrc; zsh the same with zsh into ~/.zshrc; fish:
    `agenttwin completion fish > ~/.config/fish/completions/agenttwin.fish`.
    """
    from agenttwin.cli._main import group

    found = get_completion_class(shell)
    assert found is not None, "click knows these shells"
    show(found(group, {}, "agenttwin", VARIABLE).source())
    return 0
