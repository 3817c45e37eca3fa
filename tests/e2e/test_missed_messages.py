"""What arrived too late is mentioned in words that say something, and strangers are told apart."""

from datetime import timedelta

from app.language.catalogue import say
from app.pipeline.texts import PIPELINE
from app.simulator.payloads import SimUser, text
from tests.builders import ALICE, message, text_message
from tests.harness import AppUnderTest

DAYS_AGO = timedelta(days=2)


async def answer_after(app: AppUnderTest, *late: dict[str, object]) -> str:
    """Let messages arrive two days late, then a fresh one; the sentence about the late ones."""
    await app.post(*late)
    await app.idle()
    await app.say(ALICE, "hola")
    return app.replies_to(ALICE)[0]


async def test_a_voice_note_and_a_sticker_are_not_quoted_as_nothing(app: AppUnderTest) -> None:
    at = app.clock.now() - DAYS_AGO
    media = {"id": "1", "mime_type": "audio/ogg", "sha256": "x", "voice": True}
    sticker = {"id": "2", "mime_type": "image/webp", "sha256": "x"}
    told = await answer_after(app, message("audio", media, at=at), message("sticker", sticker, at=at))
    assert "“”" not in told
    assert told == say(PIPELINE.missed_without_words, "es", count=2)


async def test_of_a_mixture_what_has_words_is_quoted(app: AppUnderTest) -> None:
    at = app.clock.now() - DAYS_AGO
    sticker = {"id": "2", "mime_type": "image/webp", "sha256": "x"}
    told = await answer_after(app, message("sticker", sticker, at=at), text_message("¿llueve?", at=at))
    assert "“¿llueve?” …" in told
    assert "“”" not in told


async def test_senders_without_digits_are_told_apart(app: AppUnderTest) -> None:
    for name in ("anonymous", "unknown"):
        await app.graph.receive(SimUser(name, name), text("hola"))
    await app.idle()
    await app.say(ALICE, "/status")
    assert "anonymous (anonymous) ×1" in app.replies_to(ALICE)[-1]
    assert "unknown (unknown) ×1" in app.replies_to(ALICE)[-1]
