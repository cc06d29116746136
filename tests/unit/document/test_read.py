"""A document is read by its kind, and everything that is wrong with it is told at once."""

from collections.abc import Iterator
from typing import Literal

import pytest
from pydantic import Field

from agenttwin.document import API_VERSION, ApiVersion, Document, Finding, Model, parse, read, validate
from agenttwin.errors import DocumentError


class Pet(Model):
    name: str
    legs: int = Field(default=4, ge=0)


class Spec(Model):
    pets: list[Pet] = Field(default_factory=list)
    favourite: str | None = None


class Zoo(Model):
    api_version: ApiVersion
    kind: Literal["Zoo"]
    spec: Spec

    def findings(self) -> Iterator[Finding]:
        names = [pet.name for pet in self.spec.pets]
        if self.spec.favourite not in (None, *names):
            at = ("spec", "favourite")
            yield Finding(at=at, code="unknown_name", message="no pet has that name", valid=tuple(names))
        if "Rex" in names:
            at = ("spec", "pets", names.index("Rex"), "name")
            yield Finding(at=at, code="unlikely_state_path", message="many are called so", warning=True)


class Farm(Model):
    api_version: ApiVersion
    kind: Literal["Farm"]


MODELS = {"Zoo": Zoo, "Farm": Farm}
HEAD = f"apiVersion: {API_VERSION}\nkind: Zoo\n"


def zoo(spec: str) -> str:
    return f"{HEAD}spec:\n{spec}"


def told(text: str) -> list[str]:
    try:
        read(text, file="z.yaml", models=MODELS)
    except DocumentError as error:
        return [str(problem).removeprefix("z.yaml:") for problem in error.problems]
    return []


def test_a_document_is_its_model_with_its_source() -> None:
    found: Document[Model] = read(zoo("  pets: [{name: Bo}]\n"), file="z.yaml", models=MODELS)
    assert found.kind == "Zoo"
    assert found.model == Zoo.model_validate(found.source.value)
    assert found.digest == found.source.digest
    assert found.warnings == ()


def test_a_document_may_be_json() -> None:
    text = f'{{"apiVersion": "{API_VERSION}", "kind": "Farm"}}'
    assert read(text, file="f.json", models=MODELS).kind == "Farm"


def test_warnings_stand_in_no_ones_way() -> None:
    found = read(zoo("  pets: [{name: Rex}]\n"), file="z.yaml", models=MODELS)
    assert [str(each) for each in found.warnings] == [
        "z.yaml:4:17: warning: spec.pets[0].name: many are called so [unlikely_state_path]"
    ]


def test_what_a_model_finds_in_itself_is_told_with_its_warnings() -> None:
    assert told(zoo("  favourite: Bo\n  pets: [{name: Rex}]\n")) == [
        "4:14: spec.favourite: no pet has that name. One of: Rex [unknown_name]",
        "5:17: warning: spec.pets[0].name: many are called so [unlikely_state_path]",
    ]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["1:1: a document is a mapping with apiVersion, kind, metadata and spec [not_a_document]"]),
        ("- 1", ["1:1: a document is a mapping with apiVersion, kind, metadata and spec [not_a_document]"]),
        (
            "spec: {}",
            [
                "1:1: apiVersion: the field 'apiVersion' is missing; write apiVersion: agenttwin.dev/v1"
                " [missing_field]",
                "1:1: kind: the field 'kind' is missing. One of: Zoo, Farm [missing_field]",
            ],
        ),
        (
            "kind: Zo\napiVersion: v1",
            [
                "1:7: kind: 'Zo' is not a kind of document that is read here; did you mean 'Zoo'? "
                "One of: Zoo, Farm [unknown_kind]",
                "2:13: apiVersion: 'v1' is not a version that is read here. One of: agenttwin.dev/v1"
                " [unknown_api_version]",
            ],
        ),
        (
            "kind: [Zoo]\napiVersion: 1",
            [
                '1:7: kind: ["Zoo"] is not a kind of document that is read here. One of: Zoo, Farm'
                " [unknown_kind]",
                "2:13: apiVersion: 1 is not a version that is read here. One of: agenttwin.dev/v1"
                " [unknown_api_version]",
            ],
        ),
    ],
)
def test_what_is_no_document_of_a_known_kind(text: str, problems: list[str]) -> None:
    assert told(text) == problems


def test_a_wrong_version_hides_nothing_else() -> None:
    text = "kind: Zoo\napiVersion: v2\nspec: {pets: [{name: 1}]}\n"
    assert [line.rpartition("[")[2] for line in told(text)] == ["unknown_api_version]", "wrong_type]"]


def test_flaws_of_the_text_and_of_the_shape_are_told_together_and_once() -> None:
    text = zoo(
        "  pets:\n  - {name: *x, legs: 1, legs: 2}\n  - {name: !!str Bo, legs: -1}\n  favourite: [1]\n"
    )
    assert [line.rpartition("[")[2] for line in told(text)] == [
        "alias_not_allowed]",
        "duplicate_key]",
        "tag_not_allowed]",
        "out_of_range]",
        "wrong_type]",
    ]


def test_a_text_that_cannot_be_read_is_told_alone() -> None:
    assert [line.rpartition("[")[2] for line in told(zoo("  pets: [\n"))] == ["syntax_error]"]


def test_a_value_is_validated_against_any_model() -> None:
    found, problems = validate(parse("name: Bo\nlegs: 3.0\n", file="p.yaml"), Pet)
    assert found == Pet(name="Bo", legs=3)
    assert problems == ()


@pytest.mark.parametrize(
    "text", ["name: 1", "name: [a]", "{name: a, legs: '1'}", "{name: a, legs: true}", "{name: a, legs: 1.5}"]
)
def test_nothing_is_coerced(text: str) -> None:
    found, problems = validate(parse(text, file="p.yaml"), Pet)
    assert found is None
    assert [problem.code for problem in problems] == ["wrong_type"]


def test_a_great_many_problems_are_told_in_part() -> None:
    pets = "".join("  - {nam: x}\n" for _ in range(150))
    assert told(zoo(f"  pets:\n{pets}"))[-1].endswith("[too_many_problems]")
    assert len(told(zoo(f"  pets:\n{pets}"))) == 101
