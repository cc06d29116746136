"""How a route gets at the workspace that its application serves."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from agenttwin.server._desk import Desk


def desk_of(request: Request) -> Desk:
    """The desk of the application that was asked."""
    desk: Desk = request.app.state.desk
    return desk


At: TypeAlias = Annotated[Desk, Depends(desk_of)]
"""The type of a route's parameter that is the desk."""
