"""The pipelines of the documentation are what GitHub and GitLab read, and their commands are ones that there are."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import click
import pytest
import yaml

from agenttwin.cli import _main as cli
from tests.docs._page import ROOT, blocks

PAGES = sorted((ROOT / "docs").rglob("*.md"))


def titled(ending: str) -> list[Any]:
    """The YAML of every block whose title ends so."""
    found = [block for page in PAGES for block in blocks(page)]
    return [yaml.safe_load(block.text) for block in found if block.options.get("title", "").endswith(ending)]


GITHUB = [each for each in titled(".yaml") if "jobs" in each]
GITLAB = titled(".gitlab-ci.yml")
SCOPES = {"contents", "pull-requests", "security-events", "checks", "actions", "issues"}


def test_there_is_a_recipe_for_each():
    assert GITHUB
    assert GITLAB


@pytest.mark.parametrize("workflow", GITHUB)
def test_a_github_workflow_has_the_shape_of_one(workflow):
    trigger = workflow.pop(True)  # YAML 1.1 reads the key `on` as true; GitHub does not
    assert trigger == "pull_request" or set(trigger) <= {
        "pull_request",
        "push",
        "schedule",
        "workflow_dispatch",
    }
    assert set(workflow) == {"name", "permissions", "jobs"}
    assert set(workflow["permissions"]) <= SCOPES
    assert set(workflow["permissions"].values()) <= {"read", "write", "none"}
    for job in workflow["jobs"].values():
        assert set(job) <= {"runs-on", "timeout-minutes", "defaults", "steps"}
        for step in job["steps"]:
            assert len({"run", "uses"} & set(step)) == 1
            assert set(step) <= {"name", "if", "run", "uses", "with", "env"}
            assert "with" not in step or "uses" in step
            assert re.fullmatch(r"[\w-]+(/[\w-]+)+@v\d+", step.get("uses", "a/b@v1"))
    workflow[True] = trigger


@pytest.mark.parametrize("pipeline", GITLAB)
def test_a_gitlab_pipeline_has_the_shape_of_one(pipeline):
    stages = pipeline["stages"]
    jobs = {name: job for name, job in pipeline.items() if name != "stages"}
    assert jobs
    for job in jobs.values():
        assert set(job) <= {"stage", "image", "timeout", "rules", "variables", "cache", "script", "artifacts"}
        assert job["stage"] in stages
        assert all(isinstance(line, str) for line in job["script"])
        assert set(job["artifacts"]) <= {"when", "paths", "expose_as", "reports", "expire_in"}
        assert job["artifacts"]["when"] in ("always", "on_success", "on_failure")
        assert re.fullmatch(r"[\w ]+", job["artifacts"].get("expose_as", "x"))
        assert all(set(rule) <= {"if", "changes", "when"} for rule in job["rules"])


def scripts() -> Iterator[str]:
    for workflow in GITHUB:
        for job in workflow["jobs"].values():
            yield from (step["run"] for step in job["steps"] if "run" in step)
    for pipeline in GITLAB:
        for name, job in pipeline.items():
            yield from job["script"] if name != "stages" else ()


def commands() -> Iterator[list[str]]:
    for script in scripts():
        for line in script.replace("\\\n", " ").splitlines():
            words = shlex.split(line)
            if words[:1] == ["agenttwin"]:
                yield words[1:]


def read(words: list[str]) -> dict[str, Any]:
    """The options of a command line as the command reads them; click.UsageError where it would not."""
    command = cli.group.get_command(click.Context(cli.group), words[0])
    assert command, f"there is no command {words[0]}"
    values, rest, _ = command.make_parser(
        click.Context(command, help_option_names=["-h", "--help"])
    ).parse_args(args=words[1:])
    assert rest == []
    return values


def test_the_commands_are_ones_that_there_are():
    found = [words[0] for words in commands()]
    assert {"check", "compare"} <= set(found)
    for words in commands():
        read(words)


def test_an_option_that_there_is_not_is_noticed():
    with pytest.raises(click.UsageError):
        read(["compare", "1.0.0", "1.1.0", "--reprot", "html=x.html"])


def test_the_files_that_are_kept_are_those_that_are_written():
    written = {path.split("=", 1)[1] for words in commands() for path in read(words).get("reports") or ()}
    named = {"report.html", "report.md", "junit.xml", "report.sarif"}
    assert {path.rpartition("/")[2] for path in written} == named
