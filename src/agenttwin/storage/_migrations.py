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
    (
        # Everything belongs to a project, and every key begins with it: no row can point into another one.
        """
        CREATE TABLE projects (
            name TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            retention_days INTEGER,
            created_at BIGINT NOT NULL
        )
        """,
        "INSERT INTO projects VALUES ('default', '', NULL, 0)",
        "DROP INDEX runs_of_pair",
        "DROP INDEX overrides_of_case",
        *(
            f"ALTER TABLE {name} RENAME TO old_{name}"
            for name in ("documents", "contents", "pairs", "runs", "cases", "overrides", "opinions")
        ),
        """
        CREATE TABLE documents (
            project TEXT NOT NULL REFERENCES projects (name) ON DELETE CASCADE,
            digest TEXT NOT NULL,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            file TEXT NOT NULL,
            text TEXT NOT NULL,
            value {bytes} NOT NULL,
            PRIMARY KEY (project, digest)
        )
        """,
        """
        CREATE TABLE contents (
            project TEXT NOT NULL REFERENCES projects (name) ON DELETE CASCADE,
            digest TEXT NOT NULL,
            content {bytes} NOT NULL,
            PRIMARY KEY (project, digest)
        )
        """,
        """
        CREATE TABLE pairs (
            project TEXT NOT NULL REFERENCES projects (name) ON DELETE CASCADE,
            id TEXT NOT NULL,
            key TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            finished_at BIGINT,
            summary {bytes},
            state TEXT,
            error TEXT,
            owner TEXT,
            seen_at BIGINT,
            PRIMARY KEY (project, id),
            UNIQUE (project, key)
        )
        """,
        """
        CREATE TABLE runs (
            project TEXT NOT NULL REFERENCES projects (name) ON DELETE CASCADE,
            id TEXT NOT NULL,
            pair TEXT,
            side TEXT NOT NULL,
            key TEXT,
            agent TEXT NOT NULL,
            version TEXT NOT NULL,
            digest TEXT NOT NULL,
            model_kind TEXT NOT NULL,
            plan_digest TEXT NOT NULL,
            seed BIGINT NOT NULL,
            trials INTEGER NOT NULL,
            plan TEXT NOT NULL,
            infos TEXT NOT NULL,
            cases INTEGER NOT NULL,
            finished INTEGER NOT NULL DEFAULT 0,
            decided INTEGER NOT NULL DEFAULT 0,
            facts {bytes} NOT NULL,
            created_at BIGINT NOT NULL,
            finished_at BIGINT,
            summary {bytes},
            origin TEXT,
            state TEXT,
            error TEXT,
            owner TEXT,
            seen_at BIGINT,
            PRIMARY KEY (project, id),
            UNIQUE (project, key),
            FOREIGN KEY (project, pair) REFERENCES pairs (project, id) ON DELETE CASCADE,
            FOREIGN KEY (project, digest) REFERENCES documents (project, digest),
            FOREIGN KEY (project, plan) REFERENCES contents (project, digest),
            FOREIGN KEY (project, infos) REFERENCES contents (project, digest)
        )
        """,
        "CREATE INDEX runs_of_pair ON runs (project, pair)",
        "CREATE INDEX runs_of_digest ON runs (project, digest)",
        "CREATE INDEX runs_of_plan ON runs (project, plan)",
        "CREATE INDEX runs_of_infos ON runs (project, infos)",
        """
        CREATE TABLE cases (
            project TEXT NOT NULL,
            run TEXT NOT NULL,
            scenario TEXT NOT NULL,
            trial INTEGER NOT NULL,
            verdict TEXT NOT NULL,
            ending TEXT NOT NULL,
            base TEXT,
            setup TEXT,
            events {bytes} NOT NULL,
            transcript {bytes} NOT NULL,
            claim {bytes} NOT NULL,
            grade {bytes} NOT NULL,
            judging {bytes} NOT NULL,
            pins {bytes} NOT NULL,
            measured {bytes} NOT NULL,
            PRIMARY KEY (project, run, scenario, trial),
            FOREIGN KEY (project, run) REFERENCES runs (project, id) ON DELETE CASCADE,
            FOREIGN KEY (project, base) REFERENCES contents (project, digest),
            FOREIGN KEY (project, setup) REFERENCES contents (project, digest)
        )
        """,
        "CREATE INDEX cases_of_base ON cases (project, base)",
        "CREATE INDEX cases_of_setup ON cases (project, setup)",
        "CREATE INDEX cases_of_scenario ON cases (project, scenario)",
        """
        CREATE TABLE overrides (
            project TEXT NOT NULL,
            id TEXT NOT NULL,
            run TEXT NOT NULL,
            scenario TEXT NOT NULL,
            trial INTEGER NOT NULL,
            content {bytes} NOT NULL,
            PRIMARY KEY (project, id),
            FOREIGN KEY (project, run, scenario, trial)
                REFERENCES cases (project, run, scenario, trial) ON DELETE CASCADE
        )
        """,
        "CREATE INDEX overrides_of_case ON overrides (project, run, scenario, trial)",
        """
        CREATE TABLE opinions (
            project TEXT NOT NULL REFERENCES projects (name) ON DELETE CASCADE,
            question TEXT NOT NULL,
            judge TEXT NOT NULL,
            content {bytes} NOT NULL,
            PRIMARY KEY (project, question, judge)
        )
        """,
        "INSERT INTO documents SELECT 'default', digest, kind, name, file, text, value FROM old_documents",
        "INSERT INTO contents SELECT 'default', digest, content FROM old_contents",
        """
        INSERT INTO pairs (project, id, key, created_at, finished_at, summary)
        SELECT 'default', id, key, created_at, finished_at, summary FROM old_pairs
        """,
        """
        INSERT INTO runs (
            project, id, pair, side, key, agent, version, digest, model_kind, plan_digest, seed, trials, plan,
            infos, cases, finished, decided, facts, created_at, finished_at, summary, origin
        )
        SELECT 'default', id, pair, side, key, agent, version, digest, model_kind, plan_digest, seed, trials,
            plan, infos, cases, (SELECT count(*) FROM old_cases WHERE old_cases.run = old_runs.id),
            (SELECT count(*) FROM old_overrides WHERE old_overrides.run = old_runs.id),
            facts, created_at, finished_at, summary, origin
        FROM old_runs
        """,
        """
        INSERT INTO cases
        SELECT 'default', run, scenario, trial, verdict, ending, base, setup, events, transcript, claim,
            grade, judging, pins, measured
        FROM old_cases
        """,
        "INSERT INTO overrides SELECT 'default', id, run, scenario, trial, content FROM old_overrides",
        "INSERT INTO opinions SELECT 'default', question, judge, content FROM old_opinions",
        *(
            f"DROP TABLE old_{name}"
            for name in ("overrides", "cases", "runs", "pairs", "documents", "contents", "opinions")
        ),
        # What a server answers from: a comparison once worked out, with what its lists look through.
        """
        CREATE TABLE comparisons (
            project TEXT NOT NULL,
            pair TEXT NOT NULL,
            made_of TEXT NOT NULL,
            agent TEXT NOT NULL,
            baseline TEXT NOT NULL,
            candidate TEXT NOT NULL,
            classes TEXT NOT NULL,
            headline TEXT NOT NULL,
            words TEXT NOT NULL,
            item {bytes} NOT NULL,
            head {bytes} NOT NULL,
            PRIMARY KEY (project, pair),
            FOREIGN KEY (project, pair) REFERENCES pairs (project, id) ON DELETE CASCADE
        )
        """,
        """
        CREATE TABLE comparison_cases (
            project TEXT NOT NULL,
            pair TEXT NOT NULL,
            place INTEGER NOT NULL,
            scenario TEXT NOT NULL,
            trial INTEGER NOT NULL,
            classification TEXT NOT NULL,
            severity TEXT NOT NULL,
            tags TEXT NOT NULL,
            words TEXT NOT NULL,
            item {bytes} NOT NULL,
            PRIMARY KEY (project, pair, place),
            FOREIGN KEY (project, pair) REFERENCES comparisons (project, pair) ON DELETE CASCADE
        )
        """,
        "CREATE INDEX comparison_cases_of_scenario ON comparison_cases (project, scenario, pair)",
        """
        CREATE TABLE keys (
            project TEXT NOT NULL REFERENCES projects (name) ON DELETE CASCADE,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            hash TEXT NOT NULL UNIQUE,
            hint TEXT NOT NULL,
            scopes TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            created_by TEXT NOT NULL,
            expires_at BIGINT,
            revoked_at BIGINT,
            used_at BIGINT,
            PRIMARY KEY (project, id)
        )
        """,
        """
        CREATE TABLE audit (
            project TEXT NOT NULL REFERENCES projects (name) ON DELETE CASCADE,
            id TEXT NOT NULL,
            at BIGINT NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            target TEXT NOT NULL,
            detail {bytes} NOT NULL,
            PRIMARY KEY (project, id)
        )
        """,
        """
        CREATE TABLE answers (
            project TEXT NOT NULL REFERENCES projects (name) ON DELETE CASCADE,
            actor TEXT NOT NULL,
            key TEXT NOT NULL,
            request TEXT NOT NULL,
            at BIGINT NOT NULL,
            status INTEGER,
            headers {bytes},
            body {bytes},
            PRIMARY KEY (project, actor, key)
        )
        """,
    ),
)

VERSION: Final = len(STEPS)
"""Of the schema that this version reads and writes."""
