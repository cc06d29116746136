"""The catalogue of errors, and the limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agenttwin.document import DOCUMENT_LIMITS, JSON_LIMITS, TWIN_LIMITS, Limits
from agenttwin.errors import CODES
from agenttwin.evaluate import _claim as claim
from agenttwin.expression import DEFAULT_BUDGET, MAX_EXPRESSION_BYTES
from agenttwin.review import _override as override
from agenttwin.run import MAX_CAPTURED
from agenttwin.run import _case as case
from agenttwin.scenario import _scenario as scenario
from agenttwin.twin import DEFAULT_CALL_LIMIT
from agenttwin.twin import _fault as fault
from agenttwin.twin import _gate as gate
from agenttwin.twin import _model as model
from agenttwin.twin import _search as search
from agenttwin.twin import _world as world
from agenttwin.values import MAX_INTEGER
from agenttwin.values import _path as path
from agenttwin.values import _pattern as pattern
from agenttwin.workspace import _environment as environment
from agenttwin.workspace import _file as file
from agenttwin.workspace import _reading as reading

from ._markdown import code, join, page, table


def errors() -> str:
    """The page of codes."""
    return page(
        "Errors",
        "Every error has a code that does not change. It stands in square brackets at the end of the message. "
        "A problem in a document also says where: file, line, column, and the path in the document.",
        "```text\nscenarios/adds-credit.yaml:14:44: spec.expectations[0].pth: … [unknown_field]\n```",
        f"There are {len(CODES)} codes, in alphabetical order.",
        *_codes(),
    )


def _codes() -> Iterator[str]:
    for name, entry in sorted(CODES.items()):
        rows = f"{entry.title}.\n\n- For example: {code(entry.example)}\n- What to do: {entry.remedy}"
        yield join((f"## {name}", rows))


def limits() -> str:
    """The page of limits."""
    return page(
        "Limits",
        "Everything has a limit, so that a mistake ends with an error and not with a machine that stands still. "
        "What is over a limit is refused and said; nothing is cut without a word.",
        table(("what", "limit"), _rows()),
    )


KIB: Final = 1024
MIB: Final = 1024 * 1024


def _rows() -> Iterator[tuple[str, str]]:
    yield "a document", _document(DOCUMENT_LIMITS)
    yield "a TwinDefinition", _document(TWIN_LIMITS)
    yield "JSON that others send", _document(JSON_LIMITS)
    yield "an integer in a document or an argument", f"from −2^53 to 2^53 ({MAX_INTEGER:,})"
    yield "the state of a twin", _bytes(world.MAX_STATE_BYTES)
    yield "tools of a twin", f"{model.MAX_TOOLS:,}"
    yield "a planted secret", f"at least {model.MIN_SECRET} characters"
    yield "tool calls of a case", f"{DEFAULT_CALL_LIMIT}, settable up to {file.CALL_LIMITS[1]:,}"
    yield "calls and searches that a case records", f"{case.MAX_EVENTS:,}"
    yield "arguments of a call; an answer that is kept whole", _bytes(gate.MAX_RECORDED_BYTES)
    yield (
        "a search of the knowledge base",
        f"{search.MAX_QUERY:,} characters, {search.DEFAULT_RESULTS} results",
    )
    yield "delay of a fault", f"{fault.MAX_DELAY_MS:,} ms"
    yield "size of an oversized answer", _bytes(fault.MAX_PADDING)
    yield "expectations of a scenario", str(scenario.MAX_EXPECTATIONS)
    yield "fault rules of a scenario", str(scenario.MAX_FAULTS)
    yield (
        "time of a case",
        f"{scenario.DEFAULT_TIMEOUT_SECONDS} s, settable up to {scenario.MAX_TIMEOUT_SECONDS:,} s",
    )
    yield "an answer of the agent", _bytes(claim.MAX_ANSWER_BYTES)
    yield "the agent's own call list", f"{claim.MAX_OWN_CALLS:,} entries"
    yield "what an agent prints in a case", f"{_bytes(MAX_CAPTURED)} of each stream are kept"
    yield "an expression", f"{_bytes(MAX_EXPRESSION_BYTES)}, {DEFAULT_BUDGET:,} steps for a whole tool call"
    yield "a path", f"{path.MAX_PATH_CHARACTERS} characters, {path.MAX_PATH_SEGMENTS} segments"
    yield "a regular expression", f"{pattern.MAX_PATTERN_CHARACTERS:,} characters (RE2: linear time)"
    yield "files that a pattern of agenttwin.yaml matches", f"{reading.MAX_FILES:,}"
    yield "the file .env", _bytes(environment.MAX_ENV_BYTES)
    yield "cases beside one another", f"{file.CONCURRENCIES[1]}"
    yield "a note of a review", f"{override.MAX_NOTE:,} characters"


def _document(found: Limits) -> str:
    return f"{_bytes(found.bytes)}, depth {found.depth}, {found.nodes:,} values and keys"


def _bytes(number: int) -> str:
    return f"{number // MIB} MiB" if number >= MIB else f"{number // KIB} KiB"
