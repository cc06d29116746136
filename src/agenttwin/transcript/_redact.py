"""Masking planted secrets wherever something is shown, in every form in which they are found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from agenttwin.transcript._secret import Secrets, secrets_of
from agenttwin.values import encode

MASK: Final = "[masked]"
"""What stands in place of a secret."""

ENVIRONMENT_MASK: Final = "[masked: environment]"
"""What is kept in place of a value that the environment gave an agent; the value itself never is."""


def redact(value: Any, secrets: Iterable[str], mask: str = MASK) -> Any:
    """``value`` with every secret masked, in texts, numbers and keys, in any form; see Secrets.

    JSON containers are copied where something in them changes, and shared where nothing does.
    """
    wanted = secrets_of(secrets)
    return _masked(value, wanted, mask) if wanted is not None and _may_hold(value, wanted) else value


_NUMBERS: Final = frozenset({int, float})


def _may_hold(value: object, secrets: Secrets) -> bool:
    """Whether a secret may stand somewhere in a value. One look at its JSON is by far the fastest."""
    try:
        return secrets.may_stand_in(encode(value).decode())
    except TypeError:  # no JSON, so it is gone through
        return True


def _masked(value: Any, secrets: Secrets, mask: str) -> Any:
    if isinstance(value, str):
        return secrets.masked(value, mask) if secrets.stand_in(value) else value
    if type(value) in _NUMBERS:
        return mask if secrets.stand_in(str(value)) else value
    if isinstance(value, Mapping):
        changed = {_masked(key, secrets, mask): _masked(item, secrets, mask) for key, item in value.items()}
        same = all(key in changed and changed[key] is item for key, item in value.items())
        return value if same else changed
    if isinstance(value, list | tuple):
        items = [_masked(item, secrets, mask) for item in value]
        return value if all(map(_is, items, value)) else type(value)(items)
    return value


def _is(new: object, old: object) -> bool:
    return new is old
