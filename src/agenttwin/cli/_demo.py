"""`agenttwin demo`: a refund paid twice by an agent that says the same words as before."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

import click
import orjson

from agenttwin.cli._options import json_option
from agenttwin.cli._output import hush, say, show

if TYPE_CHECKING:
    from agenttwin.compare import ComparisonDocument

EXAMPLE: Final = "support-refund"
PAIRS: Final = (("1.2.4", "1.3.0"), ("1.3.0", "1.3.1"), ("1.2.4", "1.3.1"))
STORY: Final = "refund-timeout-after-mutation"


@click.command()
@click.option(
    "--keep",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the workspace in DIR.",
)
@json_option
@click.pass_obj
def command(directory: str, keep: Path | None, as_json: bool) -> int:
    """See a refund paid twice by an agent that says the same words as before.

    Runs three comparisons in a workspace of its own: 1.2.4 → 1.3.0, 1.3.0 → 1.3.1 and 1.2.4 → 1.3.1. Exit
    code 0 where the story came out as it is told.
    """
    from agenttwin.lab import write_example

    folder = (
        nullcontext(str(Path(directory) / keep)) if keep else tempfile.TemporaryDirectory(prefix="agenttwin-")
    )
    with folder as root:
        write_example(EXAMPLE, Path(root))
        reports = _reports(root)
    if as_json:
        show(orjson.dumps({"comparisons": reports}, option=orjson.OPT_INDENT_2).decode())
    else:
        _tell(reports, keep)
    return 0 if told_as_it_was(reports) else 1


def _reports(root: str) -> list[ComparisonDocument]:
    from agenttwin.cli._session import measured_of
    from agenttwin.compare import as_json
    from agenttwin.lab import Session

    hush()
    reports = []
    with Session.open(root) as session:
        for baseline, candidate in PAIRS:
            pair, comparison = session.compare(baseline, candidate)
            reports.append(as_json(comparison, measured=measured_of(pair)))
    return reports


def _tell(reports: Sequence[Mapping[str, Any]], keep: Path | None) -> None:
    from agenttwin.cli._session import emit

    emit(reports[0], as_json=False)
    show("\nThe other two comparisons of the story:")
    for report in reports[1:]:
        versions = f"{report['baseline']['version']} → {report['candidate']['version']}"
        show(f"  {versions}  {report['headline']}")
    if keep is None:
        say("\nTo run one of these cases again, keep the workspace first: agenttwin demo --keep DIR")
    else:
        kept = quote(str(keep))
        say(f"\nThe workspace is in {kept}: put -C {kept} after agenttwin to run one of these cases again.")
    say("To start with an agent of your own: agenttwin init DIR")


def told_as_it_was(reports: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the story is true: the same words, 80 refunded, caught, and the fix mends that alone."""
    bad, fix, both = reports
    story = next(case for case in bad["cases"] if case["scenario"] == STORY)
    sides = (story["baseline"], story["candidate"])
    refunds = [side["final_state"]["orders"]["ORD-1001"]["refund_count"] for side in sides]
    return (
        refunds == [1, 2]
        and sides[0]["answer"] == sides[1]["answer"]
        and story["classification"] == "NEW_CRITICAL_FAILURE"
        and bad["exit_code"] == 1
        and fix["counts"]["IMPROVED"] == 3
        and both["counts"]["UNCHANGED"] == len(both["cases"])
    )
