"""The tables as queries see them; `_migrations` makes them, and a test holds the two together."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, LargeBinary, MetaData, Table, Text

METADATA = MetaData()

projects = Table(
    "projects",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("title", Text),
    Column("retention_days", Integer),
    Column("created_at", BigInteger),
)

documents = Table(
    "documents",
    METADATA,
    Column("project", Text, primary_key=True),
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
    Column("project", Text, primary_key=True),
    Column("digest", Text, primary_key=True),
    Column("content", LargeBinary),
)

pairs = Table(
    "pairs",
    METADATA,
    Column("project", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("key", Text),
    Column("created_at", BigInteger),
    Column("finished_at", BigInteger),
    Column("summary", LargeBinary),
    Column("state", Text),
    Column("error", Text),
    Column("owner", Text),
    Column("seen_at", BigInteger),
)

runs = Table(
    "runs",
    METADATA,
    Column("project", Text, primary_key=True),
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
    Column("finished", Integer),
    Column("decided", Integer),
    Column("facts", LargeBinary),
    Column("created_at", BigInteger),
    Column("finished_at", BigInteger),
    Column("summary", LargeBinary),
    Column("origin", Text),
    Column("state", Text),
    Column("error", Text),
    Column("owner", Text),
    Column("seen_at", BigInteger),
)

cases = Table(
    "cases",
    METADATA,
    Column("project", Text, primary_key=True),
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
    Column("project", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("run", Text),
    Column("scenario", Text),
    Column("trial", Integer),
    Column("content", LargeBinary),
)

opinions = Table(
    "opinions",
    METADATA,
    Column("project", Text, primary_key=True),
    Column("question", Text, primary_key=True),
    Column("judge", Text, primary_key=True),
    Column("content", LargeBinary),
)

comparisons = Table(
    "comparisons",
    METADATA,
    Column("project", Text, primary_key=True),
    Column("pair", Text, primary_key=True),
    Column("made_of", Text),
    Column("agent", Text),
    Column("baseline", Text),
    Column("candidate", Text),
    Column("classes", Text),
    Column("headline", Text),
    Column("words", Text),
    Column("item", LargeBinary),
    Column("head", LargeBinary),
)

comparison_cases = Table(
    "comparison_cases",
    METADATA,
    Column("project", Text, primary_key=True),
    Column("pair", Text, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("scenario", Text),
    Column("trial", Integer),
    Column("classification", Text),
    Column("severity", Text),
    Column("tags", Text),
    Column("words", Text),
    Column("item", LargeBinary),
)

keys = Table(
    "keys",
    METADATA,
    Column("project", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("name", Text),
    Column("hash", Text),
    Column("hint", Text),
    Column("scopes", Text),
    Column("created_at", BigInteger),
    Column("created_by", Text),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
    Column("used_at", BigInteger),
)

audit = Table(
    "audit",
    METADATA,
    Column("project", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("at", BigInteger),
    Column("actor", Text),
    Column("action", Text),
    Column("target", Text),
    Column("detail", LargeBinary),
)

answers = Table(
    "answers",
    METADATA,
    Column("project", Text, primary_key=True),
    Column("actor", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request", Text),
    Column("at", BigInteger),
    Column("status", Integer),
    Column("headers", LargeBinary),
    Column("body", LargeBinary),
)
