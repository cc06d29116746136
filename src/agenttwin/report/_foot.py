"""The end of every report: sums, coverage, warnings, and what the exit code says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agenttwin.compare import CoverageDocument, TotalsDocument
from agenttwin.report._page import Page
from agenttwin.report._words import EXIT_CODES, checked_words

_SUMS: Final = (
    ("passed", "passed"),
    ("failed", "failed"),
    ("could not be judged", "errored"),
    ("failed as expected", "expected_failures"),
    ("tool calls", "tool_calls"),
    ("retries", "retries"),
)
_ALWAYS: Final = frozenset({"passed", "failed", "tool_calls"})
MAX_UNREAD: Final = 8
MAX_NOTES: Final = 20


def totals(versions: Sequence[str], sums: Sequence[TotalsDocument], page: Page) -> Iterator[str]:
    """The sums of each side beside one another."""
    rows = [("Sums", *versions)]
    for label, key in _SUMS:
        numbers = [side[key] for side in sums]  # type: ignore[literal-required]
        if key in _ALWAYS or any(numbers):
            rows.append((label, *(str(number) for number in numbers)))
    yield from page.table(rows, 0, ["bold", *[""] * (len(rows) - 1)])


def coverage(found: CoverageDocument, page: Page) -> Iterator[str]:
    """What was exercised, and what was not; faults that made no difference are warnings."""
    yield ""
    yield page.paint("Coverage", "bold")
    tools = found["tools"]
    total = len(tools["exercised"]) + len(tools["not_exercised"])
    never = f"; never: {', '.join(tools['not_exercised'])}" if tools["not_exercised"] else ""
    yield from page.text(f"{len(tools['exercised'])} of {total} tools were called{never}.", 2, 2)
    for tool in found["irreversible"]:
        yield from page.text(_tried(tool), 2, 2)
    if found["unread_changes"]:
        yield from page.text(f"Changed, and no expectation looks at it: {_unread(found)}.", 2, 2)
    for twin in found["measured"].get("twins", ()):
        yield from page.text(checked_words(twin), 2, 2)


def _tried(tool: Mapping[str, object]) -> str:
    if not tool["exercised"]:
        return f"{tool['tool']} cannot be taken back, and was never called."
    marks = (
        ("answer lost after its effect", tool["timeout_after_effect"]),
        ("success without effect", tool["success_without_effect"]),
    )
    told = ", ".join(f"{'✓' if there else '✗'} {name}" for name, there in marks)
    return f"{tool['tool']} cannot be taken back; it was called, with {told}."


def _unread(found: CoverageDocument) -> str:
    """Changed paths, each with how many cases changed it."""
    paths: dict[str, int] = {}
    for item in found["unread_changes"]:
        paths[item["path"]] = paths.get(item["path"], 0) + 1
    told = [f"{path} ({number})" for path, number in list(paths.items())[:MAX_UNREAD]]
    rest = len(paths) - MAX_UNREAD
    return ", ".join([*told, f"{rest} more"] if rest > 0 else told)


def notes(warnings: Sequence[str], page: Page) -> Iterator[str]:
    """Warnings, each a sentence."""
    if warnings:
        yield ""
        yield page.paint("Warnings", "bold")
    for warning in warnings[:MAX_NOTES]:
        yield from page.text(warning, 2, 2)
    if len(warnings) > MAX_NOTES:
        yield f"  … and {len(warnings) - MAX_NOTES} more"


def exit_code(code: int, page: Page, words: Mapping[int, str] = EXIT_CODES) -> Iterator[str]:
    """What the exit code says."""
    yield from page.text(f"Exit code {code}: {words[code]}.")
