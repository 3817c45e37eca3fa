"""What runs beside a turn is answered, and each answer costs: it has a limit of its own."""

from pathlib import Path

import pytest

from app.simulator.payloads import JsonObject, button_reply, text
from tests.builders import ALICE
from tests.harness import PEOPLE, running_app

LIMIT = 3


@pytest.mark.parametrize("sent", [text("/mcp"), button_reply("q:approval:gone:yes", "Sí")])
async def test_of_a_flood_some_are_answered_at_once_and_the_rest_in_their_time(
    tmp_path: Path, sent: JsonObject
) -> None:
    async with running_app(tmp_path, rate_limit_max=LIMIT, rate_limit_window=60) as app:
        for _ in range(20):
            await app.graph.receive(PEOPLE[ALICE], sent)
        await app.idle()
        assert len(app.replies_to(ALICE)) == LIMIT + 1, "and one sentence that says so"
        await app.clock.advance(61)
        await app.idle()
        assert LIMIT + 1 < len(app.replies_to(ALICE)) <= 2 * LIMIT + 2


async def test_who_wrote_a_lot_can_still_cancel_at_once(tmp_path: Path) -> None:
    async with running_app(tmp_path, rate_limit_max=LIMIT, rate_limit_window=60) as app:
        for n in range(LIMIT + 2):
            await app.receive(ALICE, f"mensaje {n}")
        await app.idle()
        before = len(app.replies_to(ALICE))
        await app.say(ALICE, "/cancel")
        assert len(app.replies_to(ALICE)) == before + 1
