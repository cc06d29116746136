"""Whatever slips into a document that was sound, every problem that is told has its place in the file."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from agenttwin.document import Broken, Document, examine, parse, read, validate
from agenttwin.errors import CODES
from agenttwin.scenario import MODELS, Library, check
from agenttwin.workspace import WorkspaceFile

ROOT = Path(__file__).parents[2]
PATHS = [
    *sorted((ROOT / "examples").rglob("*.yaml")),
    *sorted((ROOT / "tests/unit/scenario/whole").glob("*.yaml")),
]
VALUES = {
    path.name: parse(path.read_text().replace("DIGEST", "0" * 64), file=path.name).value for path in PATHS
}
WORKSPACES = [name for name in VALUES if name.startswith("agenttwin")]
DOCUMENTS = [name for name in VALUES if name not in WORKSPACES]

PARTS: st.SearchStrategy[Any] = st.sampled_from([
    None, True, 0, -1, 1.5, 1e300, "", "x", "{", "{= 1", "a..b", "READ",
    [], [None], ["x"], {}, {"x": 1}, {"type": "x"},
])  # fmt: skip
NAMES = st.sampled_from(["x", "nam", "type", "kind", "path", "id", "", "[key]", "str", "spec", "value"])


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(value, dict | list):
        for name, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*at, name))


@st.composite
def slips(draw: st.DrawFn, names: list[str]) -> tuple[str, Any]:
    """A sound document in which up to three places were dropped, retyped, renamed or repeated."""
    name = draw(st.sampled_from(names))
    value = copy.deepcopy(VALUES[name])
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.sampled_from(list(places(value))[1:] or [()]))
        if at:
            slip(draw, value, at)
    return name, value


def slip(draw: st.DrawFn, value: Any, at: tuple[Any, ...]) -> None:
    *parents, last = at
    around = value
    for part in parents:
        around = around[part]
    match draw(st.sampled_from(["drop", "retype", "rename", "repeat"])):
        case "drop":
            del around[last]
        case "retype":
            around[last] = copy.deepcopy(draw(PARTS))
        case "rename" if isinstance(around, dict):
            around[draw(NAMES)] = around.pop(last)
        case _ if isinstance(around, list):
            around.insert(0, copy.deepcopy(around[last]))


def well_told(problems: Any, text: str) -> None:
    lines = text.split("\n")
    for problem in problems:
        assert problem.code in CODES
        assert problem.location is not None
        assert 1 <= problem.location.line <= len(lines)
        assert 1 <= problem.location.column <= len(lines[problem.location.line - 1]) + 1
        assert "\n" not in str(problem)


@given(slips(DOCUMENTS), st.booleans())
def test_a_slip_in_a_document_is_told_with_its_place(given_: tuple[str, Any], as_json: bool) -> None:
    name, value = given_
    text = json.dumps(value, indent=1) if as_json else yaml.safe_dump(value, sort_keys=False)
    found = examine(text, file="x.json" if as_json else "x.yaml", models=MODELS)
    assert isinstance(found, Document) or not all(problem.warning for problem in found.problems)
    well_told(found.problems if isinstance(found, Broken) else found.warnings, text)
    draft = found.draft if isinstance(found, Broken) else found
    if draft is not None:
        others = [each for other, each in SOUND.items() if other != name]
        between = check(Library.of([draft, *others]))
        well_told([each for each in between if str(each.location).startswith("x.")], text)


SOUND = {name: read(json.dumps(VALUES[name]), file=f"{name}.json", models=MODELS) for name in DOCUMENTS}


@given(slips(WORKSPACES))
def test_a_slip_in_a_workspace_file_is_told_with_its_place(given_: tuple[str, Any]) -> None:
    text = yaml.safe_dump(given_[1], sort_keys=False)
    well_told(validate(parse(text, file="x.yaml"), WorkspaceFile)[1], text)
