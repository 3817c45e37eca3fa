"""An export holds everything of one person, nothing of anybody else, and opens on a phone."""

import io
import json
import os
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.db import Database
from app.database.repositories.conversations import NewMessage
from app.database.repository import Repository
from app.domain.ids import TurnId, UserId
from app.files.folder import FolderFiles
from app.language.catalogue import Language, say
from app.privacy.export import KEPT_BACK, Archive, Exporter
from app.privacy.ownership import Ownership
from app.privacy.readable import Line, document_parts
from app.privacy.texts import PRIVACY
from app.security.audit import AuditTrail, CallFacts, CallOutcome
from app.whatsapp.payloads import check_upload
from tests.builders import ALICE, BOB
from tests.databases import migrated
from tests.fakes.clock import FrozenClock
from tests.owned_rows import RowMaker

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HER_WORD, HIS_WORD = "quetzalcoatlus", "ornitorrinco"
TEXT = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}t"


@dataclass
class World:
    db: Database
    users_dir: Path
    alice: UserId
    bob: UserId

    @property
    def repository(self) -> Repository:
        return Repository(self.db)

    @property
    def workspace(self) -> Path:
        return self.users_dir / self.alice

    async def export(self, *, language: Language = "en", **limits: int) -> Archive:
        exporter = Exporter(Ownership(self.db), FolderFiles(self.users_dir), FrozenClock(NOW), **limits)
        return await exporter.build_archive(
            self.alice, language=language, timezone="America/Argentina/Buenos_Aires"
        )


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with migrated(tmp_path / "wasap.db") as db:
        maker = RowMaker(db)
        alice = await maker.add_person(ALICE, HER_WORD, NOW)
        bob = await maker.add_person(BOB, HIS_WORD, NOW)
        users_dir = tmp_path / "users"
        for user_id, word in ((alice, HER_WORD), (bob, HIS_WORD)):
            (users_dir / user_id / "notes").mkdir(parents=True)
            (users_dir / user_id / "notes/año.txt").write_text(word)
        yield World(db, users_dir, alice, bob)


def unpack(archive: Archive) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive.data)) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}


def rows(parts: dict[str, bytes], table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in parts[f"data/{table}.jsonl"].decode().splitlines()]


def paragraphs(document: bytes) -> str:
    return "\n".join(node.text or "" for node in ElementTree.fromstring(document).iter(TEXT))


async def test_every_table_of_hers_is_in_it_and_nothing_of_his(world: World) -> None:
    archive = await world.export()
    parts = unpack(archive)
    tables = set(await Ownership(world.db).list_tables()) - set(KEPT_BACK)
    assert {name for name in parts if name.startswith("data/")} == {f"data/{table}.jsonl" for table in tables}
    everything = b"".join([*parts.values(), *(name.encode() for name in parts)])
    assert HIS_WORD.encode() not in everything
    assert world.bob.encode() not in everything
    assert BOB.encode() not in everything
    for table in tables:
        assert {row["user_id"] for row in rows(parts, table)} == {world.alice}
    assert archive.left_out == ()


async def test_what_is_kept_back_exists_and_is_named(world: World) -> None:
    assert set(KEPT_BACK) <= set(await Ownership(world.db).list_tables())
    readme = unpack(await world.export())["README.txt"].decode()
    assert all(table in readme for table in KEPT_BACK)
    assert say(PRIVACY.readme_nothing_left_out, "en") in readme


async def test_no_key_is_in_it(world: World) -> None:
    async with world.db.transaction() as tx:
        await tx.execute("UPDATE questions SET token = 'key-one' WHERE user_id = ?", world.alice)
    assert b"key-" not in b"".join(unpack(await world.export()).values())


@pytest.mark.needs("notes")
async def test_times_and_stored_json_can_be_read(world: World) -> None:
    payload = {"type": "text", "body": "¿qué tal?"}
    async with world.db.transaction() as tx:
        await tx.execute(
            "UPDATE outbox SET payload = ?, sent_at = NULL WHERE user_id = ?", json.dumps(payload), world.alice
        )
        await tx.execute('UPDATE notes SET content = \'{"not": "ours"}\' WHERE user_id = ?', world.alice)
    parts = unpack(await world.export())
    [sent] = rows(parts, "outbox")
    assert (sent["payload"], sent["sent_at"]) == (payload, None)
    assert datetime.fromisoformat(sent["created_at"]).tzinfo is not None
    assert rows(parts, "notes")[0]["content"] == '{"not": "ours"}'


async def test_what_was_done_in_her_name_is_in_it(world: World, tmp_path: Path) -> None:
    trail = AuditTrail(world.repository, FrozenClock(NOW), head_file=tmp_path / "audit.head")
    for user_id, word in ((world.alice, HER_WORD), (world.bob, HIS_WORD)):
        facts = CallFacts(user_id, TurnId(1), "save_note", {"title": word})
        await trail.record_outcome(facts, "run", CallOutcome("ok", word), intent_id=None)
    recorded = rows(unpack(await world.export()), "audit_events")
    assert [one["phase"] for one in recorded] == ["intent", "outcome"]
    assert HER_WORD in str(recorded)
    assert HIS_WORD not in str(recorded)
    assert recorded[0]["at"] == NOW.isoformat()


async def test_the_conversation_reads_from_top_to_bottom_in_her_language_and_zone(world: World) -> None:
    repository = world.repository
    async with repository.transaction() as tx:
        await tx.execute("DELETE FROM messages")
        await repository.conversations.end_open(world.alice, NOW, tx=tx)
    conversation = await repository.conversations.ensure_open(world.alice, NOW)
    async with repository.transaction() as tx:
        said = (NewMessage("user", "hola & <chau>"), NewMessage("assistant", "¡hola!\nsegunda línea"))
        await repository.conversations.append(world.alice, conversation, said, NOW, turn_id=TurnId(1), tx=tx)
    archive = await world.export(language="es")
    parts = unpack(archive)
    talk = parts["conversation.md"].decode()
    assert talk.index("Tú (2026-01-02 00:04): hola & <chau>") < talk.index("Asistente (2026-01-02 00:04): ¡hola!")
    document = paragraphs(parts["word/document.xml"])
    assert "hola & <chau>" in document
    assert say(PRIVACY.readme_intro, "es") in document
    assert archive.filename == "wasap-2026-01-02.docx"


async def test_who_never_said_or_stored_anything_gets_an_archive_too(world: World) -> None:
    async with world.db.transaction() as tx:
        await tx.execute("DELETE FROM users WHERE user_id = ?", world.alice)
    world.users_dir.rename(world.users_dir.with_name("away"))
    parts = unpack(await world.export())
    assert set(parts) == {
        "[Content_Types].xml",
        "_rels/.rels",
        "word/document.xml",
        "conversation.md",
        "README.txt",
    }
    assert say(PRIVACY.talk_empty, "en") in parts["conversation.md"].decode()


async def test_her_files_are_in_it_and_nothing_that_a_link_leads_to(world: World, tmp_path: Path) -> None:
    (world.workspace / "photo.JPG").write_bytes(b"\xff\xd8")
    (world.workspace / "no extension").write_text("plain")
    (tmp_path / "secret.txt").write_text("a secret of the machine")
    (world.workspace / "link.txt").symlink_to(tmp_path / "secret.txt")
    (world.workspace / "folder").symlink_to(tmp_path)
    os.mkfifo(world.workspace / "pipe")
    parts = unpack(await world.export())
    files = {name: data for name, data in parts.items() if name.startswith("files/")}
    assert files == {
        "files/notes/año.txt": HER_WORD.encode(),
        "files/photo.JPG": b"\xff\xd8",
        "files/no extension": b"plain",
    }


async def test_what_does_not_fit_is_left_out_and_named(world: World) -> None:
    (world.workspace / "a-big.bin").write_bytes(os.urandom(60_000))
    (world.workspace / "b-small.txt").write_text("small")
    archive = await world.export(max_bytes=50_000)
    parts = unpack(archive)
    assert archive.left_out == ("files/a-big.bin",)
    assert "files/a-big.bin" in parts["README.txt"].decode()
    assert parts["files/b-small.txt"] == b"small"
    assert len(archive.data) < 55_000


async def test_files_too_deep_or_too_strange_to_take_are_named(world: World) -> None:
    deep = world.workspace.joinpath(*(f"d{n}" for n in range(20)))
    deep.mkdir(parents=True)
    (deep / "bottom.txt").write_text("never reached")
    (world.workspace / "back\\slash.txt").write_text("no name for a path")
    archive = await world.export()
    assert b"never reached" not in b"".join(unpack(archive).values())
    assert any(name.startswith("files/d0/") for name in archive.left_out)
    assert "files/back\\slash.txt" in archive.left_out


async def test_whatsapp_takes_the_archive(world: World) -> None:
    archive = await world.export()
    check_upload(archive.data, archive.mime_type)
    with zipfile.ZipFile(io.BytesIO(archive.data)) as opened:
        assert opened.namelist()[0] == "[Content_Types].xml"


@given(
    texts=st.lists(st.text(), max_size=4),
    names=st.lists(st.from_regex(r"[^\ud800-\udfff/\\\x00-\x1f\x7f]{1,12}", fullmatch=True), max_size=5),
)
def test_any_text_and_any_name_makes_well_formed_parts_that_declare_every_entry(
    texts: list[str], names: list[str]
) -> None:
    parts = dict(document_parts([Line(text) for text in texts], [f"files/{name}" for name in names]))
    for data in parts.values():
        ElementTree.fromstring(data)
    types = ElementTree.fromstring(parts["[Content_Types].xml"])
    extensions = {node.get("Extension") for node in types if node.tag.endswith("Default")}
    overrides = [node.get("PartName") for node in types if node.tag.endswith("Override")]
    for name in names:
        assert name.rpartition(".")[2].lower() in extensions or f"/files/{quote(name)}" in overrides
