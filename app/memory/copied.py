"""MEMORY.md where files are in an object store: written when the facts change, and never read.

Nobody edits a file there in an editor, and looking at everybody's every two seconds would be billed.
"""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

import structlog

from app.disk import Stamp
from app.domain.errors import NotFound, Transient
from app.domain.ids import UserId
from app.domain.ports import Clock, PeoplesFiles
from app.language.catalogue import Language
from app.memory.mirror import FILE_NAME, Reconciled, hash_of
from app.memory.mirror_format import render
from app.memory.mirror_merge import Base
from app.memory.repository import Memory, MemoryRepository, Mirror

log = structlog.get_logger(__name__)


class MemoryCopy:
    """Keeps MEMORY.md of everybody as their facts are; asks the store nothing while they are the same."""

    def __init__(self, repository: MemoryRepository, files: PeoplesFiles, clock: Clock) -> None:
        self._repository = repository
        self._memories = repository.memories
        self._files = files
        self._clock = clock
        self._locks: dict[UserId, asyncio.Lock] = {}

    async def reconcile(self, user_id: UserId) -> Reconciled:
        """Write the file if the facts are others than when it was written; `waiting` while that fails."""
        async with self.held(user_id):
            try:
                language = (await self._repository.users.get(user_id)).language
                return await self._write(user_id, language)
            except NotFound:
                log.info("memory_file.owner_gone")
                return "unusable"
            except OSError as exc:
                log.warning("memory_file.unusable", reason=exc.strerror or type(exc).__name__)
                return "unusable"
            except Transient as exc:
                log.warning("memory_file.postponed", reason=exc.code)
                return "waiting"

    @asynccontextmanager
    async def held(self, user_id: UserId) -> AsyncIterator[None]:
        """See `MemoryMirror.held`."""
        async with self._locks.setdefault(user_id, asyncio.Lock()):
            yield

    async def stamps(self, user_ids: Collection[UserId]) -> dict[UserId, Stamp | None]:
        """See `MemoryMirror.stamps`: nothing of a copy changes by itself."""
        return dict.fromkeys(user_ids)

    async def _write(self, user_id: UserId, language: Language) -> Reconciled:
        active = await self._memories.list_active(user_id)
        written = await self._memories.find_mirror(user_id)
        if written is None and not active:
            return "same"
        base = Base(0, {}) if written is None else Base.decode(written.entries)
        if written is not None and written.file_hash == hash_of(_content(active, base, language)):
            return "same"
        newer = base.advanced(active)
        content = _content(active, newer, language)
        await self._files.write(user_id, FILE_NAME, content)
        async with self._repository.transaction() as tx:
            mirror = Mirror(hash_of(content), newer.encode())
            await self._memories.save_mirror(user_id, mirror, self._clock.now(), tx=tx)
        return "written"


def _content(active: list[Memory], base: Base, language: Language) -> bytes:
    return render(active, base.revision, language, is_read_back=False).encode()
