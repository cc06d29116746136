"""The command line, the front door of the terminal."""

from agenttwin.cli._main import main

__all__ = ["main"]
