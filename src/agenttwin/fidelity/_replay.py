"""A recording played again against a twin, in its order, and compared answer by answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from agenttwin.fidelity._compare import MAX_FIELDS, Difference, Fidelity, plain_name
from agenttwin.imports import Exchange, call_of
from agenttwin.twin import Call, CompiledTwin, begin, step
from agenttwin.values import MISSING, diff, encode

MAX_DIFFERENCES: Final = 10_000

_MADE: Final = re.compile(
    r"(^|[._])(id|uuid|at|time|date|timestamp|created|updated|etag|token)$|_(id|at|on)$"
)
_MOMENT: Final = re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d")


def replay(compiled: CompiledTwin, recorded: Sequence[Exchange]) -> Fidelity:
    """Plays every exchange that was answered, in one case, and compares status and body.

    What a service makes anew each time is compared by its type alone: fields called so (`id`, `…_id`, `…_at`
    and the like), and texts that are moments. A tool that the twin lacks is a difference.
    """
    world = begin(compiled, call_limit=len(recorded) + 1)
    names = {plain_name(name): name for name in compiled.tools}
    agrees, differences, missing = 0, list[Difference](), dict[str, None]()
    for number, item in enumerate(recorded, 1):
        if item.status is None:
            continue
        named, arguments = call_of(item)
        tool = names.get(plain_name(named))
        if tool is None:
            missing[named] = None
            continue
        reply = step(compiled, world, Call(tool, arguments, {})).reply
        found = list(_compared(tool, number, item, reply.status, _json(reply.body)))
        differences += found
        agrees += not found
    lacking = [Difference(tool=name, what="tool", where="", twin="missing", real="there") for name in missing]
    return Fidelity(agrees=agrees, differences=(*lacking, *differences[:MAX_DIFFERENCES]), untried=())


def _json(body: bytes | None) -> Any:
    if not body:
        return None
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return body.decode("utf-8", "replace")


def _compared(tool: str, number: int, item: Exchange, status: int | None, body: Any) -> Iterator[Difference]:
    """Where the answers of one exchange differ; the place begins with the number of the exchange."""
    if status != item.status:
        where = f"exchange {number}"
        yield Difference(tool=tool, what="status", where=where, twin=str(status), real=str(item.status))
        return
    told = 0
    for change in diff(item.received, body):
        if _is_made(change.path, change.before, change.after):
            continue
        told += 1
        if told > MAX_FIELDS:
            return
        where = f"exchange {number}: {change.path or 'the answer'}"
        twin, real = _shown(change.after), _shown(change.before)
        yield Difference(tool=tool, what="field", where=where, twin=twin, real=real)


def _is_made(path: str, before: Any, after: Any) -> bool:
    """Whether a value is one that is made anew, on both sides and of one type."""
    if type(before) is not type(after) or isinstance(before, dict | list):
        return False
    moments = isinstance(before, str) and _MOMENT.match(before) and _MOMENT.match(after)
    return bool(moments) or _MADE.search(path.lower()) is not None


def _shown(value: Any) -> str:
    text = "missing" if value is MISSING else encode(value).decode()
    return text if len(text) <= 80 else f"{text[:79]}…"
