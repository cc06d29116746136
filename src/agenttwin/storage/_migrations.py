"""The schema, step by step. A step that was released never changes; a change is a new step."""

from __future__ import annotations

from typing import Final

STEPS: Final[tuple[tuple[str, ...], ...]] = (
    (
        """
        CREATE TABLE documents (
            digest TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            file TEXT NOT NULL,
            text TEXT NOT NULL,
            value {bytes} NOT NULL
        )
        """,
        "CREATE TABLE contents (digest TEXT PRIMARY KEY, content {bytes} NOT NULL)",
        """
        CREATE TABLE pairs (
            id TEXT PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            created_at BIGINT NOT NULL,
            finished_at BIGINT,
            summary {bytes}
        )
        """,
        """
        CREATE TABLE runs (
            id TEXT PRIMARY KEY,
            pair TEXT REFERENCES pairs (id) ON DELETE CASCADE,
            side TEXT NOT NULL,
            key TEXT UNIQUE,
            agent TEXT NOT NULL,
            version TEXT NOT NULL,
            digest TEXT NOT NULL REFERENCES documents (digest),
            model_kind TEXT NOT NULL,
            plan_digest TEXT NOT NULL,
            seed BIGINT NOT NULL,
            trials INTEGER NOT NULL,
            plan TEXT NOT NULL REFERENCES contents (digest),
            infos TEXT NOT NULL REFERENCES contents (digest),
            cases INTEGER NOT NULL,
            facts {bytes} NOT NULL,
            created_at BIGINT NOT NULL,
            finished_at BIGINT,
            summary {bytes}
        )
        """,
        "CREATE INDEX runs_of_pair ON runs (pair)",
        """
        CREATE TABLE cases (
            run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
            scenario TEXT NOT NULL,
            trial INTEGER NOT NULL,
            verdict TEXT NOT NULL,
            ending TEXT NOT NULL,
            base TEXT REFERENCES contents (digest),
            setup TEXT REFERENCES contents (digest),
            events {bytes} NOT NULL,
            transcript {bytes} NOT NULL,
            claim {bytes} NOT NULL,
            grade {bytes} NOT NULL,
            judging {bytes} NOT NULL,
            pins {bytes} NOT NULL,
            measured {bytes} NOT NULL,
            PRIMARY KEY (run, scenario, trial)
        )
        """,
        """
        CREATE TABLE overrides (
            id TEXT PRIMARY KEY,
            run TEXT NOT NULL,
            scenario TEXT NOT NULL,
            trial INTEGER NOT NULL,
            content {bytes} NOT NULL,
            FOREIGN KEY (run, scenario, trial) REFERENCES cases (run, scenario, trial) ON DELETE CASCADE
        )
        """,
        "CREATE INDEX overrides_of_case ON overrides (run, scenario, trial)",
        """
        CREATE TABLE opinions (
            question TEXT NOT NULL,
            judge TEXT NOT NULL,
            content {bytes} NOT NULL,
            PRIMARY KEY (question, judge)
        )
        """,
    ),
    ("ALTER TABLE runs ADD COLUMN origin TEXT",),
)

VERSION: Final = len(STEPS)
"""Of the schema that this version reads and writes."""
