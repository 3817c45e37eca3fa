"""How long files stay: as long as their message, or as many days as the operator says."""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from app.database.db import Database
from app.domain.clock import to_ms
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.media.arrivals import FOLDER, Arrivals
from app.media.repository import MediaFiles

_ORPHANED_AFTER: Final = timedelta(hours=1)
_AT_ONCE: Final = 100


class Retention:
    """Lets go of files of everybody; what was read in them stays. `keep_days` 0: no file is too old."""

    def __init__(
        self,
        database: Database,
        files: MediaFiles,
        arrivals: Arrivals,
        clock: Clock,
        *,
        users_dir: Path,
        keep_days: int,
    ) -> None:
        self._db = database
        self._files = files
        self._arrivals = arrivals
        self._clock = clock
        self._users_dir = users_dir
        self._keep_for = timedelta(days=keep_days)
        self._swept_at: datetime | None = None

    async def release(self) -> int:
        """Remove files that are too old, and those that a crash left without a row; returns how many."""
        now, removed = self._clock.now(), 0
        if self._keep_for:
            removed = await self._release_old(now - self._keep_for)
        if self._swept_at is None or now - self._swept_at > _ORPHANED_AFTER:
            self._swept_at = now
            removed += await self._sweep(now)
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

    async def _sweep(self, now: datetime) -> int:
        removed = 0
        folders = await asyncio.to_thread(lambda: sorted(self._users_dir.glob(f"*/{FOLDER}")))
        for folder in folders:
            user_id = UserId(folder.parent.name)
            known = await self._files.list_paths(user_id)
            for name in await asyncio.to_thread(_old_names, folder, now):
                if f"{FOLDER}/{name}" not in known:
                    await self._arrivals.remove_file(user_id, f"{FOLDER}/{name}")
                    removed += 1
        return removed


def _old_names(folder: Path, now: datetime) -> list[str]:
    try:
        entries = [entry for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)]
        ages = [(entry.name, now - datetime.fromtimestamp(entry.stat().st_mtime, UTC)) for entry in entries]
    except OSError:
        return []
    return [name for name, age in ages if age > _ORPHANED_AFTER]
