"""Run the service and tell, in few lines, what runs and what to do next."""

import asyncio
import gc
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from functools import partial
from types import FrameType

import uvicorn
from fastapi import FastAPI
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from starlette.applications import Starlette

from app.bootstrap import Ports, Services, require_role
from app.cli.doctor.plan import examine_beside
from app.cli.patience import AT_ONCE, lengthen_queues, patient_http, raise_file_limit
from app.cli.ports import require_free_port
from app.cli.privacy import close_memory
from app.config import Settings
from app.database.lock import single_process
from app.domain.chat import ModelState
from app.domain.roles import Role
from app.main import create_app

POLL_S = 0.5
LOG_EVERY = 0.1


def run_server(settings: Settings, ports: Ports, *, role: Role = "all") -> bool:
    """Serve until stopped; False when the service could not start (its log says why).

    Raises:
        ConfigError: another process works in the same data directory.
    """
    close_memory()
    raise_file_limit()
    require_role(settings, role)
    lock = settings.data_dir / "app.lock"
    with single_process(lock, database=settings.own_database_file, is_shared=role != "all"):
        pass  # the lifespan holds it; asking here gives a clear sentence instead of a traceback
    require_free_port(settings.host, settings.port)
    app = create_app(settings, replace(ports, examine=partial(examine_beside, settings)), role)
    config = uvicorn.Config(app, settings.host, settings.port, log_config=None, access_log=False)
    config.http = patient_http()  # type: ignore[assignment]  # anything that makes a protocol will do
    config.timeout_graceful_shutdown = 2
    config.backlog = AT_ONCE
    server = _Server(config, settings, app)
    with suppress(KeyboardInterrupt):
        server.run()
    return server.started


class _Quiet(uvicorn.Server):
    """uvicorn's server without its signal handlers: Ctrl-C belongs to the command that runs it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(app: Starlette, listening: socket.socket) -> AsyncIterator[None]:
    """Serve on that socket while the block runs; the socket is closed at its end."""
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=1)
    server = _Quiet(config)
    with listening:
        # Not a TaskGroup: it would wrap what fails in the block.
        running = asyncio.create_task(server.serve([listening]), name="serving")
        try:
            yield
        finally:
            server.should_exit = True
            await running


class _Server(uvicorn.Server):
    """uvicorn's server, with a word to the owner once it listens."""

    def __init__(self, config: uvicorn.Config, settings: Settings, app: FastAPI) -> None:
        super().__init__(config)
        self._settings = settings
        self._app = app
        self._console = Console(stderr=True, highlight=False)
        self._watch: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            lengthen_queues(self.servers)
            services: Services = self._app.state.services
            self._watch = asyncio.create_task(self._watch_model(services), name="model progress")
            # What a start made stays: to look through it for garbage stops all turns for a tenth of a second.
            gc.freeze()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # uvicorn waits for open streams, which end only when they are told to.
        if self.started:
            services: Services = self._app.state.services
            services.close_streams()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        await super().shutdown(sockets)

    async def _watch_model(self, services: Services) -> None:
        self._introduce(await services.model_state(), services)
        await self._show_fetch(services)
        while (state := await services.model_state()).state == "loading":  # noqa: ASYNC110 - another process loads
            await asyncio.sleep(POLL_S)
        sign = "✔ ready to answer" if state.state == "ready" else f"✖ {state.detail}"
        self._print(f"  {sign}: {state.name}")

    def _introduce(self, model: ModelState, services: Services) -> None:
        host = "localhost" if self._settings.host == "127.0.0.1" else self._settings.host
        base = f"http://{host}:{self._settings.port}"
        transport = f"WhatsApp Cloud API, phone number id {self._settings.whatsapp_phone_number_id}"
        then = f"point Meta's webhook to https://<your public host>/webhook ({base}/webhook)"
        if self._settings.is_simulated:
            transport = "simulator: no WhatsApp account needed"
            then = f"open {base}{services.simulator_path} and write a message"
        self._print(f"WasAP listens at {base}")
        self._print(f"  model     {model.name} ({model.state})")
        self._print(f"  transport {transport}")
        self._print(f"  home      {base}{services.home_path}")
        self._print(f"  next      {then}")

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, soft_wrap=True)

    async def _show_fetch(self, services: Services) -> None:
        """Show a bar where a person looks, and a line each tenth where a log is kept."""
        columns = (TextColumn("  fetching the model"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        told = 0.0
        with Progress(*columns, console=self._console, disable=not self._console.is_terminal) as bar:
            task = bar.add_task("model", total=None, visible=False)
            while (state := await services.model_state()).state == "fetching":
                share = state.progress or 0.0
                bar.update(task, completed=share, total=1.0, visible=True)
                if not self._console.is_terminal and share >= told:
                    self._print(f"  fetching the model: {share:.0%}")
                    told = share + LOG_EVERY
                await asyncio.sleep(POLL_S)
