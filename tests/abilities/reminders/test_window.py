"""The 24-hour window: said when a reminder is made, passed with a template; what was not delivered is told."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from app.simulator.payloads import template_reply
from app.skills.tools.reminders.templates import NAME
from tests.abilities.reminders.test_reminders import HOUR, MINUTE, NOW, pass_time, press, wish
from tests.builders import ALICE, BOB
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, PEOPLE, AppUnderTest, running_app

SAID: Final = "recordame el viernes a las 10 pagar la luz"
"""Two days from now."""
TO_FRIDAY: Final = 47.5 * HOUR


@asynccontextmanager
async def world(folder: Path, **overrides: Any) -> AsyncIterator[AppUnderTest]:
    llm = ScriptedChatModel(echo=True)
    llm.category = "reminders"
    account = {"whatsapp_business_account_id": "2000000000001", **overrides}
    async with running_app(folder, llm=llm, clock=FrozenClock(NOW), profile=CONSTRAINED, **account) as app:
        await app.say(ALICE, "/zone")
        yield app


async def set_reminder(app: AppUnderTest, person: str = BOB) -> str:
    return await wish(app, person, SAID, text="pagar la luz", when="el viernes a las 10")


async def approve(app: AppUnderTest, status: str = "APPROVED") -> None:
    """Submit the templates, and let Meta decide."""
    await app.say(ALICE, "/templates create")
    for language in ("es", "en"):
        app.graph.decide_template(NAME, language, status, "INVALID_FORMAT" if status == "REJECTED" else "NONE")
    await app.idle()


async def go_to(app: AppUnderTest, seconds: float) -> None:
    """Let so much time pass; the admin's own window stays open."""
    while seconds > 0:
        step = min(seconds, 8 * HOUR)
        await app.say(ALICE, "/zone")
        await pass_time(app, step)
        seconds -= step


def to(app: AppUnderTest, person: str, since: int) -> list[str]:
    return app.replies_to(person)[since:]


async def test_within_the_window_nothing_is_said_about_it(tmp_path: Path) -> None:
    async with world(tmp_path) as app:
        told = await wish(app, BOB, "recordame en 2 horas regar", text="regar", when="en 2 horas")
        assert "24 horas" not in told


@pytest.mark.parametrize(
    ("status", "told", "untold"),
    [
        ("", "te lo digo apenas", "plantilla"),
        ("PENDING", "Meta todavía no aprobó", "!"),
        ("REJECTED", "te lo digo apenas", "plantilla"),
        ("PAUSED", "te lo digo apenas", "plantilla"),
        ("APPROVED", "pagar la luz", "24 horas"),
    ],
)
async def test_a_reminder_beyond_the_window_says_what_will_become_of_it(
    tmp_path: Path, status: str, told: str, untold: str
) -> None:
    async with world(tmp_path) as app:
        if status:
            await approve(app, status)
        said = await set_reminder(app)
        assert told in said
        assert untold not in said


async def test_with_an_approved_template_it_comes_on_time_and_its_buttons_work(tmp_path: Path) -> None:
    async with world(tmp_path) as app:
        await approve(app)
        await set_reminder(app)
        before = len(app.replies_to(BOB))
        await go_to(app, TO_FRIDAY - HOUR)
        assert to(app, BOB, before) == []
        await go_to(app, HOUR)
        assert to(app, BOB, before) == ["⏰ Me pediste que te recuerde: pagar la luz. Toca un botón o escríbeme."]
        send = [send for send in app.graph.sends if send.recipient == BOB][-1]
        assert send.type == "template"
        components: Any = send.payload["template"]
        snooze = components["components"][2]["parameters"][0]["payload"]
        await app.graph.receive(PEOPLE[BOB], template_reply(snooze, "En 10 minutos"))
        await app.idle()
        await pass_time(app, 10 * MINUTE)
        assert app.replies_to(BOB)[-1] == "⏰ pagar la luz"
        assert [send.type for send in app.graph.sends if send.recipient == BOB][-1] == "interactive"


@pytest.mark.parametrize("status", ["", "PENDING", "REJECTED", "PAUSED", "DISABLED"])
async def test_without_a_usable_template_it_waits_and_comes_late_with_the_next_message(
    tmp_path: Path, status: str
) -> None:
    async with world(tmp_path) as app:
        if status:
            await approve(app, status)
        await set_reminder(app)
        before = len(app.replies_to(BOB))
        await go_to(app, TO_FRIDAY + HOUR)
        assert [told for told in to(app, BOB, before) if "Toca" not in told] == []
        await app.say(BOB, "/zone")
        await pass_time(app, MINUTE)
        assert "pagar la luz" in app.replies_to(BOB)[-1]
        assert "llega 61 minutos tarde" in app.replies_to(BOB)[-1]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (131047, "hace más de 24 horas"),
        (131026, "no puede llegar"),
        (132001, "no conoce la plantilla"),
        (132015, "pausó"),
        (132016, "desactivó"),
    ],
)
@pytest.mark.parametrize("is_late", [False, True])
async def test_what_was_not_delivered_is_told_the_admin_at_once_and_the_person_with_the_next_answer(
    tmp_path: Path, code: int, reason: str, is_late: bool
) -> None:
    async with world(tmp_path) as app:
        await wish(app, BOB, "recordame en 20 minutos regar", text="regar", when="en 20 minutos")
        admin, person = len(app.replies_to(ALICE)), len(app.replies_to(BOB))
        if is_late:
            app.graph.faults.undeliverable_next(code)
        else:
            app.graph.faults.fail_next(code)
        await pass_time(app, 20 * MINUTE)
        await pass_time(app, MINUTE)
        [report] = to(app, ALICE, admin)
        assert "Bob" in report
        assert reason in report
        assert "regar" not in report
        await pass_time(app, HOUR)
        delivered = [one for one in to(app, BOB, person) if "regar" in one]
        assert len(delivered) == is_late, "what Meta accepted at first is in the simulator's list"
        await app.say(BOB, "/zone")
        answer = app.replies_to(BOB)[-1]
        assert "no te llegó a tiempo" in answer
        assert "hoy, miércoles 18 de noviembre, 10:50: ⏰ regar" in answer
        await app.say(BOB, "/zone")
        assert "regar" not in app.replies_to(BOB)[-1]
        assert len(to(app, ALICE, admin)) == 1


async def test_too_many_messages_to_one_person_only_delay_it(tmp_path: Path) -> None:
    async with world(tmp_path) as app:
        await wish(app, BOB, "recordame en 20 minutos regar", text="regar", when="en 20 minutos")
        admin = len(app.replies_to(ALICE))
        app.graph.faults.fail_next(131056)
        await pass_time(app, 20 * MINUTE)
        assert "⏰ regar" not in app.replies_to(BOB)
        await pass_time(app, MINUTE)
        assert app.replies_to(BOB)[-1] == "⏰ regar"
        assert to(app, ALICE, admin) == []


async def test_a_template_that_was_paused_meanwhile_is_not_tried_again(tmp_path: Path) -> None:
    async with world(tmp_path) as app:
        await approve(app)
        await set_reminder(app)
        await go_to(app, TO_FRIDAY - HOUR)
        app.graph.templates.decide(NAME, "es", "PAUSED")
        await go_to(app, HOUR)
        await pass_time(app, MINUTE)
        assert any("pausó la plantilla" in told for told in app.replies_to(ALICE))
        await app.say(ALICE, "/templates")
        assert "es: pausada por Meta" in app.replies_to(ALICE)[-1]
        assert "te lo digo apenas" in await set_reminder_of(app, "el lunes a las 10")


async def set_reminder_of(app: AppUnderTest, when: str) -> str:
    return await wish(app, BOB, f"recordame {when} ir al banco", text="ir al banco", when=when)


async def test_admins_submit_templates_hear_what_meta_decides_and_others_may_not(tmp_path: Path) -> None:
    async with world(tmp_path) as app:
        await app.say(BOB, "/templates create")
        assert "administradores" in app.replies_to(BOB)[-1]
        assert list(app.graph.templates.list(NAME)) == []
        await app.say(ALICE, "/plantillas")
        assert "es: no está en Meta" in app.replies_to(ALICE)[-1]
        await app.say(ALICE, "/plantillas crear")
        assert {one["language"] for one in app.graph.templates.list(NAME)} == {"es", "en"}
        await app.say(ALICE, "/plantillas crear")
        before = len(app.replies_to(ALICE))
        app.graph.decide_template(NAME, "es", "APPROVED")
        app.graph.decide_template(NAME, "en", "REJECTED", "INVALID_FORMAT")
        await app.idle()
        news = "\n".join(to(app, ALICE, before))
        assert "(es): aprobada" in news
        assert "(en): rechazada por Meta (INVALID_FORMAT)" in news


async def test_without_an_account_it_says_which_setting_is_missing(tmp_path: Path) -> None:
    async with world(tmp_path, whatsapp_business_account_id=None) as app:
        await app.say(ALICE, "/templates")
        assert "WHATSAPP_BUSINESS_ACCOUNT_ID" in app.replies_to(ALICE)[-1]


async def test_a_tap_before_the_window_closes_lets_the_reminder_come_on_time(tmp_path: Path) -> None:
    async with world(tmp_path) as app:
        said = "recordame mañana a las 15 sacar la ropa"
        await wish(app, BOB, said, text="sacar la ropa", when="mañana a las 15")
        before = len(app.replies_to(BOB))
        await go_to(app, 22.5 * HOUR)
        assert to(app, BOB, before) == []
        await pass_time(app, 35 * MINUTE)
        [offer] = to(app, BOB, before)
        assert "sacar la ropa" in offer
        await press(app, BOB, "Recuérdame")
        await go_to(app, 5 * HOUR + 25 * MINUTE)
        assert app.replies_to(BOB)[-1] == "⏰ sacar la ropa"
        assert sum("Toca" in told for told in to(app, BOB, before)) == 1
