"""How a route gets at what whoever asks may see."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from agenttwin.server._view import View


def view_of(request: Request) -> View:
    """The view of the request, as `Route` has made it."""
    view: View = request.state.view
    return view


At: TypeAlias = Annotated[View, Depends(view_of)]
"""The type of a route's parameter that is the view."""
