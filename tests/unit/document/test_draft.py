"""Problems are told together: what is wrong with one part does not hide what is wrong with another."""

import pytest
from pydantic import Field

from agenttwin.document import Broken, Document, Finding, Model, examine

HEAD = "apiVersion: agenttwin.dev/v1\nkind: Shelf\n"


class Box(Model):
    name: str
    size: int = 1
    inside: list["Box"] = Field(default_factory=list)


class Shelf(Model):
    api_version: str
    kind: str
    title: str = ""
    boxes: list[Box]

    def findings(self):
        """Every box of size 13 or 14 is told, wherever it is."""
        for index, box in enumerate(self.boxes):
            yield from found(box, ("boxes", index))


def found(box, at):
    codes = {13: "invalid_value", 14: "missing_field"}
    if box.size in codes:
        yield Finding(at=(*at, "size"), code=codes[box.size], message=f"{box.name} is unlucky")
    for index, inner in enumerate(box.inside):
        yield from found(inner, (*at, "inside", index))


def looked_at(body):
    return examine(HEAD + body, file="shelf.yaml", models={"Shelf": Shelf})


def told(body):
    result = looked_at(body)
    problems = result.problems if isinstance(result, Broken) else result.warnings
    return [f"{problem.path} {problem.code}" for problem in problems]


def test_a_sound_document_comes_as_it_is():
    assert isinstance(looked_at("boxes: [{name: a}]"), Document)


def test_findings_are_told_beside_a_wrong_type():
    assert told("title: 3\nboxes: [{name: a, size: 13}]") == [
        "title wrong_type",
        "boxes[0].size invalid_value",
    ]


def test_places_are_those_of_the_text_whatever_was_left_out():
    body = "boxes:\n- {name: 1}\n- {name: b}\n- 7\n- {name: d, inside: [{}, {name: x}, {name: y, size: 13}]}"
    assert told(body) == [
        "boxes[0].name wrong_type",
        "boxes[2] wrong_type",
        "boxes[3].inside[0].name missing_field",
        "boxes[3].inside[2].size invalid_value",
    ]
    assert str(looked_at(body).problems[-1].location) == "shelf.yaml:7:53"


def test_what_may_only_follow_from_a_part_that_is_wrong_is_not_told():
    assert told("boxes: [{name: a, size: 13, inside: 3}, {name: b, size: 13}]") == [
        "boxes[0].inside wrong_type",
        "boxes[1].size invalid_value",
    ]


def test_an_unknown_field_hides_nothing_else():
    assert told("titel: x\nboxes: [{name: a, size: 13}]") == [
        "titel unknown_field",
        "boxes[0].size invalid_value",
    ]


def test_it_may_be_a_slip_in_the_name_of_a_field_that_is_missed():
    body = (
        "boxes: [{name: a, naem: b, inside: [{name: x}, {name: c, sise: 3, size: 14}, {name: d, size: 14}]}]"
    )
    assert told(body) == ["boxes[0].naem unknown_field", "boxes[0].inside[1].sise unknown_field"]


def test_a_part_that_is_incomplete_without_its_part_is_left_out_too():
    result = looked_at("boxes: [{name: [1], inside: [{name: {}}]}, {name: b}]")
    assert [box.name for box in result.draft.model.boxes] == ["b"]


def test_a_flaw_of_the_text_hides_nothing_else():
    assert told("boxes: [{name: a, name: b, size: 13}]") == [
        "boxes[0].name duplicate_key",
        "boxes[0].size invalid_value",
    ]


def test_texts_of_what_was_left_out_are_kept():
    result = looked_at("boxes: [{name: a, size: x}, {name: b, inside: [{size: c}]}, [d, {e: f}]]")
    assert [box.name for box in result.draft.model.boxes] == ["a", "b"]
    assert result.texts == {"x", "c", "d", "f"}


def test_where_nothing_is_left_all_texts_are_kept():
    result = looked_at("title: t\nboxes: b")
    assert (result.draft, result.texts) == (None, {"agenttwin.dev/v1", "Shelf", "t", "b"})


@pytest.mark.parametrize("text", ["[", "- 1", "kind: Shlf", ""])
def test_of_a_text_that_is_no_document_nobody_knows(text):
    result = examine(text, file="shelf.yaml", models={"Shelf": Shelf})
    assert (result.draft, result.texts) == (None, None)


def test_a_draft_has_the_digest_of_the_text_as_written():
    sound, broken = looked_at("boxes: []"), looked_at("titel: x\nboxes: []")
    assert broken.draft.digest != sound.digest
    assert broken.draft.model == sound.model


def test_where_there_is_more_than_enough_to_tell_nothing_else_is_looked_for():
    result = looked_at("boxes: [" + "{}, " * 150 + "{name: a, size: 13}]")
    assert [problem.code for problem in result.problems] == ["missing_field"] * 100 + ["too_many_problems"]
    assert result.draft is None
