"""A person's override → effective results."""

from agenttwin.review._override import MAX_NOTE, Override, effective

__all__ = ["MAX_NOTE", "Override", "effective"]
