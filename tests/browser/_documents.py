"""The app and an API that answers from documents in memory: screens of any shape, without running for them.

For what no agent does in a test's time: ten thousand cases, text that attacks. The shapes are those of the HTTP
API, the comparisons those that the product itself wrote; every other test meets the real server.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from agenttwin.server._static import POLICY

ROOT = Path(__file__).parents[2]
WEB = ROOT / "src/agenttwin/_web"
AT = "2026-01-01T12:00:00.000Z"
Json = dict[str, Any]
Answer = Any


class Documents:
    """Comparisons, newest first."""

    def __init__(self, comparisons: Sequence[Json], key: str | None = None) -> None:
        self.key = key
        self.events: list[str] = []
        self.comparisons = {one["measured"]["id"]: one for one in comparisons}

    def app(self) -> Starlette:
        """The ASGI application: the API, and the built app at every other path."""
        return Starlette(
            routes=[
                Route("/api/v1/events", self._events),
                Route("/api/v1/{path:path}", self._api, methods=["GET"]),
                Route("/{path:path}", _page),
            ],
            middleware=[Middleware(GZipMiddleware, minimum_size=500)],
        )

    async def _api(self, request: Request) -> Response:
        path = request.scope["raw_path"].decode("ascii").removeprefix("/api/v1/")
        if self._locked(request):
            return JSONResponse(
                {"code": "UNAUTHENTICATED", "message": "A key is needed.", "where": None, "hint": None}, 401
            )
        kind, *rest = [unquote(part) for part in path.split("/")]  # a name may hold a slash
        answers: dict[str, Callable[..., Answer]] = {
            "me": self._me,
            "comparisons": self._comparisons,
            "trend": lambda *_: [
                {**self._item(one), "comparison": one["measured"]["id"], **_versions(one)}
                for one in self._all()
            ][::-1],
            "pairs": self._pairs,
            "runs": lambda *_: [],
        }
        found = (
            answers[kind](*rest, query=request.query_params)
            if kind == "comparisons"
            else answers[kind](*rest)
        )
        if found is None:
            told = {
                "code": "NOT_FOUND",
                "message": "There is nothing here.",
                "where": None,
                "hint": "Look at the list.",
            }
            return JSONResponse(told, 404)
        paged = isinstance(found, list) and kind != "trend"
        return JSONResponse(_paged(found, request) if paged else found)

    def _locked(self, request: Request) -> bool:
        return self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}"

    async def _events(self, request: Request) -> Response:
        """Events as they are appended, from the one after `Last-Event-ID`."""
        if self._locked(request):
            return Response(status_code=401)
        seen = int(request.headers.get("last-event-id", "0"))

        async def told() -> AsyncIterator[bytes]:
            nonlocal seen
            while True:
                for kind in self.events[seen:]:
                    seen += 1
                    yield f"id: {seen}\nevent: {kind}\ndata: {{}}\n\n".encode()
                yield b": \n\n"
                await asyncio.sleep(0.1)

        return StreamingResponse(told(), media_type="text/event-stream")

    def _all(self) -> list[Json]:
        return list(self.comparisons.values())

    def _me(self) -> Json:
        project = {"id": "p", "name": "default", "title": "Default"}
        scopes = ["read", "write", "run", "admin"]
        return {
            "project": project, "projects": [project], "scopes": scopes, "actor": "local",
            "authentication": False, "workspace": {"name": "support-refund"}, "version": "0.1.0",
        }  # fmt: skip

    def _item(self, one: Json) -> Json:
        kept = {key: one[key] for key in ("baseline", "candidate", "counts", "headline", "exit_code")}
        return {
            **kept, "id": one["measured"]["id"], "agent": one["baseline"]["agent"], "state": "finished",
            "created_at": AT, "finished_at": AT, "cases": len(one["cases"]), "seed": one["pair"]["seed"],
        }  # fmt: skip

    def _comparisons(
        self, ident: str = "", part: str = "", scenario: str = "", *_: str, query: Any
    ) -> Answer:
        if not ident:
            return [self._item(one) for one in self._all()]
        if ident not in self.comparisons:
            return None
        one = self.comparisons[ident]
        if not part:
            head = {key: value for key, value in one.items() if key != "cases"}
            return {**head, "id": ident, "state": "finished", "created_at": AT, "finished_at": AT}
        if scenario:
            return next((case for case in one["cases"] if case["scenario"] == scenario), None)
        return [_summary(case) for case in one["cases"] if _wanted(case, query)]

    def _pairs(self, ident: str = "") -> Answer:
        pairs = [
            {
                **self._item(one),
                **_versions(one),
                "done": len(one["cases"]),
                "total": len(one["cases"]),
                "error": None,
                "key": None,
            }
            for one in self._all()
        ]
        return next((one for one in pairs if one["id"] == ident), None) if ident else pairs


def agenttwin(words: list[str], folder: Path) -> None:
    """The command line, in a folder; a comparison that is worse is no failure here."""
    done = subprocess.run(
        [sys.executable, "-m", "agenttwin.cli", *words], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr


def _versions(one: Json) -> Json:
    return {"baseline": one["baseline"]["version"], "candidate": one["candidate"]["version"]}


def _summary(case: Json) -> Json:
    sides = {
        side: {key: case[side][key] for key in ("verdict", "claimed_outcome", "tool_calls", "retries")}
        for side in ("baseline", "candidate")
    }
    kept = ("scenario", "severity", "tags", "classification", "reason", "divergence")
    return {**{key: case[key] for key in kept}, **sides, "overridden": False}


def _wanted(case: Json, query: Any) -> bool:
    same = all(query.get(key) in (None, case[key]) for key in ("classification", "severity"))
    return same and query.get("text", "").lower() in f"{case['scenario']} {case['reason']}".lower()


def _paged(items: list[Json], request: Request) -> Json:
    start, limit = int(request.query_params.get("cursor") or 0), int(request.query_params.get("limit") or 50)
    end = start + limit
    return {"items": items[start:end], "next_cursor": str(end) if end < len(items) else None}


async def _page(request: Request) -> Response:
    file = WEB / request.path_params["path"]
    found = file if file.is_file() else WEB / "index.html"
    return FileResponse(
        found, headers={"content-security-policy": POLICY, "x-content-type-options": "nosniff"}
    )


@contextmanager
def serving(workspace: Path, *options: str) -> Iterator[str]:
    """The address at which `agenttwin serve` serves a workspace, in a process of its own."""
    words = [sys.executable, "-m", "agenttwin.cli", "serve", "--port", "0", *options]
    with subprocess.Popen(words, cwd=workspace, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield re.search(r"http://[\w.:]+", line)[0].rstrip("/")
        finally:
            process.terminate()


@contextmanager
def served(documents: Documents):
    """The address at which the documents are served, by a thread of this process."""
    server = uvicorn.Server(
        uvicorn.Config(documents.app(), port=0, log_level="error", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
