"""WhatsApp's formatting: write it, keep literal marks literal, lay out code and tables.

Meta documents no grammar for the marks. The rules here are those of its help page on formatting
(`*bold*`, `_italic_`, `~strike~`, one or three backticks) plus what the clients visibly do: a mark works
at the edge of a word, hugs its content, and ends with its line; only three backticks span lines.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, pairwise, repeat, takewhile, zip_longest
from typing import Final

MAX_TABLE_WIDTH: Final = 32  # characters of the monospace font that a narrow phone shows in one line
FENCE: Final = "```"

WORD_JOINER: Final = "\u2060"
"""Keeps a literal mark literal, as WhatsApp has no escape character: it is invisible and neither white space
nor punctuation, so the mark no longer stands at a word's edge; and no line breaks there (U+200B allows one)."""

_STYLE_ORDER: Final = "*_~"
_MARK_RUN: Final = re.compile(r"\*+|_+|~+|`+")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style.

    `style` holds WhatsApp's marks, in any order. `role`: "t" text, "c" code, "u" an address (never styled or
    altered), "m" a mark of ours, "n" a line break (the text is the next line's indentation).
    """

    text: str
    style: str = ""
    role: str = "t"


def plain(runs: Iterable[Run]) -> str:
    """Return the runs' text without its formatting."""
    return "".join(run.text for run in runs).strip()


def split_lines(runs: Iterable[Run]) -> Iterator[tuple[str, list[Run]]]:
    """Yield each line's indentation and its runs."""
    indent, line = "", list[Run]()
    for run in runs:
        if run.role == "n":
            yield indent, line
            indent, line = run.text, []
        else:
            line.append(run)
    yield indent, line


def show_link(label: list[Run], url: str, title: str) -> list[Run]:
    """Return the label with its address behind it, or the address alone where the label repeats it."""
    shown = f'{url} "{title}"' if title else url
    bare = url.partition("://")[2]
    if plain(label) in ("", url, url.rstrip("/"), bare, bare.rstrip("/")):
        return [Run(shown, role="u")]
    return [*label, Run(f" ({shown})", role="u")] if url else label


def format_line(runs: Sequence[Run]) -> str:
    """Write one line's runs with marks around what is styled, every mark closed within the line."""
    settled = _settle(runs) if any(run.style for run in runs) else runs
    out: list[Run] = []
    stack: list[str] = []
    for index, run in enumerate(settled):
        while any(mark not in run.style for mark in stack):
            out.append(Run(stack.pop(), role="m"))
        missing = [mark for mark in _STYLE_ORDER if mark in run.style and mark not in stack]
        for mark in sorted(missing, key=lambda mark: -_lasts(settled, index, mark)):
            stack.append(mark)
            out.append(Run(mark, role="m"))
        out.append(_quote_code(run) if run.role == "c" else run)
    out.extend(Run(mark, role="m") for mark in reversed(stack))
    return _guard("".join(run.text for run in out), "".join(run.role * len(run.text) for run in out))


def _lasts(runs: Sequence[Run], index: int, mark: str) -> int:
    """Count the runs from `index` on that have the mark without a gap."""
    return sum(1 for _ in takewhile(lambda at: mark in runs[at].style, range(index, len(runs))))


def _quote_code(run: Run) -> Run:
    quote = FENCE if "`" in run.text else "`"
    return replace(run, text=quote + run.text + quote)


def _settle(runs: Iterable[Run]) -> list[Run]:
    """Split white space off the ends of styled runs, and style it only between runs of that style."""
    pieces: list[Run] = []
    for run in runs:
        core = run.text.strip()
        if run.role != "t" or not core:
            pieces.append(run)
            continue
        start = run.text.index(core)
        parts = (run.text[:start], core, run.text[start + len(core) :])
        pieces.extend(replace(run, text=part) for part in parts if part)
    following = _solid_styles(reversed(pieces))[::-1]
    settled = []
    for run, left, right in zip(pieces, _solid_styles(pieces), following, strict=True):
        style = "".join(mark for mark in run.style if mark in left and mark in right)
        settled.append(replace(run, style=style) if _is_blank(run) else run)
    return settled


def _solid_styles(runs: Iterable[Run]) -> list[str]:
    """Return for each run the style of the nearest one before it that is not blank."""
    styles: list[str] = []
    last = ""
    for run in runs:
        styles.append(last)
        last = last if _is_blank(run) else run.style
    return styles


def _is_blank(run: Run) -> bool:
    return run.role == "t" and run.text.isspace()


def can_open(text: str, start: int, end: int) -> bool:
    """Tell whether the marks `text[start:end]` could begin formatting: at a word's edge, before a non-space."""
    return end < len(text) and not text[end].isspace() and (start == 0 or _is_edge(text[start - 1]))


def can_close(text: str, start: int, end: int) -> bool:
    """Tell whether the marks `text[start:end]` could end formatting: behind a non-space, at a word's edge."""
    return start > 0 and not text[start - 1].isspace() and (end == len(text) or _is_edge(text[end]))


def _is_edge(char: str) -> bool:
    return not char.isalnum() and char != WORD_JOINER


def _guard(text: str, roles: str) -> str:
    """Keep literal marks literal: put a word joiner at those that WhatsApp would take for formatting.

    `roles` has one letter per character, as in `Run.role`.
    """
    spots = [spot for match in _MARK_RUN.finditer(text) for spot in _by_role(roles, *match.span())]
    joints: set[int] = set()
    for mark in "*_~`":
        same = [(start, end) for start, end in spots if text[start] == mark and roles[start] != "c"]
        joints.update(_joints(text, roles, same))
    cuts = [0, *sorted(joints), len(text)]
    return WORD_JOINER.join(text[start:end] for start, end in pairwise(cuts))


def _joints(text: str, roles: str, spots: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield the positions in front of which a joiner goes, for the stretches `spots` of one kind of mark."""
    last_close = max((start for start, end in spots if can_close(text, start, end)), default=-1)
    is_inside = False
    for start, end in spots:
        if roles[start] == "m":
            is_inside = not is_inside
            continue
        if FENCE in text[max(0, start - 2) : end + 2]:
            # Three in a row would pair with a code block further down; no address has them.
            yield from (at for at in range(start, end + 1) if text[at - 1 : at + 1] == "``")
        if roles[start] == "t" and last_close > end and can_open(text, start, end):
            yield from range(start, end)
        elif roles[start] == "t" and is_inside and can_close(text, start, end):
            yield from range(start + 1, end + 1)


def _by_role(roles: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of `start..end` that have one role."""
    for _, group in groupby(range(start, end), key=roles.__getitem__):
        indexes = list(group)
        yield indexes[0], indexes[-1] + 1


def monospace(lines: Iterable[str]) -> list[str]:
    """Return the lines of a monospace block that shows `lines`; a fence inside it does not end it."""
    return [FENCE, *map(break_fences, lines), FENCE]


def break_fences(text: str) -> str:
    """Return the text looking the same, with no three backticks in a row."""
    return text.replace("``", f"`{WORD_JOINER}`") if FENCE in text else text


def align_table(rows: Sequence[Sequence[Sequence[Run]]], sides: Iterable[str]) -> list[str]:
    """Return a table's rows as lines in columns, a rule under the first; cells lose their formatting.

    Rows may be short. `sides` has "left", "right", "center" or "" for the first columns. Gives [] for a table
    wider than `MAX_TABLE_WIDTH` and for one with an address, which is no link inside a monospace block.
    """
    has_address = any(run.role == "u" for row in rows for cell in row for run in cell)
    if has_address or max(map(len, rows)) > MAX_TABLE_WIDTH:
        return []
    table = [[plain(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip_longest(*table, fillvalue="")]
    if sum(widths) + 2 * (len(widths) - 1) > MAX_TABLE_WIDTH:
        return []
    lines = ["  ".join(map(_pad, row, widths, chain(sides, repeat("")))).rstrip() for row in table]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]


def _width(text: str) -> int:
    """Count the columns of a monospace font that a text takes."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in ("Mn", "Me", "Cf") for char in text)


def _pad(text: str, width: int, side: str) -> str:
    room = width - _width(text)
    left = {"right": room, "center": room // 2}.get(side, 0)
    return " " * left + text + " " * (room - left)


def list_table(rows: Sequence[Sequence[Sequence[Run]]]) -> Iterator[str]:
    """Yield a table's lines as one bullet per row, each value behind its column's header."""
    names = [break_fences(plain(cell)).rstrip(":") for cell in rows[0]]
    filled = [row for row in rows[1:] if any(map(plain, row))]
    if not filled:
        yield " | ".join(names)
    for row in filled:
        pairs = zip(chain(names, repeat("")), row, strict=False)
        texts = (f"{name}: {format_line(cell)}".removeprefix(": ").rstrip() for name, cell in pairs)
        for index, text in enumerate(filter(None, texts)):
            yield ("  " if index else "- ") + text
