"""`GET /metrics`: the numbers of the server, for Prometheus."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.concurrency import run_in_threadpool

from agenttwin.errors import AgentTwinError
from agenttwin.server._access import OWNER, Rule, allow, identify
from agenttwin.server._errors import as_answer


def serve_metrics(app: FastAPI) -> None:
    """Adds the route. They count over all projects, so where keys are needed it takes an owner's."""

    @app.get("/metrics", include_in_schema=False)
    async def metrics(request: Request) -> Response:
        desk = request.app.state.desk
        header = request.headers.get("authorization")
        try:
            found = await run_in_threadpool(identify, desk.store, header, None, sign_in=desk.sign_in)
            allow(found, Rule(OWNER))
        except AgentTwinError as error:
            return as_answer(error)
        return Response(desk.metrics.text(), media_type=CONTENT_TYPE_LATEST)
