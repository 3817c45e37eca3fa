"""Read Markdown: block tokens by markdown-it-py with rules for chat, inline tokens as runs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from string import punctuation
from types import MappingProxyType
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from app.whatsapp.marks import FENCE, Run, plain, show_link

MAX_NESTING: Final = 16

_STYLES: Final[Mapping[str, str]] = MappingProxyType({"strong": "*", "em": "_", "s": "~"})
_URL_STOPS: Final = frozenset('<>"`[]|')
_URL_TRAILERS: Final = ".,;:!?'*_~\\»”’…"


class ChatMarkdown(MarkdownIt):
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
    before = src[max(0, colon - 5) : colon].lower()
    if not (src.startswith("://", colon) and before.endswith(("http", "https"))):
        return False
    size = 5 if before == "https" else 4
    if not silent and len(state.pending) < size:
        return False  # "\\http://": the escape rule took the first letter with it
    end = _url_end(src, colon + 3, state.posMax)
    if end == colon + 3:
        return False
    if not silent:
        scheme, state.pending = state.pending[-size:], state.pending[:-size]
        state.push("bare_url", "", 0).content = scheme + unescapeAll(src[colon:end])
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


def read_runs(tokens: Sequence[Token]) -> list[Run]:
    """Turn inline tokens into runs; emphasis that WhatsApp cannot show stays as written or is left out."""
    odd = _find_odd_marks(tokens)
    runs: list[Run] = []
    depth = Counter[str]()
    links: list[tuple[int, Token]] = []
    for index, token in enumerate(tokens):
        style = "".join(mark for mark in depth if depth[mark])
        mark = _STYLES.get(token.tag, "") if token.nesting else ""
        if index in odd:
            runs.append(Run(odd[index], style))
        elif mark:
            depth[mark] += token.nesting
        elif token.type == "link_open":
            links.append((len(runs), token))
        elif token.type == "link_close":
            start, link = links.pop()
            runs[start:] = _read_link(runs[start:], link, "href")
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
            label = plain(read_runs(token.children or []))
            return _read_link([Run(label, style)], token, "src")
        case "code_inline":
            code = token.content
            is_showable = FENCE not in code and not code.startswith("`") and not code.endswith("`")
            return [Run(code, style, "c" if is_showable else "t")]
        case _:
            return [Run(token.content, style)]


def _read_link(label: list[Run], token: Token, attribute: str) -> list[Run]:
    url = str(token.attrs[attribute]).removeprefix("mailto:").removeprefix("tel:")
    return show_link(label, url, str(token.attrs.get("title", "")))


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
