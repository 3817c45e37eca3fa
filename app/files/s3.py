"""The files of people in an object store that speaks S3, through obstore."""

import asyncio
import errno
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

import obstore
import structlog
from obstore.exceptions import BaseError
from obstore.store import S3Store

from app.domain.errors import ConfigError, Transient
from app.domain.ids import UserId
from app.domain.ports import Draft, FileEntry
from app.files.bucket import Bucket
from app.files.copies import Copies
from app.security.paths import MAX_WALK_DEPTH, normalise_path

if TYPE_CHECKING:
    from obstore.store import S3Config

_MAX_KEY_BYTES: Final = 1024
"""What S3 takes."""
_OWNER: Final = re.compile(r"[0-9A-Za-z-]+")
_PART_BYTES: Final = 8 * 1024 * 1024
_PARTS_AT_ONCE: Final = 2
_ROUNDS: Final = 3
_REQUEST_S: Final = "120s"
_CONNECT_S: Final = "5s"
_RETRIES: Final = 2

log = structlog.get_logger(__name__)


def open_store(bucket: Bucket) -> S3Store:
    """Return a client; nothing is asked yet.

    Raises:
        ConfigError: the settings do not fit together.
    """
    given = {
        "aws_endpoint": bucket.endpoint,
        "aws_region": bucket.region,
        "aws_access_key_id": bucket.key_id,
        "aws_secret_access_key": bucket.secret,
        "aws_session_token": bucket.session_token,
    }
    config = cast("S3Config", {name: value for name, value in given.items() if value})
    is_plain = bucket.endpoint.startswith("http://")
    try:
        return S3Store(
            bucket.name,
            prefix=bucket.prefix or None,
            config=config,
            client_options={"timeout": _REQUEST_S, "connect_timeout": _CONNECT_S, "allow_http": is_plain},
            retry_config={"max_retries": _RETRIES},
        )
    except BaseError as exc:
        raise ConfigError("FILES_URL", f"the store cannot be used: {_reason(exc)}") from exc


class S3Files:
    """`PeoplesFiles` in a bucket: a file is the object `<prefix>/<user id>/<path>`, so a folder copies as it is.

    The store is the truth: nothing of it stays on this machine longer than the block that works on it.
    """

    def __init__(self, bucket: Bucket, copies: Copies) -> None:
        self._store = open_store(bucket)
        self._copies = copies

    async def list_files(
        self, user_id: UserId, folder: str = "", *, is_deep: bool = True, limit: int, with_drafts: bool = False
    ) -> list[FileEntry]:
        inside = normalise_path(folder)
        start = len(_owner(user_id)) + 1
        found: dict[str, FileEntry] = {}
        top = inside.count("/") + 1 if inside else 0
        async for meta in self._objects(_key(user_id, inside) + "/"):
            path = str(meta["path"])[start:]
            names = path.split("/")
            for depth in range(top + 1, min(len(names), top + 2 + MAX_WALK_DEPTH)):
                parent = "/".join(names[:depth])
                found.setdefault(parent, FileEntry(parent, is_folder=True))
            if len(names) <= top + 1 + MAX_WALK_DEPTH:
                found[path] = FileEntry(path, False, meta["size"], meta["last_modified"].timestamp())
        if not found:
            await self._explain_absence(user_id, inside)
        shown = found.values() if is_deep else (one for one in found.values() if one.path.count("/") == top)
        return sorted(shown, key=lambda one: one.path)[:limit]

    async def _explain_absence(self, user_id: UserId, folder: str) -> None:
        """Raise what a folder would say that is not there."""
        if folder and await self._size(_key(user_id, folder)) is not None:
            raise NotADirectoryError(errno.ENOTDIR, "a file")
        raise FileNotFoundError(errno.ENOENT, "no such folder")

    async def read(self, user_id: UserId, path: str, *, max_bytes: int) -> tuple[bytes, int]:
        key, data = _key(user_id, _named(path)), bytearray()
        async with self._opened(key) as (size, chunks):
            while len(data) < min(size, max_bytes):
                data += memoryview(await anext(chunks))
        return bytes(data[:max_bytes]), size

    async def write(self, user_id: UserId, path: str, data: bytes) -> None:
        inside = _named(path)
        await self._refuse_clash(user_id, inside)
        with _told("write"):
            await obstore.put_async(self._store, _key(user_id, inside), data, max_concurrency=_PARTS_AT_ONCE)

    async def _refuse_clash(self, user_id: UserId, path: str) -> None:
        """Let nothing be a file and a folder at once, which an object store does not mind."""
        names = path.split("/")
        for depth in range(1, len(names)):
            if await self._size(_key(user_id, "/".join(names[:depth]))) is not None:
                raise NotADirectoryError(errno.ENOTDIR, "goes through a file")
        if await self._is_folder(_key(user_id, path)):
            raise IsADirectoryError(errno.EISDIR, "a folder")

    @asynccontextmanager
    async def draft(self, user_id: UserId, folder: str, name: str) -> AsyncIterator[Draft]:
        async with self._copies.place() as place:
            with (place / name).open("w+b") as file:
                yield _S3Draft(self._store, _key(user_id, normalise_path(folder)), place / name, file)

    @asynccontextmanager
    async def local(self, user_id: UserId, path: str) -> AsyncIterator[Path]:
        inside = _named(path)
        async with self._copies.place() as place:
            copy = place / inside.rpartition("/")[2]
            with copy.open("wb") as file:
                async with self._opened(_key(user_id, inside)) as (_, chunks):
                    async for chunk in chunks:
                        await asyncio.to_thread(file.write, chunk)
            yield copy

    async def remove(self, user_id: UserId, path: str) -> None:
        key = _key(user_id, _named(path))
        if await self._size(key) is None:
            await self._raise_missing(key)
        with _told("remove"):
            await obstore.delete_async(self._store, key)

    async def remove_all(self, user_id: UserId) -> None:
        prefix = f"{_owner(user_id)}/"
        for _ in range(_ROUNDS):
            keys = [str(meta["path"]) async for meta in self._objects(prefix)]
            if not keys:
                return
            with _told("remove"):
                await obstore.delete_async(self._store, keys)
        raise OSError(errno.EBUSY, "the store still has files of theirs")

    async def list_owners(self) -> list[UserId]:
        with _told("list"):
            found = await obstore.list_with_delimiter_async(self._store)
        return sorted(UserId(one.rstrip("/")) for one in found["common_prefixes"])

    async def _objects(self, prefix: str) -> AsyncIterator[Mapping[str, Any]]:
        with _told("list"):
            async for batch in obstore.list(self._store, prefix=prefix):
                for meta in batch:
                    yield meta

    async def _size(self, key: str) -> int | None:
        try:
            with _told("read", finds=True):
                return int((await obstore.head_async(self._store, key))["size"])
        except FileNotFoundError:
            return None

    async def _is_folder(self, key: str) -> bool:
        with _told("list"):
            async for batch in obstore.list(self._store, prefix=f"{key}/", chunk_size=1):
                return bool(batch)
        return False

    async def _raise_missing(self, key: str) -> None:
        if await self._is_folder(key):
            raise IsADirectoryError(errno.EISDIR, "a folder")
        raise FileNotFoundError(errno.ENOENT, "no such file")

    @asynccontextmanager
    async def _opened(self, key: str) -> AsyncIterator[tuple[int, AsyncIterator[Any]]]:
        """Open an object as its size and its content, piece by piece."""
        try:
            with _told("read", finds=True):
                found = await obstore.get_async(self._store, key)
        except FileNotFoundError:
            await self._raise_missing(key)
            raise
        with _told("read"):
            yield int(found.meta["size"]), aiter(found.stream(min_chunk_size=_PART_BYTES))


@dataclass(frozen=True, slots=True)
class _S3Draft:
    store: S3Store
    folder: str
    path: Path
    file: IO[bytes]

    async def keep(self, name: str) -> Path:
        kept = await asyncio.to_thread(self.path.rename, self.path.with_name(name))
        self.file.flush()
        with _told("write"):
            await obstore.put_async(
                self.store,
                f"{self.folder}/{name}",
                kept,
                chunk_size=_PART_BYTES,
                max_concurrency=_PARTS_AT_ONCE,
            )
        return kept


@contextmanager
def _told(verb: str, *, finds: bool = False) -> Iterator[None]:
    """Say that what the store did not do passes; with `finds`, that there is no such object is its answer.

    Anywhere else that means that there is no such bucket, which is no reason to take files for gone.
    """
    try:
        yield
    except FileNotFoundError as exc:
        if finds:
            raise FileNotFoundError(errno.ENOENT, "no such file") from None
        raise _away(verb, exc) from exc
    except (BaseError, PermissionError, TimeoutError) as exc:
        raise _away(verb, exc) from exc


def _away(verb: str, exc: Exception) -> Transient:
    reason = _reason(exc)
    log.error("files.store_failed", verb=verb, reason=reason)
    return Transient("files_away", f"{verb}: {reason}", retry_after_s=5)


def _reason(exc: Exception) -> str:
    """Return what the library says, without what it adds for those who mend it."""
    return str(exc).partition("\n")[0]


def _owner(user_id: UserId) -> str:
    """Return the first part of everything of a person; no id leads out of it, or to everybody's."""
    if _OWNER.fullmatch(user_id) is None:
        raise ValueError("this is no id of a person")
    return user_id


def _named(path: str) -> str:
    """Return a path that can be a file's."""
    if not (inside := normalise_path(path)):
        raise IsADirectoryError(errno.EISDIR, "the root")
    return inside


def _key(user_id: UserId, path: str) -> str:
    key = f"{_owner(user_id)}/{path}".rstrip("/")
    if len(key.encode()) > _MAX_KEY_BYTES:
        raise OSError(errno.ENAMETOOLONG, "the key is too long")
    return key
