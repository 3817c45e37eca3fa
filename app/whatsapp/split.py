"""WhatsApp's side of a text: write its formatting, keep literal marks literal, cut without breaking either.

Meta documents no grammar for the marks. The rules here are those of its help page on formatting
(`*bold*`, `_italic_`, `~strike~`, one or three backticks) plus what the clients visibly do: a mark works
at the edge of a word, hugs its content, and ends with its line; only three backticks span lines.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, repeat, takewhile, zip_longest
from typing import Final

from app.domain.outbound import MAX_TEXT_CHARS

MIN_LIMIT: Final = 32
MAX_TABLE_WIDTH: Final = 32  # characters of the monospace font that a narrow phone shows in one line
FENCE: Final = "```"
STYLE_ORDER: Final = "*_~"

WORD_JOINER: Final = "\u2060"
"""Keeps a literal mark literal, as WhatsApp has no escape character: it is invisible and neither white space
nor punctuation, so the mark no longer stands at a word's edge; and no line breaks there (U+200B allows one)."""

_MARK_RUN: Final = re.compile(r"\*+|_+|~+|`+")
_MARK_OR_LINE: Final = re.compile(r"```|[*_~`\n]")
_CLOSERS_UNITS: Final = 8  # a fence's "\n```" inside the four marks, one in another
_BREAKS: Final = (
    re.compile(r"()\n[ \t]*\n"),
    re.compile(r"()\n"),
    re.compile(r"((?<!\d)[.!?…][\"'”»)\]*_~]*)\s"),
    re.compile(r"()\s"),
)
"""Paragraph, line, sentence, word. Group 1 ends where the cut goes."""

_ZWJ: Final = "\u200d"
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
_REGIONAL: Final = range(0x1F1E6, 0x1F200)


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style.

    `style` holds WhatsApp's marks. `role`: "t" text, "c" code, "u" an address (never styled or altered),
    "m" a mark of ours, "n" a line break (the text is the next line's indentation).
    """

    text: str
    style: str = ""
    role: str = "t"


def format_line(runs: Sequence[Run]) -> str:
    """Write one line's runs with marks around what is styled, every mark closed within the line."""
    settled = _settle(runs) if any(run.style for run in runs) else runs
    out: list[Run] = []
    stack: list[str] = []
    for index, run in enumerate(settled):
        while any(mark not in run.style for mark in stack):
            out.append(Run(stack.pop(), role="m"))
        missing = [mark for mark in STYLE_ORDER if mark in run.style and mark not in stack]
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
        is_blank = run.role == "t" and run.text.isspace()
        style = "".join(mark for mark in run.style if mark in left and mark in right)
        settled.append(replace(run, style=style) if is_blank else run)
    return settled


def _solid_styles(runs: Iterable[Run]) -> list[str]:
    """Return for each run the style of the nearest one before it that is not blank."""
    styles: list[str] = []
    last = ""
    for run in runs:
        styles.append(last)
        last = last if run.role == "t" and run.text.isspace() else run.style
    return styles


def _can_open(text: str, start: int, end: int) -> bool:
    """Tell whether the marks `text[start:end]` could begin formatting: at a word's edge, before a non-space."""
    return end < len(text) and not text[end].isspace() and (start == 0 or _is_edge(text[start - 1]))


def _can_close(text: str, start: int, end: int) -> bool:
    """Tell whether the marks `text[start:end]` could end formatting: behind a non-space, at a word's edge."""
    return start > 0 and not text[start - 1].isspace() and (end == len(text) or _is_edge(text[end]))


def _is_edge(char: str) -> bool:
    return not char.isalnum() and char != WORD_JOINER


def _guard(text: str, roles: str) -> str:
    """Keep literal marks literal: put a word joiner at those that WhatsApp would take for formatting.

    `roles` has one letter per character, as in `Run.role`.
    """
    if not _MARK_RUN.search(text):
        return text
    joints: set[int] = set()
    spots = [spot for match in _MARK_RUN.finditer(text) for spot in _by_role(roles, match.start(), match.end())]
    for mark in "*_~`":
        same = [(start, end) for start, end in spots if text[start] == mark and roles[start] != "c"]
        last_close = max((start for start, end in same if _can_close(text, start, end)), default=-1)
        is_inside = False
        for start, end in same:
            if roles[start] == "m":
                is_inside = not is_inside
                continue
            if mark == "`" and FENCE in text[max(0, start - 2) : end + 2]:
                # Three in a row would pair with a code block further down; no address has them.
                joints.update(at for at in range(start, end + 1) if text[at - 1 : at + 1] == "``")
            if roles[start] == "t" and last_close > end and _can_open(text, start, end):
                joints.update(range(start, end))
            elif roles[start] == "t" and is_inside and _can_close(text, start, end):
                joints.update(range(start + 1, end + 1))
    pieces = [
        text[start:end] for start, end in zip([0, *sorted(joints)], [*sorted(joints), len(text)], strict=True)
    ]
    return WORD_JOINER.join(pieces)


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


def align(table: Sequence[Sequence[str]], sides: Iterable[str]) -> list[str]:
    """Return rows as lines in columns, a rule under the first; [] if wider than `MAX_TABLE_WIDTH`.

    Rows may be short. `sides` has "left", "right", "center" or "" for the first columns.
    """
    if max(map(len, table)) > MAX_TABLE_WIDTH:
        return []
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


@dataclass(frozen=True, slots=True)
class _Span:
    """Formatted text from its opening to behind its closing mark; `depth` counts the marks around it."""

    start: int
    end: int
    mark: str
    depth: int = 0

    @property
    def opener(self) -> str:
        return self.mark + "\n" if self.mark == FENCE else self.mark

    @property
    def closer(self) -> str:
        return "\n" + self.mark if self.mark == FENCE else self.mark


def split(text: str, limit: int = MAX_TEXT_CHARS) -> list[str]:
    """Cut rendered text into messages of at most `limit` UTF-16 code units, in order.

    Meta says "characters" and not which; UTF-16 units are the largest count its clients could mean (an emoji
    is two), so a piece within them is within any other. A cut falls at a paragraph, else a line, a sentence, a
    word, else inside the word, and in the window's last half unless that would break a code block or a
    formatted passage that fits into one message. One that does not is closed in one piece and opened again
    in the next. Only white space at the cuts is lost. Blank text gives no piece.

    Raises:
        ValueError: `limit` is under `MIN_LIMIT`.
    """
    if limit < MIN_LIMIT:
        raise ValueError(f"limit must be at least {MIN_LIMIT}")
    pieces: list[str] = []
    rest = text.strip()
    while _units(rest) > limit:
        cut, crossed = _find_cut(rest, limit)
        pieces.append(rest[:cut].rstrip() + "".join(span.closer for span in reversed(crossed)))
        tail = rest[cut:]
        # The indentation of code is content: only line breaks at the cut go.
        is_code = any(span.mark == FENCE for span in crossed)
        tail = tail.lstrip("\n") if is_code else tail.lstrip()
        rest = "".join(span.opener for span in crossed) + tail
    if rest:
        pieces.append(rest)
    return pieces


def _find_cut(text: str, limit: int) -> tuple[int, list[_Span]]:
    """Return where to cut a text that is too long, and the spans to close there and open again."""
    low, end = _fit(text, (limit + 1) // 2), _fit(text, limit)
    spans = _spans(text, end)
    fits = [_units(text[span.start : span.end]) + 2 * span.depth <= limit for span in spans]
    if not all(fits):
        end = _fit(text, limit - _CLOSERS_UNITS)
    blocked = bytearray(end + 1)
    for span, is_whole in zip(spans, fits, strict=True):
        if is_whole:
            _block(blocked, span.start + 1, span.end)
        else:
            _block(blocked, span.start + 1, span.start + len(span.opener) + 1)
            _block(blocked, span.end - len(span.closer), span.end)
    cut = _last_break(text, low, end, blocked)
    if cut is None:
        cut = _cut_without_break(text, limit, low, blocked)
    return cut, [span for span in spans if span.start < cut < span.end]


def _block(blocked: bytearray, start: int, stop: int) -> None:
    """Mark the positions `start..stop-1` as no place for a cut, as far as the window reaches."""
    stop = min(stop, len(blocked))
    blocked[start:stop] = b"\1" * (stop - start)


def _cut_without_break(text: str, limit: int, low: int, blocked: bytearray) -> int:
    """Return the cut for a window whose last half has no allowed break."""
    end = len(blocked) - 1
    if blocked[end]:
        before = blocked.rfind(b"\0", 0, end)
        early = _last_break(text, 1, before, blocked, kinds=_BREAKS[-1:]) or before
        if text[:early].strip(" *_~`\n"):
            return early
        end = _fit(text, limit - _CLOSERS_UNITS)
    for refused in (blocked, bytes(len(blocked))):
        cut = end
        while cut > low and (refused[cut] or _joins(text, cut)):
            cut -= 1
        if cut > low:
            return cut
    return end


def _last_break(
    text: str, low: int, end: int, blocked: bytearray, *, kinds: tuple[re.Pattern[str], ...] = _BREAKS
) -> int | None:
    """Return the last allowed break of the best kind in `low..end`, if there is any."""
    for kind in kinds:
        cuts = [match.end(1) for match in kind.finditer(text, low, min(end + 2, len(text)))]
        allowed = (cut for cut in reversed(cuts) if low <= cut <= end and not blocked[cut])
        if (cut := next(allowed, None)) is not None:
            return cut
    return None


def _spans(text: str, stop: int) -> list[_Span]:
    """List the formatted passages that begin before `stop`, in the order of their beginnings."""
    spans: list[_Span] = []
    opened: dict[str, int] = {}
    at = 0
    while match := _MARK_OR_LINE.search(text, at):
        mark, start, at = match.group(), match.start(), match.end()
        if mark == FENCE:
            close = text.find(FENCE, at)
            if close >= 0:
                at = close + len(FENCE)
                spans.append(_Span(start, at, FENCE, len(opened)))
        elif mark == "\n":
            opened.clear()
        elif mark in opened:
            if start > opened[mark] + 1 and _can_close(text, start, at):
                begin = opened.pop(mark)
                depth = sum(other < begin for other in opened.values())
                spans.append(_Span(begin, at, mark, depth))
        elif _can_open(text, start, at) and "`" not in opened:
            opened[mark] = start
        if at > stop and not any(begin < stop for begin in opened.values()):
            break
    return sorted((span for span in spans if span.start < stop), key=lambda span: span.start)


def _units(text: str) -> int:
    """Count UTF-16 code units."""
    return len(text) + sum(char > "\uffff" for char in text) if not text.isascii() else len(text)


def _fit(text: str, limit: int) -> int:
    """Return the length of the longest beginning of `text` that has at most `limit` UTF-16 units."""
    end = min(len(text), limit)
    # Dropping k characters frees between k and 2k units, so this never drops one too many.
    while (over := _units(text[:end]) - limit) > 0:
        end -= (over + 1) // 2
    return end


def _joins(text: str, cut: int) -> bool:
    """Tell whether a cut there would break a fence, or something that a reader sees as one character."""
    char = text[cut]
    if text[cut - 1 : cut + 1] == "``":
        return True
    if unicodedata.category(char).startswith("M") or ord(char) in _SKIN_TONES or _ZWJ in text[cut - 1 : cut + 1]:
        return True
    if ord(char) not in _REGIONAL:
        return False
    before = cut
    while before and ord(text[before - 1]) in _REGIONAL:
        before -= 1
    return (cut - before) % 2 == 1
