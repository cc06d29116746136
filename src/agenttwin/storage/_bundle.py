"""A pair or run as one file, with all that it is made of: what goes from one store to another.

Gzip over lines of JSON. The first says what it is; each of the others is one row of a table, bytes as base64.
Whatever comes in is held against its digests and read through before it is kept: it is somebody's claim.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import orjson
from sqlalchemy import BigInteger, Integer, LargeBinary, RowMapping, Table, Text
from sqlalchemy.exc import DataError, IntegrityError

from agenttwin.document import read as read_document
from agenttwin.errors import AgentTwinError, Conflict, LimitExceeded, UsageError
from agenttwin.scenario import MODELS
from agenttwin.storage import MAX_BUNDLE
from agenttwin.storage import _contents as contents
from agenttwin.storage import _pairs as pairs
from agenttwin.storage import _runs as runs
from agenttwin.storage import _tables as tables
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import StoredPair, StoredRun
from agenttwin.twin import TwinDefinition
from agenttwin.values import digest as digest_of
from agenttwin.values import digest_bytes

FORMAT: Final = "agenttwin-bundle/1"
MAX_UNPACKED: Final = 16 * MAX_BUNDLE
MAX_LINE: Final = 32 * 1024 * 1024
CHUNK: Final = 1024 * 1024

OWN: Final = frozenset({"project", "state", "error", "owner", "seen_at", "finished", "decided"})
"""Columns that belong to the place and not to what was run."""

KINDS: Final[Mapping[str, Any]] = {**MODELS, "TwinDefinition": TwinDefinition}

_TYPES: Final = ((Text, str), (Integer, int), (BigInteger, int), (LargeBinary, str))
_ORDER: Final = ("documents", "contents", "pairs", "runs", "cases", "overrides")


def write(scope: Scope, stored: StoredPair | StoredRun) -> bytes:
    """The bundle of a pair or of a run alone. LimitExceeded where it becomes larger than one may be."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=6, mtime=0) as packed:
        kind = "pair" if isinstance(stored, StoredPair) else "run"
        packed.write(
            orjson.dumps({"format": FORMAT, "kind": kind, "id": stored.id, "key": stored.key}) + b"\n"
        )
        for table, row in _rows(scope, stored):
            packed.write(_line(table, row))
            _check_size(out.tell())
    _check_size(out.tell())
    return out.getvalue()


def _check_size(size: int) -> None:
    if size > MAX_BUNDLE:
        message = f"What was run is larger than a bundle may be: {MAX_BUNDLE:,} bytes."
        raise LimitExceeded("bundle_too_large", message)


def _rows(scope: Scope, stored: StoredPair | StoredRun) -> Iterator[tuple[Table, RowMapping]]:
    sides = (stored.baseline, stored.candidate) if isinstance(stored, StoredPair) else (stored,)
    ids = [run.id for run in sides]
    digests: set[str] = set()
    shared: set[str] = set()
    run_rows = list(scope.execute(scope.select(tables.runs).where(tables.runs.c.id.in_(ids))).mappings())
    for run in run_rows:
        shared |= {run["plan"], run["infos"]}
        digests |= {run["digest"], *pinned(contents.kept(scope, run["plan"]))}
    cases = tables.cases
    states = scope.select(cases, cases.c.base, cases.c.setup).where(cases.c.run.in_(ids)).distinct()
    for row in scope.execute(states):
        shared |= {digest for digest in row if digest is not None}
    for table, column, wanted in (
        (tables.documents, tables.documents.c.digest, sorted(digests)),
        (tables.contents, tables.contents.c.digest, sorted(shared)),
    ):
        for value in wanted:
            yield from (
                (table, row) for row in scope.execute(scope.select(table).where(column == value)).mappings()
            )
    if isinstance(stored, StoredPair):
        of_it = scope.select(tables.pairs).where(tables.pairs.c.id == stored.id)
        yield from ((tables.pairs, row) for row in scope.execute(of_it).mappings())
    yield from ((tables.runs, row) for row in run_rows)
    for table in (cases, tables.overrides):
        query = scope.select(table).where(table.c.run.in_(ids)).order_by(*table.primary_key.columns)
        yield from ((table, row) for row in scope.execute(query).mappings())


def pinned(plan: bytes) -> set[str]:
    """The digests of the documents that the trials of a plan name."""
    found: set[str] = set()
    for trial in orjson.loads(plan):
        found |= {pin for pin in trial["pins"].values() if isinstance(pin, str) and pin.startswith("sha256:")}
    return found


def _line(table: Table, row: RowMapping) -> bytes:
    values = {
        str(name): base64.b64encode(value).decode() if isinstance(value, bytes | memoryview) else value
        for name, value in row.items()
        if name not in OWN
    }
    return orjson.dumps([str(table.name), values]) + b"\n"


# -- taking in


def take_in(
    scope: Scope, data: bytes, *,
    check: Callable[[Scope, StoredPair | StoredRun], object], new_id: Callable[[], str], now: int,
) -> tuple[StoredPair | StoredRun, bool]:  # fmt: skip
    """Keeps a bundle, and says what it is and whether anything of it is new.

    ``check`` reads what was kept through. UsageError for what is no bundle, or holds what its digests deny;
    Conflict where its key stands for something else; LimitExceeded for one that is too large.
    """
    try:
        head, rows = _unpacked(data)
        _check_digests(rows)
        stored, new = _kept(scope, head, rows, new_id, now)
        check(scope, stored)
    except (IntegrityError, DataError) as error:
        raise _no_bundle("its parts do not belong together") from error
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise _no_bundle(f"{type(error).__name__}: {error}") from error
    return stored, new


def _unpacked(data: bytes) -> tuple[Mapping[str, Any], dict[str, list[dict[str, Any]]]]:
    lines = _lines(data)
    head = orjson.loads(next(lines, b"null"))
    if not isinstance(head, dict) or head.get("format") != FORMAT or head.get("kind") not in ("pair", "run"):
        raise _no_bundle(f"it does not begin as {FORMAT}")
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in _ORDER}
    for line in lines:
        name, values = orjson.loads(line)
        if name not in rows:
            raise _no_bundle(f"there is no table {name!r}")
        rows[name].append(_checked(tables.METADATA.tables[name], values))
    return head, rows


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines, unpacked bit by bit: a small file may stand for a large one."""
    rest, total = b"", 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            while part := packed.read(CHUNK):
                total += len(part)
                *whole, rest = (rest + part).split(b"\n")
                if total > MAX_UNPACKED or len(rest) > MAX_LINE:
                    raise LimitExceeded(
                        "bundle_too_large", f"Unpacked it is larger than {MAX_UNPACKED:,} bytes."
                    )
                yield from whole
    except (OSError, EOFError, zlib.error) as error:
        raise _no_bundle(f"it is no gzip: {error}") from None
    if rest:
        raise _no_bundle("its last line is cut off")


def _checked(table: Table, values: Any) -> dict[str, Any]:
    """A row whose columns are those of the table, each of its type."""
    row = {}
    for column in table.columns:
        if column.name in OWN:
            continue
        value = values[column.name]
        kind = next(own for type_, own in _TYPES if isinstance(column.type, type_))
        if value is not None and type(value) is not kind:
            raise _no_bundle(f"{table.name}.{column.name} is a {type(value).__name__}")
        if isinstance(value, str) and "\0" in value:
            raise _no_bundle(f"{table.name}.{column.name} holds a NUL")
        if isinstance(column.type, LargeBinary) and isinstance(value, str):
            try:
                value = base64.b64decode(value, validate=True)
            except binascii.Error:
                raise _no_bundle(f"{table.name}.{column.name} is no base64") from None
        row[column.name] = value
    return row


def _check_digests(rows: Mapping[str, list[dict[str, Any]]]) -> None:
    for content in rows["contents"]:
        if digest_bytes(content["content"]) != content["digest"]:
            raise _no_bundle(f"what stands under {content['digest']} is something else")
    for document in rows["documents"]:
        value = orjson.loads(document["value"])
        if digest_of(value) != document["digest"]:
            raise _no_bundle(f"the document {document['name']!r} is not that of its digest")
        try:
            written = read_document(document["text"], file=document["file"], models=KINDS)
        except AgentTwinError as error:
            raise _no_bundle(f"the document {document['name']!r} cannot be read: {error}") from None
        said = (written.digest, written.kind, written.model.metadata.name)
        if said != (document["digest"], document["kind"], document["name"]):
            raise _no_bundle(f"the text of the document {document['name']!r} says something else")


def _kept(
    scope: Scope, head: Mapping[str, Any], rows: Mapping[str, list[dict[str, Any]]],
    new_id: Callable[[], str], now: int,
) -> tuple[StoredPair | StoredRun, bool]:  # fmt: skip
    is_pair = head["kind"] == "pair"
    sides = {row["side"]: row for row in rows["runs"]}
    if set(sides) != ({"baseline", "candidate"} if is_pair else {"candidate"}) or len(sides) != len(
        rows["runs"]
    ):
        raise _no_bundle("it does not have the runs of a pair, or the one of a run")
    if len(rows["pairs"]) != is_pair or any((run["pair"] is not None) != is_pair for run in sides.values()):
        raise _no_bundle("its runs are not those of its pair")
    key = rows["pairs"][0]["key"] if is_pair else sides["candidate"]["key"]
    if not isinstance(key, str) or not 0 < len(key) <= 200:
        raise _no_bundle("its key is none")
    there: StoredPair | StoredRun | None = pairs.by_key(scope, key) if is_pair else runs.by_key(scope, key)
    ids = _same(there, sides) if there is not None else _inserted(scope, rows, is_pair, new_id, now)
    new = _cases(scope, rows, ids)
    runs.count(scope, set(ids.values()), now=now)
    _count_overrides(scope, set(ids.values()))
    found = pairs.by_key(scope, key) if is_pair else runs.by_key(scope, key)
    assert found is not None
    return found, new or there is None


def _same(there: StoredPair | StoredRun, sides: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The ids that the runs have here; Conflict where the key stands for something else."""
    here = (
        {"baseline": there.baseline, "candidate": there.candidate}
        if isinstance(there, StoredPair)
        else {"candidate": there}
    )
    for side, run in here.items():
        for what in ("agent", "version", "digest", "plan_digest", "origin"):
            if getattr(run, what) != sides[side][what]:
                message = f"The key {there.key!r} stands for another {what} of the {side} here."
                raise Conflict("key_conflict", message)
    return {sides[side]["id"]: run.id for side, run in here.items()}


def _inserted(
    scope: Scope, rows: Mapping[str, list[dict[str, Any]]], is_pair: bool, new_id: Callable[[], str], now: int
) -> dict[str, str]:
    """Keeps what is not there, under ids of this place; the id of each run of the bundle."""
    scope.insert_new(tables.documents, rows["documents"])
    scope.insert_new(tables.contents, rows["contents"])
    pair = new_id() if is_pair else None
    if is_pair:
        scope.insert(tables.pairs, [{**rows["pairs"][0], "id": pair, "created_at": now}])
    ids = {run["id"]: new_id() for run in rows["runs"]}
    own = {"pair": pair, "created_at": now, "finished": 0, "decided": 0}
    scope.insert(tables.runs, [{**run, **own, "id": ids[run["id"]]} for run in rows["runs"]])
    for run in rows["runs"]:
        runs.ordered(scope, ids[run["id"]])  # the plan is that of its digest
    return ids


def _cases(scope: Scope, rows: Mapping[str, list[dict[str, Any]]], ids: Mapping[str, str]) -> bool:
    """Keeps the cases and decisions that are not there; whether there were any."""
    scope.insert_new(tables.contents, rows["contents"])
    before = _how_many(scope, ids)
    scope.insert_new(tables.cases, [{**case, "run": ids[case["run"]]} for case in rows["cases"]])
    scope.insert_new(tables.overrides, [{**item, "run": ids[item["run"]]} for item in rows["overrides"]])
    return _how_many(scope, ids) != before


def _how_many(scope: Scope, ids: Mapping[str, str]) -> list[int]:
    wanted = list(ids.values())
    return [
        len(scope.execute(scope.select(table, table.c.run).where(table.c.run.in_(wanted))).all())
        for table in (tables.cases, tables.overrides)
    ]


def _count_overrides(scope: Scope, ids: Iterable[str]) -> None:
    decided = tables.overrides
    for id in ids:
        number = len(scope.execute(scope.select(decided, decided.c.id).where(decided.c.run == id)).all())
        scope.execute(scope.update(tables.runs).where(tables.runs.c.id == id).values(decided=number))


def _no_bundle(why: str) -> UsageError:
    return UsageError("invalid_bundle", f"This is no bundle that can be kept: {why}.")
