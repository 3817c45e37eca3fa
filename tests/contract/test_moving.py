"""Everything moves from SQLite to PostgreSQL and back, and is the same at the end."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.cli.moving import move_everything
from app.database.db import Database
from app.database.migrate import migrate
from app.database.moving import MovedTable, move
from app.database.repositories.users import next_number
from app.domain.errors import ConfigError, Rejected
from app.domain.ids import UserId
from app.files.folder import FolderFiles
from app.privacy.export import Exporter
from app.privacy.ownership import Ownership
from app.skills.tools.notes.repository import Notes
from tests.builders import ALICE, BOB
from tests.databases import migrated
from tests.fakes.clock import FrozenClock
from tests.harness import make_settings
from tests.owned_rows import RowMaker
from tests.postgresql import Server
from tests.raw import indexed

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PASSWORD = "s3cr3t-of-ours"


@dataclass(frozen=True, slots=True)
class World:
    """A database with two people who have something of everything, and two that are empty."""

    file: Database
    server: Database
    other_file: Database
    people: tuple[UserId, UserId]


@pytest.fixture
async def world(tmp_path: Path, postgresql: Server) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        places = (tmp_path / "one.db", postgresql.clean(), tmp_path / "other.db")
        databases = [await stack.enter_async_context(Database.open(place)) for place in places]
        for db in databases:
            await migrate(db)
        file, server, other = databases
        maker = RowMaker(file)
        people = (await maker.add_person(ALICE, "fern ñandú 🌱", NOW), await maker.add_person(BOB, "cactus", NOW))
        notes = Notes(file)
        for user_id in people:
            await notes.add(user_id, "Súper", "leche y huevos", NOW)
        yield World(file, server, other, people)


def nobody_listens(table: str, rows: int) -> None:
    pass


async def moved(source: Database, target: Database, *, replaces: bool = False) -> list[MovedTable]:
    return await move(source, target, replaces=replaces, tell=nobody_listens)


async def exports(db: Database, people: tuple[UserId, ...], nothing: Path) -> list[bytes]:
    exporter = Exporter(Ownership(db), FolderFiles(nothing), FrozenClock(NOW))
    archives = [await exporter.build_archive(one, language="es", timezone="UTC") for one in people]
    return [archive.data for archive in archives]


async def test_there_and_back_every_export_is_the_same_byte_for_byte(world: World, tmp_path: Path) -> None:
    nothing = tmp_path / "no files"
    before = await exports(world.file, world.people, nothing)

    there = await moved(world.file, world.server)
    back = await moved(world.server, world.other_file)

    assert there == back
    assert sum(table.rows for table in there) > 2 * 30
    assert await exports(world.server, world.people, nothing) == before
    assert await exports(world.other_file, world.people, nothing) == before


async def test_what_was_moved_is_found_by_its_words_and_numbers_go_on(world: World) -> None:
    await moved(world.file, world.server)
    await moved(world.server, world.other_file)

    for db in (world.server, world.other_file):
        found = await Notes(db).search(world.people[0], "huevo super", limit=5)
        assert [note.title for note in found] == ["Súper"]
        newest = await db.fetch_one("SELECT max(id) AS id FROM notes")
        async with db.transaction() as tx:
            number = await next_number(world.people[0], "note", tx=tx)
        added = await Notes(db).add(world.people[0], "new", "words", NOW)
        row = await db.fetch_one("SELECT id FROM notes WHERE user_id = ? AND title = 'new'", world.people[0])
        assert newest is not None
        assert row is not None
        assert row["id"] > newest["id"]
        assert added.number == number + 1
        # The triggers act again.
        unread = await db.fetch_all("SELECT 1 FROM unread_texts WHERE kind = 'note' AND owner_id = ?", row["id"])
        assert len(unread) == 1


async def test_a_target_that_holds_something_is_replaced_only_when_that_is_said(world: World) -> None:
    first = await moved(world.file, world.server)

    with pytest.raises(Rejected) as caught:
        await moved(world.file, world.server)
    assert caught.value.code == "target_not_empty"
    assert await moved(world.file, world.server, replaces=True) == first
    await moved(world.file, world.other_file)
    assert await moved(world.server, world.other_file, replaces=True) == first


@pytest.mark.parametrize("direction", ["to the server", "to a file"])
async def test_what_is_interrupted_has_not_happened(world: World, direction: str) -> None:
    source, target = world.file, world.server
    if direction == "to a file":
        await moved(world.file, world.server)
        source, target = world.server, world.other_file

    def fail(table: str, rows: int) -> None:
        if table == "messages":
            raise LookupError("on purpose")

    with pytest.raises(LookupError):
        await move(source, target, replaces=False, tell=fail)
    for table in ("users", "inbox", "notes"):
        assert await target.fetch_all(f"SELECT 1 FROM {table}") == []
    assert await moved(source, target)


async def test_databases_that_are_not_alike_are_refused(world: World) -> None:
    await world.file.execute_script("ALTER TABLE notes ADD COLUMN colour TEXT")

    with pytest.raises(ConfigError, match="notes"):
        await moved(world.file, world.server)


async def test_the_command_tells_what_it_moved_and_what_to_do_next(
    tmp_path: Path, postgresql: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = make_settings(tmp_path)
    async with migrated(settings.database) as db:
        await RowMaker(db).add_person(ALICE, "fern", NOW)
    url = postgresql.create().replace("postgres@", f"postgres:{PASSWORD}@")

    await move_everything(settings, url, replaces=False)
    back = tmp_path / "back.db"
    await move_everything(make_settings(tmp_path, database_url=url), str(back), replaces=False)
    with pytest.raises(ConfigError, match="already"):
        await move_everything(make_settings(tmp_path, database_path=back), str(back), replaces=True)

    told = capsys.readouterr()
    assert PASSWORD not in told.out + told.err
    there, again = told.out.split("next:")[:2]
    assert "PostgreSQL 1" in there
    assert "sha256" in there
    assert [line for line in there.splitlines() if "sha256" in line] == [
        line for line in again.splitlines() if "sha256" in line
    ]
    assert f"DATABASE_PATH={back}" in told.out


async def test_a_person_who_is_forgotten_leaves_nothing_on_the_server(world: World) -> None:
    await moved(world.file, world.server)
    ann, bob = world.people
    ownership = Ownership(world.server)
    async with world.server.transaction() as tx:
        await ownership.delete(ann, keeps_address=False, tx=tx)
    await ownership.shrink()

    left = {table: await ownership.read(ann, table) for table in await ownership.list_tables()}
    assert {table for table, rows in left.items() if rows} == set()
    assert await indexed(world.server, "notes", "huevos") == 1
    assert all([await ownership.read(bob, table) for table in left])
    assert all(event["content"] is None for event in await ownership.read_audit(ann))


async def test_a_person_who_is_owed_a_last_message_keeps_their_address_alone(world: World) -> None:
    await moved(world.file, world.server)
    ann = world.people[0]
    ownership = Ownership(world.server)
    async with world.server.transaction() as tx:
        await ownership.delete(ann, keeps_address=True, tx=tx)

    [row] = await ownership.read(ann, "users")
    assert (row["wa_id"], row["name"]) == (ALICE, None)
