"""An Ollama whose model understands the doctor's tiny tasks, as far as the test lets it."""

import json
import re
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.fakes.ollama import call, chunk, last_chunk

_CALLS = (
    (re.compile(r"weather in (\w+)"), "get_weather", "city"),
    (re.compile(r"(17 times 23)"), "calculate", "expression"),
    (re.compile(r"note: (.+)"), "save_note", "text"),
)


class ToolOllama:
    """`can_call_natively`, `can_call_bound`: which protocol works. `context_cap`: tokens it really reads.

    A word counts as a token.
    """

    def __init__(self, *models: str) -> None:
        self.models = models
        self.can_call_natively = True
        self.can_call_bound = True
        self.context_cap = 1_000_000
        self.is_running = True
        self.prompt_words: list[int] = []
        self._app = Starlette(
            routes=[Route("/api/tags", self._tags), Route("/api/chat", self._chat, methods=["POST"])]
        )

    def transport(self) -> httpx.AsyncBaseTransport:
        return httpx.ASGITransport(self._app) if self.is_running else httpx.MockTransport(_refuse)

    async def _tags(self, request: Request) -> Response:
        return JSONResponse({"models": [{"name": name, "model": name, "size": 1} for name in self.models]})

    async def _chat(self, request: Request) -> Response:
        body = json.loads(await request.body())
        said = body["messages"][-1]["content"]
        read = sum(len(message["content"].split()) for message in body["messages"])
        self.prompt_words.append(read)
        wanted = wanted_call(said)
        lines: list[dict[str, Any]] = [chunk("I could do that.")]
        if wanted is not None and body.get("tools") and self.can_call_natively:
            lines = [chunk("", tool_calls=[call(*wanted)])]
        elif wanted is not None and body.get("format") and self.can_call_bound:
            lines = [chunk(json.dumps({"calls": [{wanted[0]: wanted[1]}]}))]
        lines.append(last_chunk(prompt_eval_count=min(read, self.context_cap), eval_count=32))
        return Response("".join(json.dumps(line) + "\n" for line in lines), media_type="application/x-ndjson")


def wanted_call(said: str) -> tuple[str, dict[str, str]] | None:
    """The call that does what the person said."""
    first_line = said.partition("\n")[0]
    for pattern, tool, parameter in _CALLS:
        if (found := pattern.search(first_line)) is not None:
            return tool, {parameter: found[1]}
    return None


def _refuse(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("all connection attempts failed", request=request)
