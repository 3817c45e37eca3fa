"""A server (MCP) that nothing confines runs as the service's account, and cannot read what the service holds."""

import asyncio
import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.fakes.mcp import is_alive, until

pytestmark = [
    pytest.mark.lengthy,
    pytest.mark.timeout(300),  # the service is started, which a busy machine makes long
]

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


class Told(NamedTuple):
    """What one server wrote that peeks, and the process of one that stays; the service of both was killed."""

    peeking: str
    staying: int


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
async def test_a_server_reads_neither_environment_nor_memory_of_the_service(told: Told) -> None:
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and nothing here takes its rights away")
    assert told.peeking.splitlines() == [
        f"{name} of the {who} is shut" for who in ("keeper", "service") for name in ("environ", "mem", "fd/0")
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent is gone")
async def test_a_server_does_not_outlive_a_service_that_was_killed(told: Told) -> None:
    await until(lambda: not is_alive(told.staying))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    folder = tmp_path_factory.mktemp("closed")
    files = asyncio.run(_serve(folder, {"peeking": PEEKING, "staying": STAYING}))
    told = Told(files["peeking"].read_text("utf-8"), int(files["staying"].read_text("utf-8")))
    try:
        yield told
    finally:
        with suppress(ProcessLookupError):
            os.kill(told.staying, signal.SIGKILL)


async def _serve(folder: Path, servers: Mapping[str, str]) -> Mapping[str, Path]:
    """Run a service with MCP servers of these sources until each has written its file, and kill it.

    One that root runs has none of root's rights, where they can be taken away.
    """
    may_drop = os.geteuid() == 0 and shutil.which("setpriv") is not None
    before = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if may_drop else ()
    data = folder / "data"
    data.mkdir()
    files, entries = {}, {}
    for name, source in servers.items():
        script, files[name] = folder / f"{name}.py", folder / f"{name}.txt"
        script.write_text(source, "utf-8")
        arguments = ["-I", "-S", str(script), str(files[name])]
        entries[name] = {"command": sys.executable, "args": arguments, "confined": False}
    (data / "mcp_servers.json").write_text(json.dumps({"servers": entries}), "utf-8")
    service = await asyncio.create_subprocess_exec(
        *before,
        *(sys.executable, "-m", "app", "serve"),
        cwd=folder,
        env={**os.environ, **settings(data)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )

    def is_done() -> bool:
        return service.returncode is not None or all(file.exists() for file in files.values())

    try:
        await until(is_done, timeout_s=200)
    finally:
        if service.returncode is None:
            service.kill()
            await service.wait()
    return files


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
