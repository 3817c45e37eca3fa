"""Admins hear once that a server is in trouble, and people see that a long call is alive."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from app.asking.admins import Admins
from app.database.db import Database
from app.database.repository import Repository
from app.domain.ids import UserId, WaMessageId
from app.domain.inbound import Sender
from app.domain.outbound import OutboundMessage, OutText, Recipient, decode_outbound
from app.domain.phones import phone_alias, setting_alias
from app.language.catalogue import Language
from app.mcp.connecting.connection import State
from app.mcp.manager import ServerInfo
from app.mcp.news import ServerNews, describe_trouble
from app.pipeline.queueing.presence import RENEW_S, Presence
from tests.databases import migrated
from tests.fakes.clock import FrozenClock

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HOUR_S = 3600.0
LAST = "last-one"


def info(state: State, name: str = "files", error: str | None = None) -> ServerInfo:
    return ServerInfo(name, state, "stdio", name, error=error)


@dataclass
class Office:
    """Two admins, of either language, and somebody else."""

    db: Database
    clock: FrozenClock
    news: ServerNews
    woken: list[UserId]

    async def told(self) -> list[tuple[str, str]]:
        """Let the loop tell all it has heard of, and return who was written what."""
        self.news.tell_admin(info("failed", LAST))
        async with asyncio.timeout(5):
            while not await self.db.fetch_all("SELECT 1 FROM outbox WHERE payload LIKE ?", f"%{LAST}%"):
                await asyncio.sleep(0)
        rows = await self.db.fetch_all("SELECT wa_id, payload FROM outbox JOIN users USING (user_id) ORDER BY id")
        messages = [(row["wa_id"], decode_outbound(row["payload"])) for row in rows]
        return [(wa_id, one.body) for wa_id, one in messages if isinstance(one, OutText) and LAST not in one.body]


@asynccontextmanager
async def opened_office() -> AsyncIterator[Office]:
    async with migrated() as db:
        repository, clock, woken = Repository(db), FrozenClock(NOW), list[UserId]()
        people: tuple[tuple[str, Language], ...] = (("1", "es"), ("2", "en"), ("3", "en"))
        async with repository.transaction() as tx:
            for wa_id, language in people:
                user_id = await repository.directory.create(Sender(wa_id=wa_id), language, NOW, tx=tx)
                await repository.users.add_alias(user_id, phone_alias(wa_id), NOW, tx=tx)
        admins = frozenset(map(setting_alias, ("1", "2")))
        news = ServerNews(Admins(repository, clock, admins, wake_delivery=woken.extend), clock)
        running = asyncio.create_task(news.run())
        yield Office(db, clock, news, woken)
        running.cancel()
        await asyncio.wait({running})


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    async with opened_office() as opened:
        yield opened


async def test_every_admin_is_told_in_their_language_and_nobody_else(office: Office) -> None:
    office.news.tell_admin(info("failed", error="no *such* file"))
    told = sorted(await office.told())
    assert [wa_id for wa_id, _ in told] == ["1", "2"]
    assert told[0][1].startswith("El servidor *files* dejó de funcionar")
    assert told[1][1].startswith("The server *files* stopped working")
    assert "last error: no" in told[1][1]
    assert "*such*" not in told[1][1]
    assert len(set(office.woken)) == 2


async def test_what_works_or_was_stopped_is_no_news(office: Office) -> None:
    states: tuple[State, ...] = ("connecting", "ready", "stopped")
    for state in states:
        office.news.tell_admin(info(state))
    assert await office.told() == []


async def test_a_server_that_its_admin_let_in_late_is_told_to_be_ready(office: Office) -> None:
    office.news.tell_admin(replace(info("ready"), tools=("a", "b"), is_consent_granted=True))
    assert sorted(await office.told()) == [
        ("1", "El servidor *files* ya tiene permiso y está conectado, con 2 herramientas."),
        ("2", "Consent granted: the server *files* is connected, with 2 tools."),
    ]


async def test_a_server_that_comes_and_goes_is_told_of_once(office: Office) -> None:
    for _ in range(20):
        office.news.tell_admin(info("waiting"))
        office.news.tell_admin(info("connecting"))
        office.news.tell_admin(info("failed"))
        await office.clock.advance(600)
    assert len(await office.told()) == 2


async def test_trouble_after_a_quiet_hour_is_news_again(office: Office) -> None:
    office.news.tell_admin(info("waiting"))
    office.news.tell_admin(info("waiting", "other"))
    await office.clock.advance(HOUR_S)
    office.news.tell_admin(info("waiting"))
    told = [text for wa_id, text in await office.told() if wa_id == "2"]
    assert [text.split("*")[1] for text in told] == ["files", "other", "files"]


def test_an_error_is_one_short_line() -> None:
    text = describe_trouble(info("waiting", error="first\n\nsecond " + "x" * 900), "en")
    assert "first second" in text
    assert len(text) < 500


@dataclass
class Marks:
    """A `Messenger` that counts typing marks."""

    seen: list[WaMessageId] = field(default_factory=list)

    async def mark_read(self, message_id: WaMessageId, *, is_typing: bool) -> None:
        self.seen.append(message_id)

    async def send(self, to: Recipient, message: OutboundMessage, *, tracker: str) -> WaMessageId:
        raise AssertionError("nothing is sent here")


async def test_progress_shows_typing_again_but_not_at_every_step() -> None:
    clock, marks = FrozenClock(NOW), Marks()
    presence = Presence(marks, clock)
    ann = UserId("ann")
    presence.renew(ann)
    presence.show(ann, WaMessageId("m"))
    for _ in range(5):
        await clock.advance(0)
        presence.renew(ann)
        await clock.advance(1)
    assert marks.seen == ["m"]
    presence.renew(ann)
    await clock.advance(0)
    await clock.advance(RENEW_S - 1)
    assert marks.seen == ["m", "m"]
    await clock.advance(1)
    assert marks.seen == ["m"] * 3
    presence.hide(ann)
    presence.renew(ann)
    await clock.advance(RENEW_S)
    assert marks.seen == ["m"] * 3
    await presence.aclose()
