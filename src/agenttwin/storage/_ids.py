"""Names for pairs and runs: short, unique, and in the order of their making."""

from __future__ import annotations

from typing import Final

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no letter that is taken for another, sorted as the digits are."""

EPOCH_MS: Final = 1_735_689_600_000
"""2025-01-01, so that eight characters of milliseconds last for thirty-four years."""

TIME_CHARACTERS: Final = 8
RANDOM_BYTES: Final = 3


def new_id(now_ms: int, entropy: bytes) -> str:
    """An id of twelve characters: milliseconds, then chance (at least ``RANDOM_BYTES``)."""
    chance = int.from_bytes(entropy[:RANDOM_BYTES], "big") >> 4
    return _spelled(now_ms - EPOCH_MS, TIME_CHARACTERS) + _spelled(chance, 4)


def _spelled(number: int, characters: int) -> str:
    return "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(characters)))
