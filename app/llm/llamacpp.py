"""The bundled model: llama.cpp in a child process that is fetched for, started, watched and spoken to."""

import asyncio
import json
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Final, Literal, cast

import httpx
import structlog
from pydantic import BaseModel

from app.domain.backoff import growing_delay_s
from app.domain.chat import ChatRequest, ChatResponse, ModelState
from app.domain.errors import AppError, NotReady, Permanent, Transient
from app.domain.ports import Clock
from app.llm.model_store import OnProgress
from app.llm.openai_wire import to_llamacpp
from app.llm.prefix_store import PrefixStore
from app.llm.profiles import profile_for
from app.llm.slot_server import SlotServer, WireBody
from app.llm.warm import PrefixSource, Warmer

ModelSource = Callable[[OnProgress], Awaitable[Path]]
"""Gives the path of a model file that is ready to load, however long that takes; or raises Permanent."""

log = structlog.get_logger()

_SERVER_COMMAND: Final = (sys.executable, "-m", "app.llm.llamacpp_server")
_PREFIXES: Final = "prefixes"
_NOT_INSTALLED: Final = 3  # the server's exit status for a missing package
_MAX_THREADS: Final = 8
# OpenMP's threads wait for each other many times per token. By default they spin while they wait, and on
# cores that others use too, each then burns the time the other needs: 3 tokens/s were measured where 13
# are possible. Asleep at once, they lose a third on idle cores. This bound loses neither.
_SPIN_COUNT: Final = "1000"
_LOAD_TIMEOUT_S: Final = 300.0
_MAX_LOG_BYTES: Final = 1_000_000
_MAX_RESTART_WAIT_S: Final = 30.0
_STABLE_AFTER_S: Final = 60.0
_CRASH_LOOP: Final = 3
_FETCH_WAIT_S: Final = 60.0
_MAX_FETCH_WAIT_S: Final = 900.0
_DAMAGED_WAIT_S: Final = 86_400.0
# Reading a long prompt can take minutes without a byte; how long an answer may take is the gate's to say.
_TIMEOUT: Final = httpx.Timeout(None, connect=5.0)
_ONE_CALL_EACH: Final = httpx.Limits(max_keepalive_connections=0)


def default_threads() -> int:
    """Return how many cores this process may use, at most eight: more gain nothing for a small model."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(cores, _MAX_THREADS)


@dataclass(frozen=True, slots=True)
class BundledSettings:
    """`context_tokens` is what one conversation may hold. `log_path` gets what llama.cpp prints.

    Beginnings of prompts that were read are kept in a folder beside it.
    `command` starts the server; `stop_grace_s` is how long it may take to end when asked to, `settle_s` how long
    nothing is read ahead once it is ready: what was begun delays whoever writes then.
    """

    name: str
    log_path: Path
    context_tokens: int = 8192
    threads: int = field(default_factory=default_threads)
    command: tuple[str, ...] = _SERVER_COMMAND
    stop_grace_s: float = 5.0
    settle_s: float = 3.0


def own_file(path: Path) -> ModelSource:
    """Stand in for a store when the operator named a model file of their own (LLM_MODEL_PATH)."""

    async def source(on_progress: OnProgress) -> Path:
        if not await asyncio.to_thread(path.is_file):
            raise Permanent("llm_model_missing", f"LLM_MODEL_PATH names {path}, which is not a file.")
        return path

    return source


class _Greeting(BaseModel):
    address: str | None = None
    error: str | None = None


class _Ended(Exception):
    """The server's process ended, or never came to serve; the text says how."""

    def __init__(self, detail: str, *, is_not_installed: bool = False) -> None:
        super().__init__(detail)
        self.is_not_installed = is_not_installed


class BundledModel:
    """`ChatModel` over a llama.cpp server of our own; nothing works until `run()` is running."""

    def __init__(self, source: ModelSource, settings: BundledSettings, *, clock: Clock) -> None:
        self._source = source
        self._settings = settings
        self._clock = clock
        self._server: SlotServer | None = None
        self._state = ModelState(settings.name, "loading")
        self._changed = asyncio.Event()
        self._refusal: Callable[[], AppError] = partial(NotReady, "model_loading")
        self._warmer = Warmer(PrefixStore(settings.log_path.parent / _PREFIXES), settings.settle_s)
        self._body: WireBody = partial(
            to_llamacpp, model=settings.name, can_think=profile_for(settings.name).can_think
        )

    @property
    def name(self) -> str:
        return self._settings.name

    def keep_warm(self, source: PrefixSource) -> None:
        """Have these beginnings of prompts read before somebody waits for them."""
        self._warmer.keep_warm(source)

    async def run(self) -> None:
        """Fetch the model if need be, then keep a server running; ends only when cancelled.

        The server's process is gone when this returns. A file that cannot be had is asked for again after
        a minute, then ever more rarely. A server that ends is started again after 1, 2, 4 … 30 seconds.
        """
        path = await self._obtain()
        failures = 0
        while True:
            if failures < _CRASH_LOOP:
                self._refuse("loading", partial(NotReady, "model_loading"))
            began_at = self._clock.now()
            try:
                await self._serve(path)
            except _Ended as exc:
                lived_s = (self._clock.now() - began_at).total_seconds()
                failures = 1 if lived_s >= _STABLE_AFTER_S else failures + 1
                if lived_s < _STABLE_AFTER_S:
                    self._warmer.distrust()
                wait_s = growing_delay_s(failures, first_s=1.0, longest_s=_MAX_RESTART_WAIT_S)
                self._note_end(exc, failures, wait_s)
                await self._clock.sleep(wait_s)

    async def chat(self, request: ChatRequest) -> ChatResponse:
        """Answer a conversation; cancelling closes the connection, at which the generation stops.

        Raises:
            NotReady: "model_fetching" or "model_loading", at once.
            Transient: "llm_crashed" (the process ended, and is being started again), "llm_failed",
                "llm_bad_answer".
            Permanent: "llm_model_missing" (the file cannot be had, or the package is not installed),
                "llm_prompt_too_long", "llm_refused".
        """
        if self._server is None:
            raise self._refusal()
        body = self._body(request)
        try:
            with self._warmer.giving_way(body):
                return await self._server.ask(body, max_sentences=request.max_sentences)
        except httpx.HTTPError as exc:
            raise Transient("llm_crashed", f"{type(exc).__name__}: {exc}") from exc

    async def state(self) -> ModelState:
        """Tell at once what the model is doing."""
        return self._state

    async def states(self) -> AsyncIterator[ModelState]:
        """Yield the state now and after every change, without end; a slow reader gets the newest only."""
        while True:
            changed = self._changed
            yield self._state
            await changed.wait()

    async def _obtain(self) -> Path:
        failures = 0
        while True:
            try:
                return await self._source(self._note_progress)
            except Permanent as exc:
                log.error("model.unavailable", code=exc.code, detail=exc.detail)
                self._refuse("unavailable", partial(Permanent, "llm_model_missing", exc.detail), exc.detail)
                failures += 1
                wait_s = growing_delay_s(failures, first_s=_FETCH_WAIT_S, longest_s=_MAX_FETCH_WAIT_S)
                # What was fetched whole and is wrong will most likely be wrong again.
                await self._clock.sleep(_DAMAGED_WAIT_S if exc.code == "model_checksum" else wait_s)

    async def _serve(self, path: Path) -> None:
        """Start a server and stay until it ends, which is always an `_Ended`."""
        api_key = secrets.token_urlsafe(32)
        async with _child(self._settings) as process:
            began = asyncio.get_running_loop().time()
            address = await self._introduce(process, path, api_key)
            headers = {"Authorization": f"Bearer {api_key}"}
            # A proxy named in the environment must not see what is said on this machine. The server may
            # close an idle connection in the moment in which we use it again: one for each call.
            async with httpx.AsyncClient(
                base_url=address, headers=headers, timeout=_TIMEOUT, limits=_ONE_CALL_EACH, trust_env=False
            ) as http:
                load_ms = round((asyncio.get_running_loop().time() - began) * 1000)
                log.info("model.loaded", model=self._settings.name, load_ms=load_ms, pid=process.pid)
                async with aclosing(SlotServer(http, self._body)) as server, self._warming(server, path):
                    self._server = server
                    self._show(ModelState(self._settings.name, "ready"))
                    try:
                        await process.wait()
                    finally:
                        self._server = None
                        self._refuse("loading", partial(NotReady, "model_loading"))
        raise self._ended(process)

    @asynccontextmanager
    async def _warming(self, server: SlotServer, path: Path) -> AsyncIterator[None]:
        """Take what is on disk before the block begins, and read what is missing beside it.

        Whatever goes wrong with that costs time, never the model.
        """
        await self._warmer.start(server, path)
        work = asyncio.create_task(self._warmer.run(server), name="prefixes of prompts")
        try:
            yield
        finally:
            work.cancel()
            await asyncio.wait({work})
            if not work.cancelled() and (failure := work.exception()) is not None:
                log.error("model.warming_failed", exc_info=failure)

    async def _introduce(self, process: asyncio.subprocess.Process, path: Path, api_key: str) -> str:
        """Tell the server what to load and return the address that it tells us."""
        config = {
            "model_path": str(path),
            "model_name": self._settings.name,
            "context_tokens": self._settings.context_tokens,
            "threads": self._settings.threads,
            "api_key": api_key,
            "slot_dir": await self._warmer.make_directory(),
        }
        stdin = cast("asyncio.StreamWriter", process.stdin)
        stdout = cast("asyncio.StreamReader", process.stdout)
        try:
            async with asyncio.timeout(_LOAD_TIMEOUT_S):
                stdin.write(json.dumps(config).encode() + b"\n")
                await stdin.drain()
                line = await stdout.readline()
                greeting = _Greeting.model_validate_json(line) if line else _Greeting()
                if greeting.address:
                    return greeting.address
                await process.wait()
        except TimeoutError as exc:
            raise _Ended(f"not loaded after {_LOAD_TIMEOUT_S:g} s") from exc
        except (OSError, ValueError) as exc:
            raise _Ended(f"does not speak our protocol: {exc}") from exc
        raise self._ended(process, greeting.error)

    def _ended(self, process: asyncio.subprocess.Process, error: str | None = None) -> _Ended:
        status = process.returncode
        reason = error or f"the model's process ended with status {status}; see {self._settings.log_path}"
        return _Ended(reason, is_not_installed=status == _NOT_INSTALLED)

    def _note_progress(self, done_bytes: int, size_bytes: int) -> None:
        progress = done_bytes / size_bytes if size_bytes else 0.0
        self._refusal = partial(NotReady, "model_fetching", progress=progress)
        self._show(ModelState(self._settings.name, "fetching", progress=progress))

    def _note_end(self, ended: _Ended, failures: int, wait_s: float) -> None:
        detail = str(ended)
        log.error("model.crashed", detail=detail, failures=failures, restart_in_s=wait_s)
        if ended.is_not_installed:
            self._refuse("unavailable", partial(Permanent, "llm_model_missing", detail), detail)
        elif failures >= _CRASH_LOOP:
            self._refuse("unavailable", partial(Transient, "llm_crashed", detail, retry_after_s=wait_s), detail)
        else:
            self._refuse("loading", partial(NotReady, "model_loading", detail), detail)

    def _refuse(
        self, state: Literal["loading", "unavailable"], refusal: Callable[[], AppError], detail: str = ""
    ) -> None:
        self._refusal = refusal
        self._show(ModelState(self._settings.name, state, detail))

    def _show(self, state: ModelState) -> None:
        self._state = state
        self._changed.set()
        self._changed = asyncio.Event()


@asynccontextmanager
async def _child(settings: BundledSettings) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start the server's process, and end it with everything it started.

    It lives in a session of its own, so that Ctrl-C in a terminal reaches us alone and turns can drain.

    Raises:
        _Ended: it cannot be started.
    """
    try:
        with _open_log(settings.log_path) as errors:
            process = await asyncio.create_subprocess_exec(
                *settings.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                env={"GOMP_SPINCOUNT": _SPIN_COUNT, **os.environ},
            )
    except OSError as exc:
        raise _Ended(f"the model's process cannot be started: {exc}") from exc
    try:
        yield process
    finally:
        await _stop(process, settings.stop_grace_s)


async def _stop(process: asyncio.subprocess.Process, grace_s: float) -> None:
    try:
        if process.returncode is None:
            _signal(process, signal.SIGTERM)
            with suppress(TimeoutError):
                async with asyncio.timeout(grace_s):
                    await process.wait()
    finally:
        if process.returncode is None:
            _signal(process, signal.SIGKILL)
            await process.wait()


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _open_log(path: Path) -> IO[bytes]:
    path.parent.mkdir(parents=True, exist_ok=True)
    is_full = path.exists() and path.stat().st_size > _MAX_LOG_BYTES
    return path.open("wb" if is_full else "ab")
