"""The HTTP surface's peer: a bare Starlette route that reads JSON and answers JSON, and records nothing."""

import socket

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


async def lookup(request: Request) -> JSONResponse:
    arguments = await request.json()
    return JSONResponse({"id": arguments["order_id"], "status": "delivered", "total": 150})


def serve() -> None:
    listening = socket.create_server(("127.0.0.1", 0), backlog=512)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/", flush=True)
    app = Starlette(routes=[Route("/t/{token}/tools/{tool}", lookup, methods=["POST"])])
    config = uvicorn.Config(app, log_config=None, access_log=False)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    serve()
