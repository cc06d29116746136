"""Who may ask for what: one table of routes, one place where it is held against a credential."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from agenttwin.errors import NotFound
from agenttwin.lab import reviewer
from agenttwin.server._errors import Refused
from agenttwin.storage import DEFAULT, Store, StoredKey

READ, WRITE, RUN, ADMIN, OWNER = SCOPES = ("read", "write", "run", "admin", "owner")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a credential needs for a route (nothing: anybody), and what is written down when it was used."""

    scope: str | None
    action: str | None = None
    told_once: bool = False
    """Whether the answer holds a secret, and is therefore kept nowhere."""


RULES: Final[Mapping[tuple[str, str], Rule]] = MappingProxyType(
    {
        ("GET", "/health"): Rule(None),
        ("GET", "/ready"): Rule(None),
        ("GET", "/me"): Rule(READ),
        ("GET", "/events"): Rule(READ),
        ("GET", "/trend"): Rule(READ),
        ("GET", "/comparisons"): Rule(READ),
        ("GET", "/comparisons/{id}"): Rule(READ),
        ("GET", "/comparisons/{id}/cases"): Rule(READ),
        ("GET", "/comparisons/{id}/cases/{scenario}"): Rule(READ),
        ("GET", "/comparisons/{id}/report"): Rule(READ),
        ("POST", "/comparisons/{id}/cases/{scenario}/overrides"): Rule(WRITE, "case.overridden"),
        ("GET", "/pairs"): Rule(READ),
        ("POST", "/pairs"): Rule(RUN, "pair.started"),
        ("GET", "/pairs/{id}"): Rule(READ),
        ("POST", "/pairs/{id}/cancel"): Rule(RUN, "pair.cancelled"),
        ("POST", "/pairs/{id}/again"): Rule(RUN, "pair.started"),
        ("GET", "/runs"): Rule(READ),
        ("POST", "/runs"): Rule(RUN, "run.started"),
        ("GET", "/runs/{id}"): Rule(READ),
        ("GET", "/runs/{id}/report"): Rule(READ),
        ("GET", "/runs/{id}/cases"): Rule(READ),
        ("GET", "/runs/{id}/cases/{scenario}"): Rule(READ),
        ("POST", "/runs/{id}/cancel"): Rule(RUN, "run.cancelled"),
        ("POST", "/runs/{id}/again"): Rule(RUN, "run.started"),
        ("POST", "/imports"): Rule(WRITE, "run.imported"),
        ("GET", "/agents"): Rule(READ),
        ("GET", "/agents/{agent}/versions"): Rule(READ),
        ("GET", "/agents/{agent}/versions/{version}"): Rule(READ),
        ("GET", "/agents/{agent}/diff"): Rule(READ),
        ("GET", "/twins"): Rule(READ),
        ("GET", "/twins/{name}"): Rule(READ),
        ("POST", "/twins/validate"): Rule(READ),
        ("GET", "/scenarios"): Rule(READ),
        ("GET", "/scenarios/{name}"): Rule(READ),
        ("GET", "/scenarios/{name}/results"): Rule(READ),
        ("GET", "/scenarios/{name}/versions"): Rule(READ),
        ("POST", "/scenarios/validate"): Rule(READ),
        ("GET", "/suites"): Rule(READ),
        ("POST", "/consoles"): Rule(RUN),
        ("GET", "/consoles/{id}"): Rule(RUN),
        ("GET", "/consoles/{id}/state"): Rule(RUN),
        ("GET", "/consoles/{id}/calls"): Rule(RUN),
        ("POST", "/consoles/{id}/calls"): Rule(RUN),
        ("POST", "/consoles/{id}/faults"): Rule(RUN),
        ("POST", "/consoles/{id}/reset"): Rule(RUN),
        ("DELETE", "/consoles/{id}"): Rule(RUN),
        ("GET", "/projects"): Rule(READ),
        ("POST", "/projects"): Rule(OWNER, "project.created"),
        ("GET", "/projects/{name}"): Rule(READ),
        ("PATCH", "/projects/{name}"): Rule(ADMIN, "project.changed"),
        ("DELETE", "/projects/{name}"): Rule(OWNER, "project.deleted"),
        ("GET", "/keys"): Rule(ADMIN),
        ("POST", "/keys"): Rule(ADMIN, "key.created", told_once=True),
        ("DELETE", "/keys/{id}"): Rule(ADMIN, "key.revoked"),
        ("GET", "/audit"): Rule(ADMIN),
    }
)
"""Every route of the API, without its prefix. A route that is not here cannot be served."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who asks, in which project, and what they may. ``key`` is the id of the key; None without one."""

    actor: str
    project: str
    scopes: tuple[str, ...]
    key: str | None = None

    def may(self, scope: str) -> bool:
        """Whether a scope is among them."""
        return scope in self.scopes


def identify(store: Store, header: str | None, project: str | None, *, sign_in: bool) -> Identity:
    """Who sent a request with this `Authorization`, for a project by name, or the key's own.

    Refused 401 without a credential that holds where one is needed, or with one that does not; NotFound for a
    project that is not there, or not theirs.
    """
    if header is None and not sign_in:
        name = project or DEFAULT
        store.access.project(name)
        return Identity(actor=reviewer(), project=name, scopes=SCOPES)
    key = key_of(store, header)
    if key is None:
        told = "no key" if header is None else "a key that does not hold: none, over or revoked"
        hint = "Send the header Authorization: Bearer atk_…; agenttwin keys create makes a key."
        raise Refused(401, "unauthenticated", f"The request came with {told}.", hint)
    name = project or key.project
    if name != key.project:
        if OWNER not in key.scopes:
            raise NotFound("unknown_project", f"There is no project {name!r}.")
        store.access.project(name)
    scopes = SCOPES if OWNER in key.scopes else key.scopes
    return Identity(actor=key.name, project=name, scopes=scopes, key=key.id)


def key_of(store: Store, header: str | None) -> StoredKey | None:
    """The key that an `Authorization` shows, where it holds at the moment."""
    word, _, secret = (header or "").partition(" ")
    return store.access.verify(secret.strip()) if word.lower() == "bearer" and secret else None


def methods_of(path: str) -> tuple[str, ...]:
    """The methods that a path of the API has, without its prefix; none where it is no path."""
    return tuple(method for pattern, method in _PATTERNS if pattern.fullmatch(path))


_PATTERNS: Final = tuple((re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), method) for method, path in RULES)


def allow(identity: Identity, rule: Rule) -> None:
    """Refused 403 where the scope of a rule is missing."""
    if rule.scope is not None and not identity.may(rule.scope):
        message = f"This key may {', '.join(identity.scopes)}; the request needs {rule.scope}."
        raise Refused(403, "forbidden", message)


def rule_of(methods: Collection[str], path: str) -> Rule:
    """The rule of a route, whose path is without the prefix of the API; LookupError where there is none."""
    (method,) = methods
    return RULES[method, path]
