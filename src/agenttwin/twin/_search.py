"""Searching the knowledge base: the words of the query against the words of the documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from agenttwin.transcript import Retrieval
from agenttwin.twin._compile import CompiledTwin, knowledge_of
from agenttwin.twin._world import World
from agenttwin.values import Arr, Json, plain

DEFAULT_RESULTS: Final = 5
MAX_QUERY: Final = 4_096

_WORD = re.compile(r"\w+")


def search(twin: CompiledTwin, world: World, query: str, limit: int = DEFAULT_RESULTS) -> tuple[list[Json], Retrieval]:
    """The documents that share most words with the query, best first, and the record of the search.

    A document has ``trusted``: false where whoever wrote it is not one of ours. Documents that share no word
    are left out.
    """
    world.seq += 1
    wanted = set(_WORD.findall(query[:MAX_QUERY].lower()))
    found = knowledge_of(twin, world.tree)
    documents = [plain(item) for item in found] if isinstance(found, list | Arr) else []
    scored = [(len(wanted & _words(document)), index) for index, document in enumerate(documents)]
    best = sorted((-score, index) for score, index in scored if score)[:limit]
    hits = [_with_trust(documents[index]) for _, index in best]
    retrieval = Retrieval(
        seq=world.seq,
        query=query[:MAX_QUERY],
        documents=tuple((str(hit.get("id", "")), bool(hit["trusted"])) for hit in hits),
    )
    world.records.append(retrieval)
    return list(hits), retrieval


def _with_trust(document: Json) -> dict[str, Any]:
    body = dict(document) if isinstance(document, Mapping) else {"content": document}
    return {**body, "trusted": body.get("trusted", True) is True}


def _words(document: Json) -> set[str]:
    if not isinstance(document, Mapping):
        return set(_WORD.findall(str(document).lower()))
    text = " ".join(str(document.get(key, "")) for key in ("title", "text", "content"))
    return set(_WORD.findall(text.lower()))
