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
from app.config import Settings
from app.domain.chat import ChatMessage, ChatRequest
from app.domain.errors import Permanent, Transient
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
            return _absent("documents are not read", "documents")
        return await self._try("documents are read", "read_document", b"one page", filename="sample.txt")

    async def pictures(self) -> Outcome:
        """Text in pictures can be read."""
        if not is_installed("pictures"):
            return _absent("pictures are not read", "pictures")
        return await self._try("text in pictures is read", "read_picture", _blank_picture())

    async def hearing(self) -> Outcome:
        """Voice notes can be written down."""
        if not is_installed("voice"):
            return _absent("voice notes are not heard", "voice")
        weights = Weights(self._settings.data_dir / "models" / "whisper-base")
        if not self._settings.whisper_model and not await asyncio.to_thread(weights.has, WHISPER):
            return skipped("voice notes: the model is fetched with the first one (148 MB)")
        model = self._settings.whisper_model or str(weights.folder.resolve())
        return await self._try(
            "voice notes are heard",
            "hear",
            _silence(),
            model=model,
            compute_type=self._settings.whisper_compute_type,
            max_s=_SOUND_S,
        )

    async def speaking(self) -> Outcome:
        """Answers can be spoken."""
        if not is_installed("voice"):
            return _absent("answers are not spoken", "voice")
        if shutil.which("espeak-ng") is None:
            return skipped(
                "answers are not spoken: there is no program espeak-ng",
                "apt install espeak-ng, or brew install espeak-ng",
            )
        weights = Weights(self._settings.data_dir / "models" / "kokoro")
        is_there = await asyncio.to_thread(weights.has, KOKORO)
        return (
            ok("answers can be spoken") if is_there else skipped("the voice is fetched when first needed (93 MB)")
        )

    async def sight(self) -> Outcome:
        """What pictures show can be seen."""
        settings, model = self._settings, self._settings.vision_model
        if settings.llm_vision_path is not None and settings.llm_model_path is not None:
            missing = [one for one in (settings.llm_model_path, settings.llm_vision_path) if not one.is_file()]
            if missing:
                return failed(f"there is no file {missing[0]}", "correct LLM_MODEL_PATH or LLM_VISION_PATH")
            return ok("pictures are seen by a model of your own, not tried")
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
                return skipped(f"what pictures show is not seen: {state.detail}", f"ollama pull {model}")
            return await self._look(client)

    async def _look(self, client: OllamaClient) -> Outcome:
        if self._is_quick:
            return ok("what pictures show is seen, not tried (--quick)")
        began = time.monotonic()
        message = ChatMessage("user", "Which colour is this?", images=(_blank_picture(),))
        try:
            async with asyncio.timeout(_SAMPLE_S):
                await client.chat(ChatRequest((message,), max_tokens=20))
        except (Transient, Permanent, TimeoutError) as exc:
            return failed(
                f"the vision model does not answer: {getattr(exc, 'code', 'timeout')}", "see Ollama's log"
            )
        return ok(f"what pictures show is seen, a sample in {time.monotonic() - began:.1f} s")

    async def drawing(self) -> Outcome:
        """Charts can be drawn."""
        return ok("charts can be drawn") if can_draw() else _absent("charts are not drawn", "charts")

    async def _try(self, sentence: str, task: str, sample: bytes, **arguments: object) -> Outcome:
        if self._is_quick:
            return ok(f"{sentence}, not tried (--quick)")
        began = time.monotonic()
        try:
            await _run(task, sample, arguments)
        except Permanent as exc:
            if exc.code not in _HARMLESS:
                fix = "install the project's extras again (make run), and see docs/troubleshooting.md"
                return failed(f"a sample could not be read: {exc.code} {exc.detail}".strip(), fix)
        return ok(f"{sentence}, a sample in {time.monotonic() - began:.1f} s")


def _absent(sentence: str, extra: str) -> Outcome:
    return skipped(f"{sentence}: the extra is not installed", f"pip install -e '.[{extra}]'")


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
