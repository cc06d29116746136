"""What a case is, read off its scenario and its twin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agenttwin.compare._values import CaseInfo
from agenttwin.document import Document
from agenttwin.scenario import OnlyChanged, OutcomeVerified, Scenario, State, StateUnchanged
from agenttwin.twin import TwinDefinition


def case_info(document: Document[Scenario], twin: TwinDefinition) -> CaseInfo:
    """The case of a scenario run against a twin."""
    scenario = document.model
    metadata, spec = scenario.metadata, scenario.spec
    return CaseInfo(
        scenario=metadata.name,
        severity=metadata.severity,
        tags=tuple(metadata.tags),
        file=document.source.file,
        line=_line(document.source.text),
        expectations=tuple(name for name, _ in scenario.expectations),
        ignore={tool.name: tuple(tool.compare.ignore) for tool in twin.spec.tools if tool.compare.ignore},
        expected_failures={
            failure.expectation: failure.reason + (f" (until {failure.until})" if failure.until else "")
            for failure in spec.expected_failures
        },
        description=metadata.description,
        asked=_asked(scenario),
        reads=tuple(dict.fromkeys(_read(scenario))),
    )


_METADATA: Final = re.compile(r'^[\s{]*"?metadata"?\s*:', re.MULTILINE)


def _line(text: str) -> int:
    """Where a document says what it is, found without reading it again: a suite may have thousands."""
    found = _METADATA.search(text)
    return text.count("\n", 0, found.end()) + 1 if found else 1


def _asked(scenario: Scenario) -> str:
    said = scenario.spec.input
    return said.message or "\n".join(turn.say for turn in said.turns or ())


def _read(scenario: Scenario) -> Iterator[str]:
    """The state paths that expectations look at; onlyChanged looks at the whole."""
    for _, expectation in scenario.expectations:
        match expectation:
            case State(path=path) | StateUnchanged(path=path):
                yield path
            case OutcomeVerified(path=str(path)):
                yield path
            case OnlyChanged():
                yield ""
            case _:
                pass
