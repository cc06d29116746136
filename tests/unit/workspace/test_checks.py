"""When a twin was held against the real thing lies beside it, and every report says it."""

import json

import pytest

from agenttwin.compare import TwinCheck, as_json, single_as_json
from agenttwin.errors import AgentTwinError
from agenttwin.lab import Ask, Session, write_example
from agenttwin.report import render
from agenttwin.workspace import check_file, open_workspace, write_check
from tests.unit.scenario._documents import TWIN
from tests.unit.workspace._workspace import changed, opened, problems, write

AT = "2026-11-03T08:00:00Z"


def checked(root, **fields):
    """A check of the twin as it is, written down."""
    digest = opened(root).library.twin_digest("shop")
    given = {
        "twin": "shop",
        "digest": digest,
        "at": AT,
        "against": "openapi.yaml",
        "agrees": 14,
        "differs": 2,
    }
    return write_check(root / "twin.json", TwinCheck(**{**given, **fields}))


def test_a_twin_that_was_never_checked_says_so(tmp_path):
    assert opened(write(tmp_path)).checks == {"shop": TwinCheck(twin="shop")}


def test_what_is_written_down_is_read_again(tmp_path):
    path = checked(write(tmp_path))
    assert path == tmp_path / "twin.checked.json" == check_file(tmp_path / "twin.json")
    found = opened(tmp_path).checks["shop"]
    assert (found.at, found.against, found.agrees, found.differs) == (AT, "openapi.yaml", 14, 2)
    assert found.current


def test_a_check_does_not_change_what_the_twin_is(tmp_path):
    before = opened(write(tmp_path)).library.twin_digest("shop")
    checked(tmp_path)
    assert opened(tmp_path).library.twin_digest("shop") == before


def test_a_twin_that_was_changed_since_says_so(tmp_path):
    checked(write(tmp_path))
    (tmp_path / "twin.json").write_text(changed(TWIN, metadata={"description": "Another one."}))
    assert not opened(tmp_path).checks["shop"].current


def test_the_check_of_another_twin_is_none_of_this_one(tmp_path):
    checked(write(tmp_path), twin="other")
    assert opened(tmp_path).checks["shop"].at is None


def test_no_glob_takes_the_file_for_a_twin(tmp_path):
    write(tmp_path, {"agenttwin.yaml": None})
    write(tmp_path)
    text = (tmp_path / "agenttwin.yaml").read_text().replace("twins: twin.json", "twins: twin*.json")
    (tmp_path / "agenttwin.yaml").write_text(text)
    checked(tmp_path)
    assert problems(tmp_path) == []


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("{", "not_json"),
        (json.dumps({"format": "checked/1"}), "missing_field"),
        (json.dumps([]), "wrong_type"),
    ],
)
def test_a_broken_file_is_a_warning_and_counts_as_no_check(tmp_path, content, code):
    write(tmp_path, {"twin.checked.json": content})
    assert code in problems(tmp_path)[0]
    assert problems(tmp_path)[0].startswith("twin.checked.json:1:")
    assert opened(tmp_path).checks["shop"].at is None


def test_where_it_cannot_be_written_it_says_so(tmp_path):
    with pytest.raises(AgentTwinError) as caught:
        write_check(tmp_path / "nowhere" / "twin.yaml", TwinCheck(twin="shop"))
    assert caught.value.code == "unwritable_file"


def reports(folder):
    """Every report that people read, of a comparison and of a run, and the digests of both."""
    with Session.open(folder) as session:
        ask = Ask(scenarios=("refund-happy-path",))
        compared = as_json(session.compare("1.2.4", "1.3.0", ask)[1])
        alone = single_as_json(session.run("1.3.0", ask)[1])
    shown = [
        render(report, kind) for report in (compared, alone) for kind in ("terminal", "markdown", "html")
    ]
    return [" ".join(text.split()) for text in shown], (compared["report_digest"], alone["report_digest"])


def test_every_report_says_when_the_twin_was_checked(tmp_path):
    write_example("support-refund", tmp_path)
    never, before = reports(tmp_path)
    for text in never:
        assert "demo-co-support was never checked against the real API." in text
    digest = open_workspace(tmp_path, environ={}).library.twin_digest("demo-co-support")
    known = TwinCheck(twin="demo-co-support", digest=digest, at=AT, against="pay.json", agrees=1, differs=2)
    write_check(tmp_path / "twin.yaml", known)
    told, after = reports(tmp_path)
    for text in told:
        assert "demo-co-support was checked against pay" in text
        assert "on 2026-11-03: 1 of 3 comparisons agreed." in text
    assert after == before, "a date is no part of what was found"
