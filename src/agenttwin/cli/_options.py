"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from agenttwin.cli._names import completing, scenarios, suites, tags
from agenttwin.cli._reports import targets

F = TypeVar("F", bound=Callable[..., Any])

SEVERITY_WORDS: Final = ("critical", "high", "medium", "low")


def _all(*options: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def selection_options(function: F) -> F:
    """--suite --scenario --tag --severity --failed: what one flag lists adds up, different flags narrow."""
    return _all(
        click.option(
            "--suite",
            "suites",
            multiple=True,
            metavar="NAME",
            help="Scenarios of this suite.",
            shell_complete=completing(suites),
        ),
        click.option(
            "--scenario",
            "scenarios",
            multiple=True,
            metavar="NAME",
            help="This scenario, or a glob.",
            shell_complete=completing(scenarios),
        ),
        click.option(
            "--tag",
            "tags",
            multiple=True,
            metavar="TAG",
            help="Scenarios with this tag.",
            shell_complete=completing(tags),
        ),
        click.option(
            "--severity",
            "severities",
            multiple=True,
            type=click.Choice(SEVERITY_WORDS),
            help="Of this severity.",
        ),
        click.option(
            "--failed", is_flag=True, help="Scenarios whose candidate did not pass in the latest comparison."
        ),
    )(function)


def run_options(function: F) -> F:
    """--seed --concurrency --isolation --max-cost --fail-fast --fail-on --report."""
    return _all(
        click.option("--seed", type=int, metavar="N", help="Seed of the plan."),
        click.option("--concurrency", type=int, metavar="N", help="Cases beside one another."),
        click.option(
            "--isolation", type=click.Choice(["thread", "process"]), help="Where a Python agent runs."
        ),
        click.option("--max-cost", metavar="USD", help="What the language models of the run may cost."),
        click.option("--fail-fast", is_flag=True, help="Begin no further case after one that did not pass."),
        fail_on_option,
        report_option,
    )(function)


def fail_on_option(function: F) -> F:
    """--fail-on."""
    return click.option(
        "--fail-on",
        type=click.Choice(["still-failing"]),
        help="Also exit 1 where both sides fail the same.",
    )(function)


def watch_option(function: F) -> F:
    """--watch."""
    return click.option(
        "--watch", is_flag=True, help="Stay, and run again what a changed file affects, until Ctrl-C."
    )(function)


def report_option(function: F) -> F:
    """--report, any number of times."""
    return click.option(
        "--report",
        "reports",
        multiple=True,
        metavar="FORMAT=PATH",
        callback=targets,
        help="Also write the report to PATH as html, junit, sarif, markdown, json or terminal.",
    )(function)


def json_option(function: F) -> F:
    """--json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON to stdout and nothing else.")(
        function
    )
