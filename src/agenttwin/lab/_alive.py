"""Letting others know that a pair or run is being worked on, and by whom."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from typing import Final

from agenttwin.errors import AgentTwinError
from agenttwin.storage import Store, StoredPair, StoredRun

EVERY_SECONDS: Final = 5.0
SILENT_MS: Final = 20_000
"""Who was not heard of for so long is taken to be gone."""


def process_name() -> str:
    """This process, as others can look for it."""
    return f"{socket.gethostname()}/{os.getpid()}"


def is_gone(name: str, seen_at: int | None, now_ms: int) -> bool:
    """Whether a process is there no more: it was silent for too long, or was one of this machine that ended.

    Its own name counts as gone: who asks knows what it runs itself.
    """
    host, _, pid = name.rpartition("/")
    if host == socket.gethostname() and pid.isdigit():
        return int(pid) == os.getpid() or not _runs(int(pid))
    return seen_at is None or now_ms - seen_at > SILENT_MS


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it runs, and is somebody else's
        return True
    return True


@contextlib.contextmanager
def working(store: Store, stored: StoredPair | StoredRun, owner: str) -> Iterator[None]:
    """While ``owner`` runs something: says so, again and again; and how it ended if it was not finished."""
    store.mark(stored, "running", owner=owner)
    over = threading.Event()

    def beat() -> None:
        while not over.wait(EVERY_SECONDS):
            with contextlib.suppress(AgentTwinError):  # the database is held for a moment
                store.alive(stored)

    beating = threading.Thread(target=beat, name="agenttwin-alive", daemon=True)
    beating.start()
    ended: tuple[str, str | None] | None = None
    try:
        yield
    except KeyboardInterrupt:
        ended = ("cancelled", None)
        raise
    except BaseException as error:
        ended = ("failed", str(error) or type(error).__name__)
        raise
    finally:
        over.set()
        beating.join()
        if ended is not None:
            with contextlib.suppress(AgentTwinError):  # what went wrong before is what is told
                store.mark(stored, ended[0], error=ended[1])
