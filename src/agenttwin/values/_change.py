"""What differs between two values: net changes by path, and the merge patch of RFC 7396."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agenttwin.values._json import MISSING, Json, Missing, equal
from agenttwin.values._node import plain
from agenttwin.values._path import format_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """At `path` stood `before`, now stands `after`; MISSING where there was or is nothing."""

    path: str
    before: "Json | Missing"
    after: "Json | Missing"


def diff(before: Any, after: Any) -> tuple[Change, ...]:
    """The net changes from `before` to `after`, as deep and as few as can be; equal values have none.

    Objects compare key by key, in the order of the keys' code points. Lists compare index by index,
    appended elements counting one change each; a list that lost an element counts whole.
    """
    return tuple(changes_at((), plain(before), plain(after)))


def changes_at(path: tuple[str | int, ...], before: Any, after: Any) -> Iterator[Change]:
    """As diff, for the plain values that stand at `path`."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            yield from changes_at((*path, key), before.get(key, MISSING), after.get(key, MISSING))
    elif isinstance(before, list) and isinstance(after, list) and len(before) <= len(after):
        for index, element in enumerate(after):
            old = before[index] if index < len(before) else MISSING
            yield from changes_at((*path, index), old, element)
    elif not equal(before, after):
        yield Change(path=format_path(path), before=before, after=after)


def merge(base: Any, patch: Any) -> Any:
    """`base` patched as RFC 7396 says: objects merge key by key, null removes, anything else replaces.

    Neither argument is changed; what the patch does not touch is shared with `base`.
    """
    return _merge(plain(base), plain(patch))


def _merge(base: "Json | Missing", patch: Json) -> Json:
    if not isinstance(patch, dict):
        return patch
    result = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merge(result.get(key, MISSING), value)
    return result
