"""Searching the knowledge base: the words of the query against the words of the documents."""

from __future__ import annotations

import re
from typing import Any, Final

from agenttwin.transcript import Retrieval
from agenttwin.twin._compile import CompiledTwin
from agenttwin.twin._gate import readable
from agenttwin.twin._world import World
from agenttwin.values import Arr, Json, plain

DEFAULT_RESULTS: Final = 5
MAX_QUERY: Final = 4_096

_WORD = re.compile(r"\w+")


def search(
    twin: CompiledTwin, world: World, query: str, limit: int = DEFAULT_RESULTS
) -> tuple[list[Json], Retrieval]:
    """The documents that share most words with the query, best first, and the record of the search.

    A document has ``trusted``: false where whoever wrote it is not one of ours. Documents that share no word
    are left out.
    """
    world.seq += 1
    asked = readable(str(query)[:MAX_QUERY])
    wanted = _words(asked)
    found = world.tree.get(twin.knowledge)
    documents = [plain(item) for item in found] if isinstance(found, list | Arr) else []
    scored = [(len(wanted & _words(_text_of(document))), index) for index, document in enumerate(documents)]
    best = sorted((-score, index) for score, index in scored if score)[: max(limit, 0)]
    hits = [_with_trust(documents[index]) for _, index in best]
    retrieval = Retrieval(
        seq=world.seq,
        query=asked,
        documents=tuple((str(hit.get("id", "")), hit["trusted"]) for hit in hits),
    )
    world.records.append(retrieval)
    return list(hits), retrieval


def _with_trust(document: Json) -> dict[str, Any]:
    body = document if isinstance(document, dict) else {"content": document}
    return {**body, "trusted": body.get("trusted", True) is True}


def _text_of(document: Json) -> str:
    if not isinstance(document, dict):
        return str(document)
    return " ".join(str(document.get(key, "")) for key in ("title", "text", "content"))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
