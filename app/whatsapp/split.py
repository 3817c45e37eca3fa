"""Cut a rendered text into messages that each read on their own."""

import re
import unicodedata
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.outbound import MAX_TEXT_CHARS
from app.whatsapp.marks import FENCE, can_close, can_open

MIN_LIMIT: Final = 32

_MARK_OR_LINE: Final = re.compile(r"```|[*_~`\n]")
_CLOSERS_UNITS: Final = 8  # a fence's "\n```" inside the four marks, one in another
_WORD: Final = re.compile(r"()\s")
_BREAKS: Final = (
    re.compile(r"()\n[ \t]*\n"),
    re.compile(r"()\n"),
    re.compile(r"((?<!\d)[.!?…][\"'”»)\]*_~]*)\s"),
    _WORD,
)
"""Paragraph, line, sentence, word. Group 1 ends where the cut goes."""

_ZWJ: Final = "\u200d"
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
_REGIONAL: Final = range(0x1F1E6, 0x1F200)


@dataclass(frozen=True, slots=True)
class _Span:
    """Formatted text from its opening to behind its closing mark; `depth` counts the marks around it."""

    start: int
    end: int
    mark: str
    depth: int

    @property
    def opener(self) -> str:
        return self.mark + "\n" if self.mark == FENCE else self.mark

    @property
    def closer(self) -> str:
        return "\n" + self.mark if self.mark == FENCE else self.mark


@dataclass(frozen=True, slots=True)
class _Window:
    """What one piece may take of the text: it begins at `start` and ends at `low` or behind, `end` at most.

    `tight` is the end that leaves room for closing marks. No piece should end at a `blocked` position.
    """

    text: str
    start: int
    low: int
    end: int
    tight: int
    blocked: frozenset[int]


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
    text = text.strip()
    pieces: list[str] = []
    ahead = deque(_find_spans(text))
    near: list[_Span] = []
    start, opening = 0, ""
    while (reach := _fit(text, start, limit - len(opening))) < len(text):
        while ahead and ahead[0].start < reach:
            near.append(ahead.popleft())
        cut = _find_cut(_look(text, start, limit=limit, opening=opening, spans=near))
        near = [span for span in near if span.end > cut]
        crossed = [span for span in near if span.start < cut]
        closing = "".join(span.closer for span in reversed(crossed))
        pieces.append(opening + text[start:cut].rstrip() + closing)
        opening = "".join(span.opener for span in crossed)
        # The indentation of code is content: only line breaks at the cut go.
        space = "\n" if any(span.mark == FENCE for span in crossed) else None
        start = len(text) - len(text[cut:].lstrip(space))
    return [*pieces, opening + text[start:]] if text else []


def _look(text: str, start: int, *, limit: int, opening: str, spans: Sequence[_Span]) -> _Window:
    """Return the window at `start` of a text that is too long; `opening` is written before it."""
    sizes = ((limit + 1) // 2, limit, limit - _CLOSERS_UNITS)
    low, end, tight = (_fit(text, start, size - len(opening)) for size in sizes)
    blocked: set[int] = set()
    for span in spans:
        size = span.end - max(span.start, start)
        marks = len(opening) + span.depth if span.start < start else 2 * span.depth
        if size <= limit and _units(text[span.end - size : span.end]) + marks <= limit:
            blocked.update(range(max(span.start, start) + 1, min(span.end, end + 1)))
        else:
            blocked.update(range(span.start + 1, span.start + len(span.opener) + 1))
            blocked.update(range(span.end - len(span.closer), span.end))
            end = tight
    return _Window(text, start, low, end, tight, frozenset(blocked))


def _find_cut(window: _Window) -> int:
    """Return where the piece ends: at the best break of the window's last half, else at the best other place."""
    for kind in _BREAKS:
        if (cut := _last_break(kind, window, window.low, window.end)) is not None:
            return cut
    end = window.end
    if end in window.blocked:
        before = next((at for at in range(end, window.start, -1) if at not in window.blocked), window.start)
        early = _last_break(_WORD, window, window.start + 1, before) or before
        if window.text[window.start : early].strip():
            return early
        end = window.tight
    free = (cut for cut in range(end, window.low, -1) if cut not in window.blocked and not _joins(window, cut))
    return next(free, end)


def _last_break(kind: re.Pattern[str], window: _Window, low: int, end: int) -> int | None:
    """Return the last allowed break of that kind in `low..end`, if there is any."""
    matches = kind.finditer(window.text, low, min(end + 2, len(window.text)))
    cuts = [match.end(1) for match in matches]
    return next((cut for cut in reversed(cuts) if low <= cut <= end and cut not in window.blocked), None)


def _find_spans(text: str) -> list[_Span]:
    """List the formatted passages in the order of their beginnings."""
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
            if start > opened[mark] + 1 and can_close(text, start, at):
                begin = opened.pop(mark)
                spans.append(_Span(begin, at, mark, sum(other < begin for other in opened.values())))
        elif can_open(text, start, at) and "`" not in opened:
            opened[mark] = start
    return sorted(spans, key=lambda span: span.start)


def _units(text: str) -> int:
    """Count UTF-16 code units."""
    return sum(1 + (char > "\uffff") for char in text)


def _fit(text: str, start: int, limit: int) -> int:
    """Return how far from `start` the text goes on within `limit` UTF-16 units."""
    end = min(len(text), start + limit)
    # Dropping k characters frees between k and 2k units, so this never drops one too many.
    while (over := _units(text[start:end]) - limit) > 0:
        end -= (over + 1) // 2
    return end


def _joins(window: _Window, cut: int) -> bool:
    """Tell whether a cut there would break a fence, or something that a reader sees as one character."""
    text, char = window.text, window.text[cut]
    if text[cut - 1 : cut + 1] == "``":
        return True
    if unicodedata.category(char).startswith("M") or ord(char) in _SKIN_TONES or _ZWJ in text[cut - 1 : cut + 1]:
        return True
    if ord(char) not in _REGIONAL:
        return False
    before = cut
    while before > window.start and ord(text[before - 1]) in _REGIONAL:
        before -= 1
    return (cut - before) % 2 == 1
