"""Chance without a generator: numbers that follow from names, the same in every language and order."""

from hashlib import sha256


def draw(seed: str, rule: str, tool: str, number: int) -> float:
    """A number from 0 (inclusive) to 1 (exclusive) for the `number`-th call of `tool` under `rule`.

    The first 8 bytes of sha256("agenttwin/draw/1|seed|rule|tool|number"), big-endian, over 2^64.
    """
    head = sha256(f"agenttwin/draw/1|{seed}|{rule}|{tool}|{number}".encode()).digest()[:8]
    return min(int.from_bytes(head, "big") / 2**64, _BELOW_ONE)


def trial_seed(plan_seed: int | str, scenario: str, trial: int) -> str:
    """The seed of a trial: the first 16 hex digits of sha256("agenttwin/seed/1|plan seed|scenario|trial")."""
    return sha256(f"agenttwin/seed/1|{plan_seed}|{scenario}|{trial}".encode()).hexdigest()[:16]


_BELOW_ONE = 1 - 2**-53  # the highest quotients round to 1, and a probability of 1 must always draw
