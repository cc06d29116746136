"""The tables as queries see them; `_migrations` makes them, and a test holds the two together."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, LargeBinary, MetaData, Table, Text

METADATA = MetaData()

documents = Table(
    "documents",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("kind", Text),
    Column("name", Text),
    Column("file", Text),
    Column("text", Text),
    Column("value", LargeBinary),
)

contents = Table(
    "contents",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("content", LargeBinary),
)

pairs = Table(
    "pairs",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("key", Text),
    Column("created_at", BigInteger),
    Column("finished_at", BigInteger),
    Column("summary", LargeBinary),
)

runs = Table(
    "runs",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("pair", Text),
    Column("side", Text),
    Column("key", Text),
    Column("agent", Text),
    Column("version", Text),
    Column("digest", Text),
    Column("model_kind", Text),
    Column("plan_digest", Text),
    Column("seed", BigInteger),
    Column("trials", Integer),
    Column("plan", Text),
    Column("infos", Text),
    Column("cases", Integer),
    Column("facts", LargeBinary),
    Column("created_at", BigInteger),
    Column("finished_at", BigInteger),
    Column("summary", LargeBinary),
    Column("origin", Text),
)

cases = Table(
    "cases",
    METADATA,
    Column("run", Text, primary_key=True),
    Column("scenario", Text, primary_key=True),
    Column("trial", Integer, primary_key=True),
    Column("verdict", Text),
    Column("ending", Text),
    Column("base", Text),
    Column("setup", Text),
    Column("events", LargeBinary),
    Column("transcript", LargeBinary),
    Column("claim", LargeBinary),
    Column("grade", LargeBinary),
    Column("judging", LargeBinary),
    Column("pins", LargeBinary),
    Column("measured", LargeBinary),
)

overrides = Table(
    "overrides",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("run", Text),
    Column("scenario", Text),
    Column("trial", Integer),
    Column("content", LargeBinary),
)

opinions = Table(
    "opinions",
    METADATA,
    Column("question", Text, primary_key=True),
    Column("judge", Text, primary_key=True),
    Column("content", LargeBinary),
)
