"""Files that come in: streamed to the person's others, known by their content, gone with their message."""

import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

import structlog

from app.domain.errors import NotReady, Permanent, Transient
from app.domain.ids import UserId, WaMessageId
from app.domain.inbound import MediaRef
from app.domain.ports import Clock, MediaSource, PeoplesFiles
from app.domain.turn import TurnContext
from app.log import user_tag
from app.media.kinds import HEAD_BYTES, MAX_BYTES, Family, kind_of, limit_of
from app.media.repository import MediaFile, MediaFiles

FOLDER: Final = "media"
PATIENCE: Final = timedelta(hours=1)
"""How long a message waits for an object store that is away; then it is tried as often as any, and given up."""
_NAME_CHARS: Final = 60
_UNSAFE: Final = re.compile(r"[^\w.-]+")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Arrived:
    """A file that is kept: `path` is where a child finds it now."""

    file: MediaFile
    family: Family
    path: Path


class Arrivals:
    """Fetches each file once, however often its turn is tried."""

    def __init__(self, files: MediaFiles, source: MediaSource, clock: Clock, store: PeoplesFiles) -> None:
        self._files = files
        self._source = source
        self._clock = clock
        self._store = store

    @asynccontextmanager
    async def fetched(
        self, message_id: WaMessageId, media: MediaRef, filename: str, ctx: TurnContext
    ) -> AsyncIterator[Arrived]:
        """Have a message's file at hand, downloaded unless it is kept already.

        Raises:
            NotReady: files cannot be kept now; the message waits for `PATIENCE`.
            Transient: WhatsApp did not answer, or files could not be kept all that time.
            Permanent: "media_too_large", "media_gone", "media_damaged" or "media_empty".
        """
        async with AsyncExitStack() as stack:
            try:
                arrived = await self._opened(message_id, media, filename, ctx, stack)
            except Transient as exc:
                if exc.code != "files_away" or self._clock.now() - ctx.received_at > PATIENCE:
                    raise
                raise NotReady(exc.code, exc.detail) from exc
            yield arrived

    async def _opened(
        self,
        message_id: WaMessageId,
        media: MediaRef,
        filename: str,
        ctx: TurnContext,
        stack: AsyncExitStack,
    ) -> Arrived:
        known = await self._files.find(ctx.user_id, message_id)
        path = None if known is None else await self._kept(known, ctx.user_id, stack)
        if known is None or path is None:
            return await self._download(message_id, media, filename, ctx, stack)
        return Arrived(known, _family(path), path)

    async def _kept(self, file: MediaFile, user_id: UserId, stack: AsyncExitStack) -> Path | None:
        """Return where a file is, if it is still there and no link has taken its place."""
        with suppress(OSError):
            if file.path:
                return await stack.enter_async_context(self._store.local(user_id, file.path))
        return None

    async def _download(
        self,
        message_id: WaMessageId,
        media: MediaRef,
        filename: str,
        ctx: TurnContext,
        stack: AsyncExitStack,
    ) -> Arrived:
        short = hashlib.sha256(message_id.encode()).hexdigest()[:10]
        draft = await stack.enter_async_context(self._store.draft(ctx.user_id, FOLDER, short))
        size = await self._source.download(media, draft.file, max_bytes=MAX_BYTES)
        draft.file.seek(0)
        family, mime_type, ending = kind_of(draft.file.read(HEAD_BYTES))
        if not size:
            raise Permanent("media_empty", "the file has no bytes")
        if size > limit_of(family):
            raise Permanent("media_too_large", f"{size} bytes of {family}")
        name = _name(filename, f"{self._clock.now():%Y-%m-%d}-{short}", ending)
        path = await draft.keep(name)
        # Only now: what a row tells of is there, whatever happens.
        kept = await self._files.add(
            ctx.user_id, message_id, f"{FOLDER}/{name}", mime_type, size, self._clock.now()
        )
        log.info("media.arrived", user=user_tag(ctx.user_id), family=family, size_bytes=size)
        return Arrived(kept, family, path)

    async def take_back(self, user_id: UserId, message_id: WaMessageId, *, is_rewritten: bool) -> None:
        """Remove the file of a message that was revoked; one whose caption was rewritten stays."""
        if not is_rewritten and (path := await self._files.remove(user_id, message_id)):
            await self.remove_file(user_id, path)

    async def remove_file(self, user_id: UserId, path: str) -> None:
        """Remove a file of a person's, if it is there; if that fails it goes with those that no row knows."""
        try:
            await self._store.remove(user_id, path)
        except FileNotFoundError:
            return
        except (OSError, Transient) as exc:
            log.warning("media.removed_later", user=user_tag(user_id), reason=type(exc).__name__)


def _family(path: Path) -> Family:
    with path.open("rb") as file:
        return kind_of(file.read(HEAD_BYTES))[0]


def _name(filename: str, unique: str, ending: str) -> str:
    """Return a name of ours that lets people recognise the file; of theirs only harmless letters are kept."""
    stem, _, theirs = filename.rpartition(".") if "." in filename else (filename, "", "")
    kept = _UNSAFE.sub("-", stem).strip(".-")[:_NAME_CHARS]
    wanted = _UNSAFE.sub("", theirs)[:8].lower() if ending in {"bin", "zip"} else ending
    return f"{unique}{'-' if kept else ''}{kept}.{wanted or ending}"
