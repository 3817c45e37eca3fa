"""How long files stay: as long as their message, or as many days as the operator says."""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from app.database.db import Database
from app.domain.clock import to_ms
from app.domain.ids import UserId
from app.domain.ports import Clock, FileEntry, PeoplesFiles
from app.media.arrivals import FOLDER, Arrivals
from app.media.repository import MediaFiles

_SWEPT_EVERY: Final = timedelta(hours=1)
_AT_ONCE: Final = 100
_MOST_FILES: Final = 100_000


class Retention:
    """Lets go of files of everybody; what was read in them stays. `keep_days` 0: no file is too old."""

    def __init__(
        self,
        database: Database,
        files: MediaFiles,
        arrivals: Arrivals,
        clock: Clock,
        *,
        store: PeoplesFiles,
        keep_days: int,
    ) -> None:
        self._db = database
        self._files = files
        self._arrivals = arrivals
        self._clock = clock
        self._store = store
        self._keep_for = timedelta(days=keep_days)
        self._swept_at: datetime | None = None
        self._unknown: frozenset[tuple[UserId, str, float]] = frozenset()

    async def release(self) -> int:
        """Remove files that are too old, and those that a crash left without a row; returns how many."""
        now, removed = self._clock.now(), 0
        if self._keep_for:
            removed = await self._release_old(now - self._keep_for)
        if self._swept_at is None or now - self._swept_at > _SWEPT_EVERY:
            self._swept_at = now
            removed += await self._sweep()
        return removed

    async def _release_old(self, before: datetime) -> int:
        async with self._db.transaction() as tx:
            rows = await tx.fetch_all(
                "SELECT id, user_id, path FROM media WHERE path <> '' AND created_at < ? LIMIT ?",
                to_ms(before),
                _AT_ONCE,
            )
            for row in rows:
                await tx.execute(
                    "UPDATE media SET path = '' WHERE user_id = ? AND id = ? AND path = ?",
                    row["user_id"],
                    row["id"],
                    row["path"],
                )
        for row in rows:
            await self._arrivals.remove_file(UserId(row["user_id"]), row["path"])
        return len(rows)

    async def _sweep(self) -> int:
        """Remove what had no row when it was looked at last and has none now, untouched since.

        What comes in at this moment has none either, and two clocks may not agree on how old it is.
        """
        unknown = set[tuple[UserId, str, float]]()
        for user_id in await self._store.list_owners():
            known = await self._files.list_paths(user_id)
            found = (one for one in await self._arrived(user_id) if not one.is_folder and one.path not in known)
            unknown |= {(user_id, one.path, one.modified_s) for one in found}
        gone = unknown & self._unknown
        self._unknown = frozenset(unknown - gone)
        for user_id, path, _ in gone:
            await self._arrivals.remove_file(user_id, path)
        return len(gone)

    async def _arrived(self, user_id: UserId) -> list[FileEntry]:
        with suppress(OSError):
            return await self._store.list_files(
                user_id, FOLDER, is_deep=False, limit=_MOST_FILES, with_drafts=True
            )
        return []
