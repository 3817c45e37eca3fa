"""What Meta's statuses say is counted once, told to whom it concerns, and limited: statuses in, messages out."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pytest

from app.database.sqlite import sqlite
from app.simulator.payloads import REGULAR, SimUser, button_reply, text
from tests.builders import ALICE, BOB, status
from tests.databases import dump_of, place_of
from tests.e2e.visiting import ADDRESS, at_home, words
from tests.fakes.clock import FrozenClock
from tests.harness import CONSTRAINED, AppUnderTest, running_app

CARLA: Final = "34600111222"
PEOPLE: Final = {"alice": SimUser(ALICE, "Alice"), "bob": SimUser(BOB, "Bob"), "carla": SimUser(CARLA, "Carla")}
RECORDED: Final = json.loads((Path(__file__).parents[2] / "data/spending/month.json").read_text("utf-8"))
START: Final = datetime(2026, 11, 1, 12, tzinfo=UTC)
DAY: Final = 86400.0
TABLE: Final = """
as_of = 2026-10-01
source = "made up for a test"
currency = "EUR"
free_service_messages = 5

[prices.AR]
service = 0.05
utility = 0.04

[prices.ES]
service = 0.02
marketing = 0.20
"""


@asynccontextmanager
async def world(
    folder: Path, *, table: str = TABLE, clock: FrozenClock | None = None, **overrides: Any
) -> AsyncIterator[AppUnderTest]:
    (folder / "prices.toml").write_text(table, "utf-8")
    people = {"allowed_phone_numbers": (ALICE, BOB, CARLA), "timezone": "UTC", **overrides}
    async with running_app(folder, clock=clock or FrozenClock(START), **people) as app:
        yield app


async def say(app: AppUnderTest, person: str, body: str) -> str:
    """Let somebody write; returns what they read then."""
    before = len(app.replies_to(PEOPLE[person].wa_id))
    await app.graph.receive(PEOPLE[person], text(body))
    await app.idle()
    return "\n".join(app.replies_to(PEOPLE[person].wa_id)[before:])


async def press_first(app: AppUnderTest, person: str) -> None:
    """Press the first button under the newest message to somebody."""
    newest: Any = [send for send in app.graph.sends if send.recipient == person][-1].payload
    reply = newest["interactive"]["action"]["buttons"][0]["reply"]
    await app.graph.receive(PEOPLE["carla"], button_reply(reply["id"], reply["title"]))
    await app.idle()


async def play_month(app: AppUnderTest) -> None:
    today = 1
    for one in RECORDED["messages"]:
        await app.clock.advance((one["day"] - today) * DAY)
        today = one["day"]
        pricing = {name: one[name] for name in ("category", "type", "billable")}
        app.graph.price = lambda send, told=pricing: told  # type: ignore[misc]  # bound now
        if "fails" in one:
            app.graph.faults.undeliverable_next(one["fails"])
        await say(app, one["to"], "hola")
    app.graph.price = lambda send: {**REGULAR, "billable": False, "type": "free_entry_point"}


async def test_a_recorded_month_comes_to_the_bill_made_by_hand(tmp_path: Path) -> None:
    async with world(tmp_path) as app:
        await play_month(app)
        told = await say(app, "alice", "/spend")
    bill = RECORDED["bill"]
    assert f"{bill['all']['messages']} mensajes entregados" in told
    assert f"{bill['all']['cost'].replace('.', ',')} EUR" in told
    for person in ("alice", "bob", "carla"):
        part = (
            f"{person.title()}: {bill[person]['messages']} mensajes, {bill[person]['cost'].replace('.', ',')} EUR"
        )
        # Small amounts are told to a hundredth of a cent.
        assert part in told, told
    assert "De 1 mensaje no sé el precio" in told
    assert "referral_conversion" in told
    assert "Quedan 0 de los 5" in told
    assert "made up for a test" in told


async def test_the_month_can_be_drawn_with_the_words_below_in_one_message(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    async with world(tmp_path) as app:
        await play_month(app)
        sent = len(app.graph.sends)
        await app.graph.receive(PEOPLE["bob"], text("/gasto gráfico"))
        async with asyncio.timeout(50):
            while len(app.graph.sends) == sent:
                await app.graph.transcript.wait_beyond(app.graph.transcript.last_seq, timeout_s=1)
        await app.idle()
        [drawn] = app.graph.sends[sent:]
        assert drawn.type == "image"
        assert "3 mensajes entregados" in drawn.text
        image: Any = drawn.payload["image"]
        file = app.graph.media.find(image["id"])
        assert file is not None
        assert file.mime_type == "image/png"
        assert is_legible_on_any_page(file.data)


def is_legible_on_any_page(picture: bytes) -> bool:
    """It brings its own paper, so that a light page and a dark one show the same, and dark ink on it."""
    with pytest.importorskip("PIL.Image").open(BytesIO(picture)) as image:
        grey, alpha = image.convert("L"), image.convert("RGBA").getchannel("A")
        paper = max(grey.getcolors(), key=lambda one: one[0])[1]
        return bool(alpha.getextrema() == (255, 255) and paper > 250 and grey.getextrema()[0] < 60)


async def test_each_person_sees_their_own_part_only(tmp_path: Path) -> None:
    async with world(tmp_path) as app:
        await play_month(app)
        told = await say(app, "bob", "/spend")
        assert "3 mensajes entregados" in told
        assert "0,05 EUR" in told
        assert not any(hint in told for hint in ("Alice", "Carla", "0,36", "13"))


async def test_statuses_that_come_late_twice_or_in_the_wrong_order_count_once(tmp_path: Path) -> None:
    async with world(tmp_path) as app:
        await app.graph.receive(PEOPLE["bob"], text("hola"))
        await app.idle()
        [send] = app.graph.sends
        for state in ("delivered", "sent", "read", "delivered"):
            await app.post(statuses=(status(send.id, state, recipient=BOB, tracker=send.tracker),))
        with closing(sqlite.connect(tmp_path / "wasap.db")) as db:
            assert db.execute("SELECT message_id, category, is_billable FROM charges").fetchall() == [
                (send.id, "service", 1)
            ]


async def test_without_prices_it_says_so_and_leaves_a_file_to_fill_in(tmp_path: Path) -> None:
    async with running_app(tmp_path, clock=FrozenClock(START)) as app:
        await app.say(ALICE, "hello")
        await app.say(ALICE, "/spend")
        assert "prices.toml" in app.replies_to(ALICE)[-1]
        assert "free_service_messages = 1000" in (tmp_path / "prices.toml").read_text("utf-8")


async def test_a_table_that_cannot_be_read_is_told_to_the_admin_and_the_last_one_counts(tmp_path: Path) -> None:
    async with world(tmp_path) as app:
        await play_month(app)
        (tmp_path / "prices.toml").write_text("[prices.ES]\nservice = 'cheap'\n", "utf-8")
        told = await say(app, "alice", "/spend")
        assert "0,36 EUR" in told
        assert "prices.ES.service" in told


async def test_who_is_forgotten_leaves_their_count_and_nothing_else(tmp_path: Path) -> None:
    async with world(tmp_path) as app:
        await play_month(app)
        before = await say(app, "alice", "/spend")
        await say(app, "carla", "/forget-me")
        await press_first(app, CARLA)
        await say(app, "carla", "borrar todo")
        await look_again(app)
        left = await dump_of(place_of(tmp_path))
        assert CARLA not in left
        after = await say(app, "alice", "/spend")
        assert "Carla" in before
        assert "Carla" not in after
        assert "0,36 EUR" in after


ONE_EACH: Final = """
currency = "EUR"
free_service_messages = 0
[prices.default]
service = 0.1
"""


async def remind(app: AppUnderTest, said: str) -> None:
    app.llm.category = "reminders"
    app.llm.add(json.dumps({"set_reminder": {"text": said, "when": ""}}))
    await say(app, "bob", said)
    app.llm.category = "none"


async def look_again(app: AppUnderTest) -> None:
    """Let the jobs look at the books."""
    await app.clock.advance(61)
    await app.idle()


def warnings(app: AppUnderTest) -> list[str]:
    return [told for told in app.replies_to(ALICE) if "⚠️" in told]


async def test_at_80_percent_admins_are_warned_and_at_100_reminders_wait_for_the_next_answer(
    tmp_path: Path,
) -> None:
    limited: dict[str, Any] = {"table": ONE_EACH, "profile": CONSTRAINED, "spend_limit_monthly": "1"}
    async with world(tmp_path, **limited) as app:
        await say(app, "alice", "hola")
        await remind(app, "recordame en 40 minutos apagar el horno")
        for _ in range(5):
            await say(app, "bob", "hola")
        await look_again(app)
        assert warnings(app) == []
        await say(app, "bob", "hola")
        await look_again(app)
        assert len(warnings(app)) == 1
        assert "80 %" in warnings(app)[0]
        await say(app, "bob", "hola")
        await look_again(app)
        assert len(warnings(app)) == 2
        assert "SPEND_LIMIT_MONTHLY" in warnings(app)[1]
        before = len(app.replies_to(BOB))
        await app.clock.advance(41 * 60)
        await app.idle()
        assert app.replies_to(BOB)[before:] == []
        told = await say(app, "bob", "hola")
        assert len(app.replies_to(BOB)) == before + 1
        assert "apagar el horno" in told
        assert "apagar el horno" not in await say(app, "bob", "hola")
        assert len(warnings(app)) == 2


async def test_a_new_month_lets_reminders_come_again(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 11, 30, 12, tzinfo=UTC))
    limited: dict[str, Any] = {
        "table": ONE_EACH,
        "profile": CONSTRAINED,
        "spend_limit_monthly": "0.1",
        "clock": clock,
    }
    async with world(tmp_path, **limited) as app:
        await remind(app, "recordame en 20 minutos apagar el horno")
        before = len(app.replies_to(BOB))
        await clock.advance(6 * 3600)
        await app.idle()
        assert app.replies_to(BOB)[before:] == []
        await clock.advance(8 * 3600)
        await app.idle()
        # At night, on the person's own clock, what is late waits for the morning.
        await clock.advance(9 * 3600)
        await app.idle()
        assert "apagar el horno" in "".join(app.replies_to(BOB)[before:])


async def test_by_choice_the_limit_stops_answers_too_and_a_higher_one_lets_them_go(tmp_path: Path) -> None:
    clock = FrozenClock(START)
    limited: dict[str, Any] = {"table": ONE_EACH, "spend_limit_stops": "all"}
    async with world(tmp_path, clock=clock, spend_limit_monthly="0.1", **limited) as app:
        await say(app, "bob", "uno")
        assert await say(app, "bob", "dos") == ""
    async with world(tmp_path, clock=clock, spend_limit_monthly="10", **limited) as app:
        await look_again(app)
        assert len(app.replies_to(BOB)) == 1
        assert "tres" in await say(app, "bob", "tres")


async def test_without_a_limit_nobody_is_warned(tmp_path: Path) -> None:
    async with world(tmp_path, table=ONE_EACH) as app:
        for _ in range(12):
            await say(app, "alice", "hola")
        await look_again(app)
        assert warnings(app) == []


@pytest.mark.parametrize(("sent", "told"), [(3, "0,00 EUR"), (10, "2,00 EUR")])
async def test_the_forecast_goes_on_as_before_and_uses_the_free_ones_up_once(
    tmp_path: Path, sent: int, told: str
) -> None:
    table = ONE_EACH.replace("= 0\n", "= 10\n")
    async with world(tmp_path, table=table) as app:
        for _ in range(sent):
            await say(app, "alice", "hola")
        # A third of the month is over.
        await app.clock.advance(9.5 * DAY)
        spent = await say(app, "alice", "/spend")
        assert f"Si sigue así: {told}" in spent


async def test_the_home_shows_each_person_their_own_month_and_admins_everybodys(tmp_path: Path) -> None:
    async with world(tmp_path, public_url=ADDRESS) as app:
        await play_month(app)
        for person in (ALICE, BOB):
            await app.say(person, "From now on please answer in English")
        alice, bob = await at_home(app, ALICE), await at_home(app, BOB)
        hers, his = await alice.get("/home/spending"), await bob.get("/home/spending")
        bill = RECORDED["bill"]
        assert f"Cost so far: {bill['all']['cost']} EUR" in words(hers)
        assert f"{bill['carla']['cost']} EUR" in words(hers)
        assert f"Cost so far: {bill['bob']['cost']} EUR" in words(his)
        assert "Carla" not in words(his)
        assert bill["all"]["cost"] not in words(his)
        assert f"{bill['bob']['cost']} EUR this month" in words(await bob.get("/"))
        drawn = re.findall(r'<rect class="series(\d)"[^>]* height="([\d.]+)"', hers.text)
        assert {number for number, _ in drawn} == {"0", "1"}
        assert max(float(height) for _, height in drawn) <= 100
        [carla] = re.findall(r'href="(/home/spending\?item=[^"]+)">Carla', hers.text)
        assert f"Cost so far: {bill['carla']['cost']} EUR" in words(await alice.get(carla))
        assert (await bob.get(carla)).status_code == 404
        assert (await alice.get("/home/spending?item=nobody")).status_code == 404
