"""Make a ZIP that opens as a document, because WhatsApp takes documents and no archives.

A word-processing document is a ZIP of parts (ECMA-376, part 2 "Open Packaging Conventions"): three small ones make
it readable on a phone, and any others may lie beside them as long as their types are declared.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

MIME_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SUFFIX: Final = ".docx"

_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TYPES: Final = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
_MAIN_RELATION: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_WORDS: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_DOCUMENT: Final = "word/document.xml"
_OTHER: Final = "application/octet-stream"
_KNOWN: Final = (("rels", "application/vnd.openxmlformats-package.relationships+xml"), ("xml", "application/xml"))


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph; line breaks in it are kept."""

    text: str
    is_heading: bool = False


def document_parts(lines: Iterable[Line], other_names: Sequence[str]) -> list[tuple[str, bytes]]:
    """Return the parts, name and content, that must be the first ones of the ZIP.

    `other_names` are the names of everything else that will be in it.
    """
    relation = f'<Relationship Id="r1" Type="{_MAIN_RELATION}" Target="{_DOCUMENT}"/>'
    paragraphs = "".join(map(_paragraph, lines))
    texts = {
        "[Content_Types].xml": _content_types(other_names),
        "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}">{relation}</Relationships>',
        _DOCUMENT: f'<w:document xmlns:w="{_WORDS}"><w:body>{paragraphs}</w:body></w:document>',
    }
    return [(name, (_HEAD + text).encode()) for name, text in texts.items()]


def _content_types(names: Sequence[str]) -> str:
    types = dict(_KNOWN)
    overrides = [f'<Override PartName="/{_DOCUMENT}" ContentType="{MIME_TYPE}.main+xml"/>']
    for name in names:
        _, dot, extension = name.rpartition("/")[2].rpartition(".")
        if dot and extension.isascii() and extension.isalnum():
            types.setdefault(extension.lower(), _OTHER)
        else:
            overrides.append(f'<Override PartName={quoteattr("/" + quote(name))} ContentType="{_OTHER}"/>')
    defaults = [
        f'<Default Extension={quoteattr(extension)} ContentType="{kind}"/>' for extension, kind in types.items()
    ]
    return f'<Types xmlns="{_TYPES}">{"".join(defaults)}{"".join(overrides)}</Types>'


def _paragraph(line: Line) -> str:
    style = "<w:rPr><w:b/></w:rPr>" if line.is_heading else ""
    pieces = (f'<w:t xml:space="preserve">{escape(piece)}</w:t>' for piece in _legal(line.text).split("\n"))
    return f"<w:p><w:r>{style}{'<w:br/>'.join(pieces)}</w:r></w:p>"


def _legal(text: str) -> str:
    """Leave out what XML 1.0 (section 2.2) has no way to write."""
    return "".join(
        char
        for char in text
        if char in "\t\n" or "\x20" <= char <= "\ud7ff" or "\ue000" <= char <= "\ufffd" or char > "\uffff"
    )
