"""The three processes of the benchmark: the service, the bare route, and the fakes around the service."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.fakes import MODEL
from tests.bench.wire import connected, encode_request
from tests.builders import APP_SECRET, PHONE_NUMBER_ID, VERIFY_TOKEN

START_S: Final = 180
STOP_S: Final = 30
POLL_S: Final = 0.05
REPOSITORY: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Ports:
    """Where each of them listens on loopback."""

    service: int
    bare: int
    fakes: int


@asynccontextmanager
async def all_running(
    directory: Path, users: Sequence[str], *, checkout: Path = REPOSITORY, database_url: str = ""
) -> AsyncIterator[Ports]:
    """Start everything over a directory, the service from that checkout, and stop it when the block ends.

    Without an address of a database the service has its own file.

    Raises:
        TimeoutError: one of them did not answer within `START_S`; `service.log` in the directory may tell why.
    """
    ports = Ports(*free_ports(3))
    # Checkouts from before the log went to a file do not know the option.
    serve = ["app", "serve", *(("--verbose",) if checkout == REPOSITORY else ())]
    settings = _settings(directory, users, ports, checkout)
    if database_url:
        settings["DATABASE_URL"] = database_url
    async with AsyncExitStack() as stack:
        for arguments, port, env in (
            (["tests.bench.fakes", str(ports.fakes)], ports.fakes, {}),
            (["tests.bench.bare", str(ports.bare), APP_SECRET], ports.bare, {}),
            (serve, ports.service, settings),
        ):
            await stack.enter_async_context(_running(directory, arguments, env))
            await answers(port)
        yield ports


@asynccontextmanager
async def _running(directory: Path, arguments: list[str], env: Mapping[str, str]) -> AsyncIterator[None]:
    # Its own working directory, so that no .env of the checkout changes what is measured.
    with (directory / "service.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            *arguments,
            cwd=directory,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), **env},
            stdout=log,
            stderr=log,
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            async with asyncio.timeout(STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


async def answers(port: int) -> None:
    """Ask until somebody answers, whatever the answer."""
    async with asyncio.timeout(START_S):
        while True:
            try:
                async with connected(port) as connection:
                    await connection.exchange(encode_request("GET", "/health/live"))
                    return
            except (OSError, EOFError):
                await asyncio.sleep(POLL_S)


def _settings(directory: Path, users: Sequence[str], ports: Ports, checkout: Path) -> dict[str, str]:
    return {
        "PYTHONPATH": str(checkout),
        "WHATSAPP_ACCESS_TOKEN": "a-token-that-only-the-benchmark-knows",
        "WHATSAPP_PHONE_NUMBER_ID": PHONE_NUMBER_ID,
        "WHATSAPP_VERIFY_TOKEN": VERIFY_TOKEN,
        "WHATSAPP_APP_SECRET": APP_SECRET,
        "WHATSAPP_API_BASE_URL": f"http://127.0.0.1:{ports.fakes}/graph",
        "ALLOWED_PHONE_NUMBERS": ",".join(users),
        "LLM_PROVIDER": "ollama",
        "OLLAMA_BASE_URL": f"http://127.0.0.1:{ports.fakes}/ollama",
        "OLLAMA_MODEL": MODEL,
        "DATA_DIR": str(directory / "data"),
        "HOST": "127.0.0.1",
        "PORT": str(ports.service),
        "DEBOUNCE_MS": "0",
        "RATE_LIMIT_MAX": "1000",
    }


def free_ports(count: int) -> list[int]:
    """Ports that were free a moment ago; held together, so that they differ."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports
