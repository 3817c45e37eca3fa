"""What everybody relies on of `PeoplesFiles`, held against a folder and against a real server that speaks S3."""

import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.errors import ConfigError, ToolFault, Transient
from app.domain.ids import UserId
from app.domain.ports import PeoplesFiles
from app.files.bucket import Bucket
from app.files.copies import Copies
from app.files.folder import FolderFiles
from app.files.opening import opened_files
from tests.object_store import SECRET, ObjectStore

ANN, ANNA = UserId("ann"), UserId("anna")
MANY = 100


@dataclass
class World:
    """The same files as two machines see them."""

    files: PeoplesFiles
    elsewhere: PeoplesFiles
    scratch: Path


@pytest.fixture(params=["folder", "s3"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    if request.param == "folder":
        yield World(FolderFiles(tmp_path / "users"), FolderFiles(tmp_path / "users"), tmp_path / "copies")
        return
    store: ObjectStore = request.getfixturevalue("object_store")
    bucket = store.create()
    with (
        opened_files(tmp_path / "users", bucket, data_dir=tmp_path) as one,
        opened_files(tmp_path / "others", bucket, data_dir=tmp_path) as other,
    ):
        yield World(one, other, tmp_path / "copies")


async def paths(
    files: PeoplesFiles, user_id: UserId = ANN, folder: str = "", *, is_deep: bool = True
) -> list[str]:
    found = await files.list_files(user_id, folder, is_deep=is_deep, limit=MANY)
    return sorted(f"{one.path}/" if one.is_folder else one.path for one in found)


async def arrive(files: PeoplesFiles, data: bytes, name: str = "2026-a.pdf", *, user_id: UserId = ANN) -> bytes:
    """Let a file come in; returns what a child finds."""
    async with files.draft(user_id, "media", "one") as draft:
        draft.file.write(data)
        return (await draft.keep(name)).read_bytes()


@pytest.mark.parametrize(
    "path",
    [
        "a.txt",
        "lists/año/compras 🛒.txt",
        "100% & more+.txt",
        "%41.txt",
        'what?#[1]*{x}~|`^<>".txt',
        "a..b/..c",
        " spaces ",
    ],
)
async def test_what_is_written_is_read_elsewhere_under_any_name(world: World, path: str) -> None:
    await world.files.write(ANN, path, b"pan y leche")

    assert await world.elsewhere.read(ANN, path, max_bytes=MANY) == (b"pan y leche", 11)
    assert path in await paths(world.elsewhere)


async def test_reading_stops_where_it_is_told_to_and_tells_the_size(world: World) -> None:
    await world.files.write(ANN, "a.txt", b"0123456789")
    await world.files.write(ANN, "empty", b"")

    assert await world.files.read(ANN, "a.txt", max_bytes=3) == (b"012", 10)
    assert await world.files.read(ANN, "a.txt", max_bytes=0) == (b"", 10)
    assert await world.files.read(ANN, "empty", max_bytes=3) == (b"", 0)


async def test_a_second_write_takes_the_place_of_the_first(world: World) -> None:
    await world.files.write(ANN, "a.txt", b"the first, which is longer")
    await world.files.write(ANN, "a.txt", b"second")

    assert await world.elsewhere.read(ANN, "./x/../a.txt", max_bytes=MANY) == (b"second", 6)


async def test_nobody_reaches_what_is_anothers(world: World) -> None:
    await world.files.write(ANNA, "secret.txt", b"mine")
    await world.files.write(ANN, "own.txt", b"hers")

    for path in ("../anna/secret.txt", "x/../../anna/secret.txt", "/anna/secret.txt", "..", "a\\b", "a\0b"):
        with pytest.raises(ToolFault):
            await world.files.read(ANN, path, max_bytes=MANY)
        with pytest.raises(ToolFault):
            await world.files.write(ANN, path, b"x")
        with pytest.raises(ToolFault):
            await world.files.remove(ANN, path)
        with pytest.raises(ToolFault):
            await world.files.list_files(ANN, path, limit=MANY)
    with pytest.raises(FileNotFoundError):
        await world.files.read(ANN, "secret.txt", max_bytes=MANY)
    assert await paths(world.files) == ["own.txt"]
    assert await world.files.list_owners() == [ANN, ANNA]


async def test_folders_are_listed_with_what_is_in_them(world: World) -> None:
    for path in ("b.txt", "a/x.txt", "a/deep/y.md"):
        await world.files.write(ANN, path, b"12345")

    assert await paths(world.files) == ["a/", "a/deep/", "a/deep/y.md", "a/x.txt", "b.txt"]
    assert await paths(world.files, is_deep=False) == ["a/", "b.txt"]
    assert await paths(world.files, folder="a", is_deep=False) == ["a/deep/", "a/x.txt"]
    assert await paths(world.files, folder="a/") == ["a/deep/", "a/deep/y.md", "a/x.txt"]
    [found] = [one for one in await world.files.list_files(ANN, limit=MANY) if one.path == "b.txt"]
    assert found.size_bytes == 5
    assert found.modified_s > 1_700_000_000
    assert len(await world.files.list_files(ANN, limit=2)) == 2


async def test_a_file_is_no_folder_and_a_folder_no_file(world: World) -> None:
    await world.files.write(ANN, "a/x.txt", b"1")

    with pytest.raises(IsADirectoryError):
        await world.files.read(ANN, "a", max_bytes=MANY)
    with pytest.raises(OSError, match=r"."):
        await world.files.write(ANN, "a", b"1")
    with pytest.raises(NotADirectoryError):
        await world.files.write(ANN, "a/x.txt/y", b"1")
    with pytest.raises(NotADirectoryError):
        await world.files.list_files(ANN, "a/x.txt", limit=MANY)
    with pytest.raises(OSError, match=r"."):
        await world.files.remove(ANN, "a")
    with pytest.raises(OSError, match=r"."):
        await world.files.write(ANN, "", b"1")
    assert await paths(world.files) == ["a/", "a/x.txt"]


async def test_what_is_not_there_is_told_as_a_folder_tells_it(world: World) -> None:
    for wanted in (
        world.files.read(ANN, "none", max_bytes=MANY),
        world.files.remove(ANN, "none"),
        world.files.list_files(ANN, limit=MANY),
        world.files.list_files(ANN, "none", limit=MANY),
        world.files.local(ANN, "none").__aenter__(),
    ):
        with pytest.raises(FileNotFoundError):
            await wanted
    assert await world.files.list_owners() == []


@pytest.mark.parametrize("path", ["ñ" * 300, "/".join(["x" * 200] * 6)])
async def test_a_path_that_is_too_long_is_refused_as_such(world: World, path: str) -> None:
    with pytest.raises(ToolFault, match="too long"):
        await world.files.write(ANN, path, b"1")


async def test_what_came_in_is_there_for_a_child_and_elsewhere(world: World) -> None:
    data = bytes(range(256)) * 50_000

    assert await arrive(world.files, data) == data
    async with world.elsewhere.local(ANN, "media/2026-a.pdf") as path:
        assert path.read_bytes() == data
        assert path.suffix == ".pdf"
    assert await world.elsewhere.read(ANN, "media/2026-a.pdf", max_bytes=10) == (data[:10], len(data))


async def test_what_came_in_and_was_not_kept_is_nowhere(world: World) -> None:
    async with world.files.draft(ANN, "media", "one") as draft:
        draft.file.write(b"half of it")

    assert [path for path in await all_of(world) if not path.endswith("/")] == []


async def all_of(world: World) -> list[str]:
    try:
        return await paths(world.files)
    except FileNotFoundError:
        return []


async def test_copies_for_children_are_gone_with_their_block(world: World) -> None:
    await arrive(world.files, b"1")
    async with world.elsewhere.local(ANN, "media/2026-a.pdf"):
        pass

    assert [path for path in world.scratch.rglob("*") if path.is_file() and path.suffix != ".lock"] == []


async def test_what_is_removed_is_gone_elsewhere_too(world: World) -> None:
    await world.files.write(ANN, "a.txt", b"1")
    await world.elsewhere.remove(ANN, "a.txt")

    with pytest.raises(FileNotFoundError):
        await world.files.read(ANN, "a.txt", max_bytes=MANY)


async def test_everything_of_one_person_goes_and_nothing_of_another(world: World) -> None:
    for number in range(12):
        await world.files.write(ANN, f"folder/{number}.txt", b"1")
    await arrive(world.files, b"2")
    await world.files.write(ANNA, "folder/0.txt", b"hers")

    await world.elsewhere.remove_all(ANN)
    await world.elsewhere.remove_all(ANN)

    assert await world.files.list_owners() == [ANNA]
    assert await paths(world.files, ANNA) == ["folder/", "folder/0.txt"]
    with pytest.raises(FileNotFoundError):
        await world.files.list_files(ANN, limit=MANY)


@pytest.fixture
def bucket(object_store: ObjectStore) -> Bucket:
    return object_store.create()


async def test_a_store_that_does_not_answer_is_a_matter_of_time(bucket: Bucket, tmp_path: Path) -> None:
    nobody = replace(bucket, endpoint="http://127.0.0.1:1")
    with opened_files(tmp_path, nobody, data_dir=tmp_path) as files:
        await refused(files)


async def test_a_bucket_that_is_not_there_is_no_reason_to_take_files_for_gone(
    bucket: Bucket, tmp_path: Path
) -> None:
    with opened_files(tmp_path, replace(bucket, name="another-bucket"), data_dir=tmp_path) as files:
        await refused(files)


async def refused(files: PeoplesFiles) -> None:
    for wanted in (
        files.write(ANN, "a.txt", b"1"),
        files.list_files(ANN, limit=MANY),
        files.read(ANN, "a.txt", max_bytes=1),
        files.remove(ANN, "a.txt"),
        files.remove_all(ANN),
        files.list_owners(),
        files.local(ANN, "a.txt").__aenter__(),
    ):
        with pytest.raises(Transient) as caught:
            await wanted
        assert SECRET not in f"{caught.value!s} {caught.value.__cause__!r}"


async def test_an_id_that_is_none_reaches_nothing(bucket: Bucket, tmp_path: Path) -> None:
    with opened_files(tmp_path, bucket, data_dir=tmp_path) as files:
        for strange in ("", ".", "..", "ann/..", "a b"):
            with pytest.raises(ValueError, match="no id"):
                await files.remove_all(UserId(strange))


async def test_keys_are_the_paths_of_the_folder_so_that_one_copies_as_the_other(
    bucket: Bucket, tmp_path: Path
) -> None:
    obstore: Any = importlib.import_module("obstore")
    open_store = importlib.import_module("app.files.s3").open_store
    with opened_files(tmp_path, bucket, data_dir=tmp_path) as files:
        await files.write(ANN, "lists/año.txt", b"1")
    found = [one["path"] for batch in obstore.list(open_store(replace(bucket, prefix=""))) for one in batch]

    assert found == ["home/people/ann/lists/año.txt"]


def test_no_one_reads_the_secret_in_what_names_the_bucket(bucket: Bucket) -> None:
    assert SECRET not in repr(bucket)


def test_what_a_killed_process_copied_is_removed_at_the_next_start(tmp_path: Path) -> None:
    left = tmp_path / "copies" / "of-the-dead"
    left.mkdir(parents=True)
    (left / "photo.jpg").write_bytes(b"private")

    with Copies.opened(tmp_path), Copies.opened(tmp_path):
        assert not left.exists()
        assert len([one for one in (tmp_path / "copies").iterdir() if one.is_dir()]) == 2
    assert list((tmp_path / "copies").iterdir()) == []


def test_without_the_library_a_bucket_is_refused_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    monkeypatch.delitem(sys.modules, "app.files.s3", raising=False)

    with (
        pytest.raises(ConfigError, match=r"pip install 'wasap\[s3\]'") as caught,
        opened_files(tmp_path, Bucket("people"), data_dir=tmp_path),
    ):
        pass
    assert caught.value.code == "FILES_URL"


def test_a_folder_with_files_of_people_is_not_passed_over_for_a_bucket(tmp_path: Path) -> None:
    (tmp_path / "users" / "ann").mkdir(parents=True)

    with (
        pytest.raises(ConfigError, match="still holds files of people") as caught,
        opened_files(tmp_path / "users", Bucket("people"), data_dir=tmp_path),
    ):
        pass
    assert caught.value.code == "FILES_URL"
