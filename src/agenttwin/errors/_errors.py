"""The exceptions of AgentTwin: few, each with a stable code, a sentence, and what to do about it."""

from collections.abc import Iterable

from agenttwin.errors._codes import CODES
from agenttwin.errors._problem import Problem, render


class AgentTwinError(Exception):
    """Anything that AgentTwin refuses or cannot do.

    `code` is a row of `CODES`; `message` says what is wrong; `remedy` what to do (default: the code's own).
    `str()` is the message followed by the remedy.
    """

    def __init__(self, code: str, message: str, remedy: str = "") -> None:
        super().__init__(code, message, remedy)
        self.code = code
        self.message = message
        self.remedy = remedy or (CODES[code].remedy if code in CODES else "")

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()


class DocumentError(AgentTwinError):
    """A document that cannot be used: `problems` holds all that is wrong, warnings included."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("invalid_document", render(self.problems))
        self.args = (self.problems,)  # what unpickling passes to __init__

    def __str__(self) -> str:
        return self.message


class UsageError(AgentTwinError):
    """The request makes no sense as it was made: a flag, a name, a combination."""


class NotFound(AgentTwinError):  # noqa: N818 - reads as what happened: `except NotFound`
    """The thing that was named does not exist."""


class Conflict(AgentTwinError):  # noqa: N818
    """What was asked contradicts what is stored."""


class Denied(AgentTwinError):  # noqa: N818
    """Whoever asked may not."""


class LimitExceeded(AgentTwinError):  # noqa: N818
    """Something is larger, deeper, longer or slower than its limit."""
