"""The baseline: a FastAPI route that only checks the signature. `python -m tests.bench.bare PORT SECRET`."""

import sys

import uvicorn
from fastapi import FastAPI, Request, Response

from app.domain.errors import Rejected
from app.webhook.signature import verify


def create_app(secret: str) -> FastAPI:
    """Build an application whose webhook stores nothing."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.post("/webhook")
    async def receive(request: Request) -> Response:
        try:
            verify(await request.body(), request.headers.get("X-Hub-Signature-256"), (secret,))
        except Rejected as exc:
            return Response(status_code=exc.status)
        return Response(status_code=200)

    return app


if __name__ == "__main__":
    uvicorn.run(
        create_app(sys.argv[2]), host="127.0.0.1", port=int(sys.argv[1]), log_config=None, access_log=False
    )
