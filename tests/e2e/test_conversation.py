"""A conversation, from the webhook to Graph and back."""

from tests.builders import ALICE, BOB
from tests.harness import AppUnderTest


async def test_a_message_is_answered_once(app: AppUnderTest) -> None:
    await app.say(ALICE, "hola")
    assert app.replies_to(ALICE) == ["echo: hola"]


async def test_two_people_get_their_own_answers(app: AppUnderTest) -> None:
    await app.receive(ALICE, "I am Alice")
    await app.receive(BOB, "I am Bob")
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: I am Alice"]
    assert app.replies_to(BOB) == ["echo: I am Bob"]
