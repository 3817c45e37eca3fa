"""The file tools: each user's own files, nothing else, and never an exception."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.domain.errors import ToolArgumentError
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.tools import BaseTool, ToolResult
from app.domain.turn import TurnContext
from app.files.folder import FolderFiles
from app.skills.registry import SkillRegistry
from app.skills.tools.files import filesystem_tools
from app.skills.tools.files.filesystem_tools import MAX_FILE_BYTES, MAX_LISTED, MAX_READ_BYTES

OUTSIDE = "nobody may see this"
NAMES = ("read_file", "write_file", "delete_file", "list_files")


class Files:
    """The four tools of one user, called as the engine calls them: validated, then executed."""

    def __init__(self, tools: Mapping[str, BaseTool], ctx: TurnContext) -> None:
        self.tools = tools
        self.ctx = ctx
        self.root = ctx.workspace

    async def call(self, name: str, **arguments: object) -> ToolResult:
        tool = self.tools[name]
        return await tool.execute(tool.validate_args(arguments), ctx=self.ctx)

    async def touch(self, name: str, path: str) -> ToolResult:
        """Call a tool on a path, with harmless values for what else it needs."""
        extra: dict[str, object] = {"content": "overwritten"} if name == "write_file" else {}
        return await self.call(name, path=path, **extra)

    def of(self, workspace: Path) -> "Files":
        return Files(self.tools, replace(self.ctx, user_id=UserId(workspace.name), workspace=workspace))


def build_tools(
    users_dir: Path, *, is_write_enabled: bool = True, is_delete_enabled: bool = True
) -> Mapping[str, BaseTool]:
    registry, files = SkillRegistry(), FolderFiles(users_dir)
    filesystem_tools.register(
        registry, files, is_write_enabled=is_write_enabled, is_delete_enabled=is_delete_enabled
    )
    return {tool.name: tool for tool in registry.list_tools()}


def contents(folder: Path) -> dict[str, str]:
    return {each.name: each.read_text() for each in folder.iterdir()}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Alice's files; her folder does not exist yet."""
    ctx = TurnContext(
        turn_id=TurnId(1),
        user_id=UserId("alice"),
        conversation_id=ConversationId(1),
        attempt=1,
        received_at=datetime(2026, 1, 2, tzinfo=UTC),
        language="en",
        is_admin=False,
        workspace=tmp_path / "users" / "alice",
    )
    return Files(build_tools(tmp_path / "users"), ctx)


@pytest.fixture
def trap(files: Files) -> Path:
    """A neighbour's folder, and links to it from Alice's; returns the neighbour's only file."""
    neighbour = files.root.parent / "alice-evil"
    neighbour.mkdir(parents=True)
    (neighbour / "secret.txt").write_text(OUTSIDE)
    files.root.mkdir()
    (files.root / "link.txt").symlink_to(neighbour / "secret.txt")
    (files.root / "folder-link").symlink_to(neighbour)
    return neighbour / "secret.txt"


async def test_what_was_written_can_be_read(files: Files) -> None:
    written = await files.call("write_file", path="lists/año/compras 🛒.txt", content="pan\nleche")
    read = await files.call("read_file", path="lists/año/compras 🛒.txt")
    assert written.content == "File lists/año/compras 🛒.txt created successfully (9 characters)."
    assert read.content == "Contents of lists/año/compras 🛒.txt:\n\npan\nleche"


async def test_overwriting_replaces_and_appending_adds(files: Files) -> None:
    await files.call("write_file", path="a.txt", content="one")
    replaced = await files.call("write_file", path="a.txt", content="two")
    added = await files.call("write_file", path="a.txt", content=" and three", mode="append")
    assert "overwritten" in replaced.content
    assert "appended" in added.content
    assert (files.root / "a.txt").read_text() == "two and three"


async def test_what_is_appended_begins_a_line_of_its_own(files: Files) -> None:
    for content in ("flour", "milk", "salt\n", "rice"):
        await files.call("write_file", path="list.txt", content=content, mode="append")
    shown = await files.call("read_file", path="list.txt")
    assert "flour\nmilk\nsalt\nrice" in shown.content


async def test_appending_to_a_missing_file_makes_it(files: Files) -> None:
    result = await files.call("write_file", path="new.txt", content="first", mode="append")
    assert "created" in result.content
    assert (files.root / "new.txt").read_text() == "first"


async def test_appends_of_the_same_round_all_count(files: Files) -> None:
    calls = [files.call("write_file", path="log.txt", content=f"{n}\n", mode="append") for n in range(20)]
    async with asyncio.timeout(5):
        results = await asyncio.gather(*calls)
    assert all(result.success for result in results)
    assert sorted((files.root / "log.txt").read_text().split(), key=int) == [str(n) for n in range(20)]


async def test_another_mode_is_refused_and_the_file_untouched(files: Files) -> None:
    await files.call("write_file", path="a.txt", content="kept")
    with pytest.raises(ToolArgumentError, match="mode"):
        files.tools["write_file"].validate_args({"path": "a.txt", "content": "x", "mode": "prepend"})
    assert (files.root / "a.txt").read_text() == "kept"


async def test_deleting_removes_the_file_and_no_folder(files: Files) -> None:
    await files.call("write_file", path="sub/a.txt", content="x")
    folder = await files.call("delete_file", path="sub")
    deleted = await files.call("delete_file", path="sub/a.txt")
    assert folder.content == "Error: 'sub' is a folder, not a file."
    assert deleted.content == "File sub/a.txt deleted successfully."
    assert (files.root / "sub").is_dir()
    assert not (files.root / "sub" / "a.txt").exists()


async def test_without_permission_deleting_tells_the_reason_and_keeps_the_file(files: Files) -> None:
    await files.call("write_file", path="a.txt", content="kept")
    forbidden = Files(build_tools(files.root.parent, is_delete_enabled=False), files.ctx)
    for result in (
        await forbidden.call("delete_file", path="a.txt"),
        await forbidden.call("delete_file", path=".."),
    ):
        assert not result.success
        assert "turned off" in result.content
    assert (files.root / "a.txt").exists()


def test_tools_that_change_files_are_offered_only_when_writing_is_enabled(tmp_path: Path) -> None:
    assert set(build_tools(tmp_path, is_write_enabled=False)) == {"read_file", "list_files"}
    assert set(build_tools(tmp_path)) == set(NAMES)


def test_only_tools_that_change_files_are_sensitive(tmp_path: Path) -> None:
    tools = build_tools(tmp_path)
    assert {name for name in NAMES if tools[name].sensitive} == {"write_file", "delete_file"}
    assert {name for name in NAMES if tools[name].read_only} == {"read_file", "list_files"}
    disabled = build_tools(tmp_path, is_delete_enabled=False)["delete_file"]
    assert (disabled.sensitive, disabled.read_only) == (False, True)


async def test_a_listing_shows_relative_paths_and_goes_deep_only_when_asked(files: Files) -> None:
    for path in ("b.txt", "a/x.txt", "a/y.md"):
        await files.call("write_file", path=path, content="x")
    flat = await files.call("list_files")
    deep = await files.call("list_files", recursive=True)
    inside = await files.call("list_files", path="a", pattern="*.md")
    assert flat.content == "Contents of .:\nDIR  a\nFILE b.txt\nTotal: 2 items"
    assert deep.content == "Contents of .:\nDIR  a\nFILE a/x.txt\nFILE a/y.md\nFILE b.txt\nTotal: 4 items"
    assert inside.content == "Contents of a:\nFILE a/y.md\nTotal: 1 items"


async def test_a_pattern_with_folders_looks_into_them(files: Files) -> None:
    for path in ("a/x.txt", "a/b/y.txt", "c.txt"):
        await files.call("write_file", path=path, content="x")
    assert "FILE a/x.txt\nTotal: 1" in (await files.call("list_files", pattern="a/*.txt")).content
    assert "Total: 3" in (await files.call("list_files", pattern="**/*.txt")).content
    assert "a/b/y.txt" in (await files.call("list_files", path="a", pattern="b/*")).content
    assert (await files.call("list_files", pattern="*.pdf")).content == "Nothing in . matches *.pdf."


async def test_a_folder_that_does_not_exist_yet_is_empty(files: Files) -> None:
    assert (await files.call("list_files")).content == "There are no files yet."
    assert not files.root.exists()


async def test_a_long_listing_is_cut_and_says_so(files: Files) -> None:
    files.root.mkdir(parents=True)
    for n in range(MAX_LISTED + 5):
        (files.root / f"{n}.txt").touch()
    lines = (await files.call("list_files")).content.splitlines()
    assert len(lines) == MAX_LISTED + 2
    assert lines[-1].startswith(f"Total: at least {MAX_LISTED + 5} items, {MAX_LISTED} are shown")


@pytest.mark.parametrize("name", ["read_file", "delete_file"])
async def test_a_missing_file_is_a_failure_that_names_the_path_as_given(files: Files, name: str) -> None:
    files.root.mkdir(parents=True)
    result = await files.call(name, path="none/such.txt")
    assert result.content == "Error: 'none/such.txt' does not exist."


@pytest.mark.parametrize(
    ("name", "path", "reason"),
    [
        ("read_file", "folder", "is a folder"),
        ("write_file", "folder", "is a folder"),
        ("write_file", ".", "is a folder"),
        ("delete_file", ".", "is a folder"),
        ("read_file", "", "is a folder"),
        ("list_files", "file.txt", "is not a folder"),
        ("list_files", "missing", "does not exist"),
        ("read_file", "file.txt/x", "is not a folder"),
        ("write_file", "file.txt/x", "is not a folder"),
        ("read_file", "binary", "is not a text file"),
        ("read_file", "nul.txt", "is not a text file"),
    ],
)
async def test_the_wrong_kind_of_thing_is_a_failure_with_the_reason(
    files: Files, name: str, path: str, reason: str
) -> None:
    (files.root / "folder").mkdir(parents=True)
    (files.root / "file.txt").write_text("text")
    (files.root / "binary").write_bytes(b"\xff\xfe\x00")
    (files.root / "nul.txt").write_bytes(b"a\0b")
    result = await files.touch(name, path)
    assert not result.success
    assert reason in result.content
    assert str(files.root.parent) not in result.content


async def test_appending_to_something_that_is_no_text_leaves_it_alone(files: Files) -> None:
    files.root.mkdir(parents=True)
    (files.root / "binary").write_bytes(b"\xff\xfe")
    result = await files.call("write_file", path="binary", content="x", mode="append")
    assert not result.success
    assert (files.root / "binary").read_bytes() == b"\xff\xfe"


async def test_a_long_file_is_shown_up_to_the_limit_with_a_note(files: Files) -> None:
    files.root.mkdir(parents=True)
    # An odd start puts the limit into the middle of a character of two bytes.
    (files.root / "long.txt").write_text("a" + "ñ" * MAX_READ_BYTES)
    content = (await files.call("read_file", path="long.txt")).content
    assert content.endswith(f"ñ\n\n(the first {MAX_READ_BYTES} of {2 * MAX_READ_BYTES + 1} bytes)")


@pytest.mark.parametrize("mode", ["overwrite", "append"])
async def test_a_file_never_grows_over_the_limit(files: Files, mode: str) -> None:
    await files.call("write_file", path="a.txt", content="kept")
    result = await files.call("write_file", path="a.txt", content="x" * (MAX_FILE_BYTES + 1), mode=mode)
    assert "nothing was written" in result.content
    assert [path.name for path in files.root.iterdir()] == ["a.txt"]
    assert (files.root / "a.txt").read_text() == "kept"


async def test_a_write_that_fails_half_way_leaves_nothing_behind(files: Files) -> None:
    await files.call("write_file", path="a.txt", content="kept")
    bad = await files.call("write_file", path="a.txt", content="half \ud800")
    assert not bad.success
    assert (files.root / "a.txt").read_text() == "kept"
    assert [path.name for path in files.root.iterdir()] == ["a.txt"]


ESCAPES = [
    "../alice-evil/secret.txt",
    "x/../../alice-evil/secret.txt",
    "link.txt",
    "folder-link/secret.txt",
    "folder-link/new.txt",
    "folder-link",
    "..",
    "/etc/passwd",
    "~/secret.txt",
    "secret\0.txt",
    "..\\alice-evil\\secret.txt",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", ESCAPES)
async def test_no_tool_reaches_outside_the_workspace(files: Files, trap: Path, name: str, path: str) -> None:
    result = await files.touch(name, path)
    assert not result.success
    assert "refused" in result.content
    assert OUTSIDE not in result.content
    assert str(files.root.parent) not in result.content
    assert contents(trap.parent) == {"secret.txt": OUTSIDE}


@pytest.mark.parametrize("name", NAMES)
async def test_an_absolute_path_is_refused_even_inside_the_workspace(files: Files, trap: Path, name: str) -> None:
    inside = files.root / "mine.txt"
    inside.write_text("mine")
    result = await files.touch(name, str(inside))
    assert not result.success
    assert inside.read_text() == "mine"


@pytest.mark.parametrize("pattern", ["../*", "folder-link/*", "*/../../*", "/*", "**/secret*", "**"])
async def test_no_pattern_shows_what_is_outside(files: Files, trap: Path, pattern: str) -> None:
    for recursive in (True, False):
        result = await files.call("list_files", pattern=pattern, recursive=recursive)
        assert "secret.txt" not in result.content
        assert "alice-evil" not in result.content


async def test_two_users_have_two_folders(files: Files, tmp_path: Path) -> None:
    bob = files.of(tmp_path / "users" / "bob")
    await files.call("write_file", path="diary.txt", content="alice's")
    missing = await bob.call("read_file", path="diary.txt")
    await bob.call("write_file", path="diary.txt", content="bob's")
    refused = await bob.call("delete_file", path="../alice/diary.txt")
    assert "does not exist" in missing.content
    assert not refused.success
    assert (await files.call("read_file", path="diary.txt")).content.endswith("alice's")
    assert "diary.txt" in (await bob.call("list_files")).content


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("arguments", [{"path": 7, "surplus": 1}, {"path": None}, {"path": ["a"]}, {"surplus": 1}])
async def test_called_directly_with_wrong_arguments_a_tool_answers_instead_of_raising(
    files: Files, name: str, arguments: Mapping[str, object]
) -> None:
    result = await files.tools[name].execute(arguments, ctx=files.ctx)
    if name == "list_files" and arguments == {"path": None}:
        assert result.success  # a null for an optional field means that it is left out
    else:
        assert result.kind == "invalid"


def test_the_defaults_are_those_of_the_document(files: Files) -> None:
    written = files.tools["write_file"].validate_args({"path": "a", "content": "b"})
    listed = files.tools["list_files"].validate_args({})
    assert written["mode"] == "overwrite"
    assert dict(listed) == {"path": ".", "pattern": None, "recursive": False}


def test_the_schemas_are_short(files: Files) -> None:
    for tool in files.tools.values():
        schema = tool.get_schema()
        assert "\n" not in schema.description
        assert len(schema.description) <= 60
        assert schema.parameters["type"] == "object"


def test_what_a_person_wrote_is_marked_as_their_words(tmp_path: Path) -> None:
    marked = {name: tool.word_parameters for name, tool in build_tools(tmp_path).items()}
    assert marked == {
        "read_file": ("path",),
        "list_files": ("path",),
        "write_file": ("path", "content"),
        "delete_file": ("path",),
    }
