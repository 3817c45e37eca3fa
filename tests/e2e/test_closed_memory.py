"""A server (MCP) that nothing confines runs as the service's account, and cannot read what the service holds."""

import asyncio
import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import pytest

from tests.fakes.mcp import is_alive, until

pytestmark = pytest.mark.timeout(300)  # the service is started, which a busy machine makes long

SECRET = "k3y-that-no-child-may-read"
PEEKING = """
import os, sys
found = []
keeper = os.getppid()
service = open(f"/proc/{keeper}/stat").read().rpartition(")")[2].split()[1]
for who, pid in (("keeper", keeper), ("service", service)):
    for name in ("environ", "mem", "fd/0"):
        path = f"/proc/{pid}/{name}"
        try:
            os.readlink(path) if name == "fd/0" else open(path, "rb").close()
            found.append(f"{name} of the {who} is open")
        except OSError as exc:
            found.append(f"{name} of the {who} is shut")
with open(sys.argv[1] + ".new", "w") as out:
    out.write("\\n".join(found))
os.replace(sys.argv[1] + ".new", sys.argv[1])
"""

STAYING = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(sys.argv[1] + ".new", "w") as out:
    out.write(str(os.getpid()))
os.replace(sys.argv[1] + ".new", sys.argv[1])
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
async def test_a_server_reads_neither_environment_nor_memory_of_the_service(tmp_path: Path) -> None:
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and nothing here takes its rights away")
    less = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()
    async with serving(tmp_path, PEEKING, less) as (service, told):
        assert told.read_text("utf-8").splitlines() == [
            f"{name} of the {who} is shut" for who in ("keeper", "service") for name in ("environ", "mem", "fd/0")
        ]
        service.terminate()
        await service.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent is gone")
async def test_a_server_does_not_outlive_a_service_that_was_killed(tmp_path: Path) -> None:
    async with serving(tmp_path, STAYING) as (_, told):
        pass
    server = int(told.read_text("utf-8"))
    try:
        await until(lambda: not is_alive(server))
    finally:
        with suppress(ProcessLookupError):
            os.kill(server, signal.SIGKILL)


@asynccontextmanager
async def serving(
    folder: Path, server: str, before: Sequence[str] = ()
) -> AsyncIterator[tuple[asyncio.subprocess.Process, Path]]:
    """Run a service with one MCP server of this source until that has written its file; killed at the end."""
    told, script, data = folder / "told.txt", folder / "server.py", folder / "data"
    data.mkdir()
    script.write_text(server, "utf-8")
    entry = {"command": sys.executable, "args": ["-I", "-S", str(script), str(told)], "confined": False}
    (data / "mcp_servers.json").write_text(json.dumps({"servers": {"hostile": entry}}), "utf-8")
    service = await asyncio.create_subprocess_exec(
        *before,
        *(sys.executable, "-m", "app", "serve"),
        cwd=folder,
        env={**os.environ, **settings(data)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await until(lambda: told.exists() or service.returncode is not None, timeout_s=200)
        yield service, told
    finally:
        if service.returncode is None:
            service.kill()
            await service.wait()


def settings(data: Path) -> dict[str, str]:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return {
        "DATA_DIR": str(data),
        "PORT": str(port),
        "LLM_PROVIDER": "openai",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_MODEL": "nobody",
        "OPENAI_API_KEY": SECRET,
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }
