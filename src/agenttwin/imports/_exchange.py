"""One exchange with a real tool, as it is written down: what was asked, what came back, and no secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import orjson

from agenttwin.errors import AgentTwinError, LimitExceeded
from agenttwin.transcript import redact

FORMAT: Final = "recording/1"
MAX_EXCHANGES: Final = 100_000
MAX_BODY: Final = 1024 * 1024
"""Bytes of a body that are written down; of a larger one its length alone."""

_SECRET_WORDS: Final = (
    "apikey", "key", "token", "secret", "password", "passwd", "pwd", "passphrase", "auth", "authorization",
    "credential", "credentials", "signature", "sig", "session", "sessionid", "cookie", "pin",
    "cvc", "cvv", "otp",
)  # fmt: skip
"""How the name of a credential ends, whatever its case and punctuation: `access_token`, `clientSecret`."""

_SECRET_HEADERS: Final = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
MAX_NESTED: Final = 100

MIN_COOKIE: Final = 6
"""Characters of a cookie's value: not every cookie is a credential."""

MIN_SECRET: Final = 4
"""Characters: a shorter value would be found in ordinary text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request and its answer. ``status`` is None where nothing came, and ``error`` says why.

    ``tool`` is the tool of an MCP server, with its arguments in ``sent``; else method and path are.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    sent: Any = None
    status: int | None = None
    received: Any = None
    error: str | None = None
    tool: str | None = None
    at: str = ""
    ms: float = 0

    def encode(self) -> bytes:
        """As a line of a recording."""
        return orjson.dumps({"format": FORMAT, **asdict(self)}, option=orjson.OPT_APPEND_NEWLINE)


def exchange(
    method: str,
    target: str,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    *,
    status: int | None,
    answer: bytes,
    error: str | None = None,
    at: str = "",
    ms: float = 0,
) -> Exchange:
    """An exchange as it travelled, with what looks like a credential masked wherever it stands.

    Credentials are the values of headers, parameters and fields that are called so, and of cookies.
    """
    url = urlsplit(target)
    pairs = parse_qsl(url.query, keep_blank_values=True)
    query = {name: ",".join(value for other, value in pairs if other == name) for name, _ in pairs}
    sent, received = _content(body), _content(answer)
    named = [*headers, *query.items(), *_fields(sent), *_fields(received)]
    secrets = tuple(dict.fromkeys(_secrets(named)))
    clean = redact({"path": url.path, "query": query, "sent": sent, "received": received}, secrets)
    return Exchange(
        method=method.upper(), status=status, error=redact(error, secrets), at=at, ms=round(ms, 1), **clean
    )


def tool_exchange(
    tool: str,
    arguments: Any,
    *,
    status: int | None,
    answer: Any,
    error: str | None = None,
    at: str = "",
    ms: float = 0,
) -> Exchange:
    """A call of a tool over MCP, with what looks like a credential masked wherever it stands."""
    secrets = tuple(dict.fromkeys(_secrets([*_fields(arguments), *_fields(answer)])))
    clean = redact({"sent": arguments or {}, "received": answer}, secrets)
    return Exchange(
        method="MCP",
        path="",
        tool=tool,
        status=status,
        error=redact(error, secrets),
        at=at,
        ms=round(ms, 1),
        **clean,
    )


def _content(body: bytes) -> Any:
    """A body as JSON, else as text, else as its length."""
    if not body:
        return None
    if len(body) > MAX_BODY:
        return {"left_out": f"{len(body):,} bytes"}
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    try:
        return body.decode()
    except UnicodeDecodeError:
        return {"left_out": f"{len(body):,} bytes"}


def _fields(value: Any, named: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every scalar with its name, or with the name of the list or object that it lies in."""
    if depth > MAX_NESTED:
        return
    if isinstance(value, Mapping):
        for name, item in value.items():
            inside = named if _is_secret(named) else str(name)
            yield from _fields(item, inside, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _fields(item, named, depth + 1)
    elif isinstance(value, str) and not named and "=" in value:
        yield from parse_qsl(value, keep_blank_values=True)  # a form
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield named, str(value)


def _is_secret(name: str) -> bool:
    """Whether a header, a parameter or a field is called as credentials are."""
    if name.lower() in _SECRET_HEADERS:
        return True
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()
    parts = [part for part in re.split(r"[^a-z0-9]+", words) if part]
    return bool(parts) and (parts[-1] in _SECRET_WORDS or "".join(parts[-2:]) in _SECRET_WORDS)


def _secrets(named: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in named:
        if not _is_secret(name):
            continue
        for part in re.split(r"[;,\s]+", value):
            cookie = name.lower() in ("cookie", "set-cookie")
            core = part.partition("=")[2] if cookie else part
            if len(core) >= (MIN_COOKIE if cookie else MIN_SECRET) and core.lower() not in (
                "bearer",
                "digest",
                "negotiate",
            ):
                yield core


def read_recording(data: bytes, *, file: str) -> tuple[Exchange, ...]:
    """The exchanges of a recording. AgentTwinError names the line that is none."""
    found: list[Exchange] = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        if len(found) == MAX_EXCHANGES:
            raise LimitExceeded("document_too_large", f"{file} has more than {MAX_EXCHANGES:,} exchanges.")
        try:
            value = orjson.loads(line)
            if value.pop("format", None) != FORMAT:
                raise ValueError("no exchange")
            found.append(Exchange(**value))
        except (orjson.JSONDecodeError, TypeError, ValueError, AttributeError):
            raise AgentTwinError(
                "not_a_recording", f"{file}:{number} is no exchange of a recording."
            ) from None
    return tuple(found)


def read_har(data: bytes, *, file: str) -> tuple[Exchange, ...]:
    """The exchanges of a HAR file, as browsers and proxies write it; AgentTwinError for what is none."""
    from agenttwin.imports._text import read_loose

    value = read_loose(data, file=file)
    entries = value.get("log", {}).get("entries") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        raise AgentTwinError("not_a_recording", f"{file} is no HAR file: it has no log.entries.")
    return tuple(found for found in map(_of_har, entries[:MAX_EXCHANGES]) if found is not None)


def _of_har(entry: Any) -> Exchange | None:
    """One entry; None for what is no exchange, or one of a page and not of an API."""
    try:
        request, response = entry["request"], entry["response"]
        headers = [(item["name"], item["value"]) for item in request.get("headers", ())]
        body = str((request.get("postData") or {}).get("text") or "").encode()
        content = response.get("content") or {}
        kind = str(content.get("mimeType") or "")
        answer = str(content.get("text") or "").encode()
        if kind and "json" not in kind and response["status"] < 400:
            return None
        status = int(response["status"]) or None
        return exchange(
            request["method"],
            request["url"],
            headers,
            body,
            status=status,
            answer=answer,
            error=None if status else "nothing came",
            at=str(entry.get("startedDateTime") or ""),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
