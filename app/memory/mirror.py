"""MEMORY.md, each person's facts as a file: written when the facts change, read when somebody edits it."""

import asyncio
import errno
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal, Protocol

import structlog

from app.disk import Stamp, stamp_of
from app.domain.clock import first_of
from app.domain.errors import NotFound, Transient
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.memory.mirror_format import ParsedFile, parse, render
from app.memory.mirror_merge import Base, Changes, compare_with_file
from app.memory.repository import Memory, MemoryRepository, Mirror, NewMemory
from app.memory.service import MemoryService
from app.memory.similarity import text_key
from app.security.paths import TEMPORARY_PREFIX, opened_folder, read_bytes

log = structlog.get_logger(__name__)

FILE_NAME: Final = "MEMORY.md"
MAX_FILE_BYTES: Final = 4 * 1024 * 1024
SETTLE: Final = timedelta(seconds=1)
"""An edited file is believed when it was the same twice, this far apart."""
DOUBT: Final = timedelta(minutes=1)
"""One that lost more than half of its facts must stay the same for this long."""

Reconciled = Literal["same", "written", "taken_in", "waiting", "unusable"]
"""`waiting`: somebody edited the file and it has not settled. `unusable`: it cannot be read or replaced."""


@dataclass(frozen=True, slots=True)
class _Sighting:
    file_hash: str
    first_at: datetime


class MemoryMirror:
    """Keeps `users_dir/<user_id>/MEMORY.md` and the facts alike; calls for one person come one at a time."""

    def __init__(
        self, repository: MemoryRepository, service: MemoryService, clock: Clock, *, users_dir: Path
    ) -> None:
        self._repository = repository
        self._memories = repository.memories
        self._service = service
        self._clock = clock
        self._users_dir = users_dir
        self._locks: dict[UserId, asyncio.Lock] = {}
        self._sightings: dict[UserId, _Sighting] = {}

    async def reconcile(self, user_id: UserId) -> Reconciled:
        """Bring file and facts together once, as far as the file can be believed now.

        Call it again while it says `waiting`: what somebody just saved must be seen twice. An empty file is
        written anew; facts that are gone from the file become inactive, never deleted.
        """
        async with self.held(user_id):
            try:
                await self._repository.users.get(user_id)
                return await self._reconcile(user_id)
            except OSError as exc:
                log.warning("memory_file.unusable", reason=exc.strerror or type(exc).__name__)
            except NotFound:
                log.info("memory_file.owner_gone")
            return "unusable"

    @asynccontextmanager
    async def held(self, user_id: UserId) -> AsyncIterator[None]:
        """Keep the person's file from being read or written inside the block: it is being removed, say."""
        async with self._locks.setdefault(user_id, asyncio.Lock()):
            yield

    async def stamps(self, user_ids: Collection[UserId]) -> dict[UserId, Stamp | None]:
        """Return what changes when each one's file does; None where there is none."""
        return await asyncio.to_thread(
            lambda: {one: stamp_of(self._users_dir / one / FILE_NAME, follows_links=False) for one in user_ids}
        )

    async def _reconcile(self, user_id: UserId) -> Reconciled:
        workspace = self._users_dir / user_id
        raw = await asyncio.to_thread(_read, workspace)
        mirror = await self._memories.find_mirror(user_id)
        base = Base(0, {}) if mirror is None else Base.decode(mirror.entries)
        if raw is None:
            if mirror is None and not await self._memories.list_active(user_id):
                return "same"
            # Some editors move the file away before they write the new one.
            if mirror is not None and not self._has_settled(user_id, b"", SETTLE):
                return "waiting"
            return await self._write(user_id, base, None)
        if mirror is not None and mirror.file_hash == hash_of(raw):
            self._sightings.pop(user_id, None)
            return await self._write(user_id, base, raw)
        if not self._has_settled(user_id, raw, SETTLE):
            return "waiting"
        try:
            file = parse(raw.decode("utf-8"))
        except UnicodeDecodeError:
            return await self._put_aside(user_id, base, raw)
        return await self._take_in(user_id, base, file, raw)

    def _has_settled(self, user_id: UserId, raw: bytes, quiet: timedelta) -> bool:
        now, seen = self._clock.now(), self._sightings.get(user_id)
        if seen is None or seen.file_hash != hash_of(raw):
            self._sightings[user_id] = _Sighting(hash_of(raw), now)
            return False
        return now - seen.first_at >= quiet

    async def _take_in(self, user_id: UserId, base: Base, file: ParsedFile, raw: bytes) -> Reconciled:
        active = await self._memories.list_active(user_id)
        changes = compare_with_file(file, base, active, await self._memories.last_number(user_id))
        if not file.entries:
            # Whoever wants everything forgotten says so in the chat; an empty file is an accident.
            log.warning("memory_file.restored", facts=len(active))
            changes = Changes()
        elif changes.is_suspicious and not self._has_settled(user_id, raw, DOUBT):
            return "waiting"
        await self._service.remember_from_file(user_id, [(one.text, one.category) for one in changes.added])
        await self._apply(user_id, changes, Mirror(hash_of(raw), base.encode()))
        self._sightings.pop(user_id, None)
        log.info(
            "memory_file.taken_in",
            added=len(changes.added),
            edited=len(changes.edited),
            removed=len(changes.missing),
        )
        is_written = await self._write(user_id, base, raw) != "waiting"
        return "taken_in" if is_written else "waiting"

    async def _apply(self, user_id: UserId, changes: Changes, mirror: Mirror) -> None:
        now = self._clock.now()
        async with self._repository.transaction() as tx:
            for memory, entry in changes.edited:
                new = NewMemory(entry.text, text_key(entry.text), entry.category or memory.category)
                await self._memories.rewrite(user_id, memory.id, new, now, tx=tx)
            for memory in changes.missing:
                await self._memories.deactivate(user_id, memory.id, "removed_in_file", now, tx=tx)
            await self._memories.save_mirror(user_id, mirror, now, tx=tx)
        if changes.edited or changes.missing:
            self._service.announce(user_id)

    async def _put_aside(self, user_id: UserId, base: Base, raw: bytes) -> Reconciled:
        name = f"{FILE_NAME}.unreadable-{self._clock.now():%Y%m%dT%H%M%S}"
        log.error("memory_file.not_text", kept_as=name)
        await asyncio.to_thread(_rename, self._users_dir / user_id, name)
        return await self._write(user_id, base, None)

    async def _write(self, user_id: UserId, base: Base, expected: bytes | None) -> Reconciled:
        """Write the facts where the file says something else; not over an edit that nobody has read yet."""
        active = await self._memories.list_active(user_id)
        user = await self._repository.users.get(user_id)
        if expected is not None and expected == render(active, base.revision, user.language).encode():
            await self._remember_base(user_id, base, active, expected)
            return "same"
        newer = base.advanced(active)
        content = render(active, newer.revision, user.language).encode()
        if not await asyncio.to_thread(_replace, self._users_dir / user_id, content, expected):
            return "waiting"
        await self._remember_base(user_id, newer, active, content)
        return "written"

    async def _remember_base(self, user_id: UserId, base: Base, active: list[Memory], content: bytes) -> None:
        lines = {one.number: base.lines[one.number] for one in active if one.number in base.lines}
        mirror = Mirror(hash_of(content), Base(base.revision, lines).encode())
        if mirror != await self._memories.find_mirror(user_id):
            async with self._repository.transaction() as tx:
                await self._memories.save_mirror(user_id, mirror, self._clock.now(), tx=tx)


class KeptFiles(Protocol):
    """What is looked after by a `MirrorWatch`: see `MemoryMirror`."""

    async def reconcile(self, user_id: UserId) -> Reconciled: ...

    async def stamps(self, user_ids: Collection[UserId]) -> dict[UserId, Stamp | None]: ...


class MirrorWatch:
    """Looks every two seconds whose file changed; `wake` tells it whose facts did.

    Only where `looks_at_all`: of several processes one looks at everybody's, and each at those it was woken for.
    """

    def __init__(
        self,
        repository: MemoryRepository,
        mirror: KeptFiles,
        clock: Clock,
        *,
        interval_s: float = 2.0,
        looks_at_all: Callable[[], bool] = lambda: True,
    ) -> None:
        self._repository = repository
        self._mirror = mirror
        self._clock = clock
        self._interval_s = interval_s
        self._looks_at_all = looks_at_all
        self._stamps: dict[UserId, Stamp | None] = {}
        self._due: set[UserId] = set()
        self._woken = asyncio.Event()

    def wake(self, user_id: UserId) -> None:
        """Have the file of that person written soon; returns at once."""
        self._due.add(user_id)
        self._woken.set()

    async def run(self) -> None:
        """Reconcile everybody, then whoever changed something, until cancelled; a failing store is tried again."""
        while True:
            try:
                await self.step()
            except Transient as exc:
                self._stamps.clear()
                log.warning("memory_file.watch_failed", reason=exc.code)
            await self._wait()

    async def step(self) -> None:
        """Look at everybody's file once, and reconcile those that changed, were woken, or are waiting."""
        self._woken.clear()
        looks = self._looks_at_all()
        owners = await self._repository.directory.list_all() if looks else list(self._due)
        for user_id in self._stamps.keys() - set(owners):
            del self._stamps[user_id]
        due, self._due = self._due, set()
        # Taken before the reading: what is saved after it, our own write included, is looked at next time.
        stamps = await self._mirror.stamps(owners)
        for user_id, stamp in stamps.items():
            if user_id in due or user_id not in self._stamps or stamp != self._stamps[user_id]:
                if await self._mirror.reconcile(user_id) == "waiting":
                    self._due.add(user_id)
                self._stamps[user_id] = stamp

    async def _wait(self) -> None:
        """Wait for the interval or for `wake`, whichever is first."""
        await first_of(self._woken.wait(), self._clock.sleep(self._interval_s))


def _read(workspace: Path) -> bytes | None:
    """Return the file; None where there is none.

    Raises:
        OSError: it is a link, a folder or too large, or cannot be read.
    """
    try:
        raw, size = read_bytes(workspace.resolve() / FILE_NAME, workspace, max_bytes=MAX_FILE_BYTES)
    except FileNotFoundError:
        return None
    if size > MAX_FILE_BYTES:
        raise OSError(errno.EFBIG, "the file is too large")
    return raw


def _replace(workspace: Path, content: bytes, expected: bytes | None) -> bool:
    """Put a new file in the place of the expected one (None: of none); False when somebody changed it meanwhile.

    Written beside it, synced and renamed, so that it is never seen, nor left by a crash, half written. The name
    beside is always the same: what a crash leaves there is overwritten by the next writer.
    """
    beside = f"{TEMPORARY_PREFIX}{FILE_NAME}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with opened_folder(workspace.resolve(), workspace, is_created=True) as folder:
        with open(os.open(beside, flags, 0o600, dir_fd=folder), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if _read(workspace) != expected:
            os.unlink(beside, dir_fd=folder)
            return False
        os.replace(beside, FILE_NAME, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
    return True


def _rename(workspace: Path, name: str) -> None:
    with opened_folder(workspace.resolve(), workspace) as folder:
        os.rename(FILE_NAME, name, src_dir_fd=folder, dst_dir_fd=folder)


def hash_of(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
