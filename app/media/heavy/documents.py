"""Documents to text with page numbers: PDF, Office, EPUB, HTML, tables, e-mail, plain text. Child process only."""

import email
import email.policy
import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from email.message import EmailMessage
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pypdfium2 as pdfium

from app.media.heavy.faults import Fault
from app.media.heavy.tables import read_tables, told
from app.media.heavy.text import decoded, pieces

MAX_PAGES: Final = 2000
MAX_CHARS: Final = 3_000_000
MAX_UNPACKED_BYTES: Final = 300 * 1024 * 1024
MAX_ENTRIES: Final = 20_000
MAX_SCANNED: Final = 30
_SCAN_SCALE: Final = 2.0
_MAX_PAGE_PIXELS: Final = 12_000_000
_PAGE_CHARS: Final = 3000
_TITLE_CHARS: Final = 500
_DIGITS: Final = frozenset("0123456789")
_CODE_CHARS: Final = 6
"""`\\u-32768`: what is longer is no character."""
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_TABLES: Final = frozenset({"csv", "tsv", "xlsx"})
# fmt: off
_TEXT: Final = frozenset({
    "txt", "md", "log", "json", "xml", "yaml", "yml", "toml", "ini", "py", "js", "ts", "java", "c", "h", "cpp",
    "go", "rs", "sh", "sql", "css", "srt",
})
# fmt: on

Pages = list[tuple[int, str]]


def run(*, path: str, filename: str) -> Mapping[str, object]:
    """Read a document.

    Returns its `format`, `title`, `page_count`, `is_paged`, `read_pages`, `chars`, `tables`, `is_scanned`, and its
    text in `pieces` with the page that each is on.
    """
    data = Path(path).read_bytes()
    if not data.strip():
        raise Fault("empty")
    kind = format_of(data, filename)
    found: dict[str, Any] = {"title": "", "page_count": 1, "is_paged": False, "tables": [], "is_scanned": False}
    pages = _read(kind, data, found)
    pages, is_cut = _cut(pages)
    if not any(text.strip() for _, text in pages):
        raise Fault("no_text", str(found["page_count"]))
    found["page_count"] = max(found["page_count"], pages[-1][0])
    parts = [{"page": number, "text": piece} for number, text in pages for piece in pieces(text)]
    chars = sum(len(text) for _, text in pages)
    found["title"] = found["title"][:_TITLE_CHARS]
    return {**found, "format": kind, "chars": chars, "is_cut": is_cut, "read_pages": len(pages), "pieces": parts}


def format_of(data: bytes, filename: str) -> str:
    """Tell by its content what a file is; the name decides only among kinds of text."""
    if data[:1024].lstrip().startswith(b"%PDF-") or b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise Fault("encrypted")
        raise Fault("outlook_mail" if "__substg1.0_".encode("utf-16-le") in data else "old_office")
    if data.startswith(b"PK"):
        return _format_of_archive(data)
    if data.startswith(b"{\\rtf"):
        return "rtf"
    text = decoded(data[:65_536])
    if text is None:
        raise Fault("not_a_document")
    ending = Path(filename).suffix.lower().removeprefix(".")
    head = text[:2000].lstrip().lower()
    if head.startswith(("<!doctype html", "<html")) or "<body" in head:
        return "html"
    if ending in {"eml", "csv", "tsv"} | _TEXT:
        return ending
    return "eml" if _is_mail(head) else "txt"


def _is_mail(head: str) -> bool:
    lines = head.splitlines()[:20]
    return (
        sum(line.startswith(("from:", "to:", "subject:", "date:", "received:", "mime-version:")) for line in lines)
        >= 3
    )


def _format_of_archive(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            names = {entry.filename for entry in entries}
            unpacked = sum(entry.file_size for entry in entries)
            if any(entry.flag_bits & 1 for entry in entries):
                raise Fault("encrypted")
            if len(entries) > MAX_ENTRIES or unpacked > MAX_UNPACKED_BYTES:
                raise Fault("bomb", str(MAX_UNPACKED_BYTES // 1024 // 1024))
            if "mimetype" in names:
                kind = archive.open("mimetype").read(100).decode("ascii", "replace").strip()
                if kind == "application/epub+zip":
                    return "epub"
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, EOFError) as exc:
        raise Fault("damaged") from exc
    for folder, kind in (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx")):
        if any(name.startswith(folder) for name in names):
            return kind
    raise Fault("archive")


def _read(kind: str, data: bytes, found: dict[str, Any]) -> Pages:
    if kind == "pdf":
        return _pdf(data, found)
    if kind in _TABLES:
        tables = read_tables(kind, data)
        found["tables"] = [table.facts() for table in tables]
        return [(number, told(table)) for number, table in enumerate(tables, start=1)]
    if kind == "eml":
        return _mail(data, found)
    if kind in {"docx", "pptx", "epub", "html"}:
        return _converted(kind, data, found)
    text = decoded(data)
    if text is None:
        raise Fault("not_a_document")
    if kind == "rtf":
        text = _rtf(text)
    return _paged(text)


def _pdf(data: bytes, found: dict[str, Any]) -> Pages:
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as exc:
        raise Fault("encrypted" if "password" in str(exc).lower() else "damaged") from exc
    found["is_paged"], found["page_count"] = True, len(document)
    if not len(document):
        raise Fault("empty")
    found["title"] = str(document.get_metadata_value("Title") or "").strip()
    pages: Pages = []
    left = MAX_CHARS
    for index in range(min(len(document), MAX_PAGES)):
        text = _page_text(document, index)
        pages.append((index + 1, text))
        left -= len(text)
        if left <= 0:
            break
    if not any(text.strip() for _, text in pages):
        return _scanned(document, found)
    return pages


def _page_text(document: pdfium.PdfDocument, index: int) -> str:
    try:
        page = document[index]
        text = page.get_textpage()
        try:
            return str(text.get_text_range()).replace("\r\n", "\n").replace("\x02", "-").replace("\ufffe", "-")
        finally:
            text.close()
            page.close()
    except pdfium.PdfiumError:
        return ""  # one damaged page does not cost the others


def _scanned(document: pdfium.PdfDocument, found: dict[str, Any]) -> Pages:
    """Read pictures of pages, one after the other."""
    found["is_scanned"] = True
    if find_spec("rapidocr") is None:
        raise Fault("scanned", str(len(document)))
    reader = import_module("app.media.heavy.pictures").Reader()
    pages: Pages = []
    for index in range(min(len(document), MAX_SCANNED)):
        page = document[index]
        width, height = page.get_size()
        scale = min(_SCAN_SCALE, (_MAX_PAGE_PIXELS / max(1.0, width * height)) ** 0.5)
        picture = page.render(scale=scale).to_pil().convert("RGB")
        pages.append((index + 1, reader.read(picture)))
    return pages


def _converted(kind: str, data: bytes, found: dict[str, Any]) -> Pages:
    try:
        office = import_module("app.media.heavy.office")
    except ImportError as exc:
        raise Fault("not_installed", exc.name or "") from exc
    found["title"], text = office.convert(kind, data)
    text = text.replace("\v", "\n")  # how slides break a line
    if kind == "pptx":
        found["is_paged"] = True
        return _slides(text)
    return _paged(text)


def _slides(text: str) -> Pages:
    first, *rest = text.split("<!-- Slide number: ")
    slides = [slide.partition("-->") for slide in rest]
    pages = [(int(number.strip() or 0), body) for number, _, body in slides if number.strip().isdecimal()]
    return pages or _paged(first)


def _paged(text: str) -> Pages:
    """Count sheets of about one page where a format has none of its own."""
    pages: list[str] = []
    page: list[str] = []
    size = 0
    for line in text[: MAX_CHARS + 1].splitlines():
        page.append(line)
        size += len(line) + 1
        if size >= _PAGE_CHARS:
            pages.append("\n".join(page))
            page, size = [], 0
    return list(enumerate([*pages, "\n".join(page)] if page or not pages else pages, start=1))


def _mail(data: bytes, found: dict[str, Any]) -> Pages:
    message = email.message_from_bytes(data, policy=email.policy.default)
    found["title"] = str(message.get("subject", "")).strip()
    head = [f"{name}: {message[name]}" for name in ("From", "To", "Cc", "Date", "Subject") if message[name]]
    body = message.get_body(("plain", "html")) if isinstance(message, EmailMessage) else None
    text = ""
    if body is not None:
        try:
            text = str(body.get_content())
        except (LookupError, ValueError) as exc:
            raise Fault("damaged") from exc
        if body.get_content_type() == "text/html":
            text = _Plain.of(text)
    files = [part.get_filename() or "?" for part in _attachments(message)]
    tail = [f"Attachments: {', '.join(files)}"] if files else []
    return _paged("\n".join([*head, "", text, *tail]))


def _attachments(message: Any) -> Iterator[Any]:
    return (part for part in message.walk() if part.get_content_disposition() == "attachment")


class _Plain(HTMLParser):
    """The text of a page without its markup."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[str] = []
        self._hidden = 0

    @classmethod
    def of(cls, html: str) -> str:
        parser = cls()
        parser.feed(html)
        return "".join(parser._parts)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self._hidden += tag in {"script", "style"}
        if tag in {"p", "br", "div", "tr", "li", "h1", "h2", "h3"}:
            self._parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in {"script", "style"} and self._hidden > 0

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._parts.append(data)


def _rtf(text: str) -> str:
    """Take the words out of rich text: control words and groups of settings go."""
    out: list[str] = []
    depth, hidden_at, index = 0, 0, 0
    while index < len(text):
        char = text[index]
        index += 1
        if char == "{":
            depth += 1
            if text.startswith(("\\*", "\\fonttbl", "\\colortbl", "\\stylesheet", "\\info", "\\pict"), index):
                hidden_at = hidden_at or depth
        elif char == "}":
            hidden_at = 0 if depth == hidden_at else hidden_at
            depth -= 1
        elif char == "\\":
            index, said = _rtf_word(text, index)
            if not hidden_at:
                out.append(said)
        elif not hidden_at and char not in "\r\n":
            out.append(char)
    # It writes what is beyond 16 bits as pairs of surrogates.
    return "".join(out).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _rtf_word(text: str, index: int) -> tuple[int, str]:
    if text[index : index + 1] == "'":
        code = text[index + 1 : index + 3]
        try:
            return index + 3, bytes([int(code, 16)]).decode("cp1252", "replace")
        except ValueError:
            return index + 3, ""
    start = index
    while index < len(text) and text[index].isalpha() and text[index].isascii():
        index += 1
    word = text[start:index]
    if not word:
        return index + 1, text[index : index + 1] if text[index : index + 1] in "\\{}" else ""
    number = index
    while index < len(text) and (text[index] in _DIGITS or (index == number and text[index] == "-")):
        index += 1
    value = text[number:index]
    index += text[index : index + 1] == " "
    if word == "u" and value.strip("-") and len(value) <= _CODE_CHARS:
        return index + 1, chr(int(value) % 65536)
    return index, "\n" if word in {"par", "line", "row"} else "\t" if word in {"tab", "cell"} else ""


def _cut(pages: Pages) -> tuple[Pages, bool]:
    kept: Pages = []
    left = MAX_CHARS
    for number, text in pages[:MAX_PAGES]:
        if left <= 0:
            break
        kept.append((number, text[:left]))
        left -= len(text)
    return kept, len(kept) < len(pages) or left < 0
