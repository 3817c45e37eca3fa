"""Archives that a text tells how to break: their bytes, or what is in them."""

# ruff: noqa: E501 - a document stands in one line

import hashlib
import io
import json
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final

from app.cli.backup import DATABASE, MANIFEST
from app.cli.restore import read_commands, read_manifest
from app.llm.packages import copy_exactly, opened_member

Members = Mapping[str, bytes]
_W: Final = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_S: Final = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_P: Final = "http://schemas.openxmlformats.org/package/2006"
_R: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE: Final = "application/vnd.openxmlformats-officedocument"
_MOST_EDITS: Final = 64
_STEP: Final = 104_729


def _office(main: str, kind: str, **more: str) -> dict[str, str]:
    types = f'<Override PartName="/{main}" ContentType="{_TYPE}.{kind}.main+xml"/>'
    types += '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    rel = f'<Relationship Id="r1" Type="{_R}/officeDocument" Target="{main}"/>'
    return {
        "[Content_Types].xml": f'<Types xmlns="{_P}/content-types">{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_P}/relationships">{rel}</Relationships>',
        **more,
    }


def _members(files: Mapping[str, str]) -> Members:
    return {name: text.encode() for name, text in files.items()}


def _backup() -> Members:
    database = b"SQLite format 3\0" + bytes(84)
    servers = b'{"mcpServers": {"mail": {"command": "npx", "args": ["mail"]}}}'
    held = {DATABASE: database, "mcp_servers.json": servers, "users/ann/notes.txt": b"hello"}
    files = {name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in held.items()}
    manifest = {"format": 1, "created_at": "2026-11-22T12:00:00Z", "schema_version": 1, "files": files}
    return {MANIFEST: json.dumps(manifest).encode(), **held}


_SHEET: Final = (
    f'<worksheet {_S}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>what</t></is></c><c r="B1"><v>1</v></c>'
    '</row><row r="2"><c r="A2" t="inlineStr"><is><t>tea</t></is></c><c r="B2"><v>2.5</v></c></row></sheetData>'
    "</worksheet>"
)
SAMPLES: Final[Mapping[str, Members]] = MappingProxyType(
    {
        "docx": _members(
            _office(
                "word/document.xml",
                "wordprocessingml.document",
                **{
                    "word/document.xml": f"<w:document {_W}><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body>"
                    "</w:document>"
                },
            )
        ),
        "xlsx": _members(
            _office(
                "xl/workbook.xml",
                "spreadsheetml.sheet",
                **{
                    "xl/workbook.xml": f'<workbook {_S} xmlns:r="{_R}"><sheets><sheet name="a" sheetId="1" r:id="r1"/>'
                    "</sheets></workbook>",
                    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_P}/relationships"><Relationship Id="r1"'
                    f' Type="{_R}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
                    "xl/worksheets/sheet1.xml": _SHEET,
                },
            )
        ),
        "epub": {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": b'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            b'<rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
            "c.opf": b'<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest><item id="a" href="a.xhtml"'
            b' media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
            "a.xhtml": b"<html><body><p>Hello</p></body></html>",
        },
        "backup": _backup(),
        "wheel": {"piece": b"weights" * 100},
    }
)
TEXTS: Final = ("\x00", "a", "<", "&x;", "]]>", "<!DOCTYPE x [<!ENTITY x 'y'>]>", '"', "../", "é", "\ud800", "999999999999", "\uffff")  # fmt: skip
"""What the texts are made of that tell how to break an archive."""


def has_documents() -> bool:
    """Whether the libraries that read documents are installed."""
    return all(find_spec(name) for name in ("pypdfium2", "markitdown", "openpyxl"))


def read_document(text: str) -> None:
    """Read a broken Word document, table and book as if somebody had sent them. Raises `Fault` alone."""
    kind = ("docx", "xlsx", "epub")[len(text) % 3]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"sent.{kind}"
        path.write_bytes(broken(SAMPLES[kind], text))
        import_module("app.media.heavy.documents").run(path=str(path), filename=path.name)


def read_backup(text: str) -> None:
    """Read what a broken backup says it holds, and would run. Raises `Rejected` alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "backup.zip"
        path.write_bytes(broken(SAMPLES["backup"], text))
        read_manifest(path)
        read_commands(path)


def read_package(text: str) -> None:
    """Take a piece out of a broken wheel or tarball. Raises one of `BAD_PACKAGE` alone."""
    with tempfile.TemporaryDirectory() as folder:
        size = len(SAMPLES["wheel"]["piece"])
        is_tar = bool(len(text) % 2)
        path = Path(folder) / ("a.tgz" if is_tar else "a.whl")
        path.write_bytes(broken_bytes(_tarball(), text) if is_tar else broken(SAMPLES["wheel"], text))
        with opened_member(path, "piece", size) as piece:
            copy_exactly(piece, io.BytesIO(), size)


def broken(members: Members, text: str) -> bytes:
    """Pack the members after breaking one of them, or break the archive itself; an empty text breaks nothing."""
    if len(text) // 2 % 2:
        return broken_bytes(zipped(members), text)
    name = sorted(members)[len(text) % len(members)]
    return zipped({**members, name: broken_bytes(members[name], text)})


def broken_bytes(data: bytes, text: str) -> bytes:
    """Put each character somewhere, in place of what is there or before it; the text alone decides where."""
    changed = bytearray(data)
    for number, char in enumerate(text[:_MOST_EDITS]):
        written = char.encode("utf-8", "surrogatepass")
        place = (ord(char) * 7919 + number * _STEP) % (len(changed) + 1)
        match ord(char) % 4:
            case 0:
                changed[place : place + len(written)] = written
            case 1:
                changed[place:place] = written * (1 + number)
            case 2:
                del changed[place : place + 1 + number]
            case _:
                changed[place : place + 1] = bytes([ord(char) % 256])
    return bytes(changed)


def zipped(members: Members) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return sink.getvalue()


def _tarball() -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w:gz") as archive:
        info = tarfile.TarInfo("piece")
        info.size = len(SAMPLES["wheel"]["piece"])
        archive.addfile(info, io.BytesIO(SAMPLES["wheel"]["piece"]))
    return sink.getvalue()
