"""What was acknowledged survives: processes that are killed, files that are locked, disks that are full."""

import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path

import pytest

from agenttwin.compare import compare
from agenttwin.errors import AgentTwinError
from agenttwin.storage import _dialect, open_store
from agenttwin.storage._migrations import STEPS, VERSION
from agenttwin.storage._tables import METADATA
from tests.storage._scene import ordered, record_all
from tests.unit.run._scene import scenario

SLOW = """
    import os, sys, time
    sys.path[:0] = {path!r}
    from tests.storage._scene import ordered, record_all
    from tests.unit.run._scene import pays
    from tests.storage.test_durability import MANY
    from agenttwin.storage import open_store

    def slow(request, tools):
        time.sleep({pause})
        answer = pays(request, tools)
        os.write(1, b"paid\\n" * {tells})
        return answer

    store = open_store({file!r})
    pair = ordered(store, "nightly", *MANY)
    print("ordered", flush=True)
    record_all(store, pair, *MANY, agent=slow)
    print("recorded", flush=True)
"""

MANY = tuple(scenario(f"case-{number:03}") for number in range(60))


def program_of(file: Path, *, pause: float = 0.02, tells: bool = False) -> str:
    """A run of its own process, each case of which takes a while and, where wanted, says that it is done."""
    return textwrap.dedent(SLOW).format(path=sys.path, file=str(file), pause=pause, tells=int(tells))


def code_of(act: object) -> str:
    with pytest.raises(AgentTwinError) as raised:
        act()  # type: ignore[operator]
    return raised.value.code


@pytest.mark.parametrize("moment", [0.05, 0.3, 0.6])
def test_a_killed_run_is_finished_by_asking_again(tmp_path: Path, moment: float) -> None:
    file = tmp_path / "agenttwin.db"
    program = program_of(file)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ordered\n"
    time.sleep(moment)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with open_store(file) as store:
        pair = ordered(store, "nightly", *MANY)
        record_all(store, pair, *MANY)
        loaded = store.load_pair(ordered(store, "nightly", *MANY))
        assert ordered(store, "nightly", *MANY).complete
    assert [case.info.scenario for case in loaded.cases] == [document.model.name for document in MANY]
    with sqlite3.connect(file) as raw:
        cases = Counter(raw.execute("SELECT run, scenario, trial FROM cases").fetchall())
    raw.close()
    assert set(cases.values()) == {1}
    assert len(cases) == 2 * len(MANY)
    assert {str(case.classification) for case in compare(loaded).cases} == {"UNCHANGED"}


def test_two_processes_under_one_key_record_each_case_once(tmp_path: Path) -> None:
    file = tmp_path / "agenttwin.db"
    program = program_of(file)
    processes = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate()[0] for process in processes] == [b"ordered\nrecorded\n"] * 2
    with open_store(file) as store:
        assert len(store.pairs().items) == 1
        assert ordered(store, "nightly", *MANY).complete


def test_what_an_interrupt_leaves_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "agenttwin.db"
    program = program_of(file, pause=0.2, tells=True)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout
    for _ in range(21):  # "ordered", and some of the cases; the others take seconds
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate()
    with open_store(file) as store:
        pair = ordered(store, "nightly", *MANY)
        finished = pair.baseline.finished + pair.candidate.finished
        assert 0 < finished < 2 * len(MANY)


def test_a_database_that_is_held_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_dialect, "PRAGMAS", (*_dialect.PRAGMAS, "PRAGMA busy_timeout = 50"))
    file = tmp_path / "agenttwin.db"
    with open_store(file) as store:
        pair = ordered(store)
        holder = sqlite3.connect(file, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        assert code_of(lambda: store.finish(pair)) == "database_locked"
        assert store.find("nightly").id == pair.id  # reading goes on
        holder.rollback()
        holder.close()
        store.finish(pair)


def test_a_full_disk_is_told_and_costs_nothing_that_was_kept(tmp_path: Path) -> None:
    with open_store(tmp_path / "agenttwin.db") as store:
        pair = ordered(store)
        record_all(store, pair)
        more = ordered(store, "more", *MANY)
        with store.database.write() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        _limit_pages(store, pages + 4)
        assert code_of(lambda: record_all(store, more, *MANY)) == "disk_full"
        _limit_pages(store, 1_000_000)
        assert store.load_pair(pair).cases[0].candidate.transcript is not None
        record_all(store, more, *MANY)
        assert ordered(store, "more", *MANY).complete


def _limit_pages(store: object, pages: int) -> None:
    """Every connection of the store, present and future, may use so many pages of the file and no more."""
    from sqlalchemy import event

    engine = store.database._engine  # type: ignore[attr-defined]

    @event.listens_for(engine, "connect")
    def limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    engine.dispose()


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "agenttwin.db"
    open_store(file).close()
    with sqlite3.connect(file) as raw:
        raw.execute("UPDATE schema_version SET version = 99")
    raw.close()
    assert code_of(lambda: open_store(file)) == "database_newer"


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "agenttwin.db"
    file.write_text("These are my notes.\n" * 100)
    assert code_of(lambda: open_store(file)) == "database_corrupt"
    assert file.read_text() == "These are my notes.\n" * 100


def test_a_damaged_database_is_told(tmp_path: Path) -> None:
    file = tmp_path / "agenttwin.db"
    with open_store(file) as store:
        record_all(store, ordered(store))
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(bytes(data))

    def look() -> None:
        with open_store(file) as store:
            store.pairs()

    assert code_of(look) == "database_corrupt"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert code_of(lambda: open_store(tmp_path / "file" / "agenttwin.db")) == "database_unwritable"


def test_a_database_that_cannot_be_written_to_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "agenttwin.db"
    open_store(file).close()
    monkeypatch.setattr(_dialect, "PRAGMAS", (*_dialect.PRAGMAS, "PRAGMA query_only = ON"))
    with open_store(file) as store:
        assert code_of(lambda: ordered(store)) == "database_unwritable"


def test_a_path_may_hold_any_character(tmp_path: Path) -> None:
    file = tmp_path / "a?b#c %20 é" / "agenttwin.db"
    with open_store(file) as store:
        ordered(store)
    assert file.is_file()


def test_the_file_alone_is_enough(tmp_path: Path) -> None:
    with open_store(tmp_path / "agenttwin.db") as store:
        record_all(store, ordered(store))
    (tmp_path / "copy").mkdir()
    shutil.copy(tmp_path / "agenttwin.db", tmp_path / "copy" / "agenttwin.db")
    with open_store(tmp_path / "copy" / "agenttwin.db") as store:
        assert store.latest_pair().complete


def test_the_steps_make_the_tables_that_queries_use(tmp_path: Path) -> None:
    file = tmp_path / "agenttwin.db"
    open_store(file).close()
    with sqlite3.connect(file) as raw:
        names = [name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        made = {name: [row[1] for row in raw.execute(f"PRAGMA table_info({name})")] for name in names}
    raw.close()
    del made["schema_version"]
    assert made == {table.name: [column.name for column in table.columns] for table in METADATA.sorted_tables}


def test_the_version_counts_the_steps() -> None:
    assert len(STEPS) == VERSION


def test_the_package_is_light_until_a_store_is_opened() -> None:
    program = "import sys, agenttwin.storage; print('sqlalchemy' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"
