"""The demo's agent with tools of its own: plain functions, which it calls past the ones that it is lent."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import shop_functions

from agenttwin import ToolError

spec = importlib.util.spec_from_file_location(
    "demo_agent", Path(shop_functions.__file__).with_name("agent.py")
)
demo = importlib.util.module_from_spec(spec)
sys.modules["demo_agent"] = demo  # dataclasses look their module up
spec.loader.exec_module(demo)


class Functions:
    """What the demo's agent takes for its tools."""

    def __init__(self, lent: Any) -> None:
        self.search = lent.search

    def call(self, tool: str, **arguments: Any) -> Any:
        try:
            body = getattr(shop_functions, tool)(**arguments)
        except ToolError as error:
            return error.reply
        return SimpleNamespace(ok=True, status=200, body=body)


def run(request: Any, tools: Any) -> Any:
    return demo.run(request, Functions(tools))
