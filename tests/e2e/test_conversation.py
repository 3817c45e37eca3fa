"""A conversation, from the webhook to Graph and back."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from app.asking.texts import ASKING
from app.commands.texts import COMMANDS
from app.domain.errors import NotReady, Permanent, Transient
from app.language.catalogue import say
from app.media.texts import MEDIA
from app.pipeline.texts import PIPELINE
from app.simulator import payloads
from tests.builders import ALICE, BOB, message, text_message
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import PEOPLE, AppUnderTest, running_app


async def test_a_message_is_answered_once(app: AppUnderTest) -> None:
    await app.say(ALICE, "hola")
    assert app.replies_to(ALICE) == ["echo: hola"]


async def test_two_people_interleaved_see_only_their_own(app: AppUnderTest) -> None:
    for n in range(10):
        await app.receive(ALICE, f"alice {n}")
        await app.receive(BOB, f"bob {n}")
    await app.idle()
    assert app.replies_to(ALICE) == [f"echo: alice {n}" for n in range(10)]
    assert app.replies_to(BOB) == [f"echo: bob {n}" for n in range(10)]
    for request in app.llm.requests:
        prompt = " ".join(m.content for m in request.messages)
        assert ("alice" in prompt) != ("bob" in prompt)


async def test_the_model_sees_the_conversation_so_far(app: AppUnderTest) -> None:
    await app.say(ALICE, "my name is Alice")
    await app.say(ALICE, "what is my name?")
    contents = [m.content for m in app.llm.requests[-1].messages]
    assert contents[1:3] == ["my name is Alice", "echo: my name is Alice"]
    assert contents[3].startswith("what is my name?")


async def test_the_prompt_of_a_turn_begins_with_the_prompt_of_the_turn_before(app: AppUnderTest) -> None:
    for n in range(4):
        await app.say(ALICE, f"message {n}")
    earlier, later = app.llm.requests[-2].messages, app.llm.requests[-1].messages
    assert later[: len(earlier) - 1] == earlier[:-1]
    assert earlier[-1].content.startswith(later[len(earlier) - 1].content)


async def test_quoting_either_side_gives_the_model_the_quoted_text(app: AppUnderTest) -> None:
    mine = await app.say(ALICE, "the blue one")
    await app.say(ALICE, "this?", quote=mine)
    assert '"the blue one"' in app.llm.requests[-1].messages[-1].content
    theirs = app.graph.sends[0].id
    await app.say(ALICE, "that?", quote=theirs)
    assert '"echo: the blue one"' in app.llm.requests[-1].messages[-1].content


async def test_a_quote_of_somebody_elses_message_shows_nothing(app: AppUnderTest) -> None:
    secret = await app.say(BOB, "bob's secret")
    await app.say(ALICE, "what is this?", quote=secret)
    await app.say(ALICE, "and this?", quote=app.graph.sends[0].id)
    assert all("secret" not in m.content for request in app.llm.requests[1:] for m in request.messages)


async def test_the_answer_is_asked_for_in_the_language_of_the_message(app: AppUnderTest) -> None:
    await app.say(ALICE, "¿me puedes ayudar con una receta?")
    assert "reply in Spanish" in app.llm.requests[-1].messages[-1].content
    await app.say(ALICE, "now tell me something in another language please")
    assert "reply in English" in app.llm.requests[-1].messages[-1].content
    await app.say(ALICE, "ok")
    assert "reply in English" in app.llm.requests[-1].messages[-1].content


async def test_rapid_texts_become_one_turn(tmp_path: Path) -> None:
    async with running_app(tmp_path, debounce_ms=1200) as app:
        for part in ("hi", "I have a question", "about bread"):
            await app.receive(ALICE, part)
            await app.clock.advance(0.5)
        await app.idle()
        assert app.llm.requests == []
        await app.clock.advance(1.2)
        await app.idle()
        assert app.replies_to(ALICE) == ["echo: hi\nI have a question\nabout bread"]


@pytest.mark.needs("conversation")
async def test_commands_do_not_wait_for_the_debounce(tmp_path: Path) -> None:
    async with running_app(tmp_path, debounce_ms=1200) as app:
        await app.say(ALICE, "/help")
        assert "/clear" in app.replies_to(ALICE)[0]


async def test_an_edit_before_the_turn_changes_what_is_answered(tmp_path: Path) -> None:
    async with running_app(tmp_path, debounce_ms=1200) as app:
        original = await app.receive(ALICE, "what is 2+2?")
        await app.graph.receive(PEOPLE[ALICE], payloads.edit(original, payloads.text("what is 3+3?")))
        await app.clock.advance(2)
        await app.idle()
        assert app.replies_to(ALICE) == ["echo: what is 3+3?"]


async def test_a_message_revoked_before_its_turn_is_not_answered(tmp_path: Path) -> None:
    async with running_app(tmp_path, debounce_ms=1200) as app:
        original = await app.receive(ALICE, "oops")
        await app.graph.receive(PEOPLE[ALICE], payloads.revoke(original))
        await app.clock.advance(2)
        await app.idle()
        assert app.replies_to(ALICE) == []


async def test_a_revoked_message_leaves_history(app: AppUnderTest) -> None:
    original = await app.say(ALICE, "my password is swordfish")
    await app.graph.receive(PEOPLE[ALICE], payloads.revoke(original))
    await app.say(ALICE, "hello again")
    assert "my password is swordfish" not in [m.content for m in app.llm.requests[-1].messages]


async def test_a_revocation_that_overtakes_its_message_still_counts(app: AppUnderTest) -> None:
    await app.post(message("revoke", {"original_message_id": "wamid.late"}))
    await app.post(text_message("never mind", id="wamid.late"))
    await app.idle()
    assert app.replies_to(ALICE) == []


async def test_one_person_cannot_edit_or_revoke_anothers_message(app: AppUnderTest) -> None:
    original = await app.say(ALICE, "alice wrote this")
    await app.graph.receive(PEOPLE[BOB], payloads.edit(original, payloads.text("bob was here")))
    await app.graph.receive(PEOPLE[BOB], payloads.revoke(original))
    await app.say(ALICE, "next")
    assert "alice wrote this" in [m.content for m in app.llm.requests[-1].messages]


async def test_a_reaction_is_stored_and_never_answered(app: AppUnderTest) -> None:
    await app.say(ALICE, "hello")
    sent = app.graph.sends[0]
    await app.graph.receive(PEOPLE[ALICE], payloads.reaction(sent.id, "👍"))
    await app.idle()
    assert len(app.replies_to(ALICE)) == 1


async def test_the_read_and_typing_marks_come_at_once_and_are_renewed(tmp_path: Path) -> None:
    async with running_app(tmp_path) as app:
        app.llm.block()
        message_id = await app.receive(ALICE, "write a novel")
        async with asyncio.timeout(5):
            await app.llm.started.wait()
            while not app.graph.reads:
                await asyncio.sleep(0)
        assert [(r.message_id, r.is_typing) for r in app.graph.reads] == [(message_id, True)]
        await app.clock.advance(20)
        await app.clock.advance(20)
        assert len(app.graph.reads) == 3
        app.llm.release()
        await app.idle()
        await app.clock.advance(60)
        assert len(app.graph.reads) == 3


@pytest.mark.needs("conversation")
async def test_cancel_stops_a_running_turn_with_one_short_reply(app: AppUnderTest) -> None:
    app.llm.block()
    await app.receive(ALICE, "write a novel")
    async with asyncio.timeout(5):
        await app.llm.started.wait()
    await app.receive(ALICE, "/cancel")
    await app.idle()
    app.llm.release()
    assert app.replies_to(ALICE) == ["Done, I stopped."]
    assert app.llm.cancelled == 1
    await app.say(ALICE, "are you there?")
    assert app.replies_to(ALICE)[-1] == "echo: are you there?"


@pytest.mark.needs("conversation")
async def test_cancel_leaves_other_people_alone(app: AppUnderTest) -> None:
    app.llm.block()
    await app.receive(BOB, "something long")
    async with asyncio.timeout(5):
        await app.llm.started.wait()
    await app.receive(ALICE, "/cancel")
    app.llm.release()
    await app.idle()
    assert app.replies_to(ALICE) == ["No hay nada en marcha que cancelar."]
    assert app.replies_to(BOB) == ["echo: something long"]


@pytest.mark.needs("conversation")
async def test_clear_begins_a_new_conversation(app: AppUnderTest) -> None:
    await app.say(ALICE, "remember the number 42")
    await app.say(ALICE, "/clear")
    await app.say(ALICE, "hello")
    assert len(app.llm.requests[-1].messages) == 2


async def test_an_unknown_command_names_the_closest_one(app: AppUnderTest) -> None:
    await app.say(ALICE, "/hlep")
    assert app.replies_to(ALICE) == [say(COMMANDS.unknown_command_closest, "es", command="/hlep", closest="/help")]


@pytest.mark.needs("status")
async def test_commands_work_while_the_model_is_down(tmp_path: Path) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel()) as app:
        await app.say(ALICE, "/status")
        assert "scripted" in app.replies_to(ALICE)[0]


@pytest.mark.needs("status")
async def test_only_the_admin_reads_who_was_turned_away(app: AppUnderTest) -> None:
    await app.post(text_message("let me in", sender="15551230000"))
    await app.say(BOB, "/status")
    await app.say(ALICE, "/status")
    assert "15551230000" not in app.replies_to(BOB)[0]
    assert "15551230000" in app.replies_to(ALICE)[0]


async def test_a_stranger_is_never_answered(app: AppUnderTest) -> None:
    assert await app.post(text_message("hello?", sender="15551230000")) == 200
    await app.idle()
    assert app.graph.sends == []
    assert app.graph.reads == []


async def test_a_person_known_by_number_is_recognised_without_it(app: AppUnderTest) -> None:
    known = text_message("hi", sender=ALICE)
    known["from_user_id"] = "AR.777"
    await app.post(known)
    await app.post(text_message("now with a username", sender="AR.777"))
    await app.idle()
    assert [send.text for send in app.graph.sends] == ["echo: hi", "echo: now with a username"]
    assert "hi" in [m.content for m in app.llm.requests[-1].messages]


async def test_a_group_message_is_not_answered(app: AppUnderTest) -> None:
    written = text_message("hello all")
    written["group_id"] = "group-1"
    assert await app.post(written) == 200
    await app.idle()
    assert app.graph.sends == []


@pytest.mark.needs("media")
async def test_what_cannot_be_understood_gets_one_kind_sentence(app: AppUnderTest) -> None:
    await app.post(message("audio", {"id": "1", "mime_type": "audio/ogg", "voice": True}))
    await app.post(message("image", {"id": "2", "mime_type": "image/png"}))
    await app.post(message("unsupported"))
    await app.idle()
    kinds = (MEDIA.gone, MEDIA.gone, PIPELINE.cannot_unsupported)
    assert app.replies_to(ALICE) == [say(kind, "es") for kind in kinds]
    assert app.llm.requests == []


async def test_a_caption_and_a_location_are_understood(app: AppUnderTest) -> None:
    await app.post(
        message("image", {"id": "2", "mime_type": "image/png", "caption": "write down that we saw a heron"})
    )
    await app.post(message("location", {"latitude": 1.5, "longitude": 2.25, "name": "Café Sol"}))
    await app.idle()
    first, second = (request.messages[-1].content for request in app.llm.requests)
    assert first.startswith("write down that we saw a heron")
    assert "Café Sol" in second


async def test_a_stale_button_says_so(app: AppUnderTest) -> None:
    await app.graph.receive(PEOPLE[ALICE], payloads.button_reply("approve:1", "Run"))
    await app.idle()
    assert app.replies_to(ALICE) == [say(ASKING.stale_question, "es")]


async def test_too_many_messages_wait_and_none_is_lost(tmp_path: Path) -> None:
    async with running_app(tmp_path, rate_limit_max=3, rate_limit_window=60) as app:
        for n in range(6):
            await app.receive(ALICE, f"m{n}")
        await app.idle()
        notice = say(PIPELINE.rate_limited, "es")
        assert sorted(app.replies_to(ALICE)) == sorted([notice, "echo: m0", "echo: m1", "echo: m2"])
        for _ in range(3):
            await app.clock.advance(21)
            await app.idle()
        assert [r for r in app.replies_to(ALICE) if r != notice] == [f"echo: m{n}" for n in range(6)]
        assert app.replies_to(ALICE).count(notice) == 1


async def test_a_message_from_days_ago_is_mentioned_and_not_answered(app: AppUnderTest) -> None:
    old = text_message("is the pharmacy open?", at=app.clock.now() - timedelta(days=7))
    assert await app.post(old) == 200
    await app.idle()
    assert app.graph.sends == []
    await app.say(ALICE, "hello")
    first, second = app.replies_to(ALICE)
    assert "is the pharmacy open?" in first
    assert second == "echo: hello"
    await app.say(ALICE, "again")
    assert app.replies_to(ALICE)[2:] == ["echo: again"]


async def test_a_message_waits_while_the_model_is_fetched_and_is_answered_then(tmp_path: Path) -> None:
    fetching = NotReady("model_fetching", progress=0.43)
    llm = ScriptedChatModel(fetching, fetching, NotReady("model_loading"), echo=True)
    async with running_app(tmp_path, llm=llm) as app:
        await app.say(ALICE, "hola")
        assert app.replies_to(ALICE) == [say(PIPELINE.model_fetching, "es", percent=43)]
        for _ in range(3):
            await app.clock.advance(3)
            await app.idle()
        assert app.replies_to(ALICE)[1:] == ["echo: hola"]


async def test_when_the_model_fails_one_honest_sentence_is_said(tmp_path: Path) -> None:
    cases = {
        Transient("llm_unreachable", retry_after_s=60): PIPELINE.model_down,
        Transient("llm_timeout"): PIPELINE.model_slow,
        Permanent("llm_model_missing"): PIPELINE.model_missing,
        Permanent("llm_prompt_too_long"): PIPELINE.too_long,
    }
    async with running_app(tmp_path, llm=ScriptedChatModel(*cases)) as app:
        for number in range(len(cases)):
            await app.say(ALICE, f"question {number}")
        expected = [say(phrase, "en", ref=ref) for ref, phrase in enumerate(cases.values(), start=1)]
        assert app.replies_to(ALICE) == expected


async def test_a_message_too_long_for_the_model_is_said_so(tmp_path: Path) -> None:
    async with running_app(tmp_path, llm_context_tokens=2048) as app:
        await app.say(ALICE, "palabra " * 4000)
        assert app.replies_to(ALICE) == [say(PIPELINE.too_long, "es", ref=1)]


async def test_a_bug_in_a_turn_is_retried_and_ends_with_an_apology(tmp_path: Path) -> None:
    def broken(request: object) -> None:
        raise RuntimeError("a bug")

    llm = ScriptedChatModel(broken, broken, broken, echo=True)  # type: ignore[arg-type]  # it never returns
    async with running_app(tmp_path, llm=llm) as app:
        await app.say(ALICE, "hello there")
        for _ in range(2):
            await app.clock.advance(10)
            await app.idle()
        assert app.replies_to(ALICE) == [say(PIPELINE.turn_failed, "en", ref=1)]
        await app.say(ALICE, "and now?")
        assert app.replies_to(ALICE)[-1] == "echo: and now?"


async def test_markdown_of_the_model_becomes_whatsapp_formatting(tmp_path: Path) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel("**Done**: 2 * 3 * 4")) as app:
        await app.say(ALICE, "hi")
        assert app.replies_to(ALICE) == ["*Done*: 2 * 3 * 4"]


async def test_an_answer_of_ten_thousand_characters_arrives_whole_and_in_order(tmp_path: Path) -> None:
    words = " ".join(f"word{n:05}" for n in range(1000))
    async with running_app(tmp_path, llm=ScriptedChatModel(words)) as app:
        await app.say(ALICE, "long please")
        assert " ".join(app.replies_to(ALICE)) == words
        assert all(len(reply) <= 4096 for reply in app.replies_to(ALICE))


async def test_a_restart_takes_up_what_was_not_answered(tmp_path: Path) -> None:
    clock = FrozenClock()
    async with running_app(tmp_path, clock=clock, debounce_ms=5000) as app:
        await app.receive(ALICE, "do not forget me")
        await app.idle()
        assert app.graph.sends == []
    await clock.advance(10)
    async with running_app(tmp_path, clock=clock, debounce_ms=5000) as again:
        await again.idle()
        assert again.replies_to(ALICE) == ["echo: do not forget me"]


async def test_what_is_answered_at_once_is_marked_read_too(app: AppUnderTest) -> None:
    command = await app.say(ALICE, "/status")
    stop = await app.say(ALICE, "/cancel")
    read = {
        event.data["id"]: event.data["typing"] for event in app.graph.transcript.events if event.kind == "read"
    }
    assert command in read
    assert read[stop] is False, "nobody is typing after an answer that is there"
