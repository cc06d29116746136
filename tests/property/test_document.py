"""Whatever the text, the reader gives its value or says what is wrong with it, and where."""

import json
from typing import Any

import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st

from agenttwin.document import JSON_LIMITS, Source, parse, parse_json, read
from agenttwin.errors import CODES, DocumentError
from agenttwin.scenario import MODELS
from agenttwin.values import MAX_INTEGER, Json, canonical

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(
        ["yes", "null", "1", "012", "0x1", "1e3", ".inf", "<<", "2026-01-01", "a: b", "#", "- a"]
    )
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=25,
)
PIECES = st.lists(
    st.sampled_from("[]{}:,-?&*!|>'\"%@`#~<\\\t \n0aé😀\ud83d\ufeff\x00")
    | st.sampled_from(["\n  ", ": ", "- ", "? ", "<<: ", "!!str ", "&a ", "*a", "---\n", "...\n"])
    | st.sampled_from(["true", ".inf", "1e999", "NaN", "\\ud83d", "9" * 20]),
    max_size=30,
).map("".join)
FILES = st.sampled_from(["a.yaml", "a.json"])


def source(text: bytes | str, file: str) -> Source | None:
    """What was read; else the problems were told well."""
    try:
        return parse(text, file=file)
    except DocumentError as error:
        check(error)
        return None


def check(error: DocumentError) -> None:
    assert error.problems
    for problem in error.problems:
        assert problem.code in CODES
        assert problem.location
        assert min(problem.location.line, problem.location.column) > 0
        assert "\n" not in str(problem)


@given(PIECES | st.text() | st.binary(), FILES)
@example("? &a *a", "a.yaml")
@example("{? [a]: 1, ? [a]: 2, <<: 3, <<: 4}", "a.yaml")
@example('{"a":1,"a":{"a":NaN}', "a.json")
def test_no_text_brings_the_reader_down(text: bytes | str, file: str) -> None:
    found = source(text, file)
    if found is not None:
        canonical(found.value)


@given(PIECES | st.text() | st.binary())
def test_nothing_from_outside_brings_the_reader_down(text: bytes | str) -> None:
    try:
        value = parse_json(text)
    except DocumentError as error:
        check(error)
    else:
        assert value == json.loads(text)


@given(VALUES)
def test_json_is_read_as_what_was_written(value: Json) -> None:
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        assert canonical(parse_json(text)) == canonical(value)
        assert canonical(parse(text, file="a.json").value) == canonical(value)


@given(VALUES, st.booleans())
def test_yaml_is_read_as_what_was_written(value: Json, flow: bool) -> None:
    text = yaml.dump(value, Dumper=_Plain, default_flow_style=flow, allow_unicode=True)
    assert canonical(parse(text, file="a.yaml", limits=JSON_LIMITS).value) == canonical(value)


class _Plain(yaml.SafeDumper):
    """Writes no aliases, and texts in quotes: what a plain scalar means, other tests say."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Plain.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, '"'))


@given(VALUES, FILES)
def test_every_place_is_found_where_its_key_or_scalar_stands(value: Json, file: str) -> None:
    text = json.dumps(value, indent=1)
    assume(file == "a.json" or "\\ud" not in text)  # YAML knows no pairs of escapes
    found = parse(text, file=file)
    lines = text.split("\n")
    for segments, part in places(found.value):
        spot = found.locate(segments)
        first = "" if isinstance(part, float) else json.dumps(part)[0]  # a number may be spelled otherwise
        assert lines[spot.line - 1].startswith(first, spot.column - 1)
        if segments and isinstance(segments[-1], str):
            key = found.locate(segments, key=True)
            assert lines[key.line - 1].startswith(json.dumps(segments[-1]), key.column - 1)


def places(value: Json, at: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Json]]:
    """Every place of a value, with what stands there."""
    parts: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, list):
        parts = list(enumerate(value))
    return [(at, value), *(each for name, part in parts for each in places(part, (*at, name)))]


HEADS = [{"apiVersion": "agenttwin.dev/v1", "kind": kind} for kind in MODELS]
WORDS = st.sampled_from(
    [
        "metadata",
        "spec",
        "name",
        "tools",
        "handler",
        "kind",
        "read",
        "mutate",
        "static",
        "effects",
        "op",
        "set",
        "path",
        "value",
        "expectations",
        "type",
        "state",
        "input",
        "message",
        "turns",
        "faults",
        "target",
        "behavior",
        "when",
        "agent",
        "twin",
        "severity",
        "critical",
        "risk",
        "READ",
        "let",
        "if",
        "forEach",
        "in",
        "as",
        "cases",
        "scenario",
        "version",
        "limits",
        "model",
        "instructions",
        "inputSchema",
        "preconditions",
        "that",
        "error",
        "status",
    ]
)
NAMES = WORDS | st.text(max_size=4)
SHAPES = st.recursive(
    SCALARS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=40,
)


@given(st.sampled_from(HEADS), st.dictionaries(WORDS, SHAPES, max_size=3), SHAPES, SHAPES)
def test_no_document_brings_its_model_down(head: Any, more: Any, metadata: Json, spec: Json) -> None:
    text = json.dumps({**more, **head, "metadata": metadata, "spec": spec})
    try:
        read(text, file="a.json", models=MODELS)
    except DocumentError as error:
        check(error)
