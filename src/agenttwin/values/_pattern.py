"""Regular expressions from documents: searched in time linear in the text, whatever the pattern."""

from functools import lru_cache
from typing import Final, Protocol, cast

import re2  # type: ignore[import-untyped]

MAX_PATTERN_CHARACTERS: Final = 1_000
_MEMORY_BYTES: Final = 4 * 2**20  # for one compiled pattern; nested repetitions grow beyond all bounds


def search_pattern(pattern: str, text: str) -> bool:
    """Whether the RE2 `pattern` occurs anywhere in `text`.

    ValueError where the pattern is longer than 1,000 characters or RE2 refuses it, as it does
    look-around and back-references, which no engine can search in linear time.
    """
    return compile_pattern(pattern).search(text.encode(errors="replace")) is not None


class Pattern(Protocol):
    """What RE2 compiles to, as far as it is used here."""

    def search(self, text: bytes) -> object | None:
        """The first match, or None."""


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Pattern:
    """The pattern ready to search; ValueError as search_pattern."""
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise ValueError(
            f"a pattern has at most {MAX_PATTERN_CHARACTERS:,} characters, this one has {len(pattern):,}"
        )
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY_BYTES
    try:
        return cast(Pattern, re2.compile(pattern.encode(errors="replace"), options))
    except re2.error as error:
        reason = error.args[0].decode(errors="replace")
        raise ValueError(f"{pattern!r} is not a pattern: {reason}") from None
