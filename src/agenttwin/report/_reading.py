"""What every format reads off a report alike, be it a comparison or a run of one version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agenttwin.report._text import clean, shown
from agenttwin.report._words import CLASSES, EXIT_CODES, VERDICTS, Word, done, seen

Report = Mapping[str, Any]

QUIET: Final = frozenset({"UNCHANGED", "PASSED"})
"""Classes of cases that nobody has to look at."""


def is_run(report: Report) -> bool:
    """Whether the report is of one version alone."""
    return str(report["format"]).startswith("run/")


def title_of(report: Report) -> str:
    """Who was looked at: `refund-agent 1.2.4 → 1.3.0`, or one version alone."""
    if is_run(report):
        return f"{report['agent']} {report['version']}"
    left, right = report["baseline"], report["candidate"]
    other = "" if left["agent"] == right["agent"] else f"{right['agent']} "
    return f"{left['agent']} {left['version']} → {other}{right['version']}"


def versions_of(report: Report) -> Mapping[str, Report]:
    """Each version by its role; one version alone is the candidate."""
    if is_run(report):
        return {"candidate": report}
    return {"baseline": report["baseline"], "candidate": report["candidate"]}


def plan_of(report: Report) -> Report:
    """Where the plan's digest and seed stand."""
    plan: Report = report if is_run(report) else report["pair"]
    return plan


def class_of(case: Report) -> str:
    """The class of a case, or the verdict of one side alone."""
    return str(case["classification"] if "classification" in case else case["verdict"])


def word_of(case: Report) -> Word:
    """How that is shown."""
    return CLASSES[case["classification"]] if "classification" in case else VERDICTS[case["verdict"]]


def verdict_of(report: Report) -> Word:
    """How the report is shown: as its worst case, or as incomplete where no case says what it says."""
    worst = next((word_of(case) for case in report["cases"]), None)
    if worst is None or (report["exit_code"] and class_of(report["cases"][0]) in QUIET):
        return CLASSES["INCOMPLETE"]
    return worst


def side_of(case: Report) -> Report:
    """The side that is judged."""
    side: Report = case["candidate"] if "classification" in case else case["side"]
    return side


def name_of(case: Report, report: Report) -> str:
    """The scenario, and the trial where there are several of it."""
    several = sum(other["scenario"] == case["scenario"] for other in report["cases"]) > 1
    return f"{case['scenario']} (trial {case['trial']})" if several else str(case["scenario"])


def is_fake(report: Report) -> bool:
    """Whether no language model took part."""
    return {version["model_kind"] for version in versions_of(report).values()} == {"deterministic-fake"}


def exit_words(report: Report) -> str:
    """What the exit code says."""
    words = {0: "everything passed", 1: "failed"} if is_run(report) else {}
    return words.get(report["exit_code"], EXIT_CODES[report["exit_code"]])


def short(digest: str) -> str:
    """The beginning of a digest."""
    return digest.removeprefix("sha256:")[:8]


def failing(case: Report) -> Iterator[Report]:
    """The results that make the case what it is, worst first: what became worse, else what did not pass."""
    results = {item["id"]: item for item in side_of(case)["evaluations"]}
    worse = [results[name] for name in case.get("worse", ()) if name in results]
    yield from worse or (item for item in results.values() if item["verdict"] in ("FAIL", "ERROR"))


def still_failing(case: Report) -> list[Report]:
    """The results that fail on both sides."""
    movements = case.get("movements", {})
    return [item for item in side_of(case)["evaluations"] if movements.get(item["id"]) == "still_failing"]


def state_rows(left: Report, right: Report) -> Iterator[tuple[str, Report | None, Report | None]]:
    """Each changed path with its change on either side, None where it stayed; what differs comes first."""
    changes = [{change["path"]: change for change in side["state_changes"]} for side in (left, right)]
    paths = list(dict.fromkeys([*changes[0], *changes[1]]))
    differing = [path for path in paths if changes[0].get(path) != changes[1].get(path)]
    for path in (*differing, *(path for path in paths if path not in differing)):
        yield path, changes[0].get(path), changes[1].get(path)


def change_words(change: Report | None) -> str:
    """A change in one line."""
    if change is None:
        return "as it was"
    before, after = (shown(change[key]) if key in change else "(nothing)" for key in ("before", "after"))
    return f"{before} → {after}"


def step_words(step: Report | None) -> str:
    """A step of a trajectory in one line."""
    if step is None:
        return ""
    if step["kind"] == "outcome":
        return f"{step['step']} reported {step['name']}"
    if step["kind"] != "call":
        return f"{step['step']} {step['shown']}"
    effect = f", {step['effect']}" if step["effect"] != "none" else ""
    return f"{step['step']} {step['name']} → {step['result']}{effect}"


def faulted(side: Report) -> list[Report]:
    """The calls on which a fault took effect."""
    return [call for call in side["calls"] if call["took_effect"] and not call["redelivered"]]


def fault_lines(side: Report) -> Iterator[str]:
    """Each of them as two facts: what was done, and what was seen."""
    for call in faulted(side):
        yield f"{call['tool']}, {call['fault']}: {done(call)}; {seen(call)}."


def unread_words(changes: Sequence[Mapping[str, str]]) -> list[str]:
    """Changes that no expectation reads, by the part of the state they are in."""
    parts: dict[str, set[str]] = {}
    for change in changes:
        top = clean(change["path"]).split("[")[0].split(".")[0]
        parts.setdefault(top, set()).add(change["scenario"])
    return [f"{top} in {len(cases)} case{'' if len(cases) == 1 else 's'}" for top, cases in parts.items()]
