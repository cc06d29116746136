"""Ways to drive the agent under test."""

from agenttwin.agents._process import ProcessAgent
from agenttwin.agents._python import PythonAgent
from agenttwin.agents._scripted import ScriptedAgent, ScriptedCall

__all__ = ["ProcessAgent", "PythonAgent", "ScriptedAgent", "ScriptedCall"]
