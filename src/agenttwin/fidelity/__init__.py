"""How far a twin says and does what the real thing does: tools, arguments, answers."""

from agenttwin.fidelity._compare import Difference, Fidelity, hold
from agenttwin.fidelity._replay import replay

__all__ = ["Difference", "Fidelity", "hold", "replay"]
