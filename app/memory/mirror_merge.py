"""What somebody changed in MEMORY.md, told apart from what the assistant changed since it was written."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.memory.mirror_format import Entry, ParsedFile
from app.memory.repository import Memory
from app.memory.similarity import text_key

_HASH_CHARS: Final = 24


@dataclass(frozen=True, slots=True)
class Line:
    """A fact in the file: its hash now and before its last change, and the revisions since when it is so.

    `since`: the first revision that had the fact. `changed`: the first that had it with this text.
    """

    digest: str
    since: int
    changed: int
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Base:
    """What the file said when it and the table last agreed, by number."""

    revision: int
    lines: Mapping[int, Line]

    def encode(self) -> str:
        rows = {number: [one.digest, one.since, one.changed, one.before] for number, one in self.lines.items()}
        return json.dumps({"revision": self.revision, "lines": rows}, separators=(",", ":"))

    @classmethod
    def decode(cls, stored: str) -> "Base":
        read = json.loads(stored)
        return cls(read["revision"], {int(number): Line(*row) for number, row in read["lines"].items()})

    def advanced(self, memories: Sequence[Memory]) -> "Base":
        """Return the base of a file that is written from these facts now."""
        revision = self.revision + 1
        return Base(revision, {one.number: self._line(one, revision) for one in memories})

    def _line(self, memory: Memory, revision: int) -> Line:
        now, known = digest(memory.text, memory.category), self.lines.get(memory.number)
        if known is None:
            return Line(now, revision, revision)
        return known if known.digest == now else Line(now, known.since, revision, known.digest)


@dataclass(frozen=True, slots=True)
class Changes:
    """What the file asks for. `missing` are the facts that it no longer has, of `known` that it should have."""

    edited: tuple[tuple[Memory, Entry], ...] = ()
    added: tuple[Entry, ...] = ()
    missing: tuple[Memory, ...] = ()
    known: int = 0

    @property
    def is_suspicious(self) -> bool:
        """More than half is gone at once: perhaps nobody meant that."""
        return len(self.missing) * 2 > self.known


def digest(text: str, category: str) -> str:
    return hashlib.sha256(f"{category}\0{text}".encode()).hexdigest()[:_HASH_CHARS]


def compare_with_file(file: ParsedFile, base: Base, active: Sequence[Memory], last_number: int) -> Changes:
    """Return what somebody changed in the file.

    A file that was written from an older revision (an editor was open meanwhile) neither removes facts that it
    could not know nor takes back what was changed since. A number that no longer counts was removed in the chat
    meanwhile: its line goes, unless somebody rewrote it.
    """
    revision = base.revision if file.revision is None else min(file.revision, base.revision)
    by_number = {one.number: one for one in active}
    numbered, others = _claimed(file.entries, by_number, last_number)
    unnumbered = {text_key(one.text): one for one in active if one.number not in numbered}
    edited: list[tuple[Memory, Entry]] = []
    added: list[Entry] = []
    for number, entry in numbered.items():
        if _is_edit(entry, by_number[number], base.lines.get(number), revision):
            edited.append((by_number[number], entry))
    for entry in others:
        memory = unnumbered.pop(text_key(entry.text), None)
        if memory is None:
            added.append(entry)
            continue
        numbered[memory.number] = entry
        if entry.category not in (None, memory.category) or entry.text != memory.text:
            edited.append((memory, entry))
    expected = [
        by_number[number] for number, line in base.lines.items() if number in by_number and line.since <= revision
    ]
    missing = tuple(one for one in expected if one.number not in numbered)
    return Changes(tuple(edited), tuple(added), missing, len(expected))


def _claimed(
    entries: Sequence[Entry], by_number: Mapping[int, Memory], last_number: int
) -> tuple[dict[int, Entry], list[Entry]]:
    """Give each number to one line: the unchanged one where a line was copied; the other lines are new."""
    numbered: dict[int, Entry] = {}
    others: list[Entry] = []
    for entry in entries:
        memory = by_number.get(entry.number or 0)
        if memory is None:
            if not entry.number or entry.number > last_number:
                others.append(entry)
            continue
        taken = numbered.get(memory.number)
        if taken is None:
            numbered[memory.number] = entry
        elif taken.text != memory.text and entry.text == memory.text:
            others.append(taken)
            numbered[memory.number] = entry
        elif entry.text != taken.text:
            others.append(entry)
    return numbered, others


def _is_edit(entry: Entry, memory: Memory, line: Line | None, revision: int) -> bool:
    now = digest(entry.text, entry.category or memory.category)
    if now == digest(memory.text, memory.category):
        return False
    if line is None:
        return True
    is_stale = line.changed > revision and now == line.before
    return now != line.digest and not is_stale
