"""One archive of everything that is one person's, to read on a phone and to take elsewhere."""

import asyncio
import base64
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Final, Self
from zoneinfo import ZoneInfo

from app.database.db import Value
from app.domain.clock import from_ms
from app.domain.errors import ToolFault, Transient
from app.domain.ids import UserId
from app.domain.ports import Clock, FileEntry, PeoplesFiles
from app.language.catalogue import Language, Sentence, say
from app.privacy.ownership import Ownership
from app.privacy.readable import MIME_TYPE, SUFFIX, Line, document_parts
from app.privacy.texts import PRIVACY
from app.security.paths import MAX_WALK_DEPTH, shown

MAX_ARCHIVE_BYTES: Final = 15 * 1024 * 1024
"""Far below WhatsApp's 100 MB, so that a phone on a slow line gets it and it can be put together in memory."""
KEPT_BACK: Final[Mapping[str, str]] = MappingProxyType(
    {
        "embeddings": "numbers computed from texts that are all in here",
        "questions": "its tokens answer in the person's name; what was decided is in audit_events",
    }
)
"""The tables that are left out, and why."""
_JSON_COLUMNS: Final = frozenset(
    {"payload", "trace", "result", "sticky", "given_skills", "entries", "content_json", "tables"}
)
_TIME_ENDINGS: Final = ("_at", "_until")
_AUDIT: Final = "audit_events"
_MAX_FILES: Final = 5_000
_READ_AT_ONCE: Final = 16
_READ_BYTES_AT_ONCE: Final = 2 * 1024 * 1024
_MAX_NAMED: Final = 40
_ENTRY_BYTES: Final = 300
"""What an entry costs beside its content: two headers, the name twice, and its type."""

Rows = Sequence[Mapping[str, Value]]


@dataclass(frozen=True, slots=True)
class Archive:
    """`left_out` names what did not fit; the archive says so too."""

    data: bytes
    filename: str
    mime_type: str
    left_out: tuple[str, ...]


@dataclass(slots=True)
class _Bag:
    """What goes in, as long as it fits; `left_out` is the rest."""

    room_bytes: int
    entries: dict[str, bytes] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def add(self, name: str, data: bytes) -> None:
        size = len(zlib.compress(data)) + _ENTRY_BYTES + 2 * len(name.encode())
        if size > self.room_bytes:
            self.left_out.append(name)
        else:
            self.room_bytes -= size
            self.entries[name] = data


class Exporter:
    """Reads what belongs to one person and nothing else; changes nothing."""

    def __init__(
        self, ownership: Ownership, files: PeoplesFiles, clock: Clock, *, max_bytes: int = MAX_ARCHIVE_BYTES
    ) -> None:
        self._ownership = ownership
        self._files = files
        self._clock = clock
        self._max_bytes = max_bytes

    async def build_archive(self, user_id: UserId, *, language: Language, timezone: str) -> Archive:
        """Put everything of a person into one ZIP that opens as a document.

        In it are `README.txt` in their language, `conversation.md`, `data/<table>.jsonl` for every table with
        rows of theirs (except `KEPT_BACK`) and what the audit trail says about them, and `files/` with
        their files. What does not fit any more is left out and named.
        """
        tables: dict[str, Rows] = {}
        for name in await self._ownership.list_tables():
            if name not in KEPT_BACK and (rows := await self._ownership.read(user_id, name)):
                tables[name] = _ordered(rows)
        if rows := await self._ownership.read_audit(user_id):
            tables[_AUDIT] = rows
        guide = _Guide(language, ZoneInfo(timezone), self._clock.now(), self._max_bytes)
        packing = await asyncio.to_thread(_Packing.begun, tables, guide)
        await self._add_files(packing.bag, user_id)
        return await asyncio.to_thread(packing.finish)

    async def _add_files(self, bag: _Bag, user_id: UserId) -> None:
        try:
            found = await self._files.list_files(user_id, limit=_MAX_FILES)
        except OSError:
            return  # nobody wrote a file for this person yet
        if len(found) == _MAX_FILES:
            bag.left_out.append("files/…")
        for group in _groups(found):
            read = await asyncio.gather(*(self._read(one, user_id, bag.room_bytes) for one in group))
            if away := next((one for one in read if isinstance(one, Transient)), None):
                raise away
            await asyncio.to_thread(_add_files, bag, group, read)

    async def _read(self, entry: FileEntry, user_id: UserId, room_bytes: int) -> bytes | Transient | None:
        """Return a file; None if it does not fit or cannot be read. It raises nothing: several run at once."""
        if entry.is_folder:
            return None
        try:
            data, size = await self._files.read(user_id, entry.path, max_bytes=room_bytes)
        except (ToolFault, OSError):
            return None
        except Transient as exc:
            return exc
        return data if size == len(data) else None


def _groups(entries: Sequence[FileEntry]) -> Iterator[list[FileEntry]]:
    """Return what is read at once: a few small files, or one large one."""
    group: list[FileEntry] = []
    size = 0
    for entry in entries:
        if group and (len(group) == _READ_AT_ONCE or size + entry.size_bytes > _READ_BYTES_AT_ONCE):
            yield group
            group, size = [], 0
        group.append(entry)
        size += entry.size_bytes
    if group:
        yield group


def _add_files(bag: _Bag, entries: Sequence[FileEntry], read: Sequence[bytes | Transient | None]) -> None:
    for entry, data in zip(entries, read, strict=True):
        if isinstance(data, bytes):
            bag.add(f"files/{entry.path}", data)
        elif not entry.is_folder:
            bag.left_out.append(f"files/{shown(entry.path)}")
        elif entry.path.count("/") >= MAX_WALK_DEPTH:
            bag.left_out.append(f"files/{shown(entry.path)}/")


@dataclass(frozen=True, slots=True)
class _Guide:
    """What the texts in the archive are written with."""

    language: Language
    zone: ZoneInfo
    now: datetime
    max_bytes: int

    def say(self, phrase: Sentence, **values: object) -> str:
        return say(phrase, self.language, **values)

    def local(self, at: Value) -> str:
        return f"{from_ms(at).astimezone(self.zone):%Y-%m-%d %H:%M}" if isinstance(at, int) else "?"


@dataclass(frozen=True, slots=True)
class _Packing:
    """An archive while it is put together; blocking."""

    guide: _Guide
    bag: _Bag
    talk: Sequence[Line]
    is_talk_in_full: bool

    @classmethod
    def begun(cls, tables: Mapping[str, Rows], guide: _Guide) -> Self:
        """Put in what was said and what is in tables."""
        talk = _talk(tables.get("messages", ()), guide)
        conversation = "\n\n".join(f"## {line.text}" if line.is_heading else line.text for line in talk)
        bag = _Bag(guide.max_bytes)
        # Twice: it is in the document that opens on the phone, too.
        for name in ("word/document.xml", "conversation.md"):
            bag.add(name, conversation.encode(errors="replace"))
        is_talk_in_full = bag.entries.pop("word/document.xml", None) is not None
        for table, rows in tables.items():
            bag.add(f"data/{table}.jsonl", "".join(map(_json_line, rows)).encode())
        return cls(guide, bag, talk, is_talk_in_full)

    def finish(self) -> Archive:
        """Say what is in it, and make it one file."""
        bag, guide = self.bag, self.guide
        readme = _readme(bag.left_out, guide)
        bag.entries["README.txt"] = ("\n".join(line.text for line in readme) + "\n").encode()
        lines = [*readme, *self.talk] if self.is_talk_in_full else readme
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in (*document_parts(lines, list(bag.entries)), *bag.entries.items()):
                archive.writestr(_entry(name, guide.now), data)
        filename = f"wasap-{guide.now.astimezone(guide.zone):%Y-%m-%d}{SUFFIX}"
        return Archive(buffer.getvalue(), filename, MIME_TYPE, tuple(bag.left_out))


def _entry(name: str, at: datetime) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date_time=at.timetuple()[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry


def _talk(rows: Rows, guide: _Guide) -> list[Line]:
    """What was said, oldest first, under a heading for each conversation."""
    lines: list[Line] = []
    conversation: Value = None
    for row in rows:
        if row["conversation_id"] != conversation:
            conversation = row["conversation_id"]
            lines.append(Line(guide.say(PRIVACY.talk_began, date=guide.local(row["created_at"])), True))
        who = PRIVACY.you if row["role"] == "user" else PRIVACY.assistant
        lines.append(Line(f"{guide.say(who)} ({guide.local(row['created_at'])}): {row['text']!s}"))
    title = Line(guide.say(PRIVACY.talk_title), True)
    return [title, *(lines or [Line(guide.say(PRIVACY.talk_empty))])]


def _readme(left_out: Sequence[str], guide: _Guide) -> list[Line]:
    limit = f"{guide.max_bytes / 1024 / 1024:g}"
    date = f"{guide.now.astimezone(guide.zone):%Y-%m-%d %H:%M}"
    named = [f"- {name}" for name in left_out[:_MAX_NAMED]]
    if len(left_out) > _MAX_NAMED:
        named.append(f"- … (+{len(left_out) - _MAX_NAMED})")
    missing = (
        [guide.say(PRIVACY.readme_left_out, limit=limit), *named]
        if left_out
        else [guide.say(PRIVACY.readme_nothing_left_out)]
    )
    texts = [
        guide.say(PRIVACY.readme_intro),
        guide.say(PRIVACY.readme_rows),
        guide.say(PRIVACY.readme_conversation),
        guide.say(PRIVACY.readme_files),
        guide.say(PRIVACY.readme_times, timezone=guide.zone.key),
        guide.say(PRIVACY.readme_kept_back) + f" {', '.join(sorted(KEPT_BACK))}.",
        *missing,
    ]
    return [Line(guide.say(PRIVACY.readme_title, date=date), True), *map(Line, texts)]


def _ordered(rows: Sequence[dict[str, Value]]) -> Rows:
    def key(row: Mapping[str, Value]) -> tuple[int, int]:
        number, created_at = row.get("id"), row.get("created_at")
        return (
            number if isinstance(number, int) else 0,
            created_at if isinstance(created_at, int) else 0,
        )

    return sorted(rows, key=key)


def _json_line(row: Mapping[str, Value]) -> str:
    return json.dumps({name: _told(name, value) for name, value in row.items()}, ensure_ascii=False) + "\n"


def _told(name: str, value: Value) -> object:
    """Return a value as a reader wants it: ISO times (UTC), JSON as JSON, bytes in Base64."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, int) and (name == "at" or name.endswith(_TIME_ENDINGS)):
        return from_ms(value).isoformat() if value else None
    if isinstance(value, str) and name in _JSON_COLUMNS:
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
