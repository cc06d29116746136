"""The verb of the package: works in, events out."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import AsyncIterator, Iterator, Sequence

from agenttwin.run._capture import capturing, staying
from agenttwin.run._conclude import Grading
from agenttwin.run._engine import Engine, Options
from agenttwin.run._mailbox import Mailbox
from agenttwin.run._protocols import Lend
from agenttwin.run._values import Clock, RunEvent, RunFinished, RunStarted
from agenttwin.run._work import Work


async def run(
    works: Sequence[Work],
    *,
    lend: Lend,
    grading: Grading | None = None,
    concurrency: int = 8,
    fail_fast: bool = False,
    clock: Clock = time.monotonic,
) -> AsyncIterator[RunEvent]:
    """Runs ``works`` side by side, at most ``concurrency`` at a time, and tells what happens.

    The events come in the order of time; a record says itself which trial of which side it is of. A case
    ends at its deadline whatever its agent does. With ``fail_fast`` no case begins after one that did not
    pass (the baseline's do not count). Cancelling, or an exception that no case can answer for such as
    KeyboardInterrupt, ends the run: the events of what was finished come first, then it is raised.
    """
    mailbox = Mailbox()
    options = Options(
        lend=lend, clock=clock, grading=grading or Grading(), concurrency=concurrency, fail_fast=fail_fast
    )
    engine = Engine(works, options, mailbox)
    interrupted: asyncio.CancelledError | None = None
    with capturing(), staying(), _unscanned():
        try:
            yield RunStarted(cases=len(works))
            engine.start()
            while events := await mailbox.take():
                for event in events:
                    yield event
        except asyncio.CancelledError as error:
            interrupted = error
        finally:
            engine.leave()
        for event in mailbox.rest():
            yield event
    await engine.settle()
    yield RunFinished(finished=engine.finished, stopped=engine.stopped, abandoned=engine.abandoned)
    if raised := interrupted or engine.error:
        raise raised


@contextlib.contextmanager
def _unscanned() -> Iterator[None]:
    """Keeps the collector off what was there before the run: documents by the thousand, and no garbage."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
