"""The workspace and its store for a browser: an HTTP API, and the app."""

from agenttwin.server._app import create_app, openapi_document
from agenttwin.server._serve import serve

__all__ = ["create_app", "openapi_document", "serve"]
