"""One POST may carry what is not ours, or what cannot be stored: it moves nothing, and takes nothing along."""

import asyncio

import pytest

from app.database.db import Database
from app.pipeline.delivering.delivery import UNKNOWN_GRACE_S
from tests.builders import ALICE, BOB, encode, status, text_message, webhook_payload
from tests.harness import AppUnderTest

GUESSES = tuple(str(number) for number in range(10))
LONGER_THAN_64_BITS = "9" * 20


@pytest.mark.parametrize("number", ["1000000000001", "2000000000002", ""])
async def test_nobody_can_guess_what_marks_our_unsent_answer_as_sent(app: AppUnderTest, number: str) -> None:
    app.graph.faults.drop_next(is_recorded=False)
    await app.receive(ALICE, "one")
    await app.services.idle()
    foreign = [status(f"wamid.{guess}", "delivered", tracker=guess) for guess in GUESSES]
    assert await app.post_raw(encode(webhook_payload(statuses=foreign, phone_number_id=number))) == 200
    await app.clock.advance(UNKNOWN_GRACE_S)
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: one"]


async def test_a_status_of_another_number_moves_nothing_even_if_it_knows_our_tracker(app: AppUnderTest) -> None:
    app.graph.faults.drop_next(is_recorded=False)
    await app.receive(ALICE, "one")
    await app.services.idle()
    async with Database.open(app.database) as other:
        [owed] = await other.fetch_all("SELECT * FROM outbox")
    foreign = status("wamid.other", "delivered", tracker=str(dict(owed).get("tracker", owed["id"])))
    payload = webhook_payload(statuses=[foreign], phone_number_id="2000000000002")
    assert await app.post_raw(encode(payload)) == 200
    await app.clock.advance(UNKNOWN_GRACE_S)
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: one"]


async def test_a_status_with_a_number_that_nothing_can_hold_takes_no_message_along(app: AppUnderTest) -> None:
    strange = status("wamid.other", "sent", tracker=LONGER_THAN_64_BITS)
    assert await app.post(text_message("hello"), statuses=(strange,)) == 200
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: hello"]


async def test_a_message_that_cannot_be_stored_leaves_its_batch_and_its_neighbours_alone(
    app: AppUnderTest,
) -> None:
    poison = text_message("poison")
    async with Database.open(app.database) as other:
        await other.execute_script(
            "CREATE TRIGGER boom BEFORE INSERT ON inbox WHEN NEW.payload LIKE '%poison%'"
            " BEGIN SELECT RAISE(ABORT, 'boom'); END"
        )
        async with asyncio.timeout(5):
            answers = await asyncio.gather(
                app.post(text_message("before"), poison, text_message("after")),
                app.post(text_message("beside", sender=BOB)),
            )
        await app.idle()
        assert list(answers) == [503, 200]
        assert "\n".join(app.replies_to(ALICE)).count("before") == 1
        assert "\n".join(app.replies_to(ALICE)).count("after") == 1
        assert app.replies_to(BOB) == ["echo: beside"]
        await other.execute_script("DROP TRIGGER boom")
    # Meta delivers again what was not acknowledged.
    assert await app.post(text_message("before", id="wamid.new"), poison) == 200
    await app.idle()
    assert "\n".join(app.replies_to(ALICE)).count("poison") == 1
