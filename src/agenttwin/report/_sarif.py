"""A report as SARIF 2.1.0: one result for each case that is worse or incomplete, at its scenario's line.

What fails on both sides, or is expected to fail, is a note. Fingerprints hold neither versions nor seeds, so
that a finding is the same one in the next run.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote, urlunsplit

import orjson

from agenttwin.report._reading import (
    class_of,
    exit_words,
    failing,
    name_of,
    plan_of,
    side_of,
    still_failing,
    title_of,
    versions_of,
)
from agenttwin.report._text import clean
from agenttwin.report._words import CLASSES, OUTCOMES
from agenttwin.scenario import EXPECTATIONS
from agenttwin.values import Json, digest

Report = Mapping[str, Any]

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "NEW_CRITICAL_FAILURE": "error",
        "REGRESSED": "error",
        "INCOMPLETE": "warning",
        "failed": "error",
        "errored": "warning",
    }
)
"""The level of a case's result; a class that is not here has none."""

WORKSPACE: Final = "%SRCROOT%"
FINGERPRINT: Final = "agenttwin/case/v1"


def render_sarif(report: Report) -> str:
    """The report as SARIF."""
    results = [result for case in report["cases"] for result in _results(case, report)]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, results)]}
    return orjson.dumps(_cleaned(log), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _run(report: Report, results: Sequence[dict[str, Json]]) -> dict[str, Any]:
    plan = plan_of(report)
    agent = versions_of(report)["candidate"]["agent"]
    return {
        "tool": {
            "driver": {
                "name": "AgentTwin",
                "semanticVersion": version("agenttwin"),
                "rules": [_rule(name) for name in dict.fromkeys(str(item["ruleId"]) for item in results)],
            }
        },
        "automationDetails": {
            "id": f"agenttwin/{agent}/",
            "description": {"text": f"{title_of(report)}: {report['headline']}"},
        },
        "invocations": [_invocation(report)],
        "originalUriBaseIds": {WORKSPACE: {"description": {"text": "The folder of agenttwin.yaml."}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {
            **{f"{role}Version": item["version"] for role, item in versions_of(report).items()},
            "seed": plan["seed"],
            "planDigest": plan["plan_digest"],
            "reportDigest": report["report_digest"],
        },
    }


def _invocation(report: Report) -> dict[str, Any]:
    code = report["exit_code"]
    told = [("error", report["headline"])] if code and not _found(report) else []
    told += [("warning", text) for text in report["warnings"]]
    return {
        "executionSuccessful": code in (0, 1),
        "exitCode": code,
        "exitCodeDescription": exit_words(report),
        "toolExecutionNotifications": [
            {"level": level, "message": {"text": text}, "descriptor": {"id": f"report-{level}"}}
            for level, text in told
        ],
    }


def _found(report: Report) -> bool:
    return any(class_of(case) in LEVELS for case in report["cases"])


def _results(case: Report, report: Report) -> Iterator[dict[str, Json]]:
    kind, known = class_of(case), still_failing(case)
    if kind in LEVELS:
        found = failing(case)
        rule = found[0]["type"] if found and LEVELS[kind] == "error" else kind
        yield _result(rule, LEVELS[kind], case, report, case["reason"])
    if known:
        names = ", ".join(item["id"] for item in known)
        why = "Known to fail" if all(item["expected_to_fail"] for item in known) else "Still failing"
        yield _result(known[0]["type"], "note", case, report, f"{why}: {names}.")


def _result(rule: str, level: str, case: Report, report: Report, reason: str) -> dict[str, Json]:
    items = still_failing(case) if level == "note" else failing(case)
    agent = versions_of(report)["candidate"]["agent"]
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": "\n".join(_message(case, report, reason, worse=level != "note"))},
        "locations": list(_locations(case)),
        "partialFingerprints": {
            FINGERPRINT: digest([agent, case["scenario"], case["trial"], rule, level]).removeprefix("sha256:")
        },
        "properties": {
            "classification": class_of(case),
            "severity": case["severity"],
            "seed": case["seed"],
            "expectations": [item["id"] for item in items],
            "rerun": case["rerun"],
        },
    }


def _message(case: Report, report: Report, reason: str, *, worse: bool) -> Iterator[str]:
    yield f"{name_of(case, report)}: {reason}"
    if worse and (divergence := case.get("divergence")):
        yield divergence["summary"]
        if divergence["meaning"]:
            yield divergence["meaning"]
    if worse and (answer := side_of(case)["answer"]):
        yield f"The agent claimed {side_of(case)['claimed_outcome']}: “{answer}”"
    yield f"Again: {case['rerun']}"


def _locations(case: Report) -> Iterator[dict[str, Json]]:
    source = case["source"]
    if source["file"] is None:
        return
    uri = quote(source["file"].replace("\\", "/"))
    # A scenario may lie outside of the workspace; what begins with a slash is not relative to it.
    absolute = urlunsplit(("file", "", uri, "", ""))
    file: Json = {"uri": absolute} if uri.startswith("/") else {"uri": uri, "uriBaseId": WORKSPACE}
    place: dict[str, Json] = {"artifactLocation": file}
    if source["line"] is not None:
        place["region"] = {"startLine": source["line"]}
    yield {"physicalLocation": place}


def _rule(name: str) -> dict[str, Json]:
    """A kind of expectation, or a class where no expectation can be named."""
    if name in CLASSES or name in OUTCOMES:
        text = f"The case is {(CLASSES.get(name) or OUTCOMES[name]).text}."
    elif name in EXPECTATIONS:
        text = (inspect.getdoc(EXPECTATIONS[name].model) or name).splitlines()[0]
    else:
        text = "The agent comes to an end." if name == "agentFinished" else f"{name} holds."
    return {"id": name, "shortDescription": {"text": text}}


def _cleaned(value: Any) -> Any:
    """The value with what a viewer could obey spelled."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list) else value
