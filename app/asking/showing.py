"""Showing a person what somebody else wrote: it draws nothing, hides nothing, and fits what WhatsApp takes."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from app.domain.outbound import MAX_INTERACTIVE_BODY_CHARS
from app.domain.wording import cut
from app.whatsapp.marks import WORD_JOINER

_MARKS: Final = frozenset("*_~`")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
"""Categories of characters that break a line, reorder it, or cannot be seen."""
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters that are letters or symbols by category, and show nothing."""
_WIDE_GAP: Final = re.compile(" {4,}")
_LINK: Final = re.compile(r"(?<=\w)[.:](?=[\w/])")


def neutralise(text: str) -> str:
    """Keep a text from drawing anything: no formatting, no line of its own, nothing hidden or reordered.

    Many spaces in a row, which would push what follows to a line of its own, are counted instead.
    """
    return _WIDE_GAP.sub(lambda gap: f" [␣×{len(gap[0])}] ", "".join(map(_neutral, text)))


def unlinked(text: str) -> str:
    """Neutralise a text, and keep WhatsApp from making links of it."""
    return _LINK.sub(lambda mark: f"{WORD_JOINER}{mark[0]}{WORD_JOINER}", neutralise(text))


def quoted(text: str, limit: int) -> list[str]:
    """Return a stranger's text as a quotation of as many lines as it has, cut to `limit` characters."""
    shown = "\n".join(f"> {unlinked(line)}" for line in text.splitlines() if line.strip())
    return [cut(shown, limit)] if shown else []


def fits_beside_buttons(lines: Sequence[str]) -> bool:
    """Tell whether lines are short enough for a message with buttons; WhatsApp counts UTF-16 units."""
    return len("\n".join(lines).encode("utf-16-le", "surrogatepass")) // 2 <= MAX_INTERACTIVE_BODY_CHARS


def _neutral(char: str) -> str:
    if char in _MARKS:
        return f"{WORD_JOINER}{char}{WORD_JOINER}"
    if char != " " and (char in _BLANK or unicodedata.category(char) in _HIDDEN):
        code = ord(char)
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return char
