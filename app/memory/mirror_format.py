"""MEMORY.md as text: facts under headings, one list item each, written and read so that every text survives.

A fact's first line follows "- ", the others are indented by two spaces; behind the last one stands its number in a
comment, `<!-- #3 -->`. The comment of the first line says which revision of the facts the file was written from.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import LANGUAGES, Language, say
from app.memory.categories import CATEGORIES, CATEGORY_TITLES
from app.memory.repository import Memory
from app.memory.similarity import tidy
from app.memory.texts import MEMORY

_REVISION: Final = re.compile(r"<!-- wasap:(\d{1,12}) -->")
_NUMBER: Final = re.compile(r"[ \t]?<!--[ \t]*#(\d{1,9})[ \t]*-->")
_HEADING: Final = re.compile(r"#{1,6}\s")
_BULLET: Final = re.compile(r"(?:[-*+]|\d{1,3}[.)])(?:[ \t]++(.*)|$)")
_OPENING: Final = re.compile(r"<(\\*)!--")
_ESCAPED: Final = re.compile(r"<\\(\\*)!--")


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact as the file has it; `number` is None where it was typed anew."""

    text: str
    category: str | None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """`revision` is None where its comment is missing. `category` of an entry is None under no known heading."""

    entries: tuple[Entry, ...]
    revision: int | None


@dataclass(slots=True)
class _Open:
    """The item that is being read; a line right below belongs to it until its number has come."""

    category: str | None
    lines: list[str] = field(default_factory=list)
    is_marked: bool = False

    def add(self, line: str) -> None:
        self.lines.append(line)
        self.is_marked = self.is_marked or _NUMBER.search(line) is not None


def render(memories: Sequence[Memory], revision: int, language: Language, *, is_read_back: bool = True) -> str:
    """Return the file: headings in the order of the categories, facts in the order of their numbers.

    Unless it `is_read_back`, it does not invite anybody to edit it.
    """
    lines = [f"# {say(MEMORY.file_title, language)} <!-- wasap:{revision} -->", ""]
    told = MEMORY.file_help if is_read_back else MEMORY.file_copy
    lines.append(f"<!-- {say(told, language)} -->")
    for category in CATEGORIES:
        found = sorted((one for one in memories if one.category == category), key=lambda one: one.number)
        if found:
            lines += ["", f"## {say(CATEGORY_TITLES[category], language)}", ""]
            for memory in found:
                lines += _item(memory)
    return "\n".join(lines) + "\n"


def parse(content: str) -> ParsedFile:
    """Read a file as whatever editor left it: any line ends, byte order mark, marks and headings missing.

    Total: text that is no list item is an item of its own, unless it stands right below one.
    """
    lines = content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    revision = next((int(match[1]) for line in lines[:5] if (match := _REVISION.search(line))), None)
    entries = (entry for item in _items(lines) if (entry := _entry(item)) is not None)
    return ParsedFile(tuple(entries), revision)


def _item(memory: Memory) -> Iterator[str]:
    escaped = _OPENING.sub(lambda found: f"<{found[1]}\\!--", memory.text)
    first, *others = f"{escaped} <!-- #{memory.number} -->".split("\n")
    yield f"- {first}"
    for line in others:
        yield f"  {line}" if line else ""


def _items(lines: Iterable[str]) -> Iterator[_Open]:
    category: str | None = None
    current: _Open | None = None
    blanks = 0
    for line in lines:
        if not line.strip():
            blanks += 1
            continue
        indented = _unindented(line)
        if current is not None and (indented is not None or not (blanks or current.is_marked or _is_new(line))):
            for one in (*[""] * blanks, line if indented is None else indented):
                current.add(one)
        else:
            if current is not None:
                yield current
            current = None
            if heading := _HEADING.match(line):
                category = _category(line[heading.end() :])
            elif not _is_comment(line):
                bullet = _BULLET.fullmatch(line.strip())
                current = _Open(category)
                current.add(line.strip() if bullet is None else bullet[1] or "")
        blanks = 0
    if current is not None:
        yield current


def _unindented(line: str) -> str | None:
    if line.startswith("\t"):
        return line[1:]
    return line[2:] if line.startswith("  ") else None


def _is_new(line: str) -> bool:
    return bool(_HEADING.match(line) or _BULLET.fullmatch(line)) or _is_comment(line)


def _is_comment(line: str) -> bool:
    return not _without_comments(line).strip()


def _without_comments(line: str) -> str:
    """Leave out `<!-- … -->`. Not with a pattern: of many beginnings without an end, each would read it all."""
    kept, at = "", 0
    while (start := line.find("<!--", at)) >= 0 and (end := line.find("-->", start + 4)) >= 0:
        kept += line[at:start]
        at = end + 3
    return kept + line[at:]


def _entry(item: _Open) -> Entry | None:
    """Take the number out and the text apart; None where there is no text."""
    joined = "\n".join(item.lines)
    marks = list(_NUMBER.finditer(joined))
    number = int(marks[-1][1]) if marks else None
    text = tidy(_ESCAPED.sub(lambda found: f"<{found[1]}!--", _NUMBER.sub("", joined)))
    return Entry(text, item.category, number) if text else None


def _category(heading: str) -> str | None:
    wanted = fold(_without_comments(heading).strip().rstrip("#"))
    for category, title in CATEGORY_TITLES.items():
        if wanted in {category, *(fold(say(title, language)) for language in LANGUAGES)}:
            return category
    return None
