"""Ways to drive the agent under test."""

from agenttwin.agents._command import CommandAgent
from agenttwin.agents._http import HttpAgent
from agenttwin.agents._process import ProcessAgent
from agenttwin.agents._python import PythonAgent
from agenttwin.agents._scripted import ScriptedAgent, ScriptedCall
from agenttwin.agents._server import AgentServer

__all__ = [
    "AgentServer",
    "CommandAgent",
    "HttpAgent",
    "ProcessAgent",
    "PythonAgent",
    "ScriptedAgent",
    "ScriptedCall",
]
