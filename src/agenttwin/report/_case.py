"""One case of a comparison, part by part: what was said, what happened, where the sides part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agenttwin.compare import (
    CallDocument,
    CaseDocument,
    ComparisonDocument,
    EvaluationDocument,
    SideDocument,
    StepDocument,
)
from agenttwin.report._page import Page
from agenttwin.report._text import line, pad
from agenttwin.report._words import CLASSES, VERDICTS, done, fault_words, plural, seen, value

MAX_STATE_ROWS: Final = 10
MAX_STEP_ROWS: Final = 40


@dataclass(frozen=True, slots=True)
class Shown:
    """A case with its report and the page that it is put on."""

    case: CaseDocument
    report: ComparisonDocument
    page: Page

    @property
    def sides(self) -> tuple[tuple[str, SideDocument], tuple[str, SideDocument]]:
        """Both sides, each with its version."""
        before, after = self.report["baseline"]["version"], self.report["candidate"]["version"]
        return (before, self.case["baseline"]), (after, self.case["candidate"])

    @property
    def versions(self) -> tuple[str, str]:
        """How the sides are headed."""
        (before, _), (after, _) = self.sides
        return f"baseline {before}", f"candidate {after}"


Part = Callable[[Shown], Iterator[str]]


def title(shown: Shown) -> Iterator[str]:
    """The class in shape and word, the scenario, what it is about, and why it has the class."""
    case, page = shown.case, shown.page
    word = CLASSES[case["classification"]]
    name = page.paint(line(case["scenario"]), "bold")
    yield f"{page.paint(str(word).upper(), word.style)}  {name}  {page.paint(case['severity'], 'quiet')}"
    if case["description"]:
        yield from page.text(case["description"], 2, style="quiet")
    yield from page.text(case["reason"], 2)


def said(shown: Shown) -> Iterator[str]:
    """What the user asked and what both versions answered: testimony, in quotation marks."""
    case, page = shown.case, shown.page
    yield ""
    if case["asked"]:
        yield from page.labelled("Asked", f"“{case['asked']}”", 2, 10)
    (left, before), (right, after) = shown.sides
    if before["answer"] is not None and case["differences"]["same_answer"]:
        yield f"  {page.paint('Both said, word for word:', 'bold')}"
        yield from page.labelled("", f"“{before['answer']}”", 2, 10)
    else:
        for label, version, side in (("Answered", left, before), ("", right, after)):
            yield from page.labelled(label, f"{version}: {answer(side)}", 2, 10)


def answer(side: SideDocument) -> str:
    """The answer in quotation marks; or that there is none, or that the side never ran."""
    if side["answer"] is not None:
        return f"“{side['answer']}”"
    return "nothing" if side["verdict"] is not None else "(never ran)"


def happened(shown: Shown) -> Iterator[str]:
    """What was claimed against what the record shows, side by side."""
    (_, before), (_, after) = shown.sides
    rows = [("claimed", _claimed(before), _claimed(after)), ("verified", _verified(before), _verified(after))]
    state = [
        (change["path"], value(change.get("before", "–")), value(change.get("after", "–")))
        for change in shown.case["differences"]["state"]
    ]
    if before["state_digest"] and after["state_digest"]:
        rows += state[:MAX_STATE_ROWS] or [("final state", "the same", "the same")]
    rows.append(("tool calls", _calls(before), _calls(after)))
    rows += _counts(before, after)
    violations = [
        f"{version}: call {found['call']} violated {found['policy']}."
        for version, side in shown.sides
        for found in side["violations"]
    ]
    yield from shown.page.head("Claimed, and what happened")
    styles = ["quiet", *("bold" if row[1] != row[2] else "" for row in rows)]
    yield from shown.page.table([("", *shown.versions), *rows], 4, styles)
    for sentence in violations[:MAX_STATE_ROWS]:
        yield from shown.page.text(sentence, 4, 2)
    if (rest := len(state) - MAX_STATE_ROWS) > 0:
        yield f"    … and {plural(rest, 'more difference', 'more differences')} of the states"


def _counts(before: SideDocument, after: SideDocument) -> list[tuple[str, str, str]]:
    """What should be nought, where it is not."""
    counts = (
        ("effects applied twice", before["duplicates"], after["duplicates"]),
        ("policy violations", before["policy_violations"], after["policy_violations"]),
    )
    return [(label, str(left), str(right)) for label, left, right in counts if left or right]


def _claimed(side: SideDocument) -> str:
    if side["verdict"] is None:
        return "–"
    return f"{side['claimed_outcome']}{' (read from its words)' if side['claim_inferred'] else ''}"


def _verified(side: SideDocument) -> str:
    outcome = side["outcome"]
    if outcome is None:
        return "–"
    return outcome["status"] if outcome["verified"] else "not verified"


def _calls(side: SideDocument) -> str:
    retries = f", {plural(side['retries'], 'retry', 'retries')}" if side["retries"] else ""
    return f"{side['tool_calls']}{retries}"


# -- expectations


def expectations(shown: Shown) -> Iterator[str]:
    """What the candidate does not meet, and what it meets again."""
    case, page = shown.case, shown.page
    before = {item["id"]: item for item in case["baseline"]["evaluations"]}
    open_items = [item for item in case["candidate"]["evaluations"] if _is_told(item)]
    if open_items:
        how = "fail" if all(item["verdict"] == "FAIL" for item in open_items) else "fail or are open"
        yield from page.head(f"Expectations that {how} on {shown.report['candidate']['version']}")
        for item in open_items:
            yield from _expectation(page, item, _was(before.get(item["id"])))
    lost = [item for item in case["baseline"]["evaluations"] if item["verdict"] in ("ERROR", "SKIPPED")]
    if lost:
        yield from page.head(f"Not judged on {shown.report['baseline']['version']}")
        for item in lost:
            yield from _expectation(page, item, "")
    fixed = [name for name, movement in case["movements"].items() if movement == "fixed"]
    if fixed and open_items:
        yield from page.text(f"Met again: {', '.join(fixed)}.", 4)


def _is_told(item: EvaluationDocument) -> bool:
    return item["verdict"] in ("FAIL", "ERROR") or (item["verdict"] == "SKIPPED" and item["critical"])


def _was(item: EvaluationDocument | None) -> str:
    was = "not judged" if item is None else VERDICTS[item["verdict"]].text
    return f"{was} on the baseline"


def _expectation(page: Page, item: EvaluationDocument, before: str) -> Iterator[str]:
    word = VERDICTS[item["verdict"]]
    facts = [
        page.paint("critical", "red") if item["critical"] else "",
        before,
        "expected to fail" if item["expected_to_fail"] else "",
    ]
    name = page.paint(line(item["id"]), "bold")
    told = ", ".join(fact for fact in facts if fact)
    yield f"    {page.paint(word.shape, word.style)} {name}  {told}".rstrip()
    yield from page.text(item["reason"], 6)
    for note in judged_by(item):
        yield from page.text(note, 6, style="quiet")


def judged_by(item: EvaluationDocument) -> Iterator[str]:
    """Who judged, where it was no evaluator of ours: a model, or a person in place of another result."""
    judge, decided = item["judge"], item["overridden"]
    if judge is not None:
        model = f" {judge['model']}" if judge["model"] else ""
        kind = ", not a language model" if judge["kind"] == "deterministic-fake" else ""
        known = "" if item["calibrated"] else ", not calibrated"
        yield f"Judged by {judge['provider']}{model}{kind}{known}."
    if decided is not None:
        original = decided["original"] or {}
        yield f"Decided by {decided['by']}; before: {original.get('verdict')}, {original.get('reason')}"


# -- the way


def way(shown: Shown) -> Iterator[str]:
    """Both trajectories side by side, and the sentence that says where they part."""
    case, page = shown.case, shown.page
    rows, divergence = case["alignment"], case["divergence"]
    if not rows:
        return
    yield from page.head("What they did")
    half = (page.columns - 9) // 2
    yield page.paint(f"      {pad(shown.versions[0], half)} {shown.versions[1]}", "quiet")
    parted = False
    for row in rows[:MAX_STEP_ROWS]:
        left, right = _step(case["baseline"], row["baseline"]), _step(case["candidate"], row["candidate"])
        first = divergence is not None and not row["same"] and not parted
        parted = parted or first
        text = f"    {'▸' if first else ' '} {pad(left, half)} {pad(right, half)}".rstrip()
        yield page.paint(text, "bold") if first else text
    if len(rows) > MAX_STEP_ROWS:
        yield f"      … and {len(rows) - MAX_STEP_ROWS} more steps"


def parting(shown: Shown) -> Iterator[str]:
    """The first divergence in a sentence, and what it means where the record says it."""
    divergence = shown.case["divergence"]
    if divergence is None:
        return
    yield from shown.page.head("Where they part")
    yield from shown.page.text(divergence["summary"], 4)
    if divergence["meaning"]:
        yield from shown.page.text(divergence["meaning"], 4)


def _step(side: SideDocument, step: StepDocument | None) -> str:
    return f"{step['step']:>2} {step_words(side, step)}" if step is not None else ""


def step_words(side: SideDocument, step: StepDocument) -> str:
    """A step in a few words: `refund_payment → timeout, applied`."""
    match step["kind"]:
        case "outcome":
            return f"claimed {step['name']}"
        case "policy":
            return f"policy {step['name']}: {step['result']}"
        case "retrieval":
            return step["shown"]
        case _:
            return f"{step['name']} → {step['result']}{effect_words(side, step)}"


def effect_words(side: SideDocument, step: StepDocument) -> str:
    """What a call did to the world: applied, again, replayed; or not applied, though computed."""
    if step["effect"] == "none":
        call = calls_by_seq(side).get(step["call"] or 0)
        return ", not applied" if call is not None and call["computed_changes"] else ""
    repeats = {seq for found in side["duplicate_effects"] for seq in found["calls"][1:]}
    return f", {step['effect']}{' again' if step['call'] in repeats else ''}"


# -- faults and lists


def faults(shown: Shown) -> Iterator[str]:
    """Each fault: what the dependency did, and what the agent saw; or that it made no difference."""
    page = shown.page
    for rule, kind, target in _rules(shown):
        yield from page.head(f"Fault {kind} on {target}")
        met = any(
            call["rule"] == rule and call["took_effect"] for _, side in shown.sides for call in side["calls"]
        )
        if met and (words := fault_words(kind)):
            yield from page.text(words, 4, style="quiet")
        for version, side in shown.sides:
            yield from _met(page, version, side, rule)


def _rules(shown: Shown) -> list[tuple[str, str, str]]:
    uses = [use for _, side in shown.sides for use in side["faults"]]
    return list(dict.fromkeys((use["rule"], use["type"], use["target"]) for use in uses))


def _met(page: Page, version: str, side: SideDocument, rule: str) -> Iterator[str]:
    """What came of a fault on a side; calls to which the same happened stand together."""
    columns = len(version) + 2
    groups: dict[tuple[str, str, str], list[int]] = {}
    for call in side["calls"]:
        if call["rule"] == rule and call["took_effect"] and not call["redelivered"]:
            groups.setdefault((call["tool"], done(call), seen(call)), []).append(call["seq"])
    for (tool, did, saw), numbers in groups.items():
        which = f"call {numbers[0]}" if len(numbers) == 1 else f"calls {', '.join(map(str, numbers))}"
        yield from page.labelled(
            version, f"{which}, {tool}: {did}; the agent saw {saw}.", 4, len(version) + 2
        )
    if side["verdict"] is None:
        yield from page.labelled(version, "It never ran.", 4, columns)
    elif not groups:
        fired = any(use["fired"] for use in side["faults"] if use["rule"] == rule)
        how = "fired and made no difference" if fired else "never fired"
        yield from page.labelled(version, f"It {how}: this side says nothing about it.", 4, columns)


def own_lists(shown: Shown) -> Iterator[str]:
    """The agents' own call lists against the record."""
    lists = [(version, side) for version, side in shown.sides if side["own_calls"] is not None]
    if not lists:
        return
    page = shown.page
    yield from page.head("The agent's own list of calls, against the record")
    if shown.case["differences"]["state"] and not any(side["disagreements"] for _, side in lists):
        yield from page.text("It agrees with the record, and does not show what became of the state.", 4)
        return
    for version, side in lists:
        found = side["disagreements"] or ["agrees with the record."]
        for sentence in found:
            yield from page.labelled(version, sentence, 4, len(version) + 2)


def expected(shown: Shown) -> Iterator[str]:
    """Failures that are expected, with the reason and what became of them."""
    case, page = shown.case, shown.page
    verdicts = {item["id"]: item["verdict"] for item in case["candidate"]["evaluations"]}
    if case["expected_failures"]:
        yield from page.head("Expected to fail")
    for name, reason in case["expected_failures"].items():
        came = VERDICTS[verdicts[name]].text if name in verdicts else "was not judged"
        yield from page.text(f"{name} {came}: {reason}", 4, 2)


def again(shown: Shown) -> Iterator[str]:
    """The command that runs the case again."""
    yield from shown.page.head("Run it again")
    yield f"    {shown.page.command(shown.case['rerun'])}"


FAILING: Final[Sequence[Part]] = (
    title, said, happened, expectations, way, parting, faults, own_lists, expected, again,
)  # fmt: skip
"""The parts of a case in which something fails, or that could not be compared."""

IMPROVED: Final[Sequence[Part]] = (title, expectations, parting, expected)
"""The parts of a case that got better."""


def parts_of(case: CaseDocument) -> Sequence[Part]:
    """How much of a case a report of many shows."""
    if case["classification"] in ("NEW_CRITICAL_FAILURE", "REGRESSED", "INCOMPLETE", "INCONCLUSIVE"):
        return FAILING
    if any(_is_told(item) and not item["expected_to_fail"] for item in case["candidate"]["evaluations"]):
        return FAILING
    return IMPROVED if case["classification"] == "IMPROVED" else ()


def calls_by_seq(side: SideDocument) -> Mapping[int, CallDocument]:
    """The calls of a side by their seq, redeliveries aside."""
    return {call["seq"]: call for call in side["calls"] if not call["redelivered"]}
