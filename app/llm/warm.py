"""Has the unchanging beginnings of prompts read before somebody waits for them."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import httpx
import structlog

from app.domain.chat import ChatMessage, ChatRequest
from app.domain.errors import AppError
from app.llm.prefix_store import PrefixStore, key_of
from app.llm.slot_server import SlotServer

PrefixSource = Callable[[], Sequence[ChatRequest]]
"""Gives the beginnings of prompts, the most needed first: requests without the person's message at the end."""

log = structlog.get_logger(__name__)

# Something must stand where the person's message will: not every chat template takes a system text alone.
_ANYTHING: Final = ChatMessage("user", ".")


def nothing_to_warm(source: PrefixSource) -> None:
    """Stand in where a provider keeps prompts by its own means."""


class Warmer:
    """Reads prefixes, or takes them from disk, while nobody asks anything; a call always goes first.

    Nothing of a person can get to disk: a state is kept only if no call began since its prefix was being read.
    """

    def __init__(self, store: PrefixStore, settle_s: float = 0.0) -> None:
        self._store = store
        self._settle_s = settle_s
        self._source: PrefixSource = tuple
        self._model_file = Path()
        self._bound_to: str | None = None
        self._done: set[str] = set()
        self._given: set[str] = set()
        self._used_slots: set[object] = set()
        self._asked: dict[object, Sequence[object]] = {}
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._changed = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    async def make_directory(self) -> str:
        """Return where the server may write, or "" where there is no such place."""
        try:
            await asyncio.to_thread(self._store.directory.mkdir, parents=True, exist_ok=True)
        except OSError as exc:
            log.warning("model.prefixes_not_kept", reason=str(exc))
            return ""
        return str(self._store.directory.absolute())

    def keep_warm(self, source: PrefixSource) -> None:
        """Say what is to be read, from now on; asked again whenever the model has come to rest."""
        self._source = source
        self._changed.set()

    @contextmanager
    def giving_way(self, body: Mapping[str, Any]) -> Iterator[None]:
        """Let a call go first: what is being read is left where it is, and taken up again when all is quiet."""
        self._running += 1
        self._used_slots.add(body["id_slot"])
        self._asked[body["id_slot"]] = body["messages"]
        self._idle.clear()
        if self._work is not None:
            self._work.cancel()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()
                self._changed.set()

    async def start(self, server: SlotServer, model_file: Path) -> None:
        """Fill each slot of a fresh server from disk, before anybody is let in: milliseconds each.

        What is needed most is read where it is not there, and can be kept: whoever writes first would wait for it.
        """
        self._done.clear()
        self._given.clear()
        self._used_slots.clear()
        self._asked.clear()
        self._model_file = model_file
        self._bound_to = self._store.known_binding(model_file)
        for body in self._missing(server):
            if body["id_slot"] not in self._used_slots:
                await self._restore(server, body)
        for prefix in self._source()[:1] if self._bound_to is not None else ():
            body = server.to_body(_as_read(prefix))
            if self._key(body) not in self._done:
                await self._warm_in_peace(server, body)

    def distrust(self) -> None:
        """Drop what the last server was given: it ended soon afterwards."""
        for key in self._given:
            self._store.drop(key)
        self._given.clear()

    async def run(self, server: SlotServer) -> None:
        """Warm what is missing, one after the other, and what joins later; ends only when cancelled.

        Whoever writes as soon as they may waits for what was begun: nothing is for the first seconds.
        """
        if self._bound_to is None:
            with suppress(OSError):
                self._bound_to = await self._store.bind(self._model_file)
        await asyncio.sleep(self._settle_s)
        while True:
            self._changed.clear()
            for body in self._missing(server):
                if not await self._warm_in_peace(server, body):
                    break
            else:
                await self._changed.wait()
            await self._idle.wait()

    def _missing(self, server: SlotServer) -> list[Mapping[str, Any]]:
        bodies = [server.to_body(_as_read(prefix)) for prefix in self._source()]
        return [body for body in bodies if self._key(body) not in self._done and not self._holds(body)]

    def _holds(self, body: Mapping[str, Any]) -> bool:
        """Whether the last call of its slot began so: reading it again would drop the conversation after it."""
        beginning = body["messages"][:-1]
        last = self._asked.get(body["id_slot"], ())
        return list(last[: len(beginning)]) == list(beginning)

    async def _warm_in_peace(self, server: SlotServer, body: Mapping[str, object]) -> bool:
        """Warm one prefix; False when a call came in between."""
        await self._idle.wait()
        self._work = asyncio.create_task(self._warm(server, body))
        try:
            await asyncio.wait({self._work})
        finally:
            work, self._work = self._work, None
            work.cancel()
            await asyncio.wait({work})
        if work.cancelled():
            return False
        if (failure := work.exception()) is not None:
            if not isinstance(failure, AppError | httpx.HTTPError | OSError):
                raise failure
            log.warning("model.prefix_not_warmed", reason=f"{type(failure).__name__}: {failure}"[:200])
            self._done.add(self._key(body))
        return True

    async def _warm(self, server: SlotServer, body: Mapping[str, object]) -> None:
        if await self._restore(server, body):
            return
        now = asyncio.get_running_loop().time
        began_at, slot, key = now(), body["id_slot"], self._key(body)
        self._used_slots.add(slot)
        tokens = (await server.ask(body)).usage.prompt_tokens
        log.info("model.prefix_read", slot=slot, tokens=tokens, duration_ms=round((now() - began_at) * 1000))
        if self._bound_to is not None and self._store.has_room():
            with ExitStack() as unless_kept:
                unless_kept.callback(self._store.drop, key)
                await server.save(slot, self._store.part_name(key))
                await self._store.keep(key)
                unless_kept.pop_all()
        self._done.add(key)

    async def _restore(self, server: SlotServer, body: Mapping[str, object]) -> bool:
        slot, key = body["id_slot"], self._key(body)
        filename = None if self._bound_to is None else await self._store.find(key)
        if filename is None:
            return False
        if slot in self._used_slots:
            await server.set_aside(slot)
        self._used_slots.add(slot)
        self._given.add(key)
        try:
            await server.restore(slot, filename)
        except (AppError, httpx.HTTPError) as exc:
            log.warning("model.prefix_refused", reason=f"{type(exc).__name__}: {exc}"[:200])
            self._store.drop(key)
            return False
        self._done.add(key)
        log.info("model.prefix_restored", slot=slot)
        return True

    def _key(self, body: Mapping[str, object]) -> str:
        return key_of(self._bound_to or "", body)


def _as_read(prefix: ChatRequest) -> ChatRequest:
    return replace(prefix, messages=(*prefix.messages, _ANYTHING), max_tokens=1, response_schema=None)
