"""The text form of a value, and how much text an expression may make."""

from typing import Final

from agenttwin.expression._errors import EvaluationError
from agenttwin.expression._scope import Dynamic
from agenttwin.values import MISSING, canonical

MAX_TEXT: Final = 4 * 2**20
"""Characters of a text that a template or expression makes: no answer is longer, and doubling ends here."""

MAX_ELEMENTS: Final = 100_000
"""Elements of a list that an operator or function makes from one text or two lists."""


def text_form(value: Dynamic) -> str:
    """How a value stands in a text: text as it is, null and MISSING empty, all else as canonical JSON."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is int:
        return str(value)
    if value is None or value is MISSING:
        return ""
    return spelling(value).decode()


def spelling(value: Dynamic) -> bytes:
    """The canonical JSON of a value."""
    try:
        return canonical(value)
    except ValueError as error:
        raise EvaluationError(f"the value cannot be written as JSON: {error}") from None


def check_text(characters: int) -> None:
    """EvaluationError where a text of so many characters may not be made."""
    if characters > MAX_TEXT:
        raise EvaluationError(f"a text of {characters:,} characters is longer than {MAX_TEXT:,}")


def check_elements(elements: int) -> None:
    """EvaluationError where a list of so many elements may not be made."""
    if elements > MAX_ELEMENTS:
        raise EvaluationError(f"a list of {elements:,} elements is longer than {MAX_ELEMENTS:,}")
