"""Files that come in: streamed into the person's folder, known by their content, gone with their message."""

import asyncio
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import structlog

from app.domain.errors import Permanent
from app.domain.ids import UserId, WaMessageId
from app.domain.inbound import MediaRef
from app.domain.ports import Clock, MediaSource
from app.domain.turn import TurnContext
from app.log import user_tag
from app.media.kinds import HEAD_BYTES, MAX_BYTES, Family, kind_of, limit_of
from app.media.repository import MediaFile, MediaFiles
from app.security.paths import TEMPORARY_PREFIX, opened_folder, read_bytes, validate_path

FOLDER: Final = "media"
_NAME_CHARS: Final = 60
_UNSAFE: Final = re.compile(r"[^\w.-]+")
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Arrived:
    """A file on disk: `path` is where a child finds it."""

    file: MediaFile
    family: Family
    path: Path


class Arrivals:
    """Fetches each file once, however often its turn is tried."""

    def __init__(self, files: MediaFiles, source: MediaSource, clock: Clock, *, users_dir: Path) -> None:
        self._files = files
        self._source = source
        self._clock = clock
        self._users_dir = users_dir

    async def fetch(self, message_id: WaMessageId, media: MediaRef, filename: str, ctx: TurnContext) -> Arrived:
        """Return a message's file, downloaded unless it is there.

        Raises:
            Transient: WhatsApp did not answer.
            Permanent: "media_too_large", "media_gone", "media_damaged" or "media_empty".
        """
        known = await self._files.find(ctx.user_id, message_id)
        if known is not None and known.path and (path := self._present(known, ctx.workspace)) is not None:
            return Arrived(known, _family(path), path)
        return await self._download(message_id, media, filename, ctx)

    async def _download(
        self, message_id: WaMessageId, media: MediaRef, filename: str, ctx: TurnContext
    ) -> Arrived:
        folder = validate_path(FOLDER, ctx.workspace)
        short = hashlib.sha256(message_id.encode()).hexdigest()[:10]
        temporary = f"{TEMPORARY_PREFIX}{short}"
        with (
            opened_folder(folder, ctx.workspace, is_created=True) as opened,
            _temporary(temporary, opened) as file,
        ):
            size = await self._source.download(media, file, max_bytes=MAX_BYTES)
            file.seek(0)
            family, mime_type, ending = kind_of(file.read(HEAD_BYTES))
            if not size:
                raise Permanent("media_empty", "the file has no bytes")
            if size > limit_of(family):
                raise Permanent("media_too_large", f"{size} bytes of {family}")
            await asyncio.to_thread(os.fsync, file.fileno())
            name = _name(filename, f"{self._clock.now():%Y-%m-%d}-{short}", ending)
            os.replace(temporary, name, src_dir_fd=opened, dst_dir_fd=opened)
        path = f"{FOLDER}/{name}"
        kept = await self._files.add(ctx.user_id, message_id, path, mime_type, size, self._clock.now())
        log.info("media.arrived", user=user_tag(ctx.user_id), family=family, size_bytes=size)
        return Arrived(kept, family, folder / name)

    def _present(self, file: MediaFile, workspace: Path) -> Path | None:
        """Return where a file is, if it is still there and no link has taken its place."""
        path = validate_path(file.path, workspace)
        try:
            read_bytes(path, workspace, max_bytes=0)
        except OSError:
            return None
        return path

    async def take_back(self, user_id: UserId, message_id: WaMessageId, *, is_rewritten: bool) -> None:
        """Remove the file of a message that was revoked; one whose caption was rewritten stays."""
        if not is_rewritten and (path := await self._files.remove(user_id, message_id)):
            await self.remove_file(user_id, path)

    async def remove_file(self, user_id: UserId, path: str) -> None:
        """Remove a file from a person's folder, if it is there."""
        await asyncio.to_thread(self._unlink, user_id, path)

    def _unlink(self, user_id: UserId, path: str) -> None:
        workspace = self._users_dir / user_id
        target = validate_path(path, workspace)
        with suppress(OSError), opened_folder(target.parent, workspace) as folder:
            os.unlink(target.name, dir_fd=folder)


def _family(path: Path) -> Family:
    with path.open("rb") as file:
        return kind_of(file.read(HEAD_BYTES))[0]


@contextmanager
def _temporary(name: str, folder: int) -> Iterator[IO[bytes]]:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
    try:
        with open(os.open(name, _NEW, 0o600, dir_fd=folder), "w+b") as file:
            yield file
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def _name(filename: str, unique: str, ending: str) -> str:
    """Return a name of ours that lets people recognise the file; of theirs only harmless letters are kept."""
    stem, _, theirs = filename.rpartition(".") if "." in filename else (filename, "", "")
    kept = _UNSAFE.sub("-", stem).strip(".-")[:_NAME_CHARS]
    wanted = _UNSAFE.sub("", theirs)[:8].lower() if ending in {"bin", "zip"} else ending
    return f"{unique}{'-' if kept else ''}{kept}.{wanted or ending}"
