"""Ways to get an opinion."""

from agenttwin.judges._keyword import KeywordJudge

__all__ = ["KeywordJudge"]
