"""Texts of other tenants in an answer. A state is gone through once, however many cases begin with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from agenttwin.transcript import Setting
from agenttwin.values import MISSING, Arr, Obj, Tree

MIN_TEXT: Final = 6
"""A shorter text stands in too many answers by chance."""

_KEPT: Final = 8
"""States whose texts are kept: those of a few twins, each as seen by a tenant or two."""


def foreign_text(answer: str, before: Tree, setting: Setting) -> str | None:
    """The first text in the answer that stands only in records of other tenants; None where there is none.

    It has six characters or more, is found as it is written, and stands neither in a record of the case's
    tenant or of nobody nor in what the case was told. A record is what has the tenant key. What a case's own
    state replaces counts as it was before.
    """
    if setting.tenant_key is None or setting.tenant is None:
        return None
    owner = _Owner(setting.tenant_key, setting.tenant)
    base = _texts_of_base(_Same(before.base), owner)
    more = _Texts(owner)
    if before.root is not before.base:
        more.gather(before.root, owner.foreign(before.root, False))
    told = "\n".join(setting.input_texts)
    for text in _in_order(answer, base, more):
        if text not in base.ours and text not in more.ours and text not in told:
            return text
    return None


@dataclass(frozen=True, slots=True)
class _Owner:
    """Whose a record is, seen from one tenant."""

    key: str
    tenant: str

    def foreign(self, value: Any, inherited: bool) -> bool:
        """Whether a value belongs to another tenant: by its own word, else as what holds it."""
        owner = value.get(self.key, MISSING) if isinstance(value, Mapping) else MISSING
        return owner != self.tenant if isinstance(owner, str) else inherited


class _Texts:
    """The texts of a state: ours and nobody's, and theirs by their first characters."""

    __slots__ = ("ours", "owner", "theirs")

    def __init__(self, owner: _Owner) -> None:
        self.owner = owner
        self.ours: set[str] = set()
        self.theirs: dict[str, set[str]] = {}

    def gather(self, value: Any, foreign: bool) -> None:
        """Notes every text in a value; of an overlay only what it says itself, since its base is known."""
        if isinstance(value, str):
            self.note(value, foreign)
        elif isinstance(value, Mapping):
            for key, member in _members(value, self.owner.key):
                inside = self.owner.foreign(member, foreign)
                self.note(key, inside)
                self.gather(member, inside)
        elif isinstance(value, Sequence):
            for element in _elements(value):
                self.gather(element, self.owner.foreign(element, foreign))

    def note(self, text: str, foreign: bool) -> None:
        if len(text) < MIN_TEXT:
            return
        if foreign:
            self.theirs.setdefault(text[:MIN_TEXT], set()).add(text)
        else:
            self.ours.add(text)


def _members(value: Mapping[str, Any], owner_key: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Obj) and owner_key not in value.own:
        return ((key, member) for key, member in value.own.items() if member is not MISSING)
    return iter(value.items())


def _elements(value: Sequence[Any]) -> Iterator[Any]:
    return iter((*value.own.values(), *value.tail)) if isinstance(value, Arr) else iter(value)


def _in_order(answer: str, *texts: _Texts) -> Iterator[str]:
    """Texts of others that the answer holds, by where they begin, longer ones first."""
    indices = [index for index in texts if index.theirs]
    if not indices:
        return
    for at in range(len(answer) - MIN_TEXT + 1):
        beginning = answer[at : at + MIN_TEXT]
        found = [text for index in indices for text in index.theirs.get(beginning, ())]
        yield from sorted((text for text in found if answer.startswith(text, at)), key=_longest_first)


def _longest_first(text: str) -> tuple[int, str]:
    return -len(text), text


class _Same:
    """A value that is found again by being the same object. It is held, so that no other takes its place."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value


@lru_cache(maxsize=_KEPT)
def _texts_of_base(base: _Same, owner: _Owner) -> _Texts:
    texts = _Texts(owner)
    texts.gather(base.value, owner.foreign(base.value, False))
    return texts
