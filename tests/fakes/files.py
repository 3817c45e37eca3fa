"""Files as people send them, made for a test: nothing here comes from anywhere else."""

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from xml.sax.saxutils import escape

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def pdf(pages: Sequence[str], *, title: str = "", password: str = "") -> bytes:
    """A PDF of text pages; with a password, encrypted as PDF 1.1 has it (RC4, 40 bits)."""
    key = b"" if not password else _key(password)
    objects: dict[int, bytes] = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        4: b"<< /Title (" + _cipher(key, 4, _escaped(title)) + b") >>",
    }
    kids = []
    for number, text in enumerate(pages):
        page, content = 10 + 2 * number, 11 + 2 * number
        kids.append(f"{page} 0 R")
        lines = b" T* ".join(b"(" + _escaped(line) + b") Tj" for line in text.split("\n"))
        stream = _cipher(key, content, b"BT /F1 11 Tf 14 TL 50 800 Td " + lines + b" ET")
        objects[page] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        ).encode()
        objects[content] = b"<< /Length %d >> stream\n" % len(stream) + stream + b"\nendstream"
    objects[2] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    extra = b""
    if password:
        owner, user = _owner(password), _rc4(key, _PADDING)
        objects[5] = (
            b"<< /Filter /Standard /V 1 /R 2 /P -44 /O <"
            + owner.hex().encode()
            + b"> /U <"
            + user.hex().encode()
            + b"> >>"
        )
        extra = b" /Encrypt 5 0 R"
    return _assembled(objects, b"/ID [<" + b"00" * 16 + b"> <" + b"00" * 16 + b">]" + extra)


def _assembled(objects: Mapping[int, bytes], trailer: bytes) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = {}
    for number in sorted(objects):
        places[number] = out.tell()
        out.write(b"%d 0 obj\n" % number + objects[number] + b"\nendobj\n")
    start = out.tell()
    out.write(b"xref\n0 1\n0000000000 65535 f \n")
    for number, place in places.items():
        out.write(b"%d 1\n%010d 00000 n \n" % (number, place))
    size = max(places) + 1
    out.write(
        b"trailer << /Size %d /Root 1 0 R /Info 4 0 R " % size + trailer + b" >>\nstartxref\n%d\n%%%%EOF\n" % start
    )
    return out.getvalue()


def _escaped(text: str) -> bytes:
    raw = text.encode("cp1252", "replace")
    return raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def _padded(password: str) -> bytes:
    return (password.encode("latin-1") + _PADDING)[:32]


def _owner(password: str) -> bytes:
    return _rc4(hashlib.md5(_padded(password)).digest()[:5], _padded(password))


def _key(password: str) -> bytes:
    flags = struct.pack("<i", -44)
    return hashlib.md5(_padded(password) + _owner(password) + flags + bytes(16)).digest()[:5]


def _cipher(key: bytes, number: int, data: bytes) -> bytes:
    if not key:
        return data
    return _rc4(hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10], data)


def archive(entries: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in entries.items():
            made.writestr(name, content)
    return out.getvalue()


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def docx(paragraphs: Iterable[str], **more: str | bytes) -> bytes:
    """A Word document; `more` are further entries of the archive."""
    body = "".join(f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>" for text in paragraphs)
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return archive(
        {
            "[Content_Types].xml": (
                '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
                '<Default Extension="rels"'
                ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                '<Default Extension="xml" ContentType="application/xml"/>'
                f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>'
            ),
            "_rels/.rels": (
                f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" Type="{_OFFICE}/officeDocument"'
                ' Target="word/document.xml"/></Relationships>'
            ),
            "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
            **more,
        }
    )


def epub(chapters: Mapping[str, str]) -> bytes:
    """A book; chapters are pairs of a title and a text."""
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    files = {
        f"OEBPS/c{n}.xhtml": f"<html><body><h1>{escape(title)}</h1><p>{escape(text)}</p></body></html>"
        for n, (title, text) in enumerate(chapters.items())
    }
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": (
                '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
                '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/>'
                "</rootfiles></container>"
            ),
            "OEBPS/content.opf": (
                '<package xmlns="http://www.idpf.org/2007/opf" version="2.0"'
                ' xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Libro</dc:title></metadata>'
                f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
            ),
            **files,
        }
    )


def png(width: int, height: int, *, honest: bool = True) -> bytes:
    """A white PNG; one that is not `honest` claims its size and holds a single row."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = b"\0" + b"\xff" * ((width + 7) // 8)
    squeezed = zlib.compressobj(9)
    data = b"".join(squeezed.compress(row) for _ in range(height if honest else 1)) + squeezed.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
