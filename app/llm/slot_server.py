"""The bundled model's server as its client sees it: requests, each with a slot, and what slots can do."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

import httpx
from pydantic import TypeAdapter

from app.domain.chat import ChatRequest, ChatResponse
from app.domain.errors import Transient
from app.llm.openai_wire import AnswerStream, classify_llamacpp, read_error, read_lines
from app.llm.wire import WirePart

WireBody = Callable[[ChatRequest], Mapping[str, Any]]
"""Writes a request as the server takes it, with the slot that its purpose has."""

_NO_WORD: Final = "."
_POLL_S: Final = 0.01
# What was left is given up between two batches, of a second at most on two busy cores.
_LONGEST_WAIT_S: Final = 5.0


class _Slot(WirePart):
    id: int
    is_processing: bool


_SLOTS: Final = TypeAdapter(tuple[_Slot, ...])


class SlotServer:
    """Of two requests for one slot the second waits until the server has let go of the first.

    llama.cpp keeps prompts that left their slot in memory. One that fits a request which finds its slot at work is
    taken out of there at once, and is lost when the slot goes on (seen in build 11549: `get_available_slot`).
    """

    def __init__(self, http: httpx.AsyncClient, to_body: WireBody) -> None:
        self._http = http
        self.to_body = to_body
        self._left: set[object] = set()

    async def ask(self, body: Mapping[str, Any], *, max_sentences: int | None = None) -> ChatResponse:
        """Return the answer, or its first sentences.

        Cancelling closes the connection, at which the server stops, and keeps what it read.

        Raises:
            Transient, Permanent: as `classify_llamacpp` tells; "llm_crashed" where the answer has no end.
            httpx.HTTPError: the server is out of reach.
        """
        slot, answer = body["id_slot"], AnswerStream(max_sentences=max_sentences)
        await self._until_free(slot)
        self._left.add(slot)
        async with self._http.stream("POST", "/v1/chat/completions", json=body) as response:
            if response.is_error:
                raise classify_llamacpp(read_error(await response.aread()), response.status_code)
            async for line in read_lines(response):
                answer.feed(line)
                if answer.is_stuck or answer.is_enough:
                    return answer.response()
        if not answer.is_complete:
            raise Transient("llm_crashed", "the answer ended before its last line")
        self._left.discard(slot)
        return answer.response()

    async def save(self, slot: object, filename: str) -> None:
        await self._act(slot, "save", filename)

    async def restore(self, slot: object, filename: str) -> None:
        await self._act(slot, "restore", filename)

    async def set_aside(self, slot: object) -> None:
        """Move what is in a slot to the server's memory of prompts, where the next fitting call finds it."""
        body = {"prompt": _NO_WORD, "n_predict": 1, "id_slot": slot, "cache_prompt": True}
        await self._until_free(slot)
        self._left.add(slot)
        _raise_if_failed(await self._http.post("/completion", json=body))
        self._left.discard(slot)

    async def _until_free(self, slot: object) -> None:
        if slot not in self._left:
            return
        now = asyncio.get_running_loop().time
        latest = now() + _LONGEST_WAIT_S
        while await self._is_working(slot) and now() < latest:  # noqa: ASYNC110 - the server tells nobody
            await asyncio.sleep(_POLL_S)
        self._left.discard(slot)

    async def _is_working(self, slot: object) -> bool:
        response = await self._http.get("/slots")
        _raise_if_failed(response)
        return any(one.id == slot and one.is_processing for one in _SLOTS.validate_json(response.content))

    async def _act(self, slot: object, action: str, filename: str) -> None:
        response = await self._http.post(f"/slots/{slot}", params={"action": action}, json={"filename": filename})
        _raise_if_failed(response)


def _raise_if_failed(response: httpx.Response) -> None:
    if response.is_error:
        raise classify_llamacpp(read_error(response.content), response.status_code)
