"""What differs between two values: net changes by path, and the merge patch of RFC 7396."""

from dataclasses import dataclass

from agenttwin.values._json import MISSING, Json, Missing, equal
from agenttwin.values._node import plain
from agenttwin.values._path import format_path


@dataclass(slots=True, kw_only=True, eq=False)  # not frozen: that takes two thirds of making one
class Change:
    """At `path` stood `before`, now stands `after`; MISSING where nothing was or is. The empty path: all.

    Never written to. Equal by JSON equality: a change to true is no change to 1.
    """

    path: str
    before: Json | Missing
    after: Json | Missing

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Change):
            return NotImplemented
        return self.path == other.path and equal(self.before, other.before) and equal(self.after, other.after)

    __hash__ = None  # type: ignore[assignment]  # as of every container of JSON


def diff(before: object, after: object) -> tuple[Change, ...]:
    """The net changes from `before` to `after`, as deep as they go; equal values have none.

    Objects compare key by key, in the order of the keys' code points. Lists compare index by index, each
    element appended being a change of its own; a list that became shorter counts whole.
    """
    found: list[Change] = []
    collect(found, (), plain(before), plain(after))
    return tuple(found)


def collect(
    found: list[Change], path: tuple[str | int, ...], before: Json | Missing, after: Json | Missing
) -> None:
    """Adds to `found` the changes between two plain values that stand at `path`."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = [key for key, value in after.items() if before.get(key, MISSING) is not value]
        keys += [key for key in before if key not in after]
        for key in sorted(keys):
            collect(found, (*path, key), before.get(key, MISSING), after.get(key, MISSING))
    elif isinstance(before, list) and isinstance(after, list) and len(before) <= len(after):
        for index, element in enumerate(after):
            old = before[index] if index < len(before) else MISSING
            if old is not element:
                collect(found, (*path, index), old, element)
    elif not equal(before, after):
        found.append(Change(path=format_path(path), before=before, after=after))


def merge(base: object, patch: object) -> Json:
    """`base` patched as RFC 7396 says: objects merge key by key, null removes, anything else replaces.

    Neither argument is changed; what the patch does not touch is shared with `base`.
    """
    return _merge(plain(base), plain(patch))


def _merge(base: Json | Missing, patch: Json) -> Json:
    if not isinstance(patch, dict):
        return patch
    merged = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge(merged.get(key, MISSING), value)
    return merged
