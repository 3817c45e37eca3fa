"""Heavy work in a child process: limits of memory and time, no secrets, and nothing of it left behind."""

import asyncio
import fcntl
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import structlog

from app.disk import lock_file
from app.domain.errors import Permanent

MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
_CHUNK_BYTES: Final = 65_536
_ROOT: Final = Path(__file__).resolve().parents[2]
_FOLDER: Final = "children"
_LONGEST_S: Final = 86_400.0

log = structlog.get_logger(__name__)


class ChildProcesses:
    """Runs `app.media.worker`, one at a time: each task in a new process that ends with it.

    A crash, a stall or too much memory ends the child alone. It runs behind everything else (`nice`), in a folder
    of its own that goes with it, and sees none of our settings. If this process is killed, the child is, too.
    """

    def __init__(self, data_dir: Path, *, max_at_once: int = 1) -> None:
        self._folder = (data_dir / _FOLDER).resolve()
        self._turnstile = asyncio.Semaphore(max_at_once)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Hold the folder while the block runs, beside other processes of this data directory.

        What a crash left there goes when nobody else holds it, or when it is older than any work takes.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with lock_file(self._folder.with_suffix(".lock"), fcntl.LOCK_SH) as held:
            is_alone = False
            with suppress(BlockingIOError):
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_alone = True
            await asyncio.to_thread(_clear, self._folder, 0.0 if is_alone else _LONGEST_S)
            fcntl.flock(held, fcntl.LOCK_SH)
            yield

    async def run(self, task: str, arguments: Mapping[str, object], *, timeout_s: float) -> Mapping[str, object]:
        """See `Children.run`. Waiting for its turn does not count in `timeout_s`."""
        request = json.dumps({"task": task, "arguments": arguments, "cpu_s": round(timeout_s) + 1}).encode()
        async with self._turnstile, self._place() as folder:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "app.media.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=_environment(folder),
                cwd=folder,
                start_new_session=True,
            )
            try:
                async with asyncio.timeout(timeout_s):
                    raw = await _exchange(process, request)
            except TimeoutError:
                log.warning("child.took_too_long", task=task, timeout_s=timeout_s)
                raise Permanent("took_too_long", f"{task}: more than {timeout_s:g} s") from None
            finally:
                await _end(process)
        return await asyncio.to_thread(_read, raw, task, process.returncode)

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[Path]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        try:
            yield folder
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _clear(folder: Path, older_than_s: float) -> None:
    before = time.time() - older_than_s
    for left in list(folder.iterdir()):
        with suppress(FileNotFoundError):
            if left.stat().st_mtime <= before:
                shutil.rmtree(left, ignore_errors=True)


def _environment(folder: Path) -> dict[str, str]:
    """Only what Python and the libraries need; nobody goes to the network for a model."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": str(_ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "HF_HUB_OFFLINE": "1",
    }


async def _exchange(process: asyncio.subprocess.Process, request: bytes) -> bytes:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the child was started without pipes")
    with suppress(ConnectionError):
        process.stdin.write(request)
        await process.stdin.drain()
    process.stdin.close()
    answer = bytearray()
    while chunk := await process.stdout.read(_CHUNK_BYTES):
        answer += chunk
        if len(answer) > MAX_ANSWER_BYTES:
            break
    return bytes(answer)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the child with whatever it started, and wait until it is gone, also when this is cancelled."""
    gone = asyncio.ensure_future(process.wait())
    if process.returncode is None:
        # Its answer is complete once its output is closed: a moment for an end of its own, which has a code.
        await asyncio.wait({gone}, timeout=1.0)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await asyncio.shield(gone)


def _read(raw: bytes, task: str, code: int | None) -> Mapping[str, object]:
    try:
        first, *parts = raw.splitlines()
        answer = json.loads(first)
        result, fault = answer["result"], answer["fault"]
        for part in map(json.loads, parts):
            result[part["more_of"]] += part["items"]
    except (ValueError, TypeError, KeyError):
        log.warning("child.failed", task=task, code=code, answer_bytes=len(raw))
        raise Permanent("child_failed", f"{task} ended with {code}") from None
    if fault is not None:
        raise Permanent(str(fault["code"]), str(fault.get("detail", "")))
    if not isinstance(result, dict):
        raise Permanent("child_failed", f"{task} gave no result")
    return result
