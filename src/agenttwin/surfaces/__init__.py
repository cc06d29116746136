"""Ways to lend a twin to an agent."""

from agenttwin.surfaces._python import PythonTools, lend_python, seen

__all__ = ["PythonTools", "lend_python", "seen"]
