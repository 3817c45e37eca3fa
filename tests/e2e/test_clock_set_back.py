"""The time of day jumps back, as NTP or an operator does: nobody is mute for the difference."""

from datetime import timedelta
from pathlib import Path

from tests.builders import ALICE
from tests.harness import AppUnderTest, running_app

AN_HOUR = timedelta(hours=1)


async def test_an_answer_that_waits_for_its_repetition_waits_no_longer(app: AppUnderTest) -> None:
    app.graph.faults.fail_next(131056)  # too fast for this recipient: again in some seconds
    await app.say(ALICE, "hola")
    app.clock.set_back(AN_HOUR)
    await app.clock.advance(60)
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: hola"]


async def test_a_pause_of_the_whole_sender_ends_in_time(app: AppUnderTest) -> None:
    app.graph.faults.fail_next(190, status=401)  # the token: tried again every ten minutes
    await app.say(ALICE, "hola")
    app.clock.set_back(AN_HOUR)
    await app.clock.advance(601)
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: hola"]


async def test_what_was_written_a_moment_ago_is_answered_after_its_pause(tmp_path: Path) -> None:
    async with running_app(tmp_path, debounce_ms=1200) as app:
        await app.receive(ALICE, "hola")
        await app.idle()
        app.clock.set_back(AN_HOUR)
        await app.clock.advance(2)
        await app.idle()
        assert app.replies_to(ALICE) == ["echo: hola"]


async def test_who_wrote_too_fast_waits_for_one_refill_and_not_for_the_difference(tmp_path: Path) -> None:
    async with running_app(tmp_path, rate_limit_max=1, rate_limit_window=60) as app:
        await app.say(ALICE, "uno")
        await app.say(ALICE, "dos")
        app.clock.set_back(AN_HOUR)
        await app.clock.advance(61)
        await app.idle()
        assert app.replies_to(ALICE)[0] == "echo: uno"
        assert app.replies_to(ALICE)[-1] == "echo: dos"


async def test_who_paused_for_a_refill_is_answered_at_once(tmp_path: Path) -> None:
    async with running_app(tmp_path, rate_limit_max=1, rate_limit_window=60) as app:
        await app.say(ALICE, "uno")
        app.clock.set_back(AN_HOUR)
        await app.clock.advance(61)
        await app.say(ALICE, "dos")
        assert app.replies_to(ALICE) == ["echo: uno", "echo: dos"]


async def test_after_a_restart_nothing_waits_for_a_time_of_the_future(
    tmp_path: Path,
) -> None:
    async with running_app(tmp_path, rate_limit_max=1, rate_limit_window=60) as app:
        await app.say(ALICE, "uno")
        await app.say(ALICE, "dos")
        clock = app.clock
    clock.set_back(AN_HOUR)
    async with running_app(tmp_path, clock=clock) as app:
        await app.idle()
        assert app.replies_to(ALICE) == ["echo: dos"]
