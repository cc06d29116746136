"""What every format reads off a report alike, be it a comparison or a run of one version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from agenttwin.report._case import parts_of
from agenttwin.report._words import CLASSES, DECISIONS, EXIT_CODES, OUTCOMES, RUN_EXIT_CODES, Word, done, seen

Report = Mapping[str, Any]


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


def verdict_of(report: Report) -> Word:
    """How the report as a whole is shown."""
    return DECISIONS[report["verdict"]]


def tally_of(report: Report) -> list[tuple[Word, int]]:
    """How many cases there are of each class, worst first."""
    words = OUTCOMES if is_run(report) else CLASSES
    return [(words[name], count) for name, count in report["counts"].items() if count]


def is_fake(report: Report) -> bool:
    """Whether no language model took part."""
    return {version["model_kind"] for version in versions_of(report).values()} == {"deterministic-fake"}


def exit_words(report: Report) -> str:
    """What the exit code says."""
    return (RUN_EXIT_CODES if is_run(report) else EXIT_CODES)[report["exit_code"]]


def short(digest: str) -> str:
    """The beginning of a digest."""
    return digest.removeprefix("sha256:")[:8]


_ORIGINS: Final = {
    "baseline_run": "the baseline is the stored run",
    "regraded_from": "no agent was run: graded again from",
}


def provenance(report: Report) -> list[str]:
    """Where cases come from that were recorded earlier, if some were."""
    measured = report.get("measured", {})
    return [f"{text} {measured[name]}" for name, text in _ORIGINS.items() if name in measured]


# -- cases


def class_of(case: Report) -> str:
    """The class of a case, or how one side alone came out."""
    return str(case["classification"] if "classification" in case else case["outcome"])


def word_of(case: Report) -> Word:
    """How that is shown."""
    return CLASSES[case["classification"]] if "classification" in case else OUTCOMES[case["outcome"]]


def is_quiet(case: Report) -> bool:
    """Whether nobody has to look at the case: nothing fails in it and nothing changed."""
    return not parts_of(cast(Any, case)) if "classification" in case else case["outcome"] == "passed"


def side_of(case: Report) -> Report:
    """The side that is judged."""
    side: Report = case["candidate"] if "classification" in case else case["side"]
    return side


def name_of(case: Report, report: Report) -> str:
    """The scenario, and the trial where each has several."""
    several = plan_of(report)["trials"] > 1
    return f"{case['scenario']} (trial {case['trial']})" if several else str(case["scenario"])


def failing(case: Report) -> list[Report]:
    """The results that make the case what it is: what became worse, else what did not pass."""
    results = {item["id"]: item for item in side_of(case)["evaluations"]}
    worse = [results[name] for name in case.get("worse", ()) if name in results]
    return worse or [item for item in results.values() if item["verdict"] in ("FAIL", "ERROR")]


def still_failing(case: Report) -> list[Report]:
    """The results that fail on both sides, or that are expected to fail and do."""
    movements = case.get("movements", {})
    return [
        item
        for item in side_of(case)["evaluations"]
        if movements.get(item["id"]) == "still_failing"
        or (item["expected_to_fail"] and item["verdict"] == "FAIL")
    ]


def not_reproduced(report: Report) -> list[str]:
    """The cases in which a version did something else the second time, each with what."""
    return [f"{case['scenario']} ({', '.join(apart)})" for case in report["cases"] if (apart := _apart(case))]


def _apart(case: Report) -> list[str]:
    found, divergence = case["differences"], case["divergence"]
    facts = (
        (f"parts at step {divergence['step']}" if divergence else "", divergence is not None),
        ("other final state", bool(found["state"])),
        ("other answer", not found["same_answer"]),
        ("other claim", bool(found["claim"])),
        ("other result", case["baseline"]["verdict"] != case["candidate"]["verdict"]),
    )
    return [text for text, holds in facts if holds]


# -- faults: what was done, and what was seen


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultFact:
    """What came of a fault; ``places`` are the calls of which the same is to be said."""

    fault: str
    tool: str
    done: str
    seen: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        where = " and ".join(self.places)
        return f"{self.fault} on {self.tool}, {where}: {self.done}; the agent saw {self.seen}."


def fault_facts(case: Report, report: Report) -> list[FaultFact]:
    """The faults that took effect in a case."""
    places: dict[tuple[str, str, str, str], list[str]] = {}
    for version, side in _sides(case, report):
        for call in side["calls"]:
            if call["took_effect"] and not call["redelivered"]:
                fact = (str(call["fault"]), call["tool"], done(call), seen(call))
                places.setdefault(fact, []).append(f"call {call['seq']} of {version}")
    return [
        FaultFact(fault=fault, tool=tool, done=did, seen=saw, places=tuple(found))
        for (fault, tool, did, saw), found in places.items()
    ]


def idle_faults(case: Report, report: Report) -> Iterator[str]:
    """The faults that made no difference on a side, in sentences."""
    for version, side in _sides(case, report):
        for use in side["faults"]:
            if not use["took_effect"]:
                how = "fired and made no difference" if use["fired"] else "never fired"
                fault = f"{use['type']} on {use['target']}"
                yield f"{fault} {how} on {version}: this side says nothing about it."


def _sides(case: Report, report: Report) -> Iterator[tuple[str, Report]]:
    """Each side of a case with its version."""
    for role, version in versions_of(report).items():
        yield version["version"], side_of(case) if role == "candidate" else case[role]
