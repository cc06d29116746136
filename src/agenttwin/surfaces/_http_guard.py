"""Who may ask at all: a page in somebody's browser may not, whatever name it gave this address.

A name can be made to lead here by whoever owns it (DNS rebinding), and a page can post to any address; an IP
address cannot be owned, and a browser names the page's origin. Agents send no Origin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Final

_MAX_KNOWN: Final = 1_024
"""Spellings of our own address that are kept: with every port there are many."""


class Guard:
    """Admits a Host that is an IP address, `localhost` or one of ``names``, and an Origin that is it."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset({"localhost", *(name.lower() for name in names)})
        self._known: set[bytes | None] = set()

    def admits(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether a request with these headers is answered."""
        host = headers.get(b"host")
        if host not in self._known and not self._learn(host):
            return False
        origin = headers.get(b"origin")
        return origin is None or origin.partition(b"://")[2] == host

    def _learn(self, host: bytes | None) -> bool:
        if host is None or not self._is_ours(host.decode("latin-1")):
            return False
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        self._known.add(host)
        return True

    def _is_ours(self, host: str) -> bool:
        name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
        if name.lower() in self._names:
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True
