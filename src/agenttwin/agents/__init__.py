"""Ways to drive the agent under test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agenttwin._lazy import lazily

if TYPE_CHECKING:
    from agenttwin.agents._claim import claim_from
    from agenttwin.agents._command import CommandAgent
    from agenttwin.agents._git import Repository, Revision, Setup, in_checkout
    from agenttwin.agents._http import HttpAgent
    from agenttwin.agents._model import ModelAgent
    from agenttwin.agents._model_budget import Budget, ModelPrice, estimate
    from agenttwin.agents._model_dialect import ModelSettings
    from agenttwin.agents._process import ProcessAgent
    from agenttwin.agents._python import PythonAgent
    from agenttwin.agents._scripted import ScriptedAgent, ScriptedCall
    from agenttwin.agents._server import AgentServer
else:
    __getattr__ = lazily(
        __name__,
        {
            "_claim": "claim_from",
            "_command": "CommandAgent",
            "_git": "Repository Revision Setup in_checkout",
            "_http": "HttpAgent",
            "_model": "ModelAgent",
            "_model_budget": "Budget ModelPrice estimate",
            "_model_dialect": "ModelSettings",
            "_process": "ProcessAgent",
            "_python": "PythonAgent",
            "_scripted": "ScriptedAgent ScriptedCall",
            "_server": "AgentServer",
        },
    )

__all__ = [
    "AgentServer",
    "Budget",
    "CommandAgent",
    "HttpAgent",
    "ModelAgent",
    "ModelPrice",
    "ModelSettings",
    "ProcessAgent",
    "PythonAgent",
    "Repository",
    "Revision",
    "ScriptedAgent",
    "ScriptedCall",
    "Setup",
    "claim_from",
    "estimate",
    "in_checkout",
]
