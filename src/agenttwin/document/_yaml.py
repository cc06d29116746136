"""Text in YAML → JSON values, event by event, so that nothing large is built before its limit is checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs do not export it
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
from agenttwin.document._scalar import SUSPECTS, ScalarError, plain
from agenttwin.document._source import Place, Spot
from agenttwin.errors import DocumentError, Location, Problem, quote
from agenttwin.values import Json

Frame: TypeAlias = "_Mapping | _Sequence"


@dataclass(slots=True)
class _Mapping:
    """A mapping that is being read; ``key`` is the key whose value comes next."""

    value: dict[str, Json]
    spot: Spot | None
    key: str | None = None


@dataclass(slots=True)
class _Sequence:
    """A sequence that is being read."""

    value: list[Json]
    spot: Spot | None


@dataclass(slots=True)
class _Reader:
    """One pass over the events of one text; ``spots`` makes it keep positions too."""

    file: str
    limits: Limits
    spots: bool
    problems: list[Problem] = field(default_factory=list)
    stack: list[Frame] = field(default_factory=list)
    root: Json = None
    root_spot: Spot | None = None
    nodes: int = 0
    documents: int = 0

    def read(self, text: str) -> None:
        """Reads every event; what is wrong is kept, what cannot be read past is raised."""
        parser = CParser(text)
        try:
            while (event := parser.get_event()) is not None and self.documents < 2:
                self._take(event)
        except yaml.MarkedYAMLError as error:
            self._fail(_syntax(error), _place(error.problem_mark or error.context_mark))
        except yaml.reader.ReaderError as error:
            self._fail(_unreadable(error), _place_of(text, error.position))
        finally:
            parser.dispose()

    def _take(self, event: Any) -> None:
        kind = type(event)
        if kind is ScalarEvent:
            self._scalar(event)
        elif kind is MappingStartEvent:
            self._open(_Mapping({}, Spot(_place(event.start_mark), {}, {}) if self.spots else None), event)
        elif kind is SequenceStartEvent:
            self._open(_Sequence([], Spot(_place(event.start_mark), {}, {}) if self.spots else None), event)
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            self.stack.pop()
        elif kind is AliasEvent:
            self._complain("alias_not_allowed", f"the alias {quote('*' + event.anchor)} is not read", event)
            self._put(None, event)
        elif kind is DocumentStartEvent:
            self.documents += 1
            if self.documents == 2:
                self._complain(
                    "several_documents", "a second document begins here; one file holds one", event
                )

    def _scalar(self, event: Any) -> None:
        self._count(event)
        text: str = event.value
        frame = self.stack[-1] if self.stack else None
        if type(frame) is _Mapping and frame.key is None:
            self._key(frame, text, event)
            return
        value: Json = text
        if event.implicit[0] and text[:1] in SUSPECTS:
            try:
                value = plain(text)
            except ScalarError as error:
                self._complain(error.problem.code, error.problem.message, event)
        elif "\ud800" <= text[:1] <= "\udfff":
            self._complain("lone_surrogate", "half a surrogate pair is no character", event)
        self._put(value, event)

    def _key(self, frame: _Mapping, text: str, event: Any) -> None:
        if event.implicit[0]:
            self._check_key(text, event)
        if text in frame.value:
            self._complain("duplicate_key", f"the key {quote(text)} stands twice in this mapping", event)
        frame.key = text
        if frame.spot is not None:
            frame.spot.keys.setdefault(text, _place(event.start_mark))

    def _check_key(self, text: str, event: Any) -> None:
        if text == "<<":
            self._complain("merge_key_not_allowed", "the merge key << is not read", event)
        elif text[:1] in SUSPECTS and not isinstance(_meaning(text), str):
            self._complain("key_not_text", f"the key {text or 'null'} is not text", event)

    def _open(self, frame: Frame, event: Any) -> None:
        self._count(event)
        if self.stack and type(parent := self.stack[-1]) is _Mapping and parent.key is None:
            self._fail(
                Problem(code="key_not_text", message="a key is a mapping or a list"), _place(event.start_mark)
            )
        self._put(frame.value, event, frame.spot)
        self.stack.append(frame)
        if len(self.stack) > self.limits.depth:
            message = f"the document nests deeper than {self.limits.depth} levels"
            self._fail(Problem(code="document_too_deep", message=message), _place(event.start_mark))

    def _put(self, value: Json, event: Any, spot: Spot | None = None) -> None:
        if self.spots and spot is None:
            spot = Spot(_place(event.start_mark))
        frame = self.stack[-1] if self.stack else None
        part: str | int
        if frame is None:
            self.root, self.root_spot = value, spot
            return
        if isinstance(frame, _Mapping):
            if frame.key is None:  # an alias in place of a key
                frame.key = ""
            part, frame.key = frame.key, None
            frame.value[part] = value
        elif isinstance(frame, _Sequence):
            part = len(frame.value)
            frame.value.append(value)
        if frame.spot is not None and spot is not None:
            frame.spot.parts[part] = spot

    def _count(self, event: Any) -> None:
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            message = f"the document holds more than {self.limits.nodes:,} values and keys"
            self._fail(Problem(code="too_many_nodes", message=message), _place(event.start_mark))
        if event.tag is not None:
            self._complain("tag_not_allowed", f"the tag {quote(_tag(event.tag))} is not read", event)
        if event.anchor is not None:
            self._complain("anchor_not_allowed", f"the anchor {quote('&' + event.anchor)} is not read", event)

    def _complain(self, code: str, message: str, event: Any) -> None:
        place = _place(event.start_mark)
        if len(self.problems) == MAX_PROBLEMS:
            message = f"there are more than {MAX_PROBLEMS} problems; the rest is not shown"
            self._fail(Problem(code="too_many_problems", message=message), place)
        self.problems.append(self._at(Problem(code=code, message=message), place))

    def _fail(self, problem: Problem, place: Place) -> None:
        raise DocumentError((*self.problems, self._at(problem, place)))

    def _at(self, problem: Problem, place: Place) -> Problem:
        location = Location(file=self.file, line=place[0], column=place[1])
        return Problem(code=problem.code, message=problem.message, location=location)


def read_yaml(text: str, *, file: str, limits: Limits) -> Json:
    """The value of the one document in ``text``; DocumentError with every problem."""
    reader = _Reader(file=file, limits=limits, spots=False)
    reader.read(text)
    if reader.problems:
        raise DocumentError(reader.problems)
    return reader.root


def find_yaml_spots(text: str, *, file: str, limits: Limits) -> Spot:
    """Where each part of a text that was read before stands."""
    reader = _Reader(file=file, limits=limits, spots=True)
    reader.read(text)
    return reader.root_spot or Spot((1, 1))


def _meaning(text: str) -> Json:
    try:
        return plain(text)
    except ScalarError:
        return None


def _place(mark: Any) -> Place:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


def _place_of(text: str, position: int) -> Place:
    before = text[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1


def _tag(tag: str) -> str:
    return "!!" + tag.removeprefix("tag:yaml.org,2002:") if tag.startswith("tag:yaml.org,2002:") else tag


def _syntax(error: yaml.MarkedYAMLError) -> Problem:
    if error.problem and "nesting depth" in error.problem:
        return Problem(code="document_too_deep", message="the document nests deeper than any kind may")
    context = f" {error.context}" if error.context else ""
    return Problem(
        code="syntax_error", message=f"this is not YAML:{context}: {error.problem}".replace(":  ", ": ")
    )


def _unreadable(error: yaml.reader.ReaderError) -> Problem:
    return Problem(
        code="syntax_error", message=f"the character {error.character!r} may not stand in a document"
    )
