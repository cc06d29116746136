"""How far a twin says and does what the real thing does: tools, arguments, answers."""

from agenttwin.fidelity._compare import Difference, Fidelity, hold

__all__ = ["Difference", "Fidelity", "hold"]
