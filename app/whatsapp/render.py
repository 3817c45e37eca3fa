"""Turn a model's Markdown into text that looks right in a WhatsApp bubble.

Markdown is read by markdown-it-py (CommonMark with GFM tables and strikethrough). Line breaks, blank lines
and list numbers stay as written: in a chat they carry meaning.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.whatsapp.markdown import MAX_NESTING, ChatMarkdown, read_runs
from app.whatsapp.marks import (
    WORD_JOINER,
    Run,
    align_table,
    break_fences,
    format_line,
    list_table,
    monospace,
    split_lines,
)

MAX_RENDERED_CHARS: Final = 20_000
"""A reply is a few thousand tokens of about four characters. So many characters take 0.3 s at worst, or 1.5 s as
a table whose short rows the parser fills up to hundreds of columns."""

RULE: Final = "———"

_LINE_MARKERS: Final = ("* ", "- ", "> ")


def render(markdown: str) -> str:
    """Return the text to send for a model's Markdown; blank input gives "".

    Total. Behind the last line that ends within `MAX_RENDERED_CHARS`, and where nesting is deeper than the
    parser follows, the text comes back as written, except that no fence there opens a code block.
    """
    source = markdown.replace("\r\n", "\n").replace("\r", "\n")
    end = _rendered_end(source)
    # Marks without content ("```", ">") would vanish: better shown than an empty answer.
    return (_render_whole(source[:end]) + break_fences(source[end:])).strip() or break_fences(source.strip())


def render_literal(text: str) -> str:
    """Return the text to send for one that is no Markdown: every mark in it stays a mark that is seen."""
    return break_fences("\n".join(format_line([Run(line)]) for line in text.strip().splitlines()))


def _rendered_end(source: str) -> int:
    """Return where a text that is too long is cut: at a line, else at a word, else inside the word."""
    if len(source) <= MAX_RENDERED_CHARS:
        return len(source)
    cuts = (source.rfind(space, MAX_RENDERED_CHARS // 2, MAX_RENDERED_CHARS) for space in "\n ")
    return next((cut for cut in cuts if cut >= 0), MAX_RENDERED_CHARS)


@cache
def _parser() -> ChatMarkdown:
    """Return the one parser: it keeps its rules, and nothing of what it reads."""
    return ChatMarkdown()


def _render_whole(source: str) -> str:
    parser = _parser()
    tokens = parser.parse(source)
    # The parser drops what lies deeper, and its deepest container tells.
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        return break_fences(source)
    writer = _Writer(parser, source.split("\n"))
    writer.write(tokens)
    return "\n".join(writer.lines)


@dataclass(slots=True)
class _Frame:
    """A quote or list item around the text; `marker` is empty once it was written."""

    marker: str
    rest: str
    line: int = 0


class _Writer:
    """Writes block tokens as lines; the source tells blank lines and lazily continued ones."""

    def __init__(self, parser: MarkdownIt, source: Sequence[str]) -> None:
        self.lines: list[str] = []
        self._parser = parser
        self._source = source
        self._frames: list[_Frame] = []
        self._numbers: list[int] = []

    def write(self, tokens: Iterable[Token]) -> None:
        stream = iter(tokens)
        block: Token | None = None
        for token in stream:
            if token.type == "table_open":
                self._write_table(takewhile(lambda inner: inner.type != "table_close", stream))
            elif token.type in ("paragraph_open", "heading_open"):
                block = token
            elif token.type == "inline" and block is not None:
                self._write_text(block, token)
            elif token.type == "fence":
                self._write_code(token)
            elif token.type == "hr":
                self._begin(_line(token))
                self.lines.append(self._prefix() + RULE)
            else:
                self._nest(token)

    def _nest(self, token: Token) -> None:
        """Enter or leave a list, an item or a quote."""
        match token.type:
            case "blockquote_open":
                self._frames.append(_Frame("", "> "))
            case "list_item_open":
                marker = self._marker(token)
                self._frames.append(_Frame(marker, " " * len(marker), _line(token)))
            case "bullet_list_open" | "ordered_list_open":
                self._numbers.append(-1)
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_close" | "blockquote_close":
                if self._frames[-1].marker:
                    self._begin(self._frames[-1].line)
                    self.lines.append(self._prefix().rstrip())
                self._frames.pop()

    def _marker(self, item: Token) -> str:
        """Return the item's marker: the written number where it goes up, else the next one."""
        if not item.info:
            # "+ 5" may be a credit: as "- 5" it would say the opposite.
            return "+ " if item.markup == "+" else "- "
        number = item.info if int(item.info) > self._numbers[-1] else str(self._numbers[-1] + 1)
        self._numbers[-1] = int(number)
        return f"{number}. "

    def _begin(self, line: int) -> None:
        """Write what precedes the block at that source line: its blank lines, and markers that stand alone."""
        late = [index for index, frame in enumerate(self._frames) if frame.marker and frame.line < line]
        above = (self._frames[late[0]].line if late else line) - 1
        while self.lines and above >= 0 and not self._source[above].strip(" \t>"):
            self.lines.append("")
            above -= 1
        if late:
            self.lines.append(self._prefix(late[-1] + 1).rstrip())

    def _prefix(self, depth: int | None = None) -> str:
        """Return what the next line starts with, within the outermost `depth` frames."""
        parts = []
        for frame in self._frames[:depth]:
            parts.append(frame.marker or frame.rest)
            frame.marker = ""
        return "".join(parts)

    def _lazy_prefix(self, line: int) -> str | None:
        """Return the prefix of a continuation line that was written without its containers' indentation."""
        source = self._source[line] if line < len(self._source) else ""
        lead = source[: len(source) - len(source.lstrip(" \t>"))]
        quotes = lead.count(">")
        indent = lead.rpartition(">")[2][1 if quotes else 0 :]
        is_unquoted = quotes < sum(frame.rest == "> " for frame in self._frames)
        is_flush = self._frames[-1].rest != "> " and not indent
        return "> " * quotes if is_unquoted or is_flush else None

    def _write_text(self, block: Token, inline: Token) -> None:
        """Write a paragraph or heading, line for line."""
        runs = read_runs(inline.children or [])
        # A rule right under several lines is a separator in chat, whatever CommonMark calls it.
        is_ruled = block.markup == "-" and any(run.role == "n" for run in runs)
        if block.type == "heading_open" and not is_ruled:
            runs = [replace(run, style=f"*{run.style}") if run.role in "tc" else run for run in runs]
        if not runs:
            return
        first = _line(block)
        self._begin(first)
        for offset, (indent, line) in enumerate(split_lines(runs)):
            if not self._frames:
                source = self._source[first]
                prefix = indent if offset else source[: len(source) - len(source.lstrip(" \t"))]
            elif offset and (lazy := self._lazy_prefix(first + offset)) is not None:
                prefix = lazy
            else:
                prefix = self._prefix() + indent
            text = format_line(line)
            is_marker = not prefix.strip() and text.startswith(_LINE_MARKERS)
            self.lines.append((prefix + WORD_JOINER * is_marker + text).rstrip())
        if is_ruled:
            self.lines.append(self._prefix() + RULE)

    def _write_code(self, fence: Token) -> None:
        code = fence.content.removesuffix("\n")
        if code := code if code.strip() else fence.info.strip():
            self._begin(_line(fence))
            self._write_block(code.split("\n"))

    def _write_block(self, code: Iterable[str]) -> None:
        """Write a monospace block, unindented: quote marks and indentation would show up inside it."""
        if any(frame.marker for frame in self._frames):
            self.lines.append(self._prefix().rstrip())
        self.lines.extend(monospace(code))

    def _write_table(self, tokens: Iterator[Token]) -> None:
        """Write a narrow table as a monospace block, a wide one as one bullet per row."""
        rows: list[list[list[Run]]] = []
        sides: list[str] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
                line = _line(token)
                if len(rows) == 1:
                    self._begin(line)
            elif token.type == "th_open":
                sides.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
            elif token.type == "inline":
                rows[-1].append(read_runs(token.children or []))
            elif token.type == "tr_close" and len(rows) > 1:
                rows[-1].extend(self._surplus(line, len(sides)))
        if columns := align_table(rows, sides):
            self._write_block(columns)
        else:
            self.lines.extend((self._prefix() + text).rstrip() for text in list_table(rows))

    def _surplus(self, line: int, count: int) -> list[list[Run]]:
        """Read the cells beyond the header's, which the parser leaves out."""
        cells = re.split(r"(?<!\\)\|", self._source[line].strip())
        if not cells[0].strip("> "):
            cells = cells[1:]
        while cells and not cells[-1].strip():
            cells.pop()
        return [read_runs(self._parser.parseInline(cell.strip())[0].children or []) for cell in cells[count:]]


def _line(token: Token) -> int:
    """Return the source line where a block begins."""
    return token.map[0] if token.map else 0
