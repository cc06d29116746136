"""Which operation goes on from the answer of another one: the links of the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

Operation: TypeAlias = tuple[str, str]
"""Method and path, without the prefix of the API."""


@dataclass(frozen=True, slots=True)
class Link:
    """To where one may go on, and where in the answer, or in the request, what is asked by is found."""

    to: Operation
    parameters: Mapping[str, str]

    @property
    def name(self) -> str:
        """The link's name in the document: the method and what stands in the path without its parameters."""
        words = [word for word in self.to[1].split("/") if word and not word.startswith("{")]
        one = "one" if self.to[1].endswith("}") else "all"
        return "-".join([self.to[0].lower(), *words, one])


def _by(where: str, *to: Operation, name: str = "id", **more: str) -> tuple[Link, ...]:
    return tuple(Link(one, {name: where, **more}) for one in to)


ID: Final = "$response.body#/id"
FIRST: Final = "$response.body#/items/0/id"
FIRST_NAME: Final = "$response.body#/items/0/name"
ASKED: Final = "$request.path.id"

COMPARISON: Final[tuple[Operation, ...]] = (
    ("GET", "/comparisons/{id}"),
    ("GET", "/comparisons/{id}/cases"),
    ("GET", "/comparisons/{id}/report"),
)
PAIR: Final[tuple[Operation, ...]] = (
    ("GET", "/pairs/{id}"),
    ("POST", "/pairs/{id}/cancel"),
    ("POST", "/pairs/{id}/again"),
)
RUN: Final[tuple[Operation, ...]] = (
    ("GET", "/runs/{id}"),
    ("GET", "/runs/{id}/report"),
    ("GET", "/runs/{id}/cases"),
    ("POST", "/runs/{id}/cancel"),
    ("POST", "/runs/{id}/again"),
)
CASE: Final[tuple[Operation, ...]] = (
    ("GET", "/comparisons/{id}/cases/{scenario}"),
    ("POST", "/comparisons/{id}/cases/{scenario}/overrides"),
)
CONSOLE: Final[tuple[Operation, ...]] = (
    ("GET", "/consoles/{id}"),
    ("GET", "/consoles/{id}/state"),
    ("GET", "/consoles/{id}/calls"),
    ("POST", "/consoles/{id}/calls"),
    ("POST", "/consoles/{id}/faults"),
    ("POST", "/consoles/{id}/reset"),
    ("DELETE", "/consoles/{id}"),
)
PROJECT: Final[tuple[Operation, ...]] = (
    ("GET", "/projects/{name}"),
    ("PATCH", "/projects/{name}"),
    ("DELETE", "/projects/{name}"),
)

LINKS: Final[Mapping[Operation, tuple[Link, ...]]] = MappingProxyType(
    {
        ("GET", "/comparisons"): _by(FIRST, *COMPARISON),
        ("GET", "/trend"): _by("$response.body#/0/comparison", COMPARISON[0]),
        ("GET", "/comparisons/{id}/cases"): _by(ASKED, *CASE, scenario="$response.body#/items/0/scenario"),
        ("GET", "/pairs"): _by(FIRST, *PAIR, COMPARISON[0]),
        ("POST", "/pairs"): _by(ID, *PAIR, COMPARISON[0]),
        ("POST", "/pairs/{id}/again"): _by(ID, *PAIR),
        ("GET", "/runs"): _by(FIRST, *RUN),
        ("POST", "/runs"): _by(ID, *RUN),
        ("POST", "/runs/{id}/again"): _by(ID, *RUN),
        ("GET", "/agents"): _by(FIRST_NAME, ("GET", "/agents/{agent}/versions"), name="agent"),
        ("GET", "/agents/{agent}/versions"): (
            *_by(
                "$response.body#/items/0/version",
                ("GET", "/agents/{agent}/versions/{version}"),
                name="version",
                agent="$request.path.agent",
            ),
            *_by(
                "$response.body#/items/0/version",
                ("GET", "/agents/{agent}/diff"),
                name="new",
                old="$response.body#/items/1/version",
                agent="$request.path.agent",
            ),
        ),
        ("GET", "/twins"): _by(FIRST_NAME, ("GET", "/twins/{name}"), name="name"),
        ("GET", "/scenarios"): _by(
            FIRST_NAME, ("GET", "/scenarios/{name}"), ("GET", "/scenarios/{name}/results"), name="name"
        ),
        ("POST", "/consoles"): _by(ID, *CONSOLE),
        ("GET", "/projects"): _by(FIRST_NAME, PROJECT[0], name="name"),
        ("POST", "/projects"): _by("$response.body#/name", *PROJECT, name="name"),
        ("POST", "/keys"): _by("$response.body#/key/id", ("DELETE", "/keys/{id}")),
        ("GET", "/keys"): _by(FIRST, ("DELETE", "/keys/{id}")),
    }
)
"""Every link, by the operation whose answer it starts from."""
