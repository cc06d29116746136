"""Values kept once, under the digest of their bytes; and documents, under their digest as written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from agenttwin.document import Document
from agenttwin.errors import NotFound
from agenttwin.storage import _tables as tables
from agenttwin.storage._scope import Scope
from agenttwin.storage._values import StoredDocument
from agenttwin.values import Json, digest_bytes
from agenttwin.values import digest as digest_of


def keep(scope: Scope, content: bytes) -> str:
    """Keeps bytes; their digest."""
    digest = digest_bytes(content)
    scope.insert_new(tables.contents, [{"digest": digest, "content": content}])
    return digest


def kept(scope: Scope, digest: str) -> bytes:
    """The bytes of a digest."""
    table = tables.contents
    query = scope.select(table, table.c.content).where(table.c.digest == digest)
    found = scope.execute(query).scalar_one_or_none()
    if found is None:
        raise NotFound("unknown_content", f"Nothing is stored under {digest}.")
    content = bytes(found)
    if digest_bytes(content) != digest:
        raise ValueError(f"what is stored under {digest} has been changed")
    return content


def keep_documents(scope: Scope, documents: Iterable[Document[Any]]) -> None:
    """Keeps documents as they were written."""
    rows = [
        {
            "digest": document.digest,
            "kind": document.kind,
            "name": document.model.metadata.name,
            "file": document.source.file,
            "text": document.source.text,
            "value": orjson.dumps(document.source.value),
        }
        for document in documents
    ]
    scope.insert_new(tables.documents, rows)


def document(scope: Scope, digest: str) -> StoredDocument:
    """A document by its digest."""
    row = scope.execute(scope.select(tables.documents).filter_by(digest=digest)).one_or_none()
    if row is None:
        raise NotFound("unknown_document", f"There is no document {digest}.")
    value: Json = orjson.loads(row.value)
    if digest_of(value) != digest:
        raise ValueError(f"the document {row.file} has been changed where it is stored")
    return StoredDocument(
        digest=row.digest, kind=row.kind, name=row.name, file=row.file, text=row.text, value=value
    )
