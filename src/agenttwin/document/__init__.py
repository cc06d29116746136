"""Text of a document → frozen values with line numbers; their JSON Schema. One reader for every kind."""

from agenttwin.document._limits import DOCUMENT_LIMITS, JSON_LIMITS, STATE_LIMITS, TWIN_LIMITS, Limits
from agenttwin.document._model import API_VERSION, ApiVersion, Model
from agenttwin.document._parse import parse, parse_json
from agenttwin.document._read import Broken, Document, examine, read
from agenttwin.document._schema import schema, schema_of
from agenttwin.document._source import Source
from agenttwin.document._validate import Finding, located, validate

__all__ = [
    "API_VERSION",
    "DOCUMENT_LIMITS",
    "JSON_LIMITS",
    "STATE_LIMITS",
    "TWIN_LIMITS",
    "ApiVersion",
    "Broken",
    "Document",
    "Finding",
    "Limits",
    "Model",
    "Source",
    "examine",
    "located",
    "parse",
    "parse_json",
    "read",
    "schema",
    "schema_of",
    "validate",
]
