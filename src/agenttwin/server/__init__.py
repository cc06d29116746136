"""The workspace for a browser, and a team's store: an HTTP API, and the app that asks it."""

from agenttwin.server._app import create_app, openapi_document
from agenttwin.server._serve import Serving, serve

__all__ = ["Serving", "create_app", "openapi_document", "serve"]
