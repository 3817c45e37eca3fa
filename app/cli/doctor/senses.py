"""What is understood beside text: each optional part is installed, finds what it needs, and reads a sample."""

import asyncio
import shutil
import struct
import tempfile
import time
import zlib
from contextlib import aclosing
from pathlib import Path
from typing import Final

import httpx

from app.charts.charts import is_able as can_draw
from app.cli.doctor.round import Outcome, failed, ok, skipped
from app.cli.doctor.texts import DOCTOR
from app.config import Settings
from app.domain.chat import ChatMessage, ChatRequest
from app.domain.errors import Permanent, Transient
from app.language.catalogue import LazyText, Sentence, lazy
from app.llm.ollama import OllamaClient
from app.llm.profiles import profile_for
from app.media.children import ChildProcesses
from app.media.faults import is_installed
from app.media.weights import KOKORO, WHISPER, Weights

_SAMPLE_S: Final = 120.0
_SOUND_S: Final = 2
_PICTURE_TOKENS: Final = 4096
_HARMLESS: Final = frozenset({"no_text", "nothing_heard"})
"""A sample in which there is nothing to find was read all the same."""


class SenseChecks:
    """`is_quick` looks at what is there; without it each part is tried on a sample."""

    def __init__(
        self, settings: Settings, *, is_quick: bool, ollama: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._settings = settings
        self._ollama = ollama
        self._is_quick = is_quick

    async def documents(self) -> Outcome:
        """PDF, Office and tables can be read."""
        if not is_installed("documents"):
            return _absent(DOCTOR.documents_not, "documents")
        return await self._try(DOCTOR.documents_read, "read_document", b"one page", filename="sample.txt")

    async def pictures(self) -> Outcome:
        """Text in pictures can be read."""
        if not is_installed("pictures"):
            return _absent(DOCTOR.pictures_not, "pictures")
        return await self._try(DOCTOR.pictures_read, "read_picture", _blank_picture())

    async def hearing(self) -> Outcome:
        """Voice notes can be written down."""
        if not is_installed("voice"):
            return _absent(DOCTOR.voice_not, "voice")
        weights = Weights(self._settings.data_dir / "models" / "whisper-base")
        if not self._settings.whisper_model and not await asyncio.to_thread(weights.has, WHISPER):
            return skipped(lazy(DOCTOR.voice_unfetched))
        model = self._settings.whisper_model or str(weights.folder.resolve())
        return await self._try(
            DOCTOR.voice_heard,
            "hear",
            _silence(),
            model=model,
            compute_type=self._settings.whisper_compute_type,
            max_s=_SOUND_S,
        )

    async def speaking(self) -> Outcome:
        """Answers can be spoken."""
        if not is_installed("voice"):
            return _absent(DOCTOR.speaks_not, "voice")
        if shutil.which("espeak-ng") is None:
            return skipped(lazy(DOCTOR.speaks_no_program), lazy(DOCTOR.speaks_no_program_step))
        weights = Weights(self._settings.data_dir / "models" / "kokoro")
        is_there = await asyncio.to_thread(weights.has, KOKORO)
        return ok(lazy(DOCTOR.speaks)) if is_there else skipped(lazy(DOCTOR.speaks_unfetched))

    async def sight(self) -> Outcome:
        """What pictures show can be seen."""
        settings, model = self._settings, self._settings.vision_model
        if settings.llm_vision_path is not None and settings.llm_model_path is not None:
            missing = [one for one in (settings.llm_model_path, settings.llm_vision_path) if not one.is_file()]
            if missing:
                return failed(lazy(DOCTOR.sight_no_file, file=missing[0]), lazy(DOCTOR.sight_no_file_step))
            return ok(lazy(DOCTOR.sight_own))
        client = OllamaClient(
            settings.ollama_base_url[0],
            model,
            context_tokens=_PICTURE_TOKENS,
            profile=profile_for(model),
            transport=self._ollama,
        )
        async with aclosing(client):
            state = await client.state()
            if state.state != "ready":
                return skipped(
                    lazy(DOCTOR.sight_not, detail=state.detail),
                    lazy(DOCTOR.run_this, command=f"ollama pull {model}"),
                )
            return await self._look(client)

    async def _look(self, client: OllamaClient) -> Outcome:
        if self._is_quick:
            return ok(_untried(DOCTOR.sight_seen))
        began = time.monotonic()
        message = ChatMessage("user", "Which colour is this?", images=(_blank_picture(),))
        try:
            async with asyncio.timeout(_SAMPLE_S):
                await client.chat(ChatRequest((message,), max_tokens=20))
        except (Transient, Permanent, TimeoutError) as exc:
            silent = lazy(DOCTOR.sight_silent, code=getattr(exc, "code", "timeout"))
            return failed(silent, lazy(DOCTOR.sight_silent_step))
        return ok(_tried(DOCTOR.sight_seen, time.monotonic() - began))

    async def drawing(self) -> Outcome:
        """Charts can be drawn."""
        return ok(lazy(DOCTOR.charts_drawn)) if can_draw() else _absent(DOCTOR.charts_not, "charts")

    async def _try(self, sentence: Sentence, task: str, sample: bytes, **arguments: object) -> Outcome:
        if self._is_quick:
            return ok(_untried(sentence))
        began = time.monotonic()
        try:
            await _run(task, sample, arguments)
        except Permanent as exc:
            if exc.code not in _HARMLESS:
                lost = lazy(DOCTOR.sample_failed, detail=f"{exc.code} {exc.detail}".strip())
                return failed(lost, lazy(DOCTOR.sample_failed_step))
        return ok(_tried(sentence, time.monotonic() - began))


def _untried(sentence: Sentence) -> LazyText:
    return lazy(DOCTOR.untried, found=lazy(sentence))


def _tried(sentence: Sentence, took_s: float) -> LazyText:
    return lazy(DOCTOR.tried, found=lazy(sentence), seconds=f"{took_s:.1f}")


def _absent(sentence: Sentence, extra: str) -> Outcome:
    return skipped(
        lazy(DOCTOR.extra_missing, lost=lazy(sentence)),
        lazy(DOCTOR.run_this, command=f"pip install -e '.[{extra}]'"),
    )


async def _run(task: str, sample: bytes, arguments: dict[str, object]) -> None:
    place = Path(await asyncio.to_thread(tempfile.mkdtemp))
    try:
        path = place / "sample"
        await asyncio.to_thread(path.write_bytes, sample)
        await ChildProcesses(place).run(task, {"path": str(path), **arguments}, timeout_s=_SAMPLE_S)
    finally:
        await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)


def _silence() -> bytes:
    size = 32_000 * _SOUND_S
    head = struct.pack(
        "<4sI8sIHHIIHH4sI", b"RIFF", 36 + size, b"WAVEfmt ", 16, 1, 1, 16_000, 32_000, 2, 16, b"data", size
    )
    return head + bytes(size)


def _blank_picture() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    side = 64
    rows = zlib.compress((b"\0" + b"\xff" * side) * side)
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
