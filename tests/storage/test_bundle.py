"""Pairs and runs that go from one store to another: all of it, once, and nothing that its digests deny."""

import base64
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from agenttwin.compare import as_json, compare
from agenttwin.errors import AgentTwinError, Conflict, LimitExceeded, UsageError
from agenttwin.storage import Store, StoredPair, StoredRun, open_store
from agenttwin.storage import _bundle as bundle
from agenttwin.storage._tables import METADATA
from tests.storage._scene import BASELINE, order, ordered, record_all
from tests.storage.test_projects import override

Lines = list[Any]


@pytest.fixture
def packed(tmp_path: Path) -> bytes:
    with open_store(tmp_path / "elsewhere.db") as store:
        record_all(store, ordered(store))
        store.override(ordered(store).candidate.id, "first", override())
        store.finish(ordered(store))
        return store.bundle(ordered(store))


def lines_of(packed: bytes) -> Lines:
    return [orjson.loads(line) for line in gzip.decompress(packed).splitlines()]


def packed_of(lines: Lines) -> bytes:
    return gzip.compress(b"".join(orjson.dumps(line) + b"\n" for line in lines))


def counts(store: Store) -> dict[str, int]:
    with store.database.read() as connection:
        return {
            name: connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one()
            for name in METADATA.tables
        }


def test_what_is_taken_in_is_what_was_run(store: Store, packed: bytes, tmp_path: Path) -> None:
    taken, new = store.take_in(packed)
    assert new
    assert isinstance(taken, StoredPair)
    with open_store(tmp_path / "elsewhere.db") as elsewhere:
        there = ordered(elsewhere)
        assert (taken.key, taken.candidate.digest) == (there.key, there.candidate.digest)
        assert taken.id != there.id
        digest = as_json(compare(elsewhere.load_pair(there)))["report_digest"]
        documents = elsewhere.document(there.candidate.digest)
    assert as_json(compare(store.load_pair(taken)))["report_digest"] == digest
    assert store.document(taken.candidate.digest) == documents
    assert (taken.candidate.decided, taken.candidate.finished) == (1, 3)
    assert store.overrides(taken.candidate.id)


def test_the_same_twice_is_there_once(store: Store, packed: bytes) -> None:
    first, _ = store.take_in(packed)
    before = counts(store)
    again, new = store.take_in(packed)
    assert (again.id, new) == (first.id, False)
    assert counts(store) == before


def test_what_was_added_since_is_added(store: Store, tmp_path: Path) -> None:
    with open_store(tmp_path / "elsewhere.db") as elsewhere:
        empty = elsewhere.bundle(ordered(elsewhere))
        record_all(elsewhere, ordered(elsewhere))
        whole = elsewhere.bundle(ordered(elsewhere))
    first, _ = store.take_in(empty)
    again, new = store.take_in(whole)
    assert (again.id, new) == (first.id, True)
    assert isinstance(again, StoredPair)
    assert again.complete


def test_a_run_alone_goes_too(store: Store, tmp_path: Path) -> None:
    with open_store(tmp_path / "elsewhere.db") as elsewhere:
        run = elsewhere.run("alone", order()[2], BASELINE)
        record_all(elsewhere, run)
        taken, _ = store.take_in(elsewhere.bundle(run))
    assert isinstance(taken, StoredRun)
    assert taken.complete


def test_a_key_that_stands_for_something_else_is_a_conflict(store: Store, packed: bytes) -> None:
    store.pair("nightly", order()[2], BASELINE, BASELINE)
    before = counts(store)
    with pytest.raises(Conflict):
        store.take_in(packed)
    assert counts(store) == before


def row(lines: Lines, table: str) -> dict[str, Any]:
    return next(values for name, values in lines[1:] if name == table)


def edited(change: Callable[[Lines], object]) -> Callable[[bytes], bytes]:
    def edit(packed: bytes) -> bytes:
        lines = lines_of(packed)
        change(lines)
        return packed_of(lines)

    return edit


def other_bytes(table: str, column: str, value: bytes = b"{}") -> Callable[[bytes], bytes]:
    return edited(lambda lines: row(lines, table).update({column: base64.b64encode(value).decode()}))


HOSTILE: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda packed: b"",
    "no gzip": lambda packed: b"hello",
    "cut": lambda packed: packed[: len(packed) // 2],
    "cut inside": lambda packed: gzip.compress(gzip.decompress(packed)[:-30]),
    "head alone is wrong": edited(lambda lines: lines[0].update(format="other/1")),
    "no head": edited(lambda lines: lines.pop(0)),
    "a list": lambda packed: gzip.compress(b"[]\n[]\n"),
    "deep": lambda packed: gzip.compress(b"[" * 100_000 + b"\n"),
    "unknown table": edited(lambda lines: lines.append(["keys", {}])),
    "missing column": edited(lambda lines: row(lines, "cases").pop("grade")),
    "wrong type": edited(lambda lines: row(lines, "cases").update(trial="1")),
    "a truth for a number": edited(lambda lines: row(lines, "cases").update(trial=True)),
    "no base64": edited(lambda lines: row(lines, "cases").update(grade="%%%")),
    "a NUL": edited(lambda lines: row(lines, "documents").update(file="a\0b")),
    "a large number": edited(lambda lines: row(lines, "runs").update(seed=2**64 - 1)),
    "changed content": other_bytes("contents", "content"),
    "changed document": other_bytes("documents", "value"),
    "changed text": edited(lambda lines: row(lines, "documents").update(text="kind: Agent\n")),
    "renamed document": edited(lambda lines: row(lines, "documents").update(name="other")),
    "changed plan": edited(lambda lines: row(lines, "runs").update(plan_digest="sha256:0")),
    "another seed": edited(lambda lines: row(lines, "runs").update(seed=1)),
    "case of no run": edited(lambda lines: row(lines, "cases").update(run="nowhere")),
    "state of no content": edited(lambda lines: row(lines, "cases").update(base="sha256:0")),
    "override of no case": edited(lambda lines: row(lines, "overrides").update(scenario="other")),
    "grade that is none": other_bytes("cases", "grade"),
    "events that are none": other_bytes("cases", "events", b"[1]"),
    "claim that is none": other_bytes("cases", "claim", b"7"),
    "summary that is none": other_bytes("pairs", "summary", b"nothing"),
    "no manifest": edited(
        lambda lines: lines.remove(
            next(x for x in lines[1:] if x[0] == "documents" and x[1]["kind"] == "Agent")
        )
    ),
    "two sides alike": edited(
        lambda lines: [values.update(side="candidate") for n, values in lines[1:] if n == "runs"]
    ),
    "no pair": edited(lambda lines: lines.remove(next(x for x in lines[1:] if x[0] == "pairs"))),
    "no key": edited(lambda lines: row(lines, "pairs").update(key="")),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_bundle_is_refused_and_changes_nothing(store: Store, packed: bytes, name: str) -> None:
    before = counts(store)
    with pytest.raises(UsageError) as raised:
        store.take_in(HOSTILE[name](packed))
    assert raised.value.code == "invalid_bundle"
    assert counts(store) == before


def test_a_small_file_that_stands_for_a_large_one_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "MAX_UNPACKED", 4 * 1024 * 1024)
    bomb = gzip.compress(b"\n" * (8 * 1024 * 1024))
    assert len(bomb) < 20_000
    with pytest.raises(AgentTwinError):
        store.take_in(bomb)
    with pytest.raises(LimitExceeded):
        store.take_in(
            gzip.compress(orjson.dumps({"format": bundle.FORMAT, "kind": "pair"}) + b"\n" + b" " * 2**23)
        )


def test_what_is_too_large_to_be_sent_is_said_before(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    record_all(store, ordered(store))
    monkeypatch.setattr(bundle, "MAX_BUNDLE", 1_000)
    with pytest.raises(LimitExceeded):
        store.bundle(ordered(store))


def test_a_planted_secret_of_another_project_cannot_be_pointed_at(store: Store, packed: bytes) -> None:
    store.access.create_project("left")
    store.within("left").take_in(packed)
    lines = lines_of(packed)
    digest = row(lines, "contents")["digest"]
    without = [lines[0], *(x for x in lines[1:] if x[0] != "contents" or x[1]["digest"] != digest)]
    with pytest.raises(UsageError):
        store.take_in(packed_of(without))
