"""A twin that stands alone: one case under a known token, for a person, a script, an agent being written.

GET  /t/dev/state[?path=…]    the world          POST /t/dev/faults    arms fault rules
GET  /t/dev/calls[?after=n]   the records        POST /t/dev/reset     begins anew
GET  /t/dev/changes           what differs from the start
GET  /t/dev/status            how far it is      GET  /, /t/dev/       the console
"""

from __future__ import annotations

import asyncio
import gc
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from itertools import dropwhile
from typing import Any, Final, TextIO, TypeAlias

from agenttwin.errors import DocumentError, Problem
from agenttwin.run import Case
from agenttwin.surfaces._http import Handler, Resource, asked, shown
from agenttwin.surfaces._http_exchange import Exchange
from agenttwin.surfaces._http_route import Route
from agenttwin.surfaces._http_server import LOOPBACK, Address, TwinServer, require
from agenttwin.surfaces._serve_faults import read_faults
from agenttwin.surfaces._serve_json import answer_in_pieces, spelled, spelled_events
from agenttwin.surfaces._serve_page import FAVICON, page
from agenttwin.surfaces._serve_snippets import snippets
from agenttwin.twin import FAULTS, FaultRule, World
from agenttwin.values import MISSING, Path, plain

DEV_TOKEN: Final = "dev"

CALL_LIMIT: Final = 1_000_000
"""Calls between two resets: a person or a load test goes on for longer than a case does."""


class StandAlone:
    """Serves one case of a twin over HTTP and MCP, with the console. To be used in a `with`.

    ``begin`` gives a world at the start, in which ``faults`` are armed; each reset begins with both.
    """

    def __init__(
        self,
        begin: Callable[[], World],
        *,
        faults: Sequence[FaultRule] = (),
        token: str = DEV_TOKEN,
        host: str = LOOPBACK,
        port: int = 0,
        names: Sequence[str] = (),
    ) -> None:
        self._begin = begin
        self._first_rules = tuple(faults)
        self._rules = self._first_rules
        self._token = token
        self._generation = 0
        self._is_open = is_loopback(host)
        self._server = TwinServer(
            host=host, port=port, names=names, resources=self._resources(), root=self._root
        )
        self._case = self._new_case()

    def __enter__(self) -> StandAlone:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    @property
    def url(self) -> str:
        """Where the console is: at the root, or below the token where that is not for everybody."""
        return f"{self._server.url if self._is_open else self.address.http_url}/"

    @property
    def address(self) -> Address:
        """Where its tools are."""
        return self._server.address(self._token)

    @property
    def case(self) -> Case:
        """The case since the last reset."""
        return self._case

    def reset(self) -> Case:
        """Begins anew: the world, the records and the faults are as at the start."""
        self._case.end()
        self._server.unregister(self._case)
        self._case = self._new_case()
        return self._case

    def _new_case(self) -> Case:
        self._generation += 1
        world = self._begin()
        world.arm(self._first_rules)
        self._rules = self._first_rules
        case = Case(world, token=self._token, started=time.monotonic(), seconds=math.inf)
        self._server.register(case)
        return case

    # -- what a person asks

    def _resources(self) -> Mapping[str, Resource]:
        return {
            "state": {"GET": _whole_path(_state)},
            "calls": {"GET": _whole_path(_calls)},
            "changes": {"GET": _whole_path(_changes)},
            "faults": {"GET": _whole_path(self._faults), "POST": _whole_path(self._arm)},
            "reset": {"POST": _whole_path(self._reset)},
            "status": {"GET": _whole_path(self._status)},
            "console": {"GET": _whole_path(self._console)},
            "": {"GET": _whole_path(self._page)},
        }

    async def _root(self, exchange: Exchange) -> None:
        """The console stands at the root where its token is no secret."""
        path = exchange.scope["raw_path"]
        if exchange.method == "GET" and path == b"/favicon.svg":
            await exchange.answer(200, FAVICON, {"content-type": "image/svg+xml"})
        elif exchange.method == "GET" and path == b"/" and self._is_open:
            await self._page(exchange)
        else:
            await exchange.refuse(404, "NOT_FOUND", "There is nothing at this address.")

    async def _page(self, exchange: Exchange, route: Route | None = None) -> None:
        del route
        body, headers = page(self._token)
        await exchange.answer(200, body, headers)

    async def _reset(self, exchange: Exchange, route: Route) -> None:
        await route.alone(self.reset)
        await exchange.json(200, self._told())

    async def _status(self, exchange: Exchange, route: Route) -> None:
        del route
        await exchange.json(200, self._told())

    def _told(self) -> dict[str, Any]:
        world = self._case.world
        return {
            "generation": self._generation,
            "seq": world.seq,
            "now": world.now,
            "tenant": world.tenant,
            "twinError": world.twin_error,
            "faults": _uses(world),
        }

    async def _console(self, exchange: Exchange, route: Route) -> None:
        twin = route.case.world.twin
        told = {
            "name": twin.name,
            "tools": [shown(tool) for tool in twin.tools.values()],
            "kinds": {name: _legend(name) for name in FAULTS},
            "snippets": snippets(twin, self.address),
        }
        await exchange.json(200, told)

    async def _faults(self, exchange: Exchange, route: Route) -> None:
        """The rules that are armed, as they were written, and what became of them."""
        await exchange.json(200, self._armed(route.case.world))

    async def _arm(self, exchange: Exchange, route: Route) -> None:
        """Replaces the rules, from the next call on; every problem is told."""
        body, whole = await exchange.body()
        if not whole:
            await exchange.refuse(413, "DOCUMENT_TOO_LARGE", "This is more than a list of rules has.")
            return
        world = route.case.world
        file = "faults.json" if body.lstrip()[:1] in (b"[", b"{") else "faults.yaml"
        try:
            rules = read_faults(body, file=file, tools=world.twin.tools)
        except DocumentError as error:
            problems = [_problem(problem) for problem in error.problems]
            told = {"code": "INVALID_FAULTS", "message": str(error), "problems": problems}
            await exchange.json(422, {"error": told})
            return
        await route.alone(lambda: world.arm(rules))
        self._rules = rules
        await exchange.json(200, self._armed(world))

    def _armed(self, world: World) -> dict[str, Any]:
        rules = [rule.model_dump(mode="json", by_alias=True, exclude_unset=True) for rule in self._rules]
        return {"rules": rules, "uses": _uses(world)}


_Answer: TypeAlias = Callable[[Exchange, Route], Awaitable[None]]


def _whole_path(answer: _Answer) -> Handler:
    """A handler of a place that has nothing below it."""

    async def handle(exchange: Exchange, route: Route, rest: str) -> None:
        if rest:
            await exchange.refuse(404, "NOT_FOUND", "There is nothing below this address.")
        else:
            await answer(exchange, route)

    return handle


async def _state(exchange: Exchange, route: Route) -> None:
    """The world as it is now, or what stands at a path of it. Calls go on while a large one is sent."""
    world = route.case.world
    text = asked(exchange, "path")
    tree = await route.alone(world.tree.fork)
    if text is None:
        await answer_in_pieces(exchange, spelled(tree.plain()))
        return
    try:
        found = tree.get(Path.parse(text).segments)
    except ValueError as error:
        await exchange.refuse(400, "INVALID_PATH", f"{text!r} is no path: {error}.")
        return
    if found is MISSING:
        await exchange.refuse(404, "NOT_FOUND", f"The world has nothing at {text!r}.")
    else:
        await answer_in_pieces(exchange, spelled(plain(found)))


async def _calls(exchange: Exchange, route: Route) -> None:
    """The records, as they are stored; with `after` those with a greater seq only."""
    records = await route.alone(lambda: tuple(route.case.world.records))
    text = asked(exchange, "after") or "0"
    if not text.isdecimal():
        await exchange.refuse(400, "INVALID_ARGUMENTS", "after is the seq of a call, a number.")
        return
    after = int(text[:18])
    later = tuple(dropwhile(lambda record: record.seq <= after, records)) if after else records
    await answer_in_pieces(exchange, spelled_events(later))


async def _changes(exchange: Exchange, route: Route) -> None:
    """What differs from the start: path, and before and after where there was or is something."""
    world = route.case.world
    changes = await route.alone(lambda: world.changes)
    told = [
        {
            "path": change.path,
            **({"before": change.before} if change.before is not MISSING else {}),
            **({"after": change.after} if change.after is not MISSING else {}),
        }
        for change in changes
    ]
    await answer_in_pieces(exchange, spelled(told))


def _problem(problem: Problem) -> dict[str, Any]:
    place = problem.location
    return {
        "code": problem.code,
        "message": problem.message,
        "path": problem.path,
        "nearest": problem.nearest,
        "valid": problem.valid,
        "line": place.line if place is not None else None,
        "column": place.column if place is not None else None,
    }


def _uses(world: World) -> list[dict[str, Any]]:
    return [
        {
            "rule": use.rule,
            "type": use.type,
            "target": use.target,
            "fired": use.fired,
            "tookEffect": use.took_effect,
        }
        for use in world.fault_uses
    ]


def _legend(name: str) -> dict[str, Any]:
    """A row of the fault table, as the console needs it."""
    kind = FAULTS[name]
    return {
        "description": kind.description,
        "commit": kind.commit,
        "answer": kind.answer,
        "wire": kind.wire,
        "status": kind.status,
        "knowable": kind.knowable,
        "fields": kind.fields,
    }


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def calm_collector() -> Iterator[None]:
    """While this holds, what is not young any more is not looked through again; for the whole process.

    Records are no garbage, and looking through them again and again is what the slowest answers wait for.
    """

    def forget(phase: str, info: Mapping[str, int]) -> None:
        if phase == "stop" and info["generation"] > 0:
            gc.freeze()

    gc.collect()
    gc.freeze()
    gc.callbacks.append(forget)
    try:
        yield
    finally:
        gc.callbacks.remove(forget)
        gc.unfreeze()


def serve_standard_io(world: World, output: TextIO | None = None) -> None:
    """Serves one case of a twin over MCP on standard input and output, until the input ends.

    ``output`` takes the place of standard output where others print there. AgentTwinError where
    the extra `mcp` is missing.
    """
    require("mcp", "mcp")
    from agenttwin.surfaces._mcp_stdio import serve_stdio

    case = Case(world, token=DEV_TOKEN, started=time.monotonic(), seconds=math.inf)
    asyncio.run(serve_stdio(Route(case, clock=time.monotonic), output))
