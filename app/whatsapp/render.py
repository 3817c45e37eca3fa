"""Turn a model's Markdown into text that looks right in a WhatsApp bubble.

Markdown is read by markdown-it-py (CommonMark with GFM tables and strikethrough). Line breaks, blank lines
and list numbers stay as written: in a chat they carry meaning.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat, takewhile
from string import punctuation
from types import MappingProxyType
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from app.whatsapp.split import FENCE, STYLE_ORDER, WORD_JOINER, Run, align, break_fences, format_line, monospace

MAX_NESTING: Final = 16
RULE: Final = "———"

_STYLES: Final[Mapping[str, str]] = MappingProxyType({"strong": "*", "em": "_", "s": "~"})
_LINE_MARKERS: Final = ("* ", "- ", "> ")
_URL_STOPS: Final = frozenset('<>"`[]|')
_URL_TRAILERS: Final = ".,;:!?'*_~\\»”’…"


@dataclass(slots=True)
class _Frame:
    """A quote or list item around the text; `marker` is empty once it was written."""

    marker: str
    rest: str
    line: int = 0


def render(markdown: str) -> str:
    """Return the text to send for a model's Markdown; blank input gives "".

    Total, and linear in the length. What is nested deeper than the parser follows comes back as written.
    """
    source = markdown.replace("\r\n", "\n").replace("\r", "\n")
    parser = _Parser()
    tokens = parser.parse(source)
    # The parser drops what lies deeper, and its deepest container tells.
    is_cut = any(token.level >= MAX_NESTING - 1 for token in tokens)
    writer = _Writer(parser, source.split("\n"))
    writer.write([] if is_cut else tokens)
    # Marks without content ("```", ">") would vanish: better shown than an empty answer.
    return "\n".join(writer.lines).strip() or break_fences(source.strip())


class _Parser(MarkdownIt):
    """CommonMark for chat: addresses stay untouched, careless indentation is no code, nothing is a definition.

    Reference definitions are off because they vanish from the text, used or not.
    """

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False, "maxNesting": MAX_NESTING})
        self.enable(["table", "strikethrough"]).disable(["code", "reference"])
        self.inline.ruler.at("newline", _read_newline)
        self.inline.ruler.after("text", "bare_url", _read_bare_url)

    def normalizeLink(self, url: str) -> str:  # noqa: N802 -- the library's name
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 -- the library's name
        return link


def _read_newline(state: StateInline, silent: bool) -> bool:
    """Inline rule: a line break keeps the indentation of the line behind it (the stock rule drops it)."""
    if state.src[state.pos] != "\n":
        return False
    end = state.pos + 1
    while end < state.posMax and state.src[end] in " \t":
        end += 1
    if not silent:
        state.pending = state.pending.rstrip(" ")
        state.push("softbreak", "br", 0).content = state.src[state.pos + 1 : end]
    state.pos = end
    return True


def _read_bare_url(state: StateInline, silent: bool) -> bool:
    """Inline rule: an http(s) address in the text is one token, so that its marks are not emphasis."""
    src, colon = state.src, state.pos
    if not src.startswith("://", colon):
        return False
    before = src[max(0, colon - 5) : colon].lower()
    size = 5 if before == "https" else 4
    end = _url_end(src, colon + 3, state.posMax)
    if not before.endswith(("http", "https")) or end == colon + 3:
        return False
    if not silent:
        pending = state.pending
        if len(pending) < size:
            return False
        state.pending = pending[:-size]
        state.push("bare_url", "", 0).content = pending[-size:] + unescapeAll(src[colon:end])
    state.pos = end
    return True


def _url_end(src: str, start: int, stop: int) -> int:
    """Return where an address ends: before white space, an unmatched `)` or closing punctuation."""
    end, depth = start, 0
    while end < stop and not src[end].isspace() and src[end] not in _URL_STOPS:
        depth += (src[end] == "(") - (src[end] == ")")
        if depth < 0:
            break
        end += 1
    while end > start and src[end - 1] in _URL_TRAILERS:
        end -= 1
    return end


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
        runs = _read_runs(inline.children or [])
        # A rule right under several lines is a separator in chat, whatever CommonMark calls it.
        is_ruled = block.markup == "-" and any(run.role == "n" for run in runs)
        if block.type == "heading_open" and not is_ruled:
            runs = [replace(run, style=f"*{run.style}") if run.role in "tc" else run for run in runs]
        if not runs:
            return
        first = _line(block)
        self._begin(first)
        for offset, (indent, line) in enumerate(_split_lines(runs)):
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
        aligns: list[str] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
                line = _line(token)
                if len(rows) == 1:
                    self._begin(line)
            elif token.type == "th_open":
                aligns.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
            elif token.type == "inline":
                rows[-1].append(_read_runs(token.children or []))
            elif token.type == "tr_close" and len(rows) > 1:
                rows[-1].extend(self._surplus(line, len(aligns)))
        # An address is no link inside a monospace block.
        has_link = any(run.role == "u" for row in rows for cell in row for run in cell)
        columns = [] if has_link else align([[_plain(cell) for cell in row] for row in rows], aligns)
        if columns:
            self._write_block(columns)
        else:
            self.lines.extend((self._prefix() + text).rstrip() for text in _list_rows(rows))

    def _surplus(self, line: int, count: int) -> list[list[Run]]:
        """Read the cells beyond the header's, which the parser leaves out."""
        cells = re.split(r"(?<!\\)\|", self._source[line].strip())
        if not cells[0].strip("> "):
            cells = cells[1:]
        while cells and not cells[-1].strip():
            cells.pop()
        return [_read_runs(self._parser.parseInline(cell.strip())[0].children or []) for cell in cells[count:]]


def _line(token: Token) -> int:
    """Return the source line where a block begins."""
    return token.map[0] if token.map else 0


def _list_rows(rows: Sequence[Sequence[Sequence[Run]]]) -> Iterator[str]:
    """Yield a table's lines as one bullet per row, each value behind its column's header."""
    names = [break_fences(_plain(cell)).rstrip(":") for cell in rows[0]]
    filled = [row for row in rows[1:] if any(map(_plain, row))]
    if not filled:
        yield " | ".join(names)
    for row in filled:
        pairs = zip(chain(names, repeat("")), row, strict=False)
        texts = (f"{name}: {format_line(cell)}".removeprefix(": ").rstrip() for name, cell in pairs)
        for index, text in enumerate(filter(None, texts)):
            yield ("  " if index else "- ") + text


def _plain(runs: Iterable[Run]) -> str:
    return "".join(run.text for run in runs).strip()


def _read_runs(tokens: Sequence[Token]) -> list[Run]:
    """Turn inline tokens into runs; emphasis that WhatsApp cannot show stays as written or is left out."""
    odd = _find_odd_marks(tokens)
    runs: list[Run] = []
    depth = Counter[str]()
    links: list[tuple[int, Token]] = []
    for index, token in enumerate(tokens):
        style = "".join(mark for mark in STYLE_ORDER if depth[mark])
        mark = _STYLES.get(token.tag, "") if token.nesting else ""
        if index in odd:
            runs.append(Run(odd[index], style))
        elif mark:
            depth[mark] += token.nesting
        elif token.type == "link_open":
            links.append((len(runs), token))
        elif token.type == "link_close":
            start, link = links.pop()
            runs[start:] = _show_link(runs[start:], str(link.attrs["href"]), link)
        else:
            runs.extend(_read_leaf(token, style))
    return [run for run in runs if run.text or run.role == "n"]


def _read_leaf(token: Token, style: str) -> list[Run]:
    match token.type:
        case "softbreak" | "hardbreak":
            return [Run(token.content, role="n")]
        case "bare_url":
            return [Run(token.content, role="u")]
        case "image":
            label = _plain(_read_runs(token.children or []))
            return _show_link([Run(label, style)], str(token.attrs["src"]), token)
        case "code_inline":
            code = token.content
            is_showable = FENCE not in code and not code.startswith("`") and not code.endswith("`")
            return [Run(code, style, "c" if is_showable else "t")]
        case _:
            return [Run(token.content, style)]


def _show_link(label: list[Run], url: str, token: Token) -> list[Run]:
    """Return the label with its address behind it, or the address alone where the label repeats it."""
    title = f' "{token.attrs["title"]}"' if token.attrs.get("title") else ""
    url = url.removeprefix("mailto:").removeprefix("tel:")
    same = {"", url, url.rstrip("/"), url.partition("://")[2], url.partition("://")[2].rstrip("/")}
    if _plain(label) in same:
        return [Run(url + title, role="u")]
    return [*label, Run(f" ({url}{title})", role="u")] if url else label


def _find_odd_marks(tokens: Sequence[Token]) -> dict[int, str]:
    """Find emphasis that would not show in WhatsApp; map its tokens' indexes to the text in their place.

    Inside a word (`2**3**4`) or around punctuation only (`****-****`) it was not meant: as written. Ending
    inside a word (`**H**ello`) it was meant but cannot be shown: left out, except for a strike, which is a
    difference between two numbers (`~~50~~40`).
    """
    stand_ins = {"link_close": ")", "softbreak": "\n", "hardbreak": "\n"}
    shown = [stand_ins.get(token.type, token.content) for token in tokens]
    before = _neighbours(shown)
    after = _neighbours([text[::-1] for text in reversed(shown)])[::-1]
    worded = 0
    odd: dict[int, str] = {}
    opened: list[tuple[int, int]] = []
    for index, token in enumerate(tokens):
        worded += not all(char in punctuation for char in shown[index])
        if token.tag not in _STYLES:
            continue
        if token.nesting > 0:
            opened.append((index, worded))
            continue
        start, words_before = opened.pop()
        is_cut = after[index].isalnum()
        if words_before == worded or before[start].isalnum() or (is_cut and token.tag == "s"):
            odd[start] = odd[index] = token.markup
        elif is_cut:
            odd[start] = odd[index] = ""
    return odd


def _neighbours(texts: Iterable[str]) -> list[str]:
    """Return for each text the character in front of it, or "" at the beginning."""
    chars: list[str] = []
    last = ""
    for text in texts:
        chars.append(last)
        last = text[-1:] or last
    return chars


def _split_lines(runs: Iterable[Run]) -> Iterator[tuple[str, list[Run]]]:
    """Yield each line's indentation and its runs."""
    indent, line = "", list[Run]()
    for run in runs:
        if run.role == "n":
            yield indent, line
            indent, line = run.text, []
        else:
            line.append(run)
    yield indent, line
