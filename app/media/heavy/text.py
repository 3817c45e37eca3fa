"""Bytes to text in whatever encoding, and text to pieces that can be found and shown."""

import codecs
from collections.abc import Iterator
from typing import Final

PIECE_CHARS: Final = 900
_MAX_ODD_SHARE: Final = 0.02
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decoded(data: bytes) -> str | None:
    """Return the text that bytes hold, or None where they hold none.

    UTF-8 and UTF-16 are known by their form; else it is taken for Windows-1252, as old programs write it.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    text = _utf8(data)
    if text is None:
        text = data.decode("utf-16-le" if _looks_wide(data) else "cp1252", "replace")
    odd = sum(ord(char) < 32 and char not in "\t\n\r\f\v" for char in text[:20_000])
    return None if odd > _MAX_ODD_SHARE * min(len(text), 20_000) else text


def _utf8(data: bytes) -> str | None:
    try:
        # The end may lie in the middle of a character.
        return codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return None


def _looks_wide(data: bytes) -> bool:
    return data[1:400:2].count(0) > 0.8 * len(data[1:400:2]) if len(data) > 8 else False


def pieces(text: str) -> Iterator[str]:
    """Cut a page into pieces of at most about `PIECE_CHARS`, at the ends of paragraphs, else of lines or words."""
    piece = ""
    for part in _parts(text):
        if piece and len(piece) + len(part) > PIECE_CHARS:
            yield piece.strip()
            piece = ""
        piece += part
    if piece.strip():
        yield piece.strip()


def _parts(text: str) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        rest = line
        while len(rest) > PIECE_CHARS:
            at = max(rest.rfind(". ", 0, PIECE_CHARS) + 2, 0) or rest.rfind(" ", 0, PIECE_CHARS) + 1 or PIECE_CHARS
            at = at if at > 1 else PIECE_CHARS
            yield rest[:at]
            rest = rest[at:]
        yield rest
