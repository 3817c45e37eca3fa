"""Ollama's HTTP API, in this process or on a loopback socket, with faults on demand."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Final, Literal

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

Fault = Literal[
    "bad_request", "overloaded", "crash", "half_json", "broken_off", "error_in_stream", "hang", "refuse"
]
Chunk = dict[str, object]

_STATUS_FAULTS: Final[Mapping[Fault | None, tuple[int, str, dict[str, str]]]] = MappingProxyType(
    {
        "bad_request": (400, '"qwen3:8b" does not support tools', {}),
        "overloaded": (
            503,
            "server busy, please try again. maximum pending requests exceeded",
            {"Retry-After": "7"},
        ),
        "crash": (500, "llama runner process has terminated: signal: killed", {}),
    }
)


def chunk(text: str = "", **fields: object) -> Chunk:
    """A line of the stream that is not the last."""
    return {"model": "fake", "message": {"role": "assistant", "content": text, **fields}, "done": False}


def last_chunk(**fields: object) -> Chunk:
    """The line that ends an answer and carries its counts."""
    counts = {"done_reason": "stop", "prompt_eval_count": 26, "eval_count": 5}
    return {**chunk(), "done": True, **counts, **fields}


def call(name: str, arguments: object, **fields: object) -> dict[str, object]:
    """A tool call as Ollama writes it."""
    return {**fields, "function": {"name": name, "arguments": arguments}}


SHORT_TOKENS = 64
"""An answer of so few tokens at most is asked for by the classifier only, which hears `category`."""


class FakeOllama:
    """Answers with the queued lines, or else with "hello"; records the bodies it was sent.

    `fault` makes every call fail in that way until it is reset. "hang" holds answers until `released` is
    set; `started` tells that one is being held. `version` and `models` are what it says about itself.
    """

    def __init__(self, *models: str) -> None:
        self.models = list(models)
        self.version = "0.12.0"
        self.fault: Fault | None = None
        self.category = "none"
        self.requests: list[dict[str, object]] = []
        self.started = asyncio.Event()
        self.released = asyncio.Event()
        self._answers: deque[list[Chunk]] = deque()
        self._app = Starlette(
            routes=[
                Route("/api/chat", self._chat, methods=["POST"]),
                Route("/api/embed", self._embed, methods=["POST"]),
                Route("/api/tags", self._tags),
                Route("/api/version", self._version),
            ]
        )

    def will_say(self, *pieces: str, calls: list[dict[str, object]] | None = None, **last: object) -> None:
        """Queue one answer: its text in pieces, then its tool calls, then the counts."""
        middle = [chunk("", tool_calls=[one]) for one in calls or []]
        self.will_send([*(chunk(piece) for piece in pieces), *middle, last_chunk(**last)])

    def will_send(self, chunks: list[Chunk]) -> None:
        """Queue one answer, line by line."""
        self._answers.append(chunks)

    def transport(self) -> httpx.AsyncBaseTransport:
        """What `OllamaClient` takes as its transport."""
        return _Wire(self, httpx.ASGITransport(self._app))

    async def _chat(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.requests.append(body)
        if failure := _failed(self.fault):
            return failure
        if body["model"] not in self.models:
            return JSONResponse({"error": f"model '{body['model']}' not found"}, 404)
        if body["options"].get("num_predict", SHORT_TOKENS + 1) <= SHORT_TOKENS and self.fault is None:
            return Response(json.dumps(last_chunk() | {"message": chunk(self.category)["message"]}) + "\n")
        return StreamingResponse(self._lines(), media_type="application/x-ndjson")

    async def _lines(self) -> AsyncIterator[str]:
        lines = [json.dumps(line) + "\n" for line in self._next_answer()]
        if self.fault == "hang":
            self.started.set()
            await self.released.wait()
        if self.fault == "half_json":
            yield lines[0] + '{"message": {"con'
            return
        if self.fault == "error_in_stream":
            yield lines[0] + json.dumps({"error": "an error was encountered while running the model"}) + "\n"
            return
        for line in lines[:-1] if self.fault == "broken_off" else lines:
            yield line

    def _next_answer(self) -> list[Chunk]:
        return self._answers.popleft() if self._answers else [chunk("hello"), last_chunk()]

    async def _embed(self, request: Request) -> Response:
        """Answer with a vector of three numbers for each text: its length, its vowels, one."""
        body = json.loads(await request.body())
        self.requests.append(body)
        if self.fault == "hang":
            self.started.set()
            await self.released.wait()
        if failure := _failed(self.fault):
            return failure
        if self.fault == "half_json":
            return Response('{"embeddings": [[0.1, ', media_type="application/json")
        if body["model"] not in self.models:
            return JSONResponse({"error": f"model '{body['model']}' not found"}, 404)
        vectors = [[len(text), sum(map(text.count, "aeiou")), 1] for text in body["input"]]
        return JSONResponse({"model": body["model"], "embeddings": vectors})

    async def _tags(self, request: Request) -> Response:
        if self.fault == "hang":
            self.started.set()
            await self.released.wait()
        if failure := _failed(self.fault):
            return failure
        if self.fault == "half_json":
            return Response('{"models": [', media_type="application/json")
        return JSONResponse({"models": [{"name": name, "model": name, "size": 1} for name in self.models]})

    async def _version(self, request: Request) -> Response:
        return JSONResponse({"version": self.version})


def _failed(fault: Fault | None) -> Response | None:
    if fault not in _STATUS_FAULTS:
        return None
    status, message, headers = _STATUS_FAULTS[fault]
    return JSONResponse({"error": message}, status, headers)


class _Wire(httpx.AsyncBaseTransport):
    """Nobody listens while the fault is "refuse"."""

    def __init__(self, server: FakeOllama, inner: httpx.ASGITransport) -> None:
        self._server = server
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._server.fault == "refuse":
            raise httpx.ConnectError("all connection attempts failed", request=request)
        return await self._inner.handle_async_request(request)


class SlowOllama:
    """A real socket that sends one line of an answer and then nothing, until the client hangs up.

    The in-process transport hands over an answer only when it is complete, so it cannot show this.
    """

    def __init__(self) -> None:
        self.base_url = ""
        self.started = asyncio.Event()
        self.hung_up = asyncio.Event()
        self.breaks_off = False

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Serve on a free loopback port; `base_url` tells which."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server:
            yield

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            line = json.dumps(chunk("Once")).encode() + b"\n"
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            writer.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            await writer.drain()
            self.started.set()
            if not self.breaks_off:
                while await reader.read(65536):
                    pass
                self.hung_up.set()
        finally:
            writer.close()
