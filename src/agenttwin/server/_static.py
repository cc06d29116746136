"""The app: its files as they were built, and its first page for every path of its own."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Response

from agenttwin.server._access import methods_of
from agenttwin.server._errors import answer

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".png": "image/png",
    ".woff2": "font/woff2",
}

NOT_BUILT: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>AgentTwin</title>
<h1>The app is not built</h1>
<p>This is a checkout of AgentTwin. <code>make web</code> builds the app; it needs Node.js 20 or later.</p>
<p>The API is there all the same: <a href="/api/v1/comparisons">comparisons</a>,
<a href="/openapi.json">its document</a>.</p>
</html>"""


def serve_app(app: FastAPI, folder: Path | None = None) -> None:
    """Adds the routes of the app's files; whatever is no file and no part of the API is its first page."""
    root = folder or Path(str(files("agenttwin"))) / "_web"

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(path: str) -> Response:
        if path == "api" or path.startswith("api/"):
            return answer(404, "no_such_route", f"There is no /{path}.")
        try:
            file = (root / path).resolve()
            inside = file.is_relative_to(root.resolve()) and file.is_file()
        except (OSError, ValueError):  # too long, or with a NUL: no file can be called so
            inside = False
        if path.startswith("assets/") and not inside:
            return answer(404, "no_such_route", f"There is no /{path}.")
        if not inside:
            file = root / "index.html"
        if not file.is_file():
            return Response(NOT_BUILT, 200, _headers("no-store"), "text/html; charset=utf-8")
        immutable = path.startswith("assets/")
        caching = "public, max-age=31536000, immutable" if immutable else "no-cache"
        kind = KINDS.get(file.suffix, "application/octet-stream")
        return Response(file.read_bytes(), 200, _headers(caching), kind)


def _no_route(path: str) -> Response:
    """A path of the API that is none, or is not read."""
    methods = methods_of(path.removeprefix("api/v1"))
    if not methods:
        return answer(404, "no_such_route", f"There is no /{path}.")
    told = answer(405, "no_such_method", f"There is no GET /{path}.")
    told.headers["Allow"] = ", ".join(methods)
    return told


def _headers(caching: str) -> dict[str, str]:
    return {"Cache-Control": caching, "Content-Security-Policy": POLICY}
