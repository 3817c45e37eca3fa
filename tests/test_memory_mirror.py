"""MEMORY.md and the facts: alike after any way of editing either, and nothing is ever lost by accident."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.db import Database
from app.database.repository import Repository
from app.domain.ids import TurnId, UserId
from app.memory.categories import CATEGORIES
from app.memory.mirror import MemoryMirror, MirrorWatch
from app.memory.mirror_format import Entry, parse, render
from app.memory.repository import Memory, MemoryRepository
from app.memory.service import MemoryService
from app.memory.similarity import tidy
from tests.databases import migrated
from tests.fakes.clock import FrozenClock

ANN = UserId("ann")
BOB = UserId("bob")
NOW = datetime(2026, 8, 4, 12, tzinfo=UTC)
MADRID, DOG, COFFEE, DAUGHTER = "vivo en Madrid", "tengo un perro", "me gusta el café", "mi hija se llama Ana"


def memory(text: str, number: int = 1, category: str = "general") -> Memory:
    return Memory(number, number, text, category, "active", None, None, None, NOW, NOW)


class Desk:
    """One person's file beside a real database, with a clock that stands still."""

    def __init__(self, db: Database, users_dir: Path) -> None:
        self.db = db
        self.users_dir = users_dir
        self.clock = FrozenClock(NOW)
        self.repository = MemoryRepository(Repository(db), db)
        self.announced: list[UserId] = []
        self.service = MemoryService(self.repository, self.clock, on_change=self.announced.append)
        self.mirror = self.fresh_mirror()

    def fresh_mirror(self) -> MemoryMirror:
        """As after a restart: nothing was seen yet."""
        return MemoryMirror(self.repository, self.service, self.clock, users_dir=self.users_dir)

    @property
    def path(self) -> Path:
        return self.users_dir / ANN / "MEMORY.md"

    @property
    def text(self) -> str:
        return self.path.read_bytes().decode()

    async def learns(self, *texts: str) -> None:
        for text in texts:
            await self.service.remember(ANN, text)
        await self.mirror.reconcile(ANN)

    async def settle(self, seconds: float = 1) -> str:
        await self.mirror.reconcile(ANN)
        await self.clock.advance(seconds)
        return await self.mirror.reconcile(ANN)

    async def knows(self) -> list[str]:
        return [one.text for one in await self.service.list_active(ANN)]

    async def reasons(self) -> dict[str, str | None]:
        rows = await self.db.fetch_all("SELECT text, reason FROM memories WHERE state = 'inactive' ORDER BY id")
        return {row["text"]: row["reason"] for row in rows}

    def edit(self, change: Callable[[str], str]) -> None:
        self.path.write_bytes(change(self.text).encode())


@pytest.fixture
async def desk(tmp_path: Path, database: str) -> AsyncIterator[Desk]:
    async with Database.open(database) as db:
        async with db.transaction() as tx:
            for user_id in (ANN, BOB):
                await tx.execute(
                    "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'es', 0, 0)",
                    user_id,
                )
        yield Desk(db, tmp_path / "users")


# The format


hostile = st.text(
    st.sampled_from("ab \n\t-#*<>!\\[]()1.:é\u2028\ufeff") | st.characters(), max_size=60
) | st.sampled_from(
    [
        "[work] pay rent",
        "- a\n- b",
        "<!-- #7 -->",
        "a <\\!-- #2 --> b",
        "# x",
        "a\n\n\nb",
        "x\n## y\n- z",
        "a\n  b\n\tc",
    ]
)


@given(st.lists(st.tuples(hostile.map(tidy).filter(bool), st.sampled_from(CATEGORIES)), max_size=5))
def test_every_text_survives_the_file(facts: list[tuple[str, str]]) -> None:
    memories = [memory(text, number, category) for number, (text, category) in enumerate(facts, start=1)]
    for language in ("es", "en"):
        read = parse(render(memories, 7, language))
        assert read.revision == 7
        assert sorted(read.entries, key=lambda one: one.number or 0) == [
            Entry(one.text, one.category, one.number) for one in memories
        ]
        crlf = "\ufeff" + render(memories, 7, language).replace("\n", "\r\n").rstrip()
        assert parse(crlf) == read


@given(hostile)
def test_any_file_can_be_read_and_gives_texts_that_can_be_kept(content: str) -> None:
    for entry in parse(content).entries:
        assert entry.text == tidy(entry.text) != ""


def test_what_people_type_becomes_entries() -> None:
    read = parse(
        "first line\n* star\n2. two\n  more of two\n## Salud\n- [x] celíaca\n\nloose\n"
        "<!-- note -->\n-\n## Nada\n+ z"
    )
    assert read.entries == (
        Entry("first line", None),
        Entry("star", None),
        Entry("two\nmore of two", None),
        Entry("[x] celíaca", "health"),
        Entry("loose", "health"),
        Entry("z", None),
    )


# From the facts to the file


async def test_facts_are_written_in_a_fixed_order_for_their_owner_alone(desk: Desk) -> None:
    await desk.learns(COFFEE, MADRID, DAUGHTER)
    assert stat.S_IMODE(desk.path.stat().st_mode) == 0o600
    assert [line for line in desk.text.split("\n") if line.startswith(("- ", "## "))] == [
        "## Familia y cercanos",
        "- mi hija se llama Ana <!-- #3 -->",
        "## Casa",
        "- vivo en Madrid <!-- #2 -->",
        "## Gustos",
        "- me gusta el café <!-- #1 -->",
    ]
    assert [one.name for one in desk.path.parent.iterdir()] == ["MEMORY.md"]
    assert not (desk.users_dir / BOB).exists()


async def test_a_file_that_is_as_it_should_be_is_left_alone(desk: Desk) -> None:
    await desk.learns(MADRID)
    before = desk.path.stat()
    assert await desk.mirror.reconcile(ANN) == "same"
    assert await desk.fresh_mirror().reconcile(ANN) == "same"
    after = desk.path.stat()
    # Reading changes the time of the last access, where a second passes meanwhile.
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


async def test_nobody_without_facts_gets_a_file(desk: Desk) -> None:
    assert await desk.mirror.reconcile(ANN) == "same"
    assert not desk.users_dir.exists()


async def test_nothing_is_written_for_somebody_who_is_gone(desk: Desk) -> None:
    await desk.learns(DOG)
    async with desk.mirror.held(ANN):
        waiting = asyncio.create_task(desk.mirror.reconcile(ANN))
        await asyncio.sleep(0)
        async with desk.db.transaction() as tx:
            await tx.execute("DELETE FROM users WHERE user_id = ?", ANN)
        desk.path.unlink()
    assert await waiting == "unusable"
    assert await desk.settle() == "unusable"
    assert not desk.path.exists()


# From the file to the facts


def truncate_and_write(path: Path, content: bytes) -> None:
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(content)


def rename_over(path: Path, content: bytes) -> None:
    beside = path.with_name("MEMORY.md~new")
    beside.write_bytes(content)
    beside.rename(path)


def move_away_and_write(path: Path, content: bytes) -> None:
    path.rename(path.with_name("MEMORY.md~"))
    path.write_bytes(content)


def swap_file(path: Path, content: bytes) -> None:
    path.with_name(".MEMORY.md.swp").write_bytes(b"b0VIM")
    path.unlink()
    path.write_bytes(content)


def same_time_and_size(path: Path, content: bytes) -> None:
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    "save", [truncate_and_write, rename_over, move_away_and_write, swap_file, same_time_and_size]
)
@pytest.mark.parametrize(
    "dress",
    [
        lambda text: text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text + "\n\n\n",
    ],
)
async def test_an_edit_is_taken_in_however_the_editor_saves(
    desk: Desk, save: Callable[[Path, bytes], None], dress: Callable[[str], str]
) -> None:
    await desk.learns(DOG, COFFEE, DAUGHTER)
    edited = desk.text.replace(DOG, "tengo un loro").replace("- me gusta el café <!-- #2 -->\n", "- soy celíaca\n")
    save(desk.path, dress(edited).encode())
    assert await desk.settle() == "taken_in"
    assert await desk.knows() == ["tengo un loro", DAUGHTER, "soy celíaca"]
    assert await desk.reasons() == {COFFEE: "removed_in_file"}
    assert "- soy celíaca <!-- #4 -->" in desk.text
    assert await desk.mirror.reconcile(ANN) == "same"


async def test_an_edit_is_not_believed_before_it_was_the_same_twice(desk: Desk) -> None:
    await desk.learns(DOG, COFFEE)
    full = desk.text
    desk.path.write_text(full + "- soy celí")
    assert await desk.mirror.reconcile(ANN) == "waiting"
    await desk.clock.advance(5)
    desk.path.write_text(full + "- soy celíaca\n")
    assert await desk.mirror.reconcile(ANN) == "waiting"
    assert await desk.mirror.reconcile(ANN) == "waiting"
    await desk.service.remember(ANN, MADRID)
    await desk.clock.advance(1)
    assert await desk.mirror.reconcile(ANN) == "taken_in"
    assert await desk.knows() == [DOG, COFFEE, MADRID, "soy celíaca"]
    assert all(text in desk.text for text in await desk.knows())


async def test_edits_made_while_the_service_was_down_are_taken_in(desk: Desk) -> None:
    await desk.learns(DOG, COFFEE)
    desk.edit(lambda text: text.replace(DOG, "tengo un loro"))
    await desk.service.remember(ANN, MADRID)
    desk.mirror = desk.fresh_mirror()
    assert await desk.settle() == "taken_in"
    assert await desk.knows() == ["tengo un loro", COFFEE, MADRID]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", "# Lo que sé de ti\n".encode(), b"<!-- x -->"])
async def test_an_empty_file_erases_nothing_and_is_written_anew(desk: Desk, content: bytes) -> None:
    await desk.learns(DOG, COFFEE)
    desk.path.write_bytes(content)
    assert await desk.settle() == "taken_in"
    await desk.clock.advance(120)
    await desk.mirror.reconcile(ANN)
    assert await desk.knows() == [DOG, COFFEE]
    assert DOG in desk.text
    assert COFFEE in desk.text


async def test_a_file_that_was_deleted_is_written_again(desk: Desk) -> None:
    await desk.learns(DOG)
    desk.path.unlink()
    assert await desk.settle() == "written"
    assert await desk.knows() == [DOG]
    assert DOG in desk.text


async def test_a_file_that_lost_most_of_its_facts_must_stay_so_for_a_minute(desk: Desk) -> None:
    await desk.learns(DOG, COFFEE, MADRID, DAUGHTER)
    full = desk.text
    desk.path.write_text("".join(line for line in full.splitlines(True) if "#" not in line or "#1" in line))
    assert await desk.settle(30) == "waiting"
    assert len(await desk.knows()) == 4
    desk.path.write_text(full)
    assert await desk.mirror.reconcile(ANN) == "same"
    desk.path.write_text("- tengo un perro <!-- #1 -->\n")
    assert await desk.settle(30) == "waiting"
    await desk.clock.advance(31)
    assert await desk.mirror.reconcile(ANN) == "taken_in"
    assert await desk.knows() == [DOG]
    assert set((await desk.reasons()).values()) == {"removed_in_file"}


async def test_bytes_that_are_no_text_are_kept_aside(desk: Desk) -> None:
    await desk.learns(DOG)
    desk.path.write_bytes(b"- caf\xe9 \xff\xfe")
    assert await desk.settle() == "written"
    assert await desk.knows() == [DOG]
    aside = [one for one in desk.path.parent.iterdir() if "unreadable" in one.name]
    assert [one.read_bytes() for one in aside] == [b"- caf\xe9 \xff\xfe"]
    assert DOG in desk.text


async def test_a_link_or_a_folder_in_the_files_place_is_never_followed(desk: Desk, tmp_path: Path) -> None:
    await desk.learns(DOG)
    outside = tmp_path / "outside.md"
    outside.write_text("- soy el jefe\n")
    desk.path.unlink()
    desk.path.symlink_to(outside)
    assert await desk.settle() == "unusable"
    desk.path.unlink()
    desk.path.mkdir()
    assert await desk.settle() == "unusable"
    assert await desk.knows() == [DOG]
    assert outside.read_text() == "- soy el jefe\n"


async def test_texts_of_several_lines_and_brackets_can_be_edited(desk: Desk) -> None:
    await desk.learns("[work] receta:\n- harina\n\n- agua", "la clave [x] es <!-- #1 -->")
    desk.edit(lambda text: text.replace("- agua", "- leche"))
    assert await desk.settle() == "taken_in"
    assert await desk.knows() == ["[work] receta:\n- harina\n\n- leche", "la clave [x] es <!-- #1 -->"]


async def test_a_fact_moves_to_another_category_with_its_line(desk: Desk) -> None:
    await desk.learns(DOG, COFFEE)
    desk.path.write_text(f"## Health\n- {COFFEE} <!-- #2 -->\n- {DOG} <!-- #1 -->\n")
    assert await desk.settle() == "taken_in"
    facts = await desk.service.list_active(ANN)
    assert [(one.number, one.category) for one in facts] == [(1, "health"), (2, "health")]


async def test_lines_that_lost_their_marks_are_still_the_same_facts(desk: Desk) -> None:
    await desk.learns(DOG, COFFEE)
    before = await desk.service.list_active(ANN)
    desk.path.write_text(f"{DOG}\n\n{COFFEE}\n")
    assert await desk.settle() == "taken_in"
    assert await desk.service.list_active(ANN) == before


async def test_a_copied_line_keeps_its_number_once(desk: Desk) -> None:
    await desk.learns(DOG)
    desk.path.write_text(f"- tengo dos canarios <!-- #1 -->\n- {DOG} <!-- #1 -->\n- {DOG} <!-- #1 -->\n")
    assert await desk.settle() == "taken_in"
    assert await desk.knows() == [DOG, "tengo dos canarios"]


async def test_a_new_line_corrects_the_fact_that_it_contradicts(desk: Desk) -> None:
    await desk.learns(MADRID, DOG)
    desk.edit(lambda text: text + "- vivo en Lisboa\n")
    assert await desk.settle() == "taken_in"
    assert await desk.knows() == [DOG, "vivo en Lisboa"]
    assert await desk.reasons() == {MADRID: "contradicted"}
    assert MADRID not in desk.text


async def test_an_edited_line_belongs_to_no_message_any_more(desk: Desk) -> None:
    await desk.service.remember(ANN, DOG, turn_id=TurnId(7))
    await desk.mirror.reconcile(ANN)
    desk.edit(lambda text: text.replace(DOG, "tengo un loro verde"))
    await desk.settle()
    await desk.service.forget_turn(ANN, TurnId(7))
    assert await desk.knows() == ["tengo un loro verde"]


async def test_an_old_editor_window_neither_removes_newer_facts_nor_brings_forgotten_ones_back(desk: Desk) -> None:
    await desk.learns(DOG, COFFEE)
    window = desk.text
    await desk.service.forget(ANN, "1")
    await desk.learns(DAUGHTER)
    desk.path.write_text(window.replace(COFFEE, "me gusta el té verde"))
    assert await desk.settle() == "taken_in"
    assert await desk.knows() == ["me gusta el té verde", DAUGHTER]
    assert DOG not in desk.text


async def test_changes_of_both_sides_are_kept(desk: Desk) -> None:
    await desk.learns(DOG, COFFEE, DAUGHTER)
    desk.edit(lambda text: text.replace(COFFEE, "me gusta el té verde") + "- soy celíaca\n")
    await desk.service.forget(ANN, DOG)
    await desk.service.remember(ANN, MADRID)
    assert await desk.settle() == "taken_in"
    assert await desk.knows() == ["me gusta el té verde", DAUGHTER, MADRID, "soy celíaca"]


async def test_a_crash_between_taking_in_and_writing_doubles_nothing(desk: Desk) -> None:
    await desk.learns(DOG)
    before = await desk.repository.memories.find_mirror(ANN)
    assert before is not None
    desk.edit(lambda text: text.replace(DOG, "tengo un loro") + "- soy celíaca\n")
    edited = desk.text
    await desk.settle()
    known = await desk.service.list_active(ANN)
    # As if neither the new file nor its state had reached the disk.
    desk.path.write_text(edited)
    async with desk.db.transaction() as tx:
        await desk.repository.memories.save_mirror(ANN, before, NOW, tx=tx)
    desk.mirror = desk.fresh_mirror()
    assert await desk.settle() == "taken_in"
    assert [replace(one, updated_at=NOW) for one in await desk.service.list_active(ANN)] == [
        replace(one, updated_at=NOW) for one in known
    ]


async def test_a_crash_between_writing_and_keeping_the_state_changes_nothing(desk: Desk) -> None:
    await desk.learns(DOG, COFFEE)
    before = await desk.repository.memories.find_mirror(ANN)
    assert before is not None
    await desk.service.forget(ANN, "1")
    await desk.learns(DAUGHTER)
    async with desk.db.transaction() as tx:
        await desk.repository.memories.save_mirror(ANN, before, NOW, tx=tx)
    desk.mirror = desk.fresh_mirror()
    assert await desk.settle() == "taken_in"
    assert await desk.knows() == [COFFEE, DAUGHTER]
    assert await desk.reasons() == {}


# The watch


async def test_the_watch_writes_what_is_remembered_and_reads_what_is_edited(desk: Desk) -> None:
    watch = MirrorWatch(desk.repository, desk.mirror, desk.clock)
    service = MemoryService(desk.repository, desk.clock, on_change=watch.wake)
    await service.remember(ANN, DOG)
    running = asyncio.create_task(watch.run())
    try:
        await _until(desk.path.exists)
        await service.remember(ANN, COFFEE)
        await _until(lambda: COFFEE in desk.text)
        desk.edit(lambda text: text.replace(DOG, "tengo un loro"))
        async with asyncio.timeout(5):
            while await desk.knows() != ["tengo un loro", COFFEE]:
                await desk.clock.advance(2)
                await asyncio.sleep(0.001)
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def test_the_watch_rests_once_everything_is_alike(desk: Desk) -> None:
    watch = MirrorWatch(desk.repository, desk.mirror, desk.clock)
    await desk.learns(DOG)
    desk.edit(lambda text: text + "- soy celíaca\n")
    for _ in range(3):
        await watch.step()
        await desk.clock.advance(2)
    before = desk.path.stat()
    announced = len(desk.announced)
    for _ in range(3):
        await watch.step()
    assert desk.path.stat() == before
    assert len(desk.announced) == announced
    assert await desk.knows() == [DOG, "soy celíaca"]


async def _until(is_done: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not is_done():
            await asyncio.sleep(0.001)


WRITER = """
import asyncio, sys
from pathlib import Path
from app.database.db import Database
from app.database.repository import Repository
from app.domain.clock import SystemClock
from app.domain.ids import UserId
from app.memory.mirror import MemoryMirror, MirrorWatch
from app.memory.service import MemoryService

async def main(root):
    async with Database.open(root / "w.db") as db:
        repository = MemoryRepository(Repository(db), db)
        service = MemoryService(repository, SystemClock())
        mirror = MemoryMirror(repository, service, SystemClock(), users_dir=root / "users")
        n = 0
        while True:
            n += 1
            await service.remember(UserId("ann"), f"fact number {n} of run {sys.argv[2]} " + "word " * 150)
            await mirror.reconcile(UserId("ann"))
            print(n, flush=True)

asyncio.run(main(Path(sys.argv[1])))
"""


def _write_and_be_killed(folder: Path, run: int) -> None:
    """Let another process remember and write, and kill it at a different moment of the write in each run."""
    command = [sys.executable, "-c", WRITER, str(folder), str(run)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        for _ in range(2 + run % 3):
            assert child.stdout.readline()
        time.sleep(run * 0.0007)
        child.send_signal(signal.SIGKILL)


ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.long
async def test_a_writer_killed_at_any_moment_leaves_a_whole_file_and_every_fact(tmp_path: Path) -> None:
    async with migrated(tmp_path / "w.db") as db, db.transaction() as tx:
        await tx.execute(
            "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES ('ann', 'en', 0, 0)"
        )
    for run in range(12):
        await asyncio.to_thread(_write_and_be_killed, tmp_path, run)
        async with Database.open(tmp_path / "w.db") as db:
            desk = Desk(db, tmp_path / "users")
            before = await desk.knows()
            assert parse(desk.text).revision is not None
            await desk.settle()
            await desk.settle()
            assert await desk.knows() == before
            assert sorted(one.text for one in parse(desk.text).entries) == sorted(before)


async def test_a_file_with_hundreds_of_new_lines_is_taken_in_at_once(desk: Desk) -> None:
    await desk.learns(MADRID)
    lines = [f"- Me gusta el vino {number} de la tienda" for number in range(1, 1_201)]
    desk.path.write_text("\n".join([desk.text, *lines, "- vivo en Lisboa"]), "utf-8")
    assert await desk.settle() == "taken_in"
    known = await desk.knows()
    assert (len(known), known[-1]) == (1_201, "vivo en Lisboa")
    assert desk.announced == [ANN] * 4  # learnt once, and a batch of lines at a time
