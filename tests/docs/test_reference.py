"""The reference is complete: whatever the tables in the code hold stands in it, and it is what they say now."""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from types import SimpleNamespace
from typing import Any, get_args

import click
import pytest
from pydantic import BaseModel

import agenttwin
from agenttwin import compare, errors, evaluate, expression, lab, report, run, scenario, transcript, twin
from agenttwin.agents import _request as outside
from agenttwin.cli import _main as cli
from agenttwin.expression import _parser as parser
from agenttwin.twin import _names as names
from agenttwin.workspace import _file as workspace_file
from agenttwin.workspace import _settings as settings
from tests.docs._page import ROOT
from tools.reference import PAGES, _commands, _errors, _faults, _results, _templates

FOLDER = ROOT / "docs" / "reference"
SOURCES = sorted((ROOT / "src" / "agenttwin").rglob("*.py"))


def row(name: object) -> str:
    """How a row of a table begins that explains `name`; the cell may be a link, in bold, or say more."""
    return rf"^\| [\[*]*`?{re.escape(str(name))}\b"


def heading(name: object) -> str:
    return rf"^##+ {re.escape(str(name))}$"


def words(kind: type[Enum]) -> list[str]:
    return [row(word.value) for word in kind]


def models(model: type[BaseModel]) -> list[type[BaseModel]]:
    """A model and those that its fields hold, however deep."""
    found: list[type[BaseModel]] = []

    def meet(annotation: Any) -> None:
        is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
        if is_model and annotation not in found:
            found.append(annotation)
            for field in annotation.model_fields.values():
                meet(field.annotation)
        for inner in get_args(annotation):
            meet(inner)

    meet(model)
    return found


def fields(model: type[BaseModel]) -> Iterator[str]:
    yield from (field.alias or name for name, field in model.model_fields.items())


def commands() -> Iterator[tuple[str, click.Command]]:
    yield "agenttwin", cli.group
    yield from below(cli.group, "agenttwin")


def below(group: click.Group, before: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield f"{before} {name}", command
        if isinstance(command, click.Group):
            yield from below(command, f"{before} {name}")


def options() -> Iterator[str]:
    for _, command in commands():
        for each in command.params:
            if isinstance(each, click.Option):
                yield max(each.opts, key=len)


def variables() -> set[str]:
    """The variables that the code names beside those of the settings: keys of `environ`, and constants of them."""
    found: set[str] = set()
    for file in SOURCES:
        text = file.read_text(encoding="utf-8")
        constants = dict(re.findall(r'^([A-Z_]+)(?:: Final)? = "([A-Z_]+)"$', text, re.MULTILINE))
        for used in re.findall(r"environ(?:\.get\(|\[)([^,)\]]+)|([^\s(]+) in os\.environ", text):
            name = next(filter(None, used)).strip()
            found.add(constants.get(name, name.strip('"') if name.startswith('"') else ""))
    return {name for name in found if re.fullmatch(r"[A-Z_]{2,}", name)}


def told() -> list[str]:
    """What an agent outside Python finds in its request and in its environment."""
    fields = {field.name: None for field in dataclasses.fields(run.Request)}
    request = run.Request(**{**fields, "version": "1.0.0", "session_id": "s"})
    lease = SimpleNamespace(http_url="", mcp_url="", env={})
    return [*json.loads(outside.as_body(request, lease)), *outside.as_environment(request, lease)]


DOCUMENTS = {
    "twin-definition.md": twin.TwinDefinition,
    "scenario.md": scenario.Scenario,
    "manifest.md": scenario.Agent,
    "dataset.md": scenario.Dataset,
    "workspace.md": workspace_file.WorkspaceFile,
}
ELSEWHERE = {
    **{kind.model: "expectations.md" for kind in scenario.EXPECTATIONS.values()},
    **dict.fromkeys(models(twin.FaultRule), "faults.md"),
}


def document_fields(page: str) -> Iterator[str]:
    """Every field of every part whose place is on that page; a part that is not the document has a heading."""
    for owner in DOCUMENTS.values():
        for model in models(owner):
            if ELSEWHERE.get(model, page_of(owner)) == page:
                yield from map(row, fields(model))
                if model is not owner and model not in ELSEWHERE:
                    yield heading(model.__name__)


def page_of(owner: type[BaseModel]) -> str:
    return next(page for page, model in DOCUMENTS.items() if model is owner)


WANTED: dict[str, tuple[str, Iterable[str]]] = {
    **{f"fields in {page}": (page, list(document_fields(page))) for page in (*DOCUMENTS, "faults.md")},
    "expectations": ("expectations.md", [heading(name) for name in scenario.EXPECTATIONS]),
    "expectations at a glance": ("expectations.md", [row(name) for name in scenario.EXPECTATIONS]),
    "comparators": ("twin-definition.md", [row(name) for name in fields(twin.Comparing)]),
    "faults": ("faults.md", [heading(name) for name in twin.FAULTS]),
    "faults at a glance": ("faults.md", [row(name) for name in twin.FAULTS]),
    "commits": ("faults.md", words(transcript.Commit)),
    "answers": ("faults.md", words(twin.Answer)),
    "wires": ("faults.md", words(twin.Wire)),
    "risks": ("twin-definition.md", words(transcript.Risk)),
    "codes": ("errors.md", [heading(code) for code in errors.CODES]),
    "commands": ("command-line.md", [heading(name) for name, _ in commands()]),
    "options": ("command-line.md", [row(name) for name in options()]),
    "formats": ("command-line.md", [row(name) for name in report.FORMATS]),
    "settings": ("settings.md", [rf"`AGENTTWIN_{name.upper()}`" for name in settings.SETTINGS]),
    "variables": ("settings.md", [row(name) for name in variables()]),
    "classes": ("results.md", words(compare.Classification)),
    "movements": ("results.md", words(compare.Movement)),
    "exit codes": ("results.md", [row(int(code)) for code in compare.ExitCode]),
    "verdicts": ("results.md", [*words(evaluate.Verdict), *words(evaluate.CaseVerdict)]),
    "labels": ("results.md", [row(name) for kind in scenario.EXPECTATIONS.values() for name in kind.labels]),
    "endings": ("results.md", [row(end.value) for end in transcript.Ending if end.value != "FINISHED"]),
    "outcomes": ("results.md", [*words(transcript.ClaimedOutcome), *words(transcript.OutcomeStatus)]),
    "results": ("results.md", words(transcript.Result)),
    "kinds of model": ("results.md", words(transcript.ModelKind)),
    "functions": (
        "templates.md",
        [rf"^\| `{re.escape(row.usage)}`" for row in expression.FUNCTIONS.values()],
    ),
    "macros": ("templates.md", [rf"^\| `{re.escape(row.usage)}`" for row in expression.MACROS.values()]),
    "operators": (
        "templates.md",
        [r"^\| `" + re.escape(symbol.replace("|", r"\|")) for symbol in parser._LEVELS],
    ),
    "roots": ("templates.md", [row(name) for name in {*names.ROOTS, "result"}]),
    "told": ("agent.md", [row(name) for name in told()]),
    "request": ("agent.md", [row(field.name) for field in dataclasses.fields(run.Request)]),
    "reply": ("agent.md", [row(field.name) for field in dataclasses.fields(run.Reply)]),
    "claim": ("agent.md", [row(name) for name in evaluate.FIELDS]),
    "names": ("python.md", [rf"^### agenttwin\.{name}$" for name in agenttwin.__all__]),
    "methods": (
        "python.md",
        [
            rf"^(\| `)?{name}\b"
            for each in (agenttwin.Twin, agenttwin.Case, lab.Session)
            for name in vars(each)
            if not name.startswith("_") and name != "definition"
        ],
    ),
}
"""What must stand in the reference, read off the code and not off what writes the pages."""


def missing(text: str, wanted: Iterable[str]) -> list[str]:
    """The patterns that are not found in a page."""
    return [pattern for pattern in wanted if not re.search(pattern, text, re.MULTILINE)]


@cache
def committed(page: str) -> str:
    return (FOLDER / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("what", WANTED)
def test_nothing_is_missing(what):
    page, wanted = WANTED[what]
    assert wanted
    assert missing(committed(page), wanted) == []


@pytest.mark.parametrize(
    ("module", "table", "name", "what"),
    [
        (_faults, "FAULTS", "late_mutation", "faults"),
        (_faults, "COMMITS", None, "commits"),
        (_errors, "CODES", "disk_full", "codes"),
        (_results, "EXPECTATIONS", "noLoop", "labels"),
        (_templates, "FUNCTIONS", "round", "functions"),
        (_templates, "MACROS", "sortBy", "macros"),
        (_commands, "FORMATS", "sarif", "formats"),
        (_commands, "VARIABLES", "NO_COLOR", "variables"),
        (settings, "SETTINGS", "seed", "settings"),
        (cli.group, "table", "explain", "commands"),
    ],
)
def test_a_page_without_a_row_is_noticed(module, table, name, what, monkeypatch):
    """Makes the page anew from a table that lacks one row: what is wanted of it is then missing."""
    page, wanted = WANTED[what]
    whole = getattr(module, table)
    if name is None:
        monkeypatch.setattr(_faults, "_words", lambda found, kind: iter(()))
    else:
        monkeypatch.setattr(module, table, {key: row for key, row in whole.items() if key != name})
    assert missing(PAGES[page](), wanted)


@pytest.mark.parametrize("page", DOCUMENTS)
def test_a_page_without_a_field_is_noticed(page):
    for pattern in WANTED[f"fields in {page}"][1]:
        rest = [line for line in committed(page).splitlines() if not re.search(pattern, line)]
        assert missing("\n".join(rest), [pattern]) == [pattern]


def test_every_field_of_an_expectation_stands_in_its_section():
    text = committed("expectations.md")
    common = set(fields(scenario.Common)) | set(fields(twin.Comparing))
    for name, kind in scenario.EXPECTATIONS.items():
        section = re.split(r"^### ", text.split(f"\n### {name}\n")[1], flags=re.MULTILINE)[0]
        own = set(fields(kind.model)) - (
            common if "gte" in kind.model.model_fields else set(fields(scenario.Common))
        )
        assert missing(section, [row(field) for field in own]) == [], name
        assert f"Version {kind.version}." in section
        assert all(f"`{label}`" in section for label in kind.labels)


def test_every_field_of_a_fault_stands_in_its_section():
    text = committed("faults.md")
    for name, kind in twin.FAULTS.items():
        section = text.split(f"\n### {name}\n")[1].split("\n#")[0]
        assert all(f"`{field}`" in section for field in kind.fields), name


def test_every_code_has_its_example_and_its_remedy():
    text = committed("errors.md")
    for code in errors.CODES:
        section = text.split(f"\n## {code}\n")[1].split("\n## ")[0]
        assert re.search(r"^- For example: `.+`$\n- What to do: .+\.$", section, re.MULTILINE), code


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_says_now(name):
    assert committed(name) == PAGES[name](), "the reference is old: run `make reference`"


def test_there_is_no_other_page():
    assert {file.name for file in FOLDER.iterdir()} == set(PAGES)


def test_the_schemas_of_all_kinds_have_a_page():
    kinds = set(lab.schemas()) - {"Comparison", "Run"}
    assert {"Workspace", *scenario.MODELS} == kinds
    assert set(DOCUMENTS.values()) == {*scenario.MODELS.values(), workspace_file.WorkspaceFile}


def test_an_environment_variable_of_the_code_is_found():
    assert {"GITHUB_STEP_SUMMARY", "NO_COLOR", "USER"} <= variables()
