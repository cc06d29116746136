"""The two ways an expression fails: when it is read, and when it is evaluated."""


class TemplateError(ValueError):
    """A template, path template or expression that cannot be read.

    `message` says what is wrong, a sentence without its full stop; `position` is the 0-based character in
    the text; `value` is the word it is about and `nearest` the valid word that was probably meant; `path`
    leads to the text in a JSON value that holds several, and `others` are the problems of the other texts.
    """

    def __init__(
        self, message: str, position: int = 0, *, value: str | None = None, nearest: str | None = None
    ) -> None:
        super().__init__(message, position)
        self.message = message
        self.position = position
        self.value = value
        self.nearest = nearest
        self.path: tuple[str | int, ...] = ()
        self.others: tuple[TemplateError, ...] = ()

    def __str__(self) -> str:
        guess = f"; did you mean {self.nearest!r}?" if self.nearest is not None else ""
        place = f" (character {self.position + 1})" if self.position else ""
        return f"{self.message}{guess}{place}"


class UnknownName(TemplateError):  # noqa: N818 - reads as what it tells
    """A text uses a name or a function that does not exist."""


class EvaluationError(Exception):
    """A template or expression that has no value on these data. `message` says why."""

    def __init__(self, message: str, placed: bool = False) -> None:
        super().__init__(message, placed)
        self.message = message

    def __str__(self) -> str:
        return self.message

    def within(self, source: str) -> "EvaluationError":
        """The same failure, naming the expression it happened in; the innermost expression is named."""
        if self.args[1]:
            return self
        shown = source if len(source) <= SHOWN_CHARACTERS else source[: SHOWN_CHARACTERS - 1] + "…"
        return type(self)(f"{self.message}, in {{= {shown} }}", True)


class BudgetExceeded(EvaluationError):  # noqa: N818 - reads as what happened
    """The steps of the tool call are used up; no operator absorbs this."""


SHOWN_CHARACTERS = 200  # of an expression in a message
