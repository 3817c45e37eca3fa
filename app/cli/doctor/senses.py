"""What is understood beside text: each optional part is installed, finds what it needs, and reads a sample."""

import asyncio
import shutil
import struct
import tempfile
import time
import zlib
from pathlib import Path
from typing import Final

from app.cli.doctor.round import Outcome, failed, ok, skipped
from app.config import Settings
from app.domain.errors import Permanent
from app.media.children import ChildProcesses
from app.media.faults import is_installed
from app.media.weights import KOKORO, WHISPER, Weights

_SAMPLE_S: Final = 120.0
_SOUND_S: Final = 2
_HARMLESS: Final = frozenset({"no_text", "nothing_heard"})
"""A sample in which there is nothing to find was read all the same."""


class SenseChecks:
    """`is_quick` looks at what is there; without it each part is tried on a sample."""

    def __init__(self, settings: Settings, *, is_quick: bool) -> None:
        self._settings = settings
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
            return skipped("answers are not spoken: there is no program espeak-ng", "apt install espeak-ng")
        weights = Weights(self._settings.data_dir / "models" / "kokoro")
        is_there = await asyncio.to_thread(weights.has, KOKORO)
        return (
            ok("answers can be spoken") if is_there else skipped("the voice is fetched when first needed (93 MB)")
        )

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
