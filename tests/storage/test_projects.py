"""Projects, keys, the audit log, requests that come twice; the same for every database."""

from pathlib import Path

import pytest
from sqlalchemy import select

from agenttwin.errors import AgentTwinError, Conflict, NotFound, UsageError
from agenttwin.evaluate import JudgeIdentity, Opinion, Verdict
from agenttwin.review import Override
from agenttwin.storage import Store, open_store
from agenttwin.storage._tables import METADATA, keys
from agenttwin.storage._values import Answer, ComparisonCaseRow, ComparisonRow
from tests.storage._scene import ordered, record_all

DAY_MS = 86_400_000


def two(store: Store) -> tuple[Store, Store]:
    """Two projects that look alike: the same pair under the same key, with the same cases."""
    for name in ("left", "right"):
        store.access.create_project(name)
        view = store.within(name)
        record_all(view, ordered(view))
        view.finish(ordered(view))
    return store.within("left"), store.within("right")


def override() -> Override:
    return Override(expectation="paid", verdict=Verdict.FAIL, note="No.", by="ann", at="2026-01-01T00:00:00Z")


def test_two_projects_keep_the_same_apart(store: Store) -> None:
    left, right = two(store)
    mine, theirs = ordered(left), ordered(right)
    assert mine.id != theirs.id
    assert [pair.id for pair in left.pairs().items] == [mine.id]
    assert {run.id for run in left.runs().items} == set(mine.runs.values())
    assert left.find("nightly").id == mine.id
    assert not store.pairs().items
    for act in (
        lambda: left.one_pair(theirs.id),
        lambda: left.one_run(theirs.candidate.id),
        lambda: left.find(theirs.id),
        lambda: left.case(theirs.candidate, "first"),
        lambda: left.override(theirs.candidate.id, "first", override()),
        lambda: store.document(mine.candidate.digest),
    ):
        with pytest.raises(NotFound):
            act()
    assert not left.overrides(theirs.candidate.id)
    assert right.load_pair(theirs).cases[0].candidate.transcript is not None


def test_what_a_project_says_of_itself_is_heard_nowhere_else(store: Store) -> None:
    left, right = two(store)
    judge = JudgeIdentity(provider="p", model="m", prompt_digest="d")
    opinion = Opinion(label="pass", judge=judge, score=1.0, reason="Polite.")
    left.opinions.put("sha256:q", opinion)
    left.opinions.flush()
    assert left.opinions.get("sha256:q", judge) == opinion
    assert right.opinions.get("sha256:q", judge) is None
    left.mark(ordered(left), "running", owner="me")
    assert [item.id for item in left.unfinished()] == [ordered(left).id]
    assert not right.unfinished()
    left.access.audit("ann", "key.created", "k1", {"scopes": ["read"]})
    assert len(left.access.audited().items) == 1
    assert not right.access.audited().items
    key, _ = left.access.create_key("ci", ["read"], by="ann")
    assert not right.access.every_key()
    with pytest.raises(NotFound):
        right.access.revoke(key.id)
    assert left.access.begin("ann", "k", "request") is None
    assert right.access.begin("ann", "k", "another") is None


def test_a_project_is_deleted_with_everything_in_it(store: Store) -> None:
    left, right = two(store)
    left.override(ordered(left).candidate.id, "first", override())
    left.access.create_key("ci", ["read"], by="ann")
    left.access.audit("ann", "x", "y")
    left.access.begin("ann", "k", "request")
    store.access.delete_project("left")
    with store.database.read() as connection:
        for table in METADATA.sorted_tables:
            if "project" in table.c:
                projects = set(connection.execute(select(table.c.project)).scalars())
                assert "left" not in projects, table.name
    assert ordered(right).complete
    with pytest.raises(UsageError):
        store.access.delete_project("default")
    with pytest.raises(NotFound):
        store.access.delete_project("left")


@pytest.mark.parametrize("name", ["", "-a", "A", "a b", "a" * 64, "é", "a/b", "a\n"])
def test_a_name_that_can_be_no_project_is_refused(store: Store, name: str) -> None:
    with pytest.raises(UsageError):
        store.access.create_project(name)


def test_a_project_has_a_title_and_a_time_for_which_runs_are_kept(store: Store) -> None:
    store.access.create_project("left", "The left one")
    with pytest.raises(Conflict):
        store.access.create_project("left")
    changed = store.access.change_project("left", title="Left", retention_days=30)
    assert (changed.title, changed.retention_days) == ("Left", 30)
    assert store.access.change_project("left", retention_days=None).retention_days is None
    for days in (0, -1, 1_000_000):
        with pytest.raises(UsageError):
            store.access.change_project("left", retention_days=days)
    with pytest.raises(NotFound):
        store.access.change_project("right", title="Right")
    assert [project.name for project in store.access.projects()] == ["default", "left"]


def test_a_secret_opens_until_it_is_over_or_revoked_and_is_kept_nowhere(tmp_path: Path) -> None:
    now = [1_800_000_000.0]
    with Store(tmp_path / "agenttwin.db", clock=lambda: now[0]) as store:
        ends = int(now[0] * 1000) + DAY_MS
        key, secret = store.access.create_key("ci", ["run", "read", "read"], by="ann", expires_at=ends)
        assert key.scopes == ("read", "run")
        assert secret.startswith(key.hint)
        assert len(secret) > 60
        found = store.within("default").access.verify(secret)
        assert found is not None
        assert found.id == key.id
        assert store.access.every_key()[0].used_at == int(now[0] * 1000)
        assert store.access.verify(secret + "x") is None
        assert store.access.verify("") is None
        now[0] += 86_400
        assert store.access.verify(secret) is None
        other, another = store.access.create_key("mine", ["admin"], by="ann")
        assert store.access.verify(another) is not None
        store.access.revoke(other.id)
        assert store.access.verify(another) is None
        with store.database.read() as connection:
            kept = connection.execute(select(keys)).all()
    assert len(kept) == 2
    assert not any(secret in str(row) or another in str(row) for row in kept)
    for file in tmp_path.iterdir():
        assert secret.encode() not in file.read_bytes()


@pytest.mark.parametrize(
    ("name", "scopes", "expires_at"),
    [
        ("ci", [], None),
        ("ci", ["all"], None),
        ("", ["read"], None),
        ("a\nb", ["read"], None),
        ("ci", ["read"], 1),
    ],
)
def test_a_key_that_cannot_be_is_refused(
    store: Store, name: str, scopes: list[str], expires_at: int | None
) -> None:
    with pytest.raises(UsageError):
        store.access.create_key(name, scopes, by="ann", expires_at=expires_at)
    assert not store.access.has_keys()


def test_the_audit_log_is_read_in_pages_newest_first(store: Store) -> None:
    for number in range(5):
        store.access.audit("ann", "thing.done", f"t{number}", {"number": number})
    page = store.access.audited(limit=2)
    rest = store.access.audited(limit=9, after=page.after)
    assert [item.detail["number"] for item in (*page.items, *rest.items)] == [4, 3, 2, 1, 0]
    assert rest.after is None


def test_a_request_that_comes_twice_is_answered_once(tmp_path: Path) -> None:
    now = [1_800_000_000.0]
    with Store(tmp_path / "agenttwin.db", clock=lambda: now[0]) as store:
        access, answer = store.access, Answer(status=201, headers={"ETag": '"1"'}, body=b"{}")
        assert access.begin("ann", "k", "request") is None
        with pytest.raises(Conflict, match="still being answered"):
            access.begin("ann", "k", "request")
        access.answered("ann", "k", answer)
        assert access.begin("ann", "k", "request") == answer
        with pytest.raises(Conflict, match="another request"):
            access.begin("ann", "k", "request 2")
        assert access.begin("bob", "k", "request") is None
        access.answered("bob", "k", None)
        assert access.begin("bob", "k", "request 2") is None
        now[0] += 300  # nobody will answer it any more
        assert access.begin("bob", "k", "request 2") is None
        now[0] += 2 * 86_400
        assert access.begin("ann", "k", "request 2") is None


def rows(*classes: str) -> tuple[ComparisonRow, list[ComparisonCaseRow]]:
    comparison = ComparisonRow(
        agent="refund",
        baseline="1.0.0",
        candidate="2.0.0",
        classes=tuple(dict.fromkeys(classes)),
        headline="2 new critical failures",
        item=b'{"item":1}',
        head=b'{"head":1}',
    )
    cases = [
        ComparisonCaseRow(
            scenario=f"case-{len(classes) - place}",
            trial=1,
            classification=name,
            severity="critical",
            tags=("money", f"t{place}"),
            words=f"Case {place} 100% Sure",
            item=b"%d" % place,
        )
        for place, name in enumerate(classes)
    ]
    return comparison, cases


def test_a_comparison_is_kept_until_something_is_added_to_it(store: Store) -> None:
    pair = ordered(store)
    assert store.comparisons.stale("1") == []  # there is nothing to compare yet
    record_all(store, pair)
    pair = ordered(store)
    assert store.comparisons.stale("1") == [pair.id]
    assert store.comparisons.head(pair, "1") is None
    store.comparisons.keep(pair, "1", *rows("REGRESSED", "UNCHANGED"))
    assert store.comparisons.head(pair, "1") == b'{"head":1}'
    assert store.comparisons.has(pair, "1")
    assert store.comparisons.stale("1") == []
    assert store.comparisons.stale("2") == [pair.id]
    store.override(pair.candidate.id, "first", override())
    assert store.comparisons.stale("1") == [pair.id]
    assert store.comparisons.head(ordered(store), "1") is None
    store.comparisons.keep(ordered(store), "1", *rows("FIXED"))
    assert store.comparisons.cases(pair.id) == [b"0"]


def test_comparisons_are_found_by_what_they_are(store: Store) -> None:
    for number in range(3):
        pair = ordered(store, f"k{number}")
        store.comparisons.keep(pair, "1", *rows("REGRESSED" if number else "FIXED"))
    find = store.comparisons.page
    page = find(limit=2)
    assert len(page.items) == 2
    assert len(find(after=page.after).items) == 1
    assert len(find(classification="REGRESSED").items) == 2
    assert not find(classification="REGRESS").items
    assert len(find(version="1.0.0", agent="refund").items) == 3
    assert not find(version="3.0.0").items
    assert len(find(text="Critical").items) == 3
    assert not find(text="%").items


def test_cases_are_found_by_what_they_are(store: Store) -> None:
    pair = ordered(store)
    store.comparisons.keep(pair, "1", *rows("REGRESSED", "REGRESSED", "UNCHANGED"))
    find = store.comparisons.cases
    assert find(pair.id) == [b"0", b"1", b"2"]
    assert find(pair.id, by_name=True) == [b"2", b"1", b"0"]
    assert find(pair.id, limit=1, skip=1) == [b"1"]
    assert find(pair.id, classification="UNCHANGED") == [b"2"]
    assert find(pair.id, tag="t1") == [b"1"]
    assert find(pair.id, tag="t") == []
    assert find(pair.id, text="100% sure", severity="critical") == [b"0", b"1", b"2"]
    assert find(pair.id, text="1_0") == []


def test_a_database_that_is_not_there_is_told_without_the_password() -> None:
    with pytest.raises(AgentTwinError) as raised:
        open_store("postgresql://ann:secret@127.0.0.1:1/nothing")
    assert raised.value.code == "database_unreachable"
    assert "secret" not in str(raised.value)
    assert "127.0.0.1:1" in str(raised.value)


def test_an_address_that_is_none_is_refused_without_being_repeated() -> None:
    with pytest.raises(UsageError) as raised:
        open_store("postgresql://ann:sec ret@host:port/x")
    assert "sec ret" not in str(raised.value)
