"""Databases of older versions, and two processes that bring one up to date at a time."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from agenttwin.compare import as_json, compare
from agenttwin.storage import Store, open_store
from agenttwin.storage._migrations import STEPS, VERSION
from agenttwin.storage._tables import METADATA
from tests.storage._postgres import fresh_database
from tests.storage._scene import ordered, record_all
from tests.storage.test_projects import override

OLD = 2


def as_of_version_2(file: Path, old: Path) -> None:
    """Writes what a store holds as the second version of the schema had it."""
    with sqlite3.connect(old, isolation_level=None) as raw:
        raw.execute("PRAGMA foreign_keys = ON")
        raw.execute("ATTACH ? AS new", (str(file),))
        raw.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
        raw.execute(f"INSERT INTO schema_version VALUES ({OLD})")
        for step in STEPS[:OLD]:
            for statement in step:
                raw.execute(statement.replace("{bytes}", "BLOB"))
        for table in ("documents", "contents", "pairs", "runs", "cases", "overrides", "opinions"):
            columns = ", ".join(row[1] for row in raw.execute(f"PRAGMA main.table_info({table})"))
            raw.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
    raw.close()


def test_a_database_of_the_second_version_goes_on_with_everything_in_it(tmp_path: Path) -> None:
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    with open_store(new) as store:
        record_all(store, ordered(store))
        store.override(ordered(store).candidate.id, "second", override())
        store.finish(ordered(store), {"headline": "fine"})
        expected = as_json(compare(store.load_pair(ordered(store))))
        pair = ordered(store)
    as_of_version_2(new, old)
    with open_store(old) as store:
        kept = ordered(store)
        for side in ("baseline", "candidate"):
            run, there = getattr(kept, side), getattr(pair, side)
            assert replace(run, progress=there.progress) == there
        assert (kept.id, kept.summary, kept.finished_at) == (pair.id, pair.summary, pair.finished_at)
        assert as_json(compare(store.load_pair(pair))) == expected
        assert store.overrides(pair.candidate.id)
        record_all(store, ordered(store, "another"))
        assert ordered(store, "another").complete
    with sqlite3.connect(old) as raw:
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    raw.close()
    again = open_store(old)
    again.close()


def test_a_step_that_fails_leaves_the_database_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    with open_store(new) as store:
        record_all(store, ordered(store))
    as_of_version_2(new, old)
    broken = (*STEPS[:OLD], (*STEPS[OLD], "INSERT INTO nowhere VALUES (1)"))
    with monkeypatch.context() as patched:
        patched.setattr("agenttwin.storage._database.STEPS", broken)
        with pytest.raises(Exception, match=r"old\.db"):
            open_store(old)
    with open_store(old) as store:
        assert ordered(store).complete


def test_both_databases_have_the_same_tables() -> None:
    where = fresh_database()
    open_store(where).close()
    engine = create_engine(where.replace("postgresql://", "postgresql+psycopg://"))
    found = inspect(engine)
    made = {name: [column["name"] for column in found.get_columns(name)] for name in found.get_table_names()}
    engine.dispose()
    del made["schema_version"]
    assert made == {table.name: [column.name for column in table.columns] for table in METADATA.sorted_tables}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_many_that_open_an_empty_database_at_a_time_make_it_once(tmp_path: Path, kind: str) -> None:
    where = tmp_path / "agenttwin.db" if kind == "sqlite" else fresh_database()

    def go(number: int) -> int:
        with open_store(where) as store:
            ordered(store, "nightly")
            with store.database.read() as connection:
                return int(connection.exec_driver_sql("SELECT version FROM schema_version").scalar_one())

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(go, range(6))) == [VERSION] * 6
    with open_store(where) as store:
        assert len(store.pairs().items) == 1


def test_one_database_serves_two_stores_at_a_time(store: Store) -> None:
    other = store.within("default")
    pair = ordered(store)
    record_all(other, pair)
    assert ordered(store).complete
