"""Events of a parser → a JSON value, guarded while it grows: the one place that says what a text may hold."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from agenttwin.document._limits import MAX_PROBLEMS, Limits
from agenttwin.document._scalar import NUMBER_STARTS, WORDS, NumberError, resolve
from agenttwin.errors import QUOTE_LIMIT, Problem, quote
from agenttwin.values import Json, Segments, describe


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """A problem of the text itself: where it stands, in characters, and at which place of the value."""

    problem: Problem
    offset: int
    at: Segments = ()


class TextError(Exception):
    """The text cannot be read any further: `flaws` holds what was found until then, the reason last."""

    def __init__(self, *flaws: Flaw) -> None:
        super().__init__(flaws[-1].problem.message)
        self.flaws = flaws


@dataclass(slots=True, kw_only=True)
class Composed:
    """A value, the offset of each of its nodes (keys too, in the order of the text), and what is wrong.

    No offsets: the text is sound JSON, and they are read off it when somebody asks.
    """

    value: Json = None
    offsets: "array[int] | None" = None
    flaws: list[Flaw] = field(default_factory=list)


@dataclass(slots=True)
class _Dropped:
    """In place of a key that names no field: what follows is forgotten, with the offsets from `start`."""

    start: int


_NO_KEY: Final = object()  # the open mapping awaits a key
_MERGE: Final = object()  # the plain key <<
_ALIAS: Final = object()  # an alias in place of a key


def compose(events: Iterable[Any], limits: Limits) -> Composed:
    """The value that PyYAML's events tell; TextError where a limit is passed or a second document begins."""
    return _Composer(limits).compose(events)


class _Composer:
    """One composition. It changes with every event; its loop calls little, as calls would double its time."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.value: Json = None
        self.offsets = array("I")
        self.flaws: list[Flaw] = []
        self.into: Any = None  # the open container; None around the root
        self.key: Any = None  # in a mapping: _NO_KEY, or the key that awaits its value
        self.open: list[tuple[Any, Any, int]] = []  # what is around it: container, key, number of the node
        self.documents = 0

    def compose(self, events: Iterable[Any]) -> Composed:
        offsets, limit = self.offsets, self.limits.nodes
        for event in events:
            kind = type(event)
            if kind is ScalarEvent:
                value = event.value
                if event.implicit[0] and (value in WORDS or value[:1] in NUMBER_STARTS or value == "<<"):
                    value = self._resolve(event)
                if event.tag is not None or event.anchor is not None:
                    self._refuse_properties(event)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._enter(event, {} if kind is MappingStartEvent else [])
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self._leave()
                continue
            elif kind is AliasEvent:
                value = self._refuse_alias(event)
            else:
                self._count_documents(event)
                continue
            if len(offsets) == limit:
                self._refuse_more_nodes(event)
            offsets.append(event.start_mark.index)
            key = self.key
            if type(key) is str:
                self.into[key] = value
                self.key = _NO_KEY
            else:
                self._place(value, len(offsets) - 1)
        return Composed(value=self.value, offsets=offsets, flaws=self.flaws)

    def _enter(self, event: Any, container: Json) -> None:
        if event.tag is not None or event.anchor is not None:
            self._refuse_properties(event)
        offsets = self.offsets
        if len(offsets) == self.limits.nodes:
            self._refuse_more_nodes(event)
        if len(self.open) == self.limits.depth:
            message = f"the text nests deeper than {self.limits.depth} levels"
            self._stop(event.start_mark.index, "document_too_deep", message)
        self.open.append((self.into, self.key, len(offsets)))
        offsets.append(event.start_mark.index)
        self.into, self.key = container, _NO_KEY if isinstance(container, dict) else None

    def _leave(self) -> None:
        value = self.into
        self.into, self.key, start = self.open.pop()
        self._place(value, start)

    def _place(self, value: Any, start: int) -> None:
        """Put a complete node where it belongs; `start` is its number."""
        key = self.key
        if key is None:
            if self.into is None:
                self.value = value
            else:
                self.into.append(value)
        elif key is _NO_KEY:
            fits = type(value) is str and value not in self.into
            self.key = value if fits else self._refuse_key(value, start)
        else:
            if type(key) is str:
                self.into[key] = value
            else:
                del self.offsets[key.start :]
            self.key = _NO_KEY

    def _resolve(self, event: Any) -> Any:
        if event.value == "<<":
            return _MERGE if self.key is _NO_KEY else "<<"
        try:
            return resolve(event.value)
        except NumberError as error:
            self._flaw(event.start_mark.index, error.code, str(error), value=event.value)
            return event.value if self.key is _NO_KEY else None

    def _refuse_key(self, value: Any, start: int) -> _Dropped:
        offset = self.offsets[start]
        if value is _MERGE:
            self._flaw(
                offset, "merge_key_not_allowed", "the merge key << is not read; write the fields themselves"
            )
        elif isinstance(value, str):
            message = f"the key {quote(value)} stands twice in this mapping"
            self._flaw(offset, "duplicate_key", message, value, value=value)
        elif value is not _ALIAS:
            self._flaw(offset, "key_not_text", f"the key {describe(value)} is not text; put it in quotes")
        return _Dropped(start)

    def _refuse_properties(self, event: Any) -> None:
        offset = event.start_mark.index
        if event.tag is not None:
            self._flaw(
                offset,
                "tag_not_allowed",
                f"the tag {quote(_short_tag(event.tag))} is not read; write the plain value",
            )
        if event.anchor is not None:
            self._flaw(
                offset,
                "anchor_not_allowed",
                f"the anchor {quote('&' + event.anchor)} is not read; leave it out",
            )

    def _refuse_alias(self, event: Any) -> Any:
        offset = event.start_mark.index
        self._flaw(
            offset,
            "alias_not_allowed",
            f"the alias {quote('*' + event.anchor)} is not read; write the value itself",
        )
        return _ALIAS if self.key is _NO_KEY else None

    def _refuse_more_nodes(self, event: Any) -> NoReturn:
        message = f"the text holds more than {self.limits.nodes:,} values and keys"
        self._stop(event.start_mark.index, "too_many_nodes", message)

    def _count_documents(self, event: Any) -> None:
        self.documents += type(event) is DocumentStartEvent
        if self.documents > 1:
            self._stop(
                event.start_mark.index,
                "several_documents",
                "a second document begins here; one file holds one",
            )

    def _flaw(self, offset: int, code: str, message: str, *more: str, value: str | None = None) -> None:
        """Keep a flaw at the place that is being read, or at `more` below it."""
        problem = Problem(code=code, message=message, value=value and value[:QUOTE_LIMIT])
        self.flaws.append(Flaw(problem=problem, offset=offset, at=(*self._at(), *more)))
        if len(self.flaws) == MAX_PROBLEMS:
            self._stop(
                offset, "too_many_problems", f"the problems after the first {MAX_PROBLEMS} are not told"
            )

    def _stop(self, offset: int, code: str, message: str) -> NoReturn:
        flaw = Flaw(problem=Problem(code=code, message=message), offset=offset)
        raise TextError(*self.flaws, flaw)

    def _at(self) -> Segments:
        """The place that is being read, up to a key that names no field."""
        segments: list[str | int] = []
        for container, key, _ in (*self.open, (self.into, self.key, 0)):
            if isinstance(container, list):
                segments.append(len(container))
            elif isinstance(key, str):
                segments.append(key)
            elif container is not None:
                break
        return tuple(segments)


def _short_tag(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!", 1)
