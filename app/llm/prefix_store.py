"""Read beginnings of prompts on disk: bound to model and text, checked before use, limited in size."""

import asyncio
import hashlib
import json
import os
import shutil
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

log = structlog.get_logger(__name__)

_MAX_BYTES: Final = 512 * 1024 * 1024
_MIN_FREE_BYTES: Final = 1024 * 1024 * 1024
_ENGINE: Final = "xllamacpp"


class _Note(BaseModel):
    """What lies beside a state: without it, or with another content, a state is not used."""

    model_config = ConfigDict(frozen=True)

    sha256: str
    size_bytes: int


class _ModelNote(_Note):
    mtime_ns: int


class PrefixStore:
    """Keeps llama.cpp's states of slots in `directory`; only texts of the product are in them, nobody's words.

    A state is named after a digest of the model's file, the engine's version, and the text. llama.cpp ends the
    process when it is given a damaged one, so each is compared with its note first.
    """

    def __init__(self, directory: Path, *, max_bytes: int = _MAX_BYTES) -> None:
        self.directory = directory
        self._max_bytes = max_bytes

    def known_binding(self, model_file: Path) -> str | None:
        """Return what states of this model are bound to, or None while its checksum is not known."""
        notes = (model_file.with_name(f"{model_file.name}.verified"), self._own_note(model_file))
        checksum = next(filter(None, (_noted(note, model_file) for note in notes)), None)
        return None if checksum is None else f"{checksum} {_ENGINE} {_engine_version()}"

    async def bind(self, model_file: Path) -> str | None:
        """As `known_binding`, but a checksum that is not known is computed and noted: a second a gigabyte."""
        if self.known_binding(model_file) is None:
            await asyncio.to_thread(self._note_checksum, model_file)
        return self.known_binding(model_file)

    async def find(self, key: str) -> str | None:
        """Return the name of the file that llama.cpp may be given, or None; what is damaged is deleted."""
        return await asyncio.to_thread(self._find, key)

    async def keep(self, key: str) -> None:
        """Take over what llama.cpp wrote to `part_name(key)`; what has not been used for longest makes room.

        Cancelling leaves it untaken.
        """
        part = self.directory / self.part_name(key)
        note = _Note(sha256=await asyncio.to_thread(_sha256, part), size_bytes=part.stat().st_size)
        # The note comes last: without it, a state that a crash left behind is none.
        part.replace(self.directory / f"{key}.slot")
        (self.directory / f"{key}.json").write_text(note.model_dump_json(), encoding="ascii")
        self._make_room(key)

    def part_name(self, key: str) -> str:
        """Where llama.cpp writes a state first."""
        return f"{key}.part"

    def has_room(self) -> bool:
        """Tell whether another state may be written: the disk is for what people tell us first."""
        self.directory.mkdir(parents=True, exist_ok=True)
        return shutil.disk_usage(self.directory).free > _MIN_FREE_BYTES

    def drop(self, key: str) -> None:
        """Forget a state, whole or not."""
        for name in (self.part_name(key), f"{key}.json", f"{key}.slot"):
            (self.directory / name).unlink(missing_ok=True)

    def _own_note(self, model_file: Path) -> Path:
        return self.directory / f"{model_file.name}.checksum"

    def _note_checksum(self, model_file: Path) -> None:
        facts = model_file.stat()
        note = _ModelNote(sha256=_sha256(model_file), size_bytes=facts.st_size, mtime_ns=facts.st_mtime_ns)
        self.directory.mkdir(parents=True, exist_ok=True)
        self._own_note(model_file).write_text(note.model_dump_json(), encoding="ascii")

    def _find(self, key: str) -> str | None:
        state, note_file = self.directory / f"{key}.slot", self.directory / f"{key}.json"
        try:
            note = _Note.model_validate_json(note_file.read_bytes())
            is_whole = state.stat().st_size == note.size_bytes and _sha256(state) == note.sha256
        except FileNotFoundError:
            return None
        except (OSError, ValidationError):
            is_whole = False
        if not is_whole:
            log.warning("model.prefix_damaged", key=key)
            self.drop(key)
            return None
        os.utime(state)
        return state.name

    def _make_room(self, newest: str) -> None:
        states = sorted(self.directory.glob("*.slot"), key=lambda state: state.stat().st_mtime_ns)
        total = sum(state.stat().st_size for state in states)
        for state in states:
            if total <= self._max_bytes:
                return
            if state.stem != newest or state.stat().st_size > self._max_bytes:
                total -= state.stat().st_size
                self.drop(state.stem)


def key_of(bound_to: str, body: object) -> str:
    """Name a text as a model reads it; `body` is what the server is sent."""
    return hashlib.sha256(json.dumps([bound_to, body], sort_keys=True).encode()).hexdigest()[:40]


def _noted(note_file: Path, model_file: Path) -> str | None:
    """The checksum that was noted when the file was as it is now."""
    with suppress(OSError, ValidationError):
        note, facts = _ModelNote.model_validate_json(note_file.read_bytes()), model_file.stat()
        if (note.size_bytes, note.mtime_ns) == (facts.st_size, facts.st_mtime_ns):
            return note.sha256
    return None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _engine_version() -> str:
    try:
        return version(_ENGINE)
    except PackageNotFoundError:
        return "unknown"
