"""The bundled model's server as its client sees it: requests, each with a slot, and what slots can do."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, Final

import httpx
from pydantic import TypeAdapter

from app.domain.chat import ChatRequest, ChatResponse
from app.domain.errors import AppError, Transient
from app.llm.openai_wire import AnswerStream, classify_llamacpp, read_error, read_lines
from app.llm.wire import WirePart

WireBody = Callable[[ChatRequest], Mapping[str, Any]]
"""Writes a request as the server takes it, with the slot that its purpose has."""

_NO_WORD: Final = "."
_POLL_S: Final = 0.01


class _Slot(WirePart):
    id: int
    is_processing: bool


_SLOTS: Final = TypeAdapter(tuple[_Slot, ...])


class SlotServer:
    """Has one request at a time in each slot: the next one waits until the server has let go of the last.

    llama.cpp (build 11549, `get_available_slot`) puts another prompt into a slot before it looks whether that slot
    is at work: an answer that is being written there ends in the middle, or goes on with other people's words.
    """

    def __init__(self, http: httpx.AsyncClient, to_body: WireBody) -> None:
        self._http = http
        self.to_body = to_body
        self._locks: defaultdict[object, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._leaving: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def aclose(self) -> None:
        """Wait for nothing that was left, and send nothing more: the server ended."""
        self._is_closed = True
        for task in self._leaving:
            task.cancel()
        await asyncio.gather(*self._leaving, return_exceptions=True)

    async def ask(self, body: Mapping[str, Any], *, max_sentences: int | None = None) -> ChatResponse:
        """Return the answer, or its first sentences.

        Cancelling closes the connection, at which the server stops, and keeps what it read.

        Raises:
            Transient, Permanent: as `classify_llamacpp` tells; "llm_crashed" where the answer has no end.
            httpx.HTTPError: the server is out of reach.
        """
        answer, begun = AnswerStream(max_sentences=max_sentences), asyncio.Event()
        await self._hold(body["id_slot"], lambda: self._read(body, answer, begun), begun, answer)
        return answer.response()

    async def save(self, slot: object, filename: str) -> None:
        await self._act(slot, "save", filename)

    async def restore(self, slot: object, filename: str) -> None:
        await self._act(slot, "restore", filename)

    async def set_aside(self, slot: object) -> None:
        """Move what is in a slot to the server's memory of prompts, where the next fitting call finds it."""
        body = {"prompt": _NO_WORD, "n_predict": 1, "id_slot": slot, "cache_prompt": True}
        await self._hold(slot, lambda: self._post("/completion", body))

    async def _act(self, slot: object, action: str, filename: str) -> None:
        await self._hold(slot, lambda: self._post(f"/slots/{slot}?action={action}", {"filename": filename}))

    async def _hold(
        self,
        slot: object,
        work: Callable[[], Coroutine[Any, Any, None]],
        begun: asyncio.Event | None = None,
        answer: AnswerStream | None = None,
    ) -> None:
        """Do the work with a slot to itself; where it is cancelled, the slot is held until the server lets go.

        Work without an answer is short, and goes on to its end.
        """
        lock = self._locks[slot]
        await lock.acquire()
        if self._is_closed:
            lock.release()
            raise Transient("llm_crashed", "the model's process ended before its turn came")
        task = asyncio.create_task(work())
        try:
            await asyncio.shield(task)
        finally:
            if self._is_closed or (task.done() and (answer is None or answer.is_complete)):
                task.cancel()  # of a server that ended
                lock.release()
            else:
                leaving = asyncio.create_task(self._leave(slot, task, begun or asyncio.Event()))
                self._leaving.add(leaving)
                leaving.add_done_callback(self._leaving.discard)
                leaving.add_done_callback(lambda _: lock.release())

    async def _leave(self, slot: object, task: asyncio.Task[None], begun: asyncio.Event) -> None:
        """End what nobody waits for.

        Before the first line of an answer, it may be on its way to the server still: closed then, it would begin
        behind the next request.
        """
        first_line = asyncio.create_task(begun.wait())
        try:
            await asyncio.wait({task, first_line}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            first_line.cancel()
            task.cancel()
            await asyncio.wait({task, first_line})
        with suppress(AppError, httpx.HTTPError):
            while await self._is_working(slot):  # noqa: ASYNC110 - the server tells nobody
                await asyncio.sleep(_POLL_S)

    async def _read(self, body: Mapping[str, Any], answer: AnswerStream, begun: asyncio.Event) -> None:
        # With its progress, an answer has a first line as soon as its slot begins.
        wanted = {**body, "return_progress": True}
        async with self._http.stream("POST", "/v1/chat/completions", json=wanted) as response:
            if response.is_error:
                raise classify_llamacpp(read_error(await response.aread()), response.status_code)
            async for line in read_lines(response):
                answer.feed(line)
                if answer.has_begun:
                    begun.set()
                if answer.is_stuck or answer.is_enough:
                    return
        if not answer.is_complete:
            raise Transient("llm_crashed", "the answer ended before its last line")

    async def _is_working(self, slot: object) -> bool:
        response = await self._http.get("/slots")
        _raise_if_failed(response)
        return any(one.id == slot and one.is_processing for one in _SLOTS.validate_json(response.content))

    async def _post(self, path: str, body: Mapping[str, object]) -> None:
        _raise_if_failed(await self._http.post(path, json=body))


def _raise_if_failed(response: httpx.Response) -> None:
    if response.is_error:
        raise classify_llamacpp(read_error(response.content), response.status_code)
