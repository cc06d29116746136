"""What a model refuses is told in the words of the file: one problem a mistake, with its place."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import orjson
import pytest
from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from agenttwin.document import Model, parse, validate

FORM = Annotated[str, Field(pattern="^a", examples=["ab"])]


class Word(StrEnum):
    READ = "READ"
    WRITE = "WRITE"


class Reasoned(Model):
    level: Word


class Dog(Model):
    kind: Literal["dog"]
    legs: int = Field(4, ge=0, le=4)


class Bird(Model):
    kind: Literal["bird"]
    wings: float = Field(2, gt=0, lt=3)


class Sample(Model):
    text: str = ""
    whole: int = 0
    number: float = 0
    flag: bool = False
    words: list[Annotated[str, Field(min_length=2, max_length=3)]] = Field(default_factory=list, max_length=2)
    one_or_many: str | list[str] = ""
    risk: Word | Reasoned | None = None
    status: int | Word = 0
    bound: float | str = 0
    only: Literal[True] | None = None
    either: dict[str, Any] | list[str] = Field(default_factory=dict)
    by_name: dict[FORM, int] = Field(default_factory=dict)
    form: FORM = "a"
    animals: list[Annotated[Dog | Bird, Field(discriminator="kind")]] = Field(default_factory=list)
    own: str = ""
    coded: str = ""

    @field_validator("own")
    @classmethod
    def _is_even(cls, value: str) -> str:
        if len(value) % 2:
            raise ValueError(f"{value!r} is odd")
        return value

    @field_validator("coded")
    @classmethod
    def _is_a_path(cls, value: str) -> str:
        if value:
            raise PydanticCustomError("invalid_path", "no {what}", {"what": "path"})
        return value


WORDS = "One of: READ, WRITE"
NOT_A_WORD = "is not one of the valid words"

REFUSED = [
    ({"text": 1}, "text: 1 is a number, but must be text; put it in quotes [wrong_type]"),
    ({"text": True}, "text: true is a boolean, but must be text; put it in quotes [wrong_type]"),
    ({"text": None}, "text: it is null, but must be text [wrong_type]"),
    ({"text": [1]}, "text: [1] is a list, but must be text [wrong_type]"),
    ({"whole": "1"}, "whole: '1' is text, but must be a whole number; leave out the quotes [wrong_type]"),
    ({"whole": "x"}, "whole: 'x' is text, but must be a whole number [wrong_type]"),
    ({"whole": 1.5}, "whole: 1.5 is a number, but must be a whole number [wrong_type]"),
    ({"whole": True}, "whole: true is a boolean, but must be a whole number [wrong_type]"),
    ({"number": "1.5"}, "number: '1.5' is text, but must be a number; leave out the quotes [wrong_type]"),
    ({"flag": "yes"}, "flag: 'yes' is text, but must be true or false [wrong_type]"),
    ({"flag": 1}, "flag: 1 is a number, but must be true or false [wrong_type]"),
    ({"words": "ab"}, "words: 'ab' is text, but must be a list [wrong_type]"),
    ({"words": ["a"]}, "words[0]: 'a' has 1 character, but must have at least 2 [wrong_length]"),
    ({"words": ["abcd"]}, "words[0]: 'abcd' has 4 characters, but must have at most 3 [wrong_length]"),
    ({"words": ["ab"] * 3}, 'words: ["ab","ab","ab"] has 3 entries, but must have at most 2 [wrong_length]'),
    ({"one_or_many": 1}, "oneOrMany: 1 is a number, but must be text or a list [wrong_type]"),
    (
        {"one_or_many": ["a", 1]},
        "oneOrMany[1]: 1 is a number, but must be text; put it in quotes [wrong_type]",
    ),
    ({"risk": "REED"}, f"risk: 'REED' {NOT_A_WORD}; did you mean 'READ'? {WORDS} [unknown_value]"),
    ({"risk": 5}, f"risk: 5 is a number, but must be a word or a mapping. {WORDS} [wrong_type]"),
    ({"risk": {"level": "x"}}, f"risk.level: 'x' {NOT_A_WORD}. {WORDS} [unknown_value]"),
    ({"risk": {}}, "risk.level: the field 'level' is missing [missing_field]"),
    ({"risk": {"level": "READ", "x": 1}}, "risk.x: 'x' is no field here. One of: level [unknown_field]"),
    ({"status": "x"}, f"status: 'x' {NOT_A_WORD}. {WORDS} [unknown_value]"),
    ({"status": 2.5}, f"status: 2.5 is a number, but must be a whole number or a word. {WORDS} [wrong_type]"),
    ({"bound": []}, "bound: [] is a list, but must be a number or text [wrong_type]"),
    ({"only": False}, "only: false must be true [unknown_value]"),
    ({"either": 1}, "either: 1 is a number, but must be a mapping or a list [wrong_type]"),
    ({"either": [1]}, "either[0]: 1 is a number, but must be text; put it in quotes [wrong_type]"),
    ({"by_name": {"b": 1}}, "byName.b: 'b' does not have the form ^a, such as 'ab' [pattern_mismatch]"),
    (
        {"by_name": {"[key]": 1}},
        "byName['[key]']: '[key]' does not have the form ^a, such as 'ab' [pattern_mismatch]",
    ),
    ({"by_name": {"a": "x"}}, "byName.a: 'x' is text, but must be a whole number [wrong_type]"),
    ({"form": "b"}, "form: 'b' does not have the form ^a, such as 'ab' [pattern_mismatch]"),
    ({"animals": [{}]}, "animals[0].kind: the field 'kind' is missing. One of: dog, bird [missing_field]"),
    ({"animals": [{"kind": "x"}]}, f"animals[0].kind: 'x' {NOT_A_WORD}. One of: dog, bird [unknown_value]"),
    ({"animals": [{"kind": 1}]}, f"animals[0].kind: '1' {NOT_A_WORD}. One of: dog, bird [unknown_value]"),
    ({"animals": [{"kind": "dog", "legs": 5}]}, "animals[0].legs: 5 must be at most 4 [out_of_range]"),
    ({"animals": [{"kind": "dog", "legs": -1}]}, "animals[0].legs: -1 must be at least 0 [out_of_range]"),
    ({"animals": [{"kind": "bird", "wings": 0}]}, "animals[0].wings: 0 must be more than 0 [out_of_range]"),
    ({"animals": [{"kind": "bird", "wings": 3}]}, "animals[0].wings: 3 must be less than 3 [out_of_range]"),
    (
        {"animals": [{"kind": "bird", "bird": 3}]},
        "animals[0].bird: 'bird' is no field here. One of: kind, wings [unknown_field]",
    ),
    ({"animals": [7]}, "animals[0]: 7 is a number, but must be a mapping [wrong_type]"),
    ({"own": "abc"}, "own: 'abc' is odd [invalid_value]"),
    ({"coded": "x"}, "coded: no path [invalid_path]"),
    ({"text": ["x" * 80]}, f'text: ["{"x" * 57}… is a list, but must be text [wrong_type]'),
]


def told(value: Any) -> list[str]:
    aliased = {
        {"one_or_many": "oneOrMany", "by_name": "byName"}.get(key, key): part for key, part in value.items()
    }
    source = parse(orjson.dumps(aliased), file="sample.json")
    return [str(problem).partition(": ")[2] for problem in validate(source, Sample)[1]]


@pytest.mark.parametrize(
    ("value", "message"), REFUSED, ids=[orjson.dumps(value).decode()[:40] for value, _ in REFUSED]
)
def test_what_is_told(value: Any, message: str) -> None:
    assert told(value) == [message]


def test_what_fits_comes_back() -> None:
    model, problems = validate(parse("text: a\noneOrMany: [b]\nrisk: {level: READ}", file="a.yaml"), Sample)
    assert problems == ()
    assert model is not None
    assert (model.text, model.one_or_many, model.risk) == ("a", ["b"], Reasoned(level=Word.READ))


def test_names_in_the_file_are_camel_case() -> None:
    (problem,) = validate(parse("one_or_many: a", file="a.yaml"), Sample)[1]
    assert (problem.code, problem.nearest) == ("unknown_field", "oneOrMany")


def test_a_problem_has_its_value_and_its_place() -> None:
    (problem,) = validate(parse("text: a\nrisk: REED", file="a.yaml"), Sample)[1]
    assert (problem.value, problem.path, str(problem.location)) == ("REED", "risk", "a.yaml:2:7")


def test_an_unknown_field_is_pointed_at_itself() -> None:
    (problem,) = validate(parse("text: a\nrisc:\n  level: READ", file="a.yaml"), Sample)[1]
    assert (problem.value, str(problem.location)) == ("risc", "a.yaml:2:1")


def test_a_missing_field_is_told_where_it_should_be() -> None:
    (problem,) = validate(parse("risk:\n  {}", file="a.yaml"), Sample)[1]
    assert (problem.value, problem.path, str(problem.location)) == (None, "risk.level", "a.yaml:2:3")


def test_problems_come_in_the_order_of_the_file() -> None:
    problems = validate(parse("zzz: 1\nflag: 1\ntext: 1\naaa: 1", file="a.yaml"), Sample)[1]
    assert [problem.path for problem in problems] == ["zzz", "flag", "text", "aaa"]


def test_more_problems_than_anybody_reads_are_cut() -> None:
    text = "animals: [" + "1, " * 5_000 + "]"
    problems = validate(parse(text, file="a.yaml"), Sample)[1]
    assert [problem.code for problem in problems] == ["wrong_type"] * 100 + ["too_many_problems"]
    assert problems[-1].location is not None
