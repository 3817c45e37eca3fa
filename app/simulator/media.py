"""Files of the simulated chats, under Meta-like ids."""

import hashlib
import json
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

MAX_MEDIA_BYTES: Final = 16 * 1024 * 1024
MAX_MEDIA_FILES: Final = 64
MAX_TOTAL_BYTES: Final = 256 * 1024 * 1024

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class MediaFile:
    """`filename` was chosen by whoever sent it: for display only, never a path."""

    data: bytes
    mime_type: str
    filename: str | None = None

    @property
    def sha256(self) -> bytes:
        return hashlib.sha256(self.data).digest()


class MediaStore:
    """The newest files, in memory and, where there is a folder, on disk; the oldest make room.

    Two files stand in the folder for each: the bytes, and what is known of them (JSON). Their names are ids
    that were made here. A pair that cannot be read is left out.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._files: dict[str, MediaFile] = {}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._load(folder)

    def add(self, data: bytes, mime_type: str, filename: str | None = None) -> str:
        """Keep a file and return its media id."""
        media_id = str(uuid.uuid4().int)[:16]
        self._files[media_id] = MediaFile(data, mime_type, filename)
        if self._folder is not None:
            # In the event loop on purpose: one person's page on one machine.
            (self._folder / media_id).write_bytes(data)
            facts = {"mime_type": mime_type, "filename": filename}
            (self._folder / f"{media_id}.json").write_text(json.dumps(facts), "utf-8")
        self._make_room()
        return media_id

    def find(self, media_id: str) -> MediaFile | None:
        return self._files.get(media_id)

    def _make_room(self) -> None:
        total = sum(len(file.data) for file in self._files.values())
        while len(self._files) > MAX_MEDIA_FILES or total > MAX_TOTAL_BYTES:
            oldest = next(iter(self._files))
            total -= len(self._files.pop(oldest).data)
            if self._folder is not None:
                (self._folder / oldest).unlink(missing_ok=True)
                (self._folder / f"{oldest}.json").unlink(missing_ok=True)

    def _load(self, folder: Path) -> None:
        for facts_path in sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns):
            try:
                facts = json.loads(facts_path.read_text("utf-8"))
                data = facts_path.with_suffix("").read_bytes()
                file = MediaFile(data, str(facts["mime_type"]), facts["filename"])
            except (OSError, ValueError, TypeError, KeyError) as exc:
                log.warning("simulator.media_unreadable", reason=type(exc).__name__)
            else:
                self._files[facts_path.stem] = file
        self._make_room()
