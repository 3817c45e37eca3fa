"""A server (MCP) that nothing confines runs as the service's account, and cannot read what the service holds."""

import asyncio
import json
import os
import shutil
import socket
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.mcp import until

SECRET = "k3y-that-no-child-may-read"
PEEKING = """
import os, sys
found = []
for name in ("environ", "mem", "fd/0"):
    path = f"/proc/{os.getppid()}/{name}"
    try:
        os.readlink(path) if name == "fd/0" else open(path, "rb").close()
        found.append(f"{name} is open")
    except OSError as exc:
        found.append(f"{name} is shut")
with open(sys.argv[1] + ".new", "w") as out:
    out.write("\\n".join(found))
os.replace(sys.argv[1] + ".new", sys.argv[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
async def test_a_server_reads_neither_environment_nor_memory_of_the_service(tmp_path: Path) -> None:
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and nothing here takes its rights away")
    told, script, data = tmp_path / "told.txt", tmp_path / "peek.py", tmp_path / "data"
    data.mkdir()
    script.write_text(PEEKING, "utf-8")
    entry = {"command": sys.executable, "args": ["-I", "-S", str(script), str(told)], "confined": False}
    (data / "mcp_servers.json").write_text(json.dumps({"servers": {"peek": entry}}), "utf-8")
    service = await asyncio.create_subprocess_exec(
        *(("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()),
        sys.executable,
        "-m",
        "app",
        "serve",
        cwd=tmp_path,
        env={**os.environ, **settings(data)},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await until(lambda: told.exists() or service.returncode is not None, timeout_s=40)
        assert told.read_text("utf-8").splitlines() == ["environ is shut", "mem is shut", "fd/0 is shut"]
    finally:
        service.terminate()
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
