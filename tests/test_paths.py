"""A path that somebody names never leads out of the folder it is meant for."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import ToolFault
from app.domain.ports import FileEntry
from app.security.paths import (
    MAX_PATH_CHARS,
    matches,
    opened_folder,
    read_bytes,
    validate_path,
    validate_pattern,
    walk,
)

SECRET = "the neighbour's secret"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a neighbour beside it whose name begins the same, and links to it."""
    root = tmp_path / "alice"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "inside.txt").write_text("inside")
    neighbour = tmp_path / "alice-evil"
    neighbour.mkdir()
    (neighbour / "secret.txt").write_text(SECRET)
    (root / "link.txt").symlink_to(neighbour / "secret.txt")
    (root / "folder-link").symlink_to(neighbour)
    (root / "dangling").symlink_to(neighbour / "not-yet.txt")
    (root / "inner-link").symlink_to(root / "sub")
    (root / "circle").symlink_to(root / "circle")
    return root


REFUSED = [
    "../alice-evil/secret.txt",
    "..",
    "sub/../../alice-evil/secret.txt",
    "missing/../../alice-evil/secret.txt",
    "/etc/passwd",
    "//etc/passwd",
    "~/.ssh/id_rsa",
    "~",
    "C:/Windows/win.ini",
    "..\\alice-evil\\secret.txt",
    "link.txt",
    "folder-link",
    "folder-link/secret.txt",
    "dangling",
    "circle",
    "sub/inside.txt\0.png",
    "sub\n/inside.txt",
    "\ud800",
    "x" * 300,
    "x/" * MAX_PATH_CHARS,
]


@pytest.mark.parametrize("path", REFUSED)
def test_a_path_that_leads_outside_is_refused_without_telling_where_it_leads(root: Path, path: str) -> None:
    with pytest.raises(ToolFault) as caught:
        validate_path(path, root)
    assert caught.value.code == "path_refused"
    assert str(root.parent) not in caught.value.detail
    assert caught.value.detail.isprintable()


def test_an_absolute_path_is_refused_even_when_it_leads_inside(root: Path) -> None:
    with pytest.raises(ToolFault, match="relative"):
        validate_path(str(root / "sub" / "inside.txt"), root)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "."),
        (".", "."),
        ("sub/inside.txt", "sub/inside.txt"),
        ("./sub//inside.txt", "sub/inside.txt"),
        ("sub/../sub/new.txt", "sub/new.txt"),
        ("inner-link/inside.txt", "sub/inside.txt"),
        ("not/there/yet.txt", "not/there/yet.txt"),
        ("año/ñandú 🦤.txt", "año/ñandú 🦤.txt"),
        ("..txt", "..txt"),
        ("~backup", "~backup"),
    ],
)
def test_a_path_inside_is_resolved_below_the_root(root: Path, path: str, expected: str) -> None:
    assert validate_path(path, root) == root / expected


def test_the_root_may_be_missing_relative_or_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "real")
    assert validate_path("a.txt", Path("missing")) == tmp_path / "missing" / "a.txt"
    assert validate_path("a.txt", Path("root")) == tmp_path / "real" / "a.txt"


PIECES = st.sampled_from(
    ["..", ".", "", "a", "sub", "link.txt", "folder-link", "inner-link", "~", "secret.txt", "\0"]
)


@given(pieces=st.lists(PIECES | st.text(max_size=5), max_size=8))
def test_no_combination_of_pieces_leads_outside(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    base = tmp_path_factory.getbasetemp() / "pieces"
    root = base / "alice"
    if not root.exists():
        (root / "sub").mkdir(parents=True)
        (base / "alice-evil").mkdir()
        (root / "folder-link").symlink_to(base / "alice-evil")
        (root / "inner-link").symlink_to(root / "sub")
    try:
        found = validate_path("/".join(pieces), root)
    except ToolFault:
        return
    assert found.is_relative_to(root)
    assert found.resolve() == found


@pytest.mark.parametrize("pattern", ["../*", "a/../../*", "..", "/etc/*", "~/*", "a\0*", "**/**/**/x", "*" * 9])
def test_a_pattern_that_goes_upwards_or_costs_too_much_is_refused(pattern: str) -> None:
    with pytest.raises(ToolFault):
        validate_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.txt", "a.txt", True),
        ("*.txt", "sub/a.txt", True),
        ("*.txt", "a.md", False),
        ("sub/*", "sub/a.txt", True),
        ("sub/*", "sub/deep/a.txt", False),
        ("**/*.txt", "a.txt", True),
        ("**/*.txt", "x/y/a.txt", True),
        ("docs/**/a.txt", "docs/a.txt", True),
        ("docs/**", "docs/x/y.md", True),
        ("docs/**", "other/x.md", False),
        ("**", "a/b", True),
        ("[ab].txt", "b.txt", True),
        ("?", "ab", False),
    ],
)
def test_a_pattern_matches_names_or_whole_paths(pattern: str, path: str, expected: bool) -> None:
    assert matches(path, validate_pattern(pattern)) is expected


@given(path=st.text(min_size=1, max_size=60), pattern=st.text("ab*?[]!-/\\", max_size=40))
def test_any_accepted_pattern_can_be_matched(path: str, pattern: str) -> None:
    try:
        accepted = validate_pattern(pattern)
    except ToolFault:
        return
    assert matches(path, accepted) in {True, False}


def test_a_link_put_in_place_after_the_check_is_not_followed(root: Path) -> None:
    checked_file = validate_path("sub/late.txt", root)
    checked_below = validate_path("sub2/secret.txt", root)
    (root / "sub" / "late.txt").symlink_to(root.parent / "alice-evil" / "secret.txt")
    (root / "sub2").symlink_to(root.parent / "alice-evil")
    with pytest.raises(OSError, match=r"ymbolic|links"):
        read_bytes(checked_file, root, max_bytes=100)
    with pytest.raises(OSError, match=r"."):
        read_bytes(checked_below, root, max_bytes=100)
    with pytest.raises(OSError, match=r"."), opened_folder(checked_below.parent, root, is_created=True):
        pass


def test_a_pipe_is_refused_at_once_instead_of_waited_for(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(OSError, match="pipe"):
        read_bytes(validate_path("pipe", root), root, max_bytes=10)


def test_no_descriptor_stays_open(root: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    for path in ("sub/inside.txt", "sub", "missing/x", "sub/missing"):
        try:
            read_bytes(validate_path(path, root), root, max_bytes=10)
        except OSError:
            continue
    walk(root, root, is_deep=True, limit=1)
    assert len(os.listdir("/dev/fd")) == before


def test_a_walk_is_sorted_bounded_and_leaves_links_out(root: Path) -> None:
    everything = [FileEntry("sub", True), FileEntry("sub/inside.txt", False)]
    assert walk(root, root, is_deep=True, limit=10) == everything
    assert walk(root, root, is_deep=False, limit=10) == everything[:1]
    assert walk(root, root, is_deep=True, limit=1) == everything[:1]
    assert walk(root / "sub", root, is_deep=True, limit=10) == everything[1:]
