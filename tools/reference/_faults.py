"""The page of faults: the two-by-two, the table, and what each kind takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from agenttwin.twin import FAULTS, FaultKind

from ._documents import part, schema_of
from ._markdown import code, codes, fence, join, link, page, slug, table

COMMITS: Final[Mapping[str, str]] = {
    "none": "Nothing is done.",
    "first": "The first effect that changes something is done, the rest is not.",
    "all": "Everything is done.",
    "twice": "Everything is done two times; the second is a replay where the call had an idempotency key.",
    "late": "The call is accepted, and done later: before a further call, or at the end of the case.",
}
ANSWERS: Final[Mapping[str, str]] = {
    "error": "An error with the status and the code of the kind.",
    "nothing": "Nothing at all.",
    "computed": "What the tool really answers.",
    "stale": "What the tool would answer in the state before the case's writes.",
    "previous": "The tool's previous answer; at its first call, its own.",
    "substitute": "The `body` of the fault.",
    "drifted": "What the tool answers, with one field renamed or missing.",
    "padded": "What the tool answers, blown up to `bytes`.",
}
WIRES: Final[Mapping[str, str]] = {
    "whole": "It arrives whole.",
    "nothing": "Nothing arrives: the connection breaks.",
    "truncated": "It breaks off half-way.",
    "garbled": "What arrives is no JSON.",
    "slow": "It arrives late.",
    "dripping": "It drips in.",
}

ROWS: Final = ("nothing", "a part", "everything", "everything, later", "everything, twice")
COLUMNS: Final = ("a success", "a clear refusal", "no clear answer")

_ROW_OF: Final = dict(zip(("none", "first", "all", "late", "twice"), ROWS, strict=True))
_BROKEN: Final = ("nothing", "truncated", "garbled")


def faults() -> str:
    """The page of faults."""
    return page(
        "Faults",
        "A fault is two facts: **what the dependency did**, and **what the caller sees**. They are independent, "
        "and the interesting faults are those in which they disagree. The agent never learns that there was a "
        "fault, nor what it is called.",
        fence("yaml", EXAMPLE),
        "## Did it happen, and does it look as if it had?",
        "Down: what the dependency did. Across: what the caller sees. `custom` can stand anywhere.",
        table(("it did …", *COLUMNS), _two_by_two()),
        "*A clear refusal* is an error from which a caller can learn that nothing was done. *No clear answer* is "
        "a timeout, a crash, a broken connection or an answer that cannot be read: the caller has to look "
        "before it tries again.",
        "## All kinds",
        "*Knowable*: whether the caller can learn from what it sees what was done. A repeated write after an answer "
        "that is not knowable is a [blind repeat](expectations.md#noblindrepeat).",
        table(
            ("kind", "commit", "answer", "wire", "status", "knowable", "own fields"),
            ((link(code(name), f"#{slug(name)}"), *_row(kind)) for name, kind in FAULTS.items()),
        ),
        *_kinds(),
        "## Fault rules",
        "A scenario's `faults` are a list of rules. For each call the first rule that fits wins. A rule *fired* when "
        "it was chosen; it *took effect* when what was done, the answer or the wire differ from what the call would "
        "have done without it. Reports and `faultFired` go by the second, and a scenario whose fault took no effect "
        "says so.",
        part("Scenario", "FaultRule"),
        "### When",
        "All that is said must hold; nothing said means every call. Only calls that the twin accepts are counted.",
        part("Scenario", "When"),
        "### Behavior",
        "`type` says which fields there may be: `delayMs`, `retryAfterSeconds`, `message` and `body` with every kind, "
        "the others with the kinds that name them.",
        part("Scenario", "Behavior"),
        "## Commit",
        table(("commit", "what is done"), _words(COMMITS, "Commit")),
        "## Answer",
        table(("answer", "what it is made of"), _words(ANSWERS, "Answer")),
        "## Wire",
        table(("wire", "how it travels"), _words(WIRES, "Wire")),
        "## In Python",
        "A call never raises for a fault. `reply.ok` is false unless a complete success came; `reply.status` is `None` "
        "where nothing came; `reply.body` is `None` where what came is no JSON; `reply.text` is the answer as sent. A "
        "delay takes no time: it is added to what the case took.",
    )


EXAMPLE: Final = """
faults:
  - target: refund_payment
    when: {callNumber: 1}
    behavior: {type: timeout_after_mutation, message: The provider did not answer in time.}
"""


def _sees(kind: FaultKind) -> str:
    if kind.answer == "error":
        return COLUMNS[1] if kind.knowable and kind.commit == "none" else COLUMNS[2]
    return COLUMNS[2] if kind.wire in _BROKEN else COLUMNS[0]


def _two_by_two() -> Iterator[tuple[str, ...]]:
    placed: dict[tuple[str, str], list[str]] = {}
    for name, kind in FAULTS.items():
        if name != "custom":
            placed.setdefault((_ROW_OF[kind.commit], _sees(kind)), []).append(name)
    for row in ROWS:
        yield (
            f"**{row}**",
            *(
                "<br>".join(_named(name) for name in placed.get((row, column), ())) or "–"
                for column in COLUMNS
            ),
        )


def _named(name: str) -> str:
    return link(code(name), f"#{slug(name)}")


def _row(kind: FaultKind) -> tuple[str, ...]:
    return (
        kind.commit.value,
        kind.answer.value,
        kind.wire.value,
        str(kind.status) if kind.status else "–" if kind.wire == "nothing" else "as computed",
        "yes" if kind.knowable else "no",
        codes(kind.fields) or "–",
    )


def _kinds() -> Iterator[str]:
    for name, kind in FAULTS.items():
        header = ", with `Retry-After`" if kind.retry_after else ""
        sent = f"Status {kind.status}, code {code(kind.code)}{header}: “{kind.message}”" if kind.code else ""
        own = f"Own fields: {codes(kind.fields)}." if kind.fields else ""
        told = " ".join(part for part in (kind.description, sent, own) if part)
        yield join((f"### {name}", told))


def _words(words: Mapping[str, str], name: str) -> Iterator[tuple[str, str]]:
    for word in schema_of("Scenario")["$defs"][name]["enum"]:
        yield code(word), words[word]
