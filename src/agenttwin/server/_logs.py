"""What the server writes down: lines on standard error, as text or as JSON."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Final

import orjson

FIELDS: Final = ("method", "route", "status", "ms", "actor", "project")
"""What a line about a request has beside its text."""


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and the fields of a request."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        told |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return orjson.dumps(told, default=str).decode()


def log_to_stderr(kind: str | None) -> None:
    """Has the server's lines written to standard error: requests too where a kind is asked for."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonLines() if kind == "json" else logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    )
    logger = logging.getLogger("agenttwin.server")
    logger.handlers[:] = [handler]
    logger.propagate = False
    logger.setLevel(logging.INFO if kind else logging.WARNING)
