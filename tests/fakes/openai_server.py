"""A server of OpenAI's chat API in this process, with faults on demand."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from app.domain.chat import ChatResponse

Fault = Literal[
    "bad_request",
    "bad_key",
    "no_credit",
    "overloaded",
    "loading",
    "crash",
    "too_long",
    "half_json",
    "broken_off",
    "error_in_stream",
    "hang",
    "refuse",
]

_STATUS_FAULTS: Final[Mapping[Fault | None, tuple[int, dict[str, Any], dict[str, str]]]] = MappingProxyType(
    {
        "bad_request": (
            400,
            {"message": "Unsupported parameter", "type": "invalid_request_error", "code": None},
            {},
        ),
        "bad_key": (401, {"message": "Incorrect API key provided: k-123", "code": "invalid_api_key"}, {}),
        "no_credit": (429, {"message": "You exceeded your quota", "code": "insufficient_quota"}, {}),
        "overloaded": (
            429,
            {"message": "Rate limit reached", "code": "rate_limit_exceeded"},
            {"Retry-After": "7"},
        ),
        "loading": (503, {"message": "Loading model", "type": "unavailable_error", "code": 503}, {}),
        "crash": (500, {"message": "The server had an error", "type": "server_error", "code": None}, {}),
        "too_long": (
            400,
            {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"},
            {},
        ),
    }
)


class FakeOpenAI:
    """Answers with what was queued, or else with `hello`; keeps the bodies and headers that it was sent.

    `fault` makes every call fail that way until it is reset. "hang" holds answers until `released` is set,
    `started` tells that a call came. `pause` is waited for before each answer. `owner` and `version` are what it
    says about itself.
    """

    def __init__(self, *models: str, owner: str = "organization", version: str | None = None) -> None:
        self.models = list(models)
        self.owner = owner
        self.version = version
        self.hello = "hello"
        self.lists_models = True
        self.fault: Fault | None = None
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.pause: Callable[[], Awaitable[None]] | None = None
        self.cancelled = 0
        self.started = asyncio.Event()
        self.released = asyncio.Event()
        self._answers: deque[ChatResponse] = deque()
        self._app = Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/version", self._version),
            ]
        )

    def will_answer(self, response: ChatResponse) -> None:
        self._answers.append(response)

    def transport(self) -> httpx.AsyncBaseTransport:
        return _Wire(self, httpx.ASGITransport(self._app))

    async def _chat(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        self.started.set()
        if failure := self._failed():
            return failure
        if body["model"] not in self.models:
            error = {"message": f"The model `{body['model']}` does not exist.", "code": "model_not_found"}
            return JSONResponse({"error": error}, 404)
        if self.fault == "hang":
            try:
                await self.released.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        if self.pause is not None:
            await self.pause()
        answer = self._answers.popleft() if self._answers else ChatResponse(self.hello)
        return StreamingResponse(self._events(answer), media_type="text/event-stream")

    async def _events(self, answer: ChatResponse) -> AsyncIterator[str]:
        yield _event(_choice({"role": "assistant", "content": ""}))
        if self.fault == "half_json":
            yield 'data: {"choices": [{"del'
            yield "\n\n"
            return
        if self.fault == "error_in_stream":
            yield _event({"error": {"message": "out of luck", "type": "server_error", "code": "internal"}})
            return
        if answer.text:
            yield _event(_choice({"content": answer.text}))
        for index, call in enumerate(answer.tool_calls):
            function = {"name": call.name, "arguments": json.dumps(dict(call.arguments))}
            yield _event(_choice({"tool_calls": [{"index": index, "id": call.id, "function": function}]}))
        if self.fault == "broken_off":
            return
        yield _event(_choice({}, "length" if answer.is_truncated else "stop"))
        usage = {
            "prompt_tokens": answer.usage.prompt_tokens,
            "completion_tokens": answer.usage.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": answer.usage.cached_tokens},
        }
        yield _event({"choices": [], "usage": usage})
        yield "data: [DONE]\n\n"

    async def _models(self, request: Request) -> Response:
        if not self.lists_models:
            return Response("Not Found", 404)
        if self.fault == "hang":
            self.started.set()
            await self.released.wait()
        if failure := self._failed():
            return failure
        listed = [{"id": name, "object": "model", "owned_by": self.owner} for name in self.models]
        return JSONResponse({"object": "list", "data": listed})

    async def _version(self, request: Request) -> Response:
        return JSONResponse({"version": self.version}) if self.version else Response("Not Found", 404)

    def _failed(self) -> Response | None:
        if self.fault not in _STATUS_FAULTS:
            return None
        status, error, headers = _STATUS_FAULTS[self.fault]
        return JSONResponse({"error": error}, status, headers)


def _choice(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def _event(chunk: dict[str, Any]) -> str:
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"


class _Wire(httpx.AsyncBaseTransport):
    """Nobody listens while the fault is "refuse"."""

    def __init__(self, server: FakeOpenAI, inner: httpx.ASGITransport) -> None:
        self._server = server
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._server.fault == "refuse":
            raise httpx.ConnectError("all connection attempts failed", request=request)
        return await self._inner.handle_async_request(request)


class Hosts(httpx.AsyncBaseTransport):
    """Several servers, each under a host name of its own."""

    def __init__(self, wires: Mapping[str, httpx.AsyncBaseTransport]) -> None:
        self._wires = wires

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._wires[request.url.host].handle_async_request(request)
