"""/export hands over a file; /forget-me erases after a button and a word, both in time and of the same person."""

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import httpx
import pytest

from app.asking.asking import Asking
from app.asking.texts import ASKING
from app.commands.registry import CommandRegistry, parse_command
from app.database.db import Database
from app.database.repositories.conversations import NewMessage
from app.database.repository import Repository
from app.domain.errors import Permanent, Transient
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.inbound import MediaRef, Sender
from app.domain.outbound import (
    MAX_BUTTON_ID_CHARS,
    MAX_BUTTON_TITLE_CHARS,
    Buttons,
    OutMedia,
    Reply,
    decode_outbound,
)
from app.domain.ports import MediaSource
from app.domain.turn import TurnContext
from app.files.folder import FolderFiles
from app.language.catalogue import LANGUAGES, Language, say
from app.privacy import commands as owning
from app.privacy.commands import is_last_word
from app.privacy.erasure import Belongings, Eraser
from app.privacy.export import Exporter
from app.privacy.ownership import Ownership
from app.privacy.texts import PRIVACY
from app.simulator.graph import SimulatedGraph
from app.whatsapp.graph import GraphClient
from tests.builders import ALICE, BOB, PHONE_NUMBER_ID
from tests.databases import migrated
from tests.fakes.answers import press, write
from tests.fakes.clock import FrozenClock

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TOKEN = "a-token-that-only-tests-know"


class NoMedia:
    """`MediaSource` of an account that refuses every file, or does not answer."""

    def __init__(self, failure: Exception) -> None:
        self._failure = failure

    async def upload(self, data: bytes, *, mime_type: str, filename: str) -> str:
        raise self._failure

    async def download(self, media: MediaRef, target: IO[bytes], *, max_bytes: int) -> int:
        raise self._failure


@dataclass
class World:
    """Two people who can use the commands, over a simulated Graph; `restart` forgets what is in memory."""

    db: Database
    clock: FrozenClock
    users_dir: Path
    media: MediaSource
    alice: UserId
    bob: UserId
    registry: CommandRegistry = field(default_factory=CommandRegistry)
    woken: list[UserId] = field(default_factory=list)
    cancelled: list[UserId] = field(default_factory=list)

    def restart(self) -> None:
        ownership, repository = Ownership(self.db), Repository(self.db)
        self.asking = Asking(self.db, self.clock, wake_delivery=self.woken.extend)
        self.registry = CommandRegistry()
        eraser = Eraser(
            repository,
            ownership,
            self.clock,
            control=self,
            belongings=Belongings(FolderFiles(self.users_dir)),
            wake_delivery=self.woken.extend,
        )
        exporter = Exporter(ownership, FolderFiles(self.users_dir), self.clock)
        owning.register(self.registry, self.asking, exporter, eraser, media=self.media)

    async def cancel(self, user_id: UserId, before: TurnId) -> bool:
        self.cancelled.append(user_id)
        return False

    async def run(self, user_id: UserId, text: str, language: Language = "en") -> Reply:
        """Run what a person types or presses as the router does."""
        ctx = TurnContext(
            TurnId(1),
            user_id,
            ConversationId(1),
            1,
            self.clock.now(),
            language,
            is_admin=False,
            workspace=self.users_dir / user_id,
        )
        if (answered := await press(self.asking, ctx, text) or await write(self.asking, ctx, text)) is not None:
            return answered.reply
        command = parse_command(text)
        assert command is not None
        spec = self.registry.find(command.name)
        assert spec is not None
        return await spec.run(command.args, ctx)

    async def press(self, user_id: UserId) -> tuple[str, str]:
        """Ask, and return what the two buttons send: yes and no."""
        reply = await self.run(user_id, "/forget-me")
        [question] = reply.messages
        assert isinstance(question, Buttons)
        yes, no = (button.id for button in question.buttons)
        return yes, no

    async def is_known(self, user_id: UserId) -> bool:
        row = await self.db.fetch_one("SELECT 1 FROM identities WHERE user_id = ?", user_id)
        return row is not None

    async def owed(self) -> list[str]:
        rows = await self.db.fetch_all("SELECT payload FROM outbox ORDER BY id")
        return [getattr(decode_outbound(row["payload"]), "body", "") for row in rows]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    clock = FrozenClock(NOW)
    graph = SimulatedGraph(PHONE_NUMBER_ID, access_token=TOKEN, now=clock.now, sleep=clock.sleep)
    async with (
        migrated(tmp_path / "wasap.db") as db,
        httpx.AsyncClient(transport=httpx.ASGITransport(graph.app)) as http,
    ):
        media = GraphClient(
            http,
            base_url="http://graph.test",
            version="v26.0",
            phone_number_id=PHONE_NUMBER_ID,
            access_token=TOKEN,
        )
        repository = Repository(db)
        people = []
        async with repository.transaction() as tx:
            for number in (ALICE, BOB):
                user_id = await repository.directory.create(Sender(wa_id=number), "en", NOW, tx=tx)
                await repository.users.add_alias(user_id, f"phone:{number}", NOW, tx=tx)
                people.append(user_id)
        alice, bob = people
        made = World(db, clock, tmp_path / "users", media, alice, bob)
        made.restart()
        yield made


# /export


async def test_the_export_arrives_as_a_document_that_is_an_archive(world: World) -> None:
    repository = Repository(world.db)
    talk = await repository.conversations.ensure_open(world.alice, NOW)
    async with repository.transaction() as tx:
        said = (NewMessage("user", "water it on Mondays"),)
        await repository.conversations.append(world.alice, talk, said, NOW, turn_id=TurnId(1), tx=tx)
    reply = await world.run(world.alice, "/export")
    [message] = reply.messages
    assert isinstance(message, OutMedia)
    assert (message.kind, message.filename) == ("document", "wasap-2026-01-02.docx")
    assert message.caption == say(PRIVACY.export_ready, "en")
    data = io.BytesIO()
    await world.media.download(MediaRef(message.media_id), data, max_bytes=10**7)
    with zipfile.ZipFile(data) as archive:
        assert "water it on Mondays" in archive.read("data/messages.jsonl").decode()


async def test_a_refused_file_is_told_and_a_lost_connection_is_tried_again(world: World) -> None:
    world.media = NoMedia(Permanent("media_too_large"))
    world.restart()
    assert await world.run(world.alice, "/export") == Reply(say(PRIVACY.export_failed, "en"))
    world.media = NoMedia(Transient("graph_unreachable"))
    world.restart()
    with pytest.raises(Transient):
        await world.run(world.alice, "/export")


# /forget-me


async def test_a_button_and_the_word_erase_everything(world: World) -> None:
    yes, _ = await world.press(world.alice)
    asked = await world.run(world.alice, yes)
    assert say(PRIVACY.forget_word, "en") in asked.markdown
    assert await world.is_known(world.alice)
    assert await world.run(world.alice, "erase everything") == Reply()
    assert not await world.is_known(world.alice)
    assert await world.is_known(world.bob)
    assert await world.owed() == [say(PRIVACY.erased, "en")]
    assert world.woken == [world.alice]


async def test_the_question_survives_a_restart(world: World) -> None:
    yes, _ = await world.press(world.alice)
    world.restart()
    await world.run(world.alice, yes)
    world.restart()
    await world.run(world.alice, "ERASE EVERYTHING")
    assert not await world.is_known(world.alice)


async def test_no_keeps_everything_and_closes_the_question(world: World) -> None:
    yes, no = await world.press(world.alice)
    assert await world.run(world.alice, no) == Reply(say(PRIVACY.forget_kept, "en"))
    assert await world.run(world.alice, yes) == Reply(say(ASKING.stale_question, "en"))
    assert await world.run(world.alice, no) == Reply(say(ASKING.stale_question, "en"))
    assert await world.is_known(world.alice)


async def test_no_counts_also_after_yes(world: World) -> None:
    yes, no = await world.press(world.alice)
    await world.run(world.alice, yes)
    await world.run(world.alice, no)
    assert await world.run(world.alice, "erase everything") == Reply(say(PRIVACY.forget_not_asked, "en"))
    assert await world.is_known(world.alice)


@pytest.mark.parametrize("text", ["erase everything", "/forget-me erase everything", "BORRAR TODO"])
async def test_the_word_alone_erases_nothing(world: World, text: str) -> None:
    assert await world.run(world.alice, text) == Reply(say(PRIVACY.forget_not_asked, "en"))
    await world.press(world.alice)
    assert await world.run(world.alice, text) == Reply(say(PRIVACY.forget_not_asked, "en"))
    assert await world.is_known(world.alice)
    assert world.cancelled == []


async def test_both_questions_expire_after_five_minutes(world: World) -> None:
    yes, _ = await world.press(world.alice)
    await world.clock.advance(300)
    assert await world.run(world.alice, yes) == Reply(say(ASKING.stale_question, "en"))
    yes, _ = await world.press(world.alice)
    await world.clock.advance(299)
    await world.run(world.alice, yes)
    await world.clock.advance(300)
    assert await world.run(world.alice, "erase everything") == Reply(say(PRIVACY.forget_not_asked, "en"))
    assert await world.is_known(world.alice)
    assert world.cancelled == []


async def test_the_second_question_has_its_own_five_minutes(world: World) -> None:
    yes, _ = await world.press(world.alice)
    await world.clock.advance(299)
    await world.run(world.alice, yes)
    await world.clock.advance(299)
    await world.run(world.alice, "erase everything")
    assert not await world.is_known(world.alice)


async def test_a_button_of_somebody_else_or_of_an_earlier_question_does_nothing(world: World) -> None:
    hers, _ = await world.press(world.alice)
    his, _ = await world.press(world.bob)
    newer, _ = await world.press(world.alice)
    for user_id, button in ((world.bob, hers), (world.alice, his), (world.alice, hers)):
        assert await world.run(user_id, button) == Reply(say(ASKING.stale_question, "en"))
    await world.run(world.alice, newer)
    assert await world.run(world.bob, "erase everything") == Reply(say(PRIVACY.forget_not_asked, "en"))
    await world.run(world.alice, "erase everything")
    assert (await world.is_known(world.alice), await world.is_known(world.bob)) == (False, True)


async def test_a_second_press_does_not_open_the_question_again(world: World) -> None:
    yes, _ = await world.press(world.alice)
    await world.run(world.alice, yes)
    assert await world.run(world.alice, yes) == Reply(say(ASKING.stale_question, "en"))


async def test_the_word_said_twice_at_once_erases_once(world: World) -> None:
    yes, _ = await world.press(world.alice)
    await world.run(world.alice, yes)
    replies = await asyncio.gather(*(world.run(world.alice, "erase everything") for _ in range(2)))
    assert sorted(reply.markdown for reply in replies) == ["", say(PRIVACY.forget_not_asked, "en")]
    assert await world.owed() == [say(PRIVACY.erased, "en")]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_question_fits_into_a_message_with_buttons(world: World, language: Language) -> None:
    reply = await world.run(world.alice, "/forget-me", language)
    [question] = reply.messages
    assert isinstance(question, Buttons)
    assert len(question.body) <= 1024
    assert max(len(button.id) for button in question.buttons) <= MAX_BUTTON_ID_CHARS
    assert max(len(button.title) for button in question.buttons) <= MAX_BUTTON_TITLE_CHARS
    assert len({button.title for button in question.buttons}) == 2


@pytest.mark.parametrize(
    "text", ["BORRAR TODO", "borrar todo.", "  Borrar  Todo ", "*ERASE EVERYTHING*", "“erase everything”!"]
)
def test_the_word_is_read_however_it_is_written(text: str) -> None:
    assert is_last_word(text)


@pytest.mark.parametrize("text", ["", "borrar", "todo", "borrar todo lo de ayer", "no borrar todo", "erase it"])
def test_what_only_resembles_the_word_is_none(text: str) -> None:
    assert not is_last_word(text)


def test_forgetting_does_not_wait_behind_a_running_turn_and_an_export_does(world: World) -> None:
    assert world.registry.is_control("/forget-me")
    assert not world.registry.is_control("/export")
