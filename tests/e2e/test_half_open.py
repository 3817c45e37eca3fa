"""Strangers who begin requests and never end them: whoever signs is heard all the same."""

import asyncio
import os
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request

from app.cli.patience import REQUEST_S, HalfOpen, PatientProtocol
from tests.bench.processes import REPOSITORY, answers, free_ports
from tests.builders import (
    ALICE,
    APP_SECRET,
    PHONE_NUMBER_ID,
    VERIFY_TOKEN,
    encode,
    signed_headers,
    text_message,
    webhook_payload,
)

pytestmark = pytest.mark.lengthy

FILES = 256
"""What a process may have open on some desktops."""

HALF = b"POST /webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"


@asynccontextmanager
async def service(directory: Path, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """The real service in a process of its own that may open few files."""
    env = {
        "WHATSAPP_ACCESS_TOKEN": "a-token-that-only-this-test-knows",
        "WHATSAPP_PHONE_NUMBER_ID": PHONE_NUMBER_ID,
        "WHATSAPP_VERIFY_TOKEN": VERIFY_TOKEN,
        "WHATSAPP_APP_SECRET": APP_SECRET,
        "WHATSAPP_API_BASE_URL": f"http://127.0.0.1:{port}",
        "ALLOWED_PHONE_NUMBERS": ALICE,
        "LLM_PROVIDER": "ollama",
        "OLLAMA_BASE_URL": f"http://127.0.0.1:{port}",
        "DATA_DIR": str(directory / "data"),
        "PORT": str(port),
    }
    log = (directory / "log").open("w")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app", "serve", "--verbose",
        cwd=directory, env={**os.environ, "PYTHONPATH": str(REPOSITORY), **env},
        stdout=log, stderr=log,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)),
    )  # fmt: skip
    try:
        await answers(port)
        yield process
    finally:
        process.kill()
        await process.wait()
        log.close()


async def open_half(port: int, stack: AsyncExitStack) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    stack.callback(writer.close)
    writer.write(HALF)
    await writer.drain()


async def test_300_half_open_posts_do_not_keep_a_signed_one_out(tmp_path: Path) -> None:
    """It is answered long before the half open ones end, though they are more than the files that there are.

    All of them wait together when the service comes to look, as on a machine that was busy with something else.
    """
    [port] = free_ports(1)
    body = encode(webhook_payload(text_message("hola", sender=ALICE)))
    async with service(tmp_path, port) as process, AsyncExitStack() as stack:
        process.send_signal(signal.SIGSTOP)
        async with asyncio.timeout(REQUEST_S):
            for _ in range(300):
                await open_half(port, stack)
        process.send_signal(signal.SIGCONT)
        http = await stack.enter_async_context(
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=REQUEST_S)
        )
        assert (await http.post("/webhook", content=body, headers=signed_headers(body))).status_code == 200
        log = (tmp_path / "log").read_text("utf-8")
        assert "out of system resource" not in log, "nobody is heard until asyncio has said so 2,048 times"
        assert "Traceback" not in log, "a stranger fills the disk"


@asynccontextmanager
async def patient(half_open: HalfOpen) -> AsyncIterator[int]:
    """A server whose patience is what the test gives it."""
    app = FastAPI()

    @app.post("/webhook")
    async def take(request: Request) -> str:
        await request.body()
        return "taken"

    def protocol(**options: object) -> PatientProtocol:
        return PatientProtocol(half_open=half_open, **options)

    config = uvicorn.Config(app, port=0, lifespan="off", ws="none", log_level="error")
    config.http = protocol  # type: ignore[assignment]  # as `serve` does
    server, listening = uvicorn.Server(config), socket.create_server(("127.0.0.1", 0))
    async with asyncio.TaskGroup() as group:
        group.create_task(server.serve([listening]))
        yield listening.getsockname()[1]
        server.should_exit = True


async def test_half_a_request_ends_after_its_deadline_and_a_whole_one_is_answered() -> None:
    async with asyncio.timeout(20), patient(HalfOpen(deadline_s=0.05)) as port:
        for begun in (HALF, b"", b"POST /webhook HTTP/1.1\r\nHo"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(begun)
            with suppress(ConnectionResetError):
                assert await reader.read() == b"", "the connection ends without an answer"
            writer.close()
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
            for _ in range(3):  # on one connection that is kept
                assert (await http.post("/webhook", content=b"{}")).status_code == 200


async def test_the_second_request_of_a_connection_has_a_deadline_too() -> None:
    async with asyncio.timeout(20), patient(HalfOpen(deadline_s=0.2)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
        assert b"200 OK" in await reader.readuntil(b'"taken"')
        writer.write(b"POST /webhook HT")
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()
