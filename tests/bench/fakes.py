"""Graph and Ollama in a process of their own, answering at once: `python -m tests.bench.fakes PORT`.

`GET /sends/N` answers as soon as N messages were sent, with all of them; `POST /forget` begins anew.
"""

import asyncio
import json
import sys
import time
from contextlib import suppress
from typing import Final

from app.pipeline.answering.builder import NOTE_OPENING
from tests.bench.wire import Received, encode_response, read_one

MODEL: Final = "fake:1b"
_TAGS: Final = json.dumps({"models": [{"name": MODEL, "model": MODEL, "size": 1}]}).encode()
_ASKED_FOR: Final = '" ->'
_COUNTS: Final = {"done": True, "done_reason": "stop", "prompt_eval_count": 26, "eval_count": 5}


class Fakes:
    """Keeps what was sent: recipient, text, and when (seconds since 1970)."""

    def __init__(self) -> None:
        self._sends: list[tuple[str, str, float]] = []
        self._changed = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until it is closed."""
        try:
            with suppress(EOFError, ConnectionError):
                while True:
                    request = await read_one(reader)
                    writer.write(encode_response(await self._answer(request)))
        finally:
            writer.close()

    async def _answer(self, request: Received) -> bytes:
        match request.path.split("/")[1:]:
            case ["graph", *_, "messages"]:
                return self._graph(json.loads(request.body))
            case ["ollama", "api", "chat"]:
                return _say(json.loads(request.body))
            case ["ollama", "api", "tags"]:
                return _TAGS
            case ["sends", count]:
                return await self._report(int(count))
            case ["forget"]:
                self._sends.clear()
        return b"{}"

    def _graph(self, body: dict[str, object]) -> bytes:
        match body:
            case {"type": "text", "to": str(recipient), "text": {"body": str(text)}}:
                self._sends.append((recipient, text, time.time()))
                self._changed.set()
                return b'{"messages": [{"id": "wamid.BENCH%d"}]}' % len(self._sends)
        return b'{"success": true}'

    async def _report(self, count: int) -> bytes:
        while len(self._sends) < count:
            self._changed.clear()
            await self._changed.wait()
        return json.dumps(self._sends).encode()


def _say(body: dict[str, list[dict[str, str]]]) -> bytes:
    newest = body["messages"][-1]["content"].partition(f"\n\n{NOTE_OPENING}")[0]
    if newest.endswith(_ASKED_FOR):
        # Beside tools the message stands in the last line as its examples do.
        newest = newest.rpartition("\n")[2].removeprefix('"').removesuffix(_ASKED_FOR)
    return json.dumps({"message": {"role": "assistant", "content": f"re: {newest}"}, **_COUNTS}).encode() + b"\n"


async def _run(port: int) -> None:
    server = await asyncio.start_server(Fakes().serve, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_run(int(sys.argv[1])))
