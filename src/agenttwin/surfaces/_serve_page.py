"""The console page: one file, nothing from elsewhere, and a policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from functools import cache
from importlib.resources import files
from typing import Final

FAVICON: Final = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    b'<rect width="32" height="32" rx="8" fill="#4f46e5"/>'
    b'<circle cx="13" cy="16" r="6.5" fill="none" stroke="#fff" stroke-width="2.5"/>'
    b'<circle cx="19" cy="16" r="6.5" fill="#fff" fill-opacity=".35" stroke="#fff" stroke-width="2.5"/></svg>'
)

_GAP: Final = "{{token}}"


@cache
def page(token: str) -> tuple[bytes, dict[str, str]]:
    """The page for a token, and its headers."""
    text = files("agenttwin.surfaces").joinpath("_serve_console.html").read_text("utf-8")
    script, style = _inner(text, "script"), _inner(text, "style")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    headers = {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }
    return text.replace(_GAP, html.escape(token, quote=True)).encode(), headers


def _inner(text: str, tag: str) -> str:
    found = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    assert found is not None
    return found[1]


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
