"""MEMORY.md as text: facts under headings, one list item each, written and read so that every text survives.

A fact's first line follows "- ", the others are indented by two spaces; behind the last one stands its number in a
comment, `<!-- #3 -->`. The comment of the first line says which revision of the facts the file was written from.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from app.database.repositories.memories import Memory
from app.domain.wording import fold
from app.language.catalogue import LANGUAGES, Language, Sentence, say
from app.memory.categories import CATEGORIES, GENERAL
from app.memory.similarity import tidy
from app.memory.texts import MEMORY

CATEGORY_TITLES: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "personal": MEMORY.category_personal,
        "family": MEMORY.category_family,
        "health": MEMORY.category_health,
        "work": MEMORY.category_work,
        "home": MEMORY.category_home,
        "tastes": MEMORY.category_tastes,
        "plans": MEMORY.category_plans,
        GENERAL: MEMORY.category_general,
    }
)

_REVISION: Final = re.compile(r"<!-- wasap:(\d{1,12}) -->")
_NUMBER: Final = re.compile(r"[ \t]*<!--[ \t]*#(\d{1,9})[ \t]*-->")
_COMMENT: Final = re.compile(r"<!--.*?-->")
_HEADING: Final = re.compile(r"#{1,6}\s+(.*?)\s*#*")
_BULLET: Final = re.compile(r"(?:[-*+]|\d{1,3}[.)])(?:[ \t]+(.*)|$)")
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
    """The item that is being read."""

    category: str | None
    lines: list[str] = field(default_factory=list)
    number: int | None = None


def render(memories: Sequence[Memory], revision: int, language: Language) -> str:
    """Return the file: headings in the order of the categories, facts in the order of their numbers."""
    lines = [f"# {say(MEMORY.file_title, language)} <!-- wasap:{revision} -->", ""]
    lines.append(f"<!-- {say(MEMORY.file_help, language)} -->")
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
        if current is not None and (indented is not None or (not blanks and _is_plain(line, current))):
            current.lines += [""] * blanks + [line if indented is None else indented]
            blanks = 0
            continue
        blanks = 0
        if current is not None:
            yield current
            current = None
        if (heading := _HEADING.fullmatch(line)) is not None:
            category = _category(heading[1])
        elif not _is_comment(line):
            bullet = _BULLET.fullmatch(line.strip())
            current = _Open(category, [line.strip() if bullet is None else bullet[1] or ""])
    if current is not None:
        yield current


def _unindented(line: str) -> str | None:
    if line.startswith("\t"):
        return line[1:]
    return line[2:] if line.startswith("  ") else None


def _is_plain(line: str, current: _Open) -> bool:
    """A line right below an item goes on with it, unless that one is complete: it has its number."""
    is_marked = any(_NUMBER.search(one) for one in current.lines)
    return not is_marked and not _HEADING.fullmatch(line) and not _BULLET.fullmatch(line) and not _is_comment(line)


def _is_comment(line: str) -> bool:
    return not _COMMENT.sub("", line).strip()


def _entry(item: _Open) -> Entry | None:
    """Take the number out and the text apart; None where there is no text."""
    joined = "\n".join(item.lines)
    marks = list(_NUMBER.finditer(joined))
    number = int(marks[-1][1]) if marks else None
    text = tidy(_ESCAPED.sub(lambda found: f"<{found[1]}!--", _NUMBER.sub("", joined)))
    return Entry(text, item.category, number) if text else None


def _category(heading: str) -> str | None:
    wanted = fold(_COMMENT.sub("", heading))
    for category, title in CATEGORY_TITLES.items():
        if wanted in {category, *(fold(say(title, language)) for language in LANGUAGES)}:
            return category
    return None
