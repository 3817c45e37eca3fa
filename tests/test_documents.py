"""The documents name what exists: every path, test, link and heading in them."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
MAX_LINES: Final = MappingProxyType({"README.md": 150, "CLAUDE.md": 200})
RECORDS: Final = frozenset({"docs/changelog.md"})
"""They tell what was true when they were written; so do the plans, but for their index and those still open."""
FIRST_OPEN_PLAN: Final = 11

LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
HEADING: Final = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
FENCED: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
FULL_PATH: Final = re.compile(r"(?<![\w./-])(?:app|tests|docs|skills)/[\w./*<>-]*[\w*>/]")
MODULE: Final = re.compile(r"`(?P<path>[\w/*<>-]+\.py)`")
TEST: Final = re.compile(r"`(?P<name>test_\w+…?)`")
PLACEHOLDER: Final = re.compile(r"<[^>]*>")
NOT_IN_AN_ANCHOR: Final = re.compile(r"[^\w\- ]")


def is_current(path: str) -> bool:
    """Whether a document must be true today."""
    number = re.match(r"docs/exec-plans/(\d+)", path)
    is_old_plan = number is not None and (int(number[1]) < FIRST_OPEN_PLAN or "prd" in path or "prp" in path)
    return path not in RECORDS and not is_old_plan


DOCUMENTS: Final = sorted(
    path
    for file in (ROOT / "README.md", ROOT / "CLAUDE.md", *(ROOT / "docs").rglob("*.md"))
    if is_current(path := file.relative_to(ROOT).as_posix())
)
MODULES: Final = tuple(
    file.relative_to(ROOT).as_posix() for folder in ("app", "tests") for file in (ROOT / folder).rglob("*.py")
)
TEST_NAMES: Final = frozenset(
    name
    for file in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text("utf-8"), re.MULTILINE)
)


def text_of(document: str) -> str:
    return (ROOT / document).read_text("utf-8")


def exists(path: str) -> bool:
    pattern = PLACEHOLDER.sub("*", path).rstrip("/")
    return any(ROOT.glob(pattern)) if "*" in pattern else (ROOT / pattern).exists()


def is_module(path: str) -> bool:
    """Whether there is such a module, named from anywhere: `registry.py`, `skills/registry.py`."""
    parts = re.split(r"(\*)", PLACEHOLDER.sub("*", path))
    pattern = "".join("[^/]*" if part == "*" else re.escape(part) for part in parts)
    wanted = re.compile(f"(?:.*/)?{pattern}")
    return any(wanted.fullmatch(module) for module in MODULES)


def is_test(name: str) -> bool:
    """Whether there is such a test; `test_a_…` stands for all that begin so."""
    if name.endswith("…"):
        return any(one.startswith(name[:-1]) for one in TEST_NAMES)
    return name in TEST_NAMES


def anchors_of(document: Path) -> Iterator[str]:
    """The fragments by which the headings of a page can be reached, as GitHub makes them."""
    for heading in HEADING.findall(FENCED.sub("", document.read_text("utf-8"))):
        words = LINK.sub("]", heading).replace("[", "").replace("]", "")
        yield NOT_IN_AN_ANCHOR.sub("", words.casefold()).replace(" ", "-")


def broken_links(document: str) -> Iterator[str]:
    for target in LINK.findall(FENCED.sub("", text_of(document))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = (ROOT / document).parent / path if path else ROOT / document
        if not file.exists() or (fragment and fragment not in set(anchors_of(file))):
            yield target


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_in_a_document_exists(document: str) -> None:
    text = text_of(document)
    missing = {path for path in FULL_PATH.findall(text) if not exists(path)}
    missing |= {path for path in MODULE.findall(text) if not is_module(path)}

    assert missing == set()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_test_that_a_document_names_exists(document: str) -> None:
    assert [name for name in TEST.findall(text_of(document)) if not is_test(name)] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_relative_link_leads_somewhere(document: str) -> None:
    assert list(broken_links(document)) == []


@pytest.mark.parametrize("document", sorted(MAX_LINES))
def test_the_pages_that_everybody_reads_are_short(document: str) -> None:
    assert len(text_of(document).splitlines()) <= MAX_LINES[document]


def test_every_page_is_in_the_table_of_contents() -> None:
    contents = text_of("docs/index.md") + text_of("docs/adr/README.md") + text_of("docs/exec-plans/README.md")
    pages = [page for page in (ROOT / "docs").rglob("*.md") if page.name not in ("README.md", "index.md")]

    assert [page.name for page in pages if f"{page.name})" not in contents] == []


def test_every_decision_has_a_number_of_its_own() -> None:
    pages = sorted((ROOT / "docs" / "adr").glob("0*.md"))
    numbers = [int(page.name[:4]) for page in pages]
    titled = [int(page.read_text("utf-8").split()[2].rstrip(":")) for page in pages]

    assert numbers == list(range(1, len(pages) + 1))
    assert titled == numbers


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("app/main.py", True),
        ("app/*/router.py", True),
        ("app/skills/tools/<name>/", True),
        ("app/nothing.py", False),
    ],
)
def test_a_path_may_have_placeholders(named: str, found: bool) -> None:
    assert exists(named) is found
