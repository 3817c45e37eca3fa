"""A person's number or phone changes: their things follow them once the admin has said yes."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from app.asking.texts import ASKING
from app.commands.texts import COMMANDS
from app.database.db import Database
from app.language.catalogue import LANGUAGES, Sentence, say
from app.simulator import payloads
from app.simulator.payloads import SimUser
from app.simulator.transcript import RecordedSend
from tests.builders import ALICE, BOB, message, text_message
from tests.harness import PEOPLE, AppUnderTest, running_app

BOBS_NEW_NUMBER = "5491155550299"
CAROL = "5491155550303"
SIM_CAROL = SimUser(CAROL, "Carol")


def number_change(old: str, new: str) -> dict[str, Any]:
    body = {"body": f"A person changed from {old} to {new}", "wa_id": new, "type": "user_changed_number"}
    return message("system", body, sender=old)


def identity_change(sender: str) -> dict[str, Any]:
    body = {"body": "A person's identity changed", "type": "customer_identity_changed"}
    return message("system", body, sender=sender)


async def happens(app: AppUnderTest, *changes: dict[str, Any]) -> None:
    assert await app.post(*changes) == 200
    await app.idle()


def questions(app: AppUnderTest, admin: str = ALICE) -> list[RecordedSend]:
    return [send for send in app.graph.sends if send.recipient == admin and send.type == "interactive"]


def buttons_of(question: RecordedSend) -> dict[str, str]:
    """The ids of a question's buttons by "yes" and "no", in whatever language it was asked."""
    interactive: Any = question.payload["interactive"]
    titles = {say(ASKING.trust_yes, language): "yes" for language in LANGUAGES}
    titles |= {say(ASKING.trust_no, language): "no" for language in LANGUAGES}
    replies = [button["reply"] for button in interactive["action"]["buttons"]]
    return {titles[reply["title"]]: reply["id"] for reply in replies}


async def press(app: AppUnderTest, verdict: str, *, by: SimUser = PEOPLE[ALICE]) -> None:
    """Press a button of the newest question."""
    button_id = buttons_of(questions(app)[-1])[verdict]
    await app.graph.receive(by, payloads.button_reply(button_id, verdict))
    await app.idle()


async def both_have_written(app: AppUnderTest) -> None:
    await app.say(ALICE, "good morning")
    await app.say(BOB, "my cat is called Tom")


def prompt_of_last_call(app: AppUnderTest) -> str:
    return "\n".join(one.content for one in app.llm.requests[-1].messages)


NOBODY_KNOCKED = ("No stranger has written.", "Nadie ajeno escribió.")


def said_in_any_language(phrase: Sentence, **values: object) -> set[str]:
    return {say(phrase, language, **values) for language in LANGUAGES}


async def test_the_admin_is_asked_with_two_buttons_and_the_person_hears_nothing(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, identity_change(BOB))
    [question] = questions(app)
    assert question.text.startswith(tuple(said_in_any_language(ASKING.trust_question, name="Bob")))
    assert set(buttons_of(question)) == {"yes", "no"}
    assert app.replies_to(BOB) == ["echo: my cat is called Tom"]


async def test_until_the_admin_answers_messages_wait_and_after_yes_they_are_answered(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, identity_change(BOB))
    await app.say(BOB, "are you there?")
    await app.say(BOB, "hello?")
    assert len(app.replies_to(BOB)) == 1
    await press(app, "yes")
    assert app.replies_to(BOB)[1:] == ["echo: are you there?", "echo: hello?"]
    assert app.replies_to(ALICE)[-1] in said_in_any_language(ASKING.trust_granted, name="Bob")


@pytest.mark.needs("conversation", "status")
async def test_commands_of_a_person_who_is_asked_about_wait_too(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, identity_change(BOB))
    await app.say(BOB, "/cancel")
    await app.say(BOB, "/status")
    assert len(app.replies_to(BOB)) == 1
    await press(app, "yes")
    assert len(app.replies_to(BOB)) == 1 + len(("/cancel", "/status"))


async def test_after_no_neither_the_waiting_messages_nor_later_ones_are_answered(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, identity_change(BOB))
    await app.say(BOB, "are you there?")
    await press(app, "no")
    await app.say(BOB, "and now?")
    await app.say(BOB, "/help")
    await app.clock.advance(3600)
    await app.idle()
    assert app.replies_to(BOB) == ["echo: my cat is called Tom"]
    assert len(app.llm.requests) == len(("good morning", "my cat"))
    assert app.replies_to(ALICE)[-1] in said_in_any_language(ASKING.trust_denied, name="Bob")


async def test_what_was_decided_holds_after_a_restart(tmp_path: Path) -> None:
    async with running_app(tmp_path) as app:
        await both_have_written(app)
        await happens(app, identity_change(BOB))
        await app.say(BOB, "are you there?")
        [question] = questions(app)
    async with running_app(tmp_path) as again:
        await again.idle()
        await again.say(BOB, "hello?")
        assert again.replies_to(BOB) == []
        button_id = buttons_of(question)["yes"]
        await again.graph.receive(PEOPLE[ALICE], payloads.button_reply(button_id, "yes"))
        await again.idle()
        assert again.replies_to(BOB) == ["echo: are you there?", "echo: hello?"]


async def test_who_waits_for_trust_since_an_older_version_is_asked_about_anew(tmp_path: Path) -> None:
    async with running_app(tmp_path) as app:
        await both_have_written(app)
        await happens(app, identity_change(BOB))
        await app.say(BOB, "are you there?")
    async with Database.open(app.database) as db, db.transaction() as tx:
        await tx.execute("DELETE FROM questions")
    async with running_app(tmp_path) as again:
        await again.idle()
        await press(again, "yes")
        assert again.replies_to(BOB) == ["echo: are you there?"]
    async with running_app(tmp_path) as later:
        await later.idle()
        assert questions(later) == []


async def test_a_changed_number_takes_history_along_and_replies_go_to_it(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, number_change(BOB, BOBS_NEW_NUMBER))
    await happens(app, text_message("what is my cat called?", sender=BOBS_NEW_NUMBER))
    assert app.replies_to(BOBS_NEW_NUMBER) == []
    await press(app, "yes")
    assert app.replies_to(BOBS_NEW_NUMBER) == ["echo: what is my cat called?"]
    assert app.replies_to(BOB) == ["echo: my cat is called Tom"]
    assert "my cat is called Tom" in prompt_of_last_call(app)
    assert "good morning" not in prompt_of_last_call(app)


@pytest.mark.needs("status")
async def test_a_changed_number_is_nobody_else_in_the_list_of_strangers(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, number_change(BOB, BOBS_NEW_NUMBER))
    await happens(app, text_message("it is me", sender=BOBS_NEW_NUMBER))
    await app.say(ALICE, "/status")
    assert BOBS_NEW_NUMBER not in app.replies_to(ALICE)[-1]


async def test_a_stranger_cannot_become_somebody_by_changing_a_number(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, number_change("15551230000", BOBS_NEW_NUMBER))
    await happens(app, text_message("let me in", sender=BOBS_NEW_NUMBER))
    assert questions(app) == []
    assert app.replies_to(BOBS_NEW_NUMBER) == []


async def test_only_an_admins_press_counts(tmp_path: Path) -> None:
    async with running_app(tmp_path, allowed_phone_numbers=(ALICE, BOB, CAROL)) as app:
        await both_have_written(app)
        await happens(app, identity_change(BOB))
        await app.say(BOB, "are you there?")
        await press(app, "yes", by=SIM_CAROL)
        assert app.replies_to(CAROL)[0] in said_in_any_language(COMMANDS.admin_only)
        assert len(app.replies_to(BOB)) == 1
        await press(app, "yes")
        assert app.replies_to(BOB)[-1] == "echo: are you there?"


async def test_a_person_cannot_vouch_for_themselves(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, identity_change(BOB))
    await press(app, "yes", by=PEOPLE[BOB])
    await app.say(BOB, "let me through")
    assert app.replies_to(BOB) == ["echo: my cat is called Tom"]


@pytest.mark.parametrize("verdicts", [("yes", "yes"), ("yes", "no"), ("no", "no")])
async def test_a_second_press_is_stale_and_changes_nothing(app: AppUnderTest, verdicts: Iterable[str]) -> None:
    first, second = verdicts
    await both_have_written(app)
    await happens(app, identity_change(BOB))
    await press(app, first)
    await press(app, second)
    assert app.replies_to(ALICE)[-1] in said_in_any_language(ASKING.stale_question)
    await app.say(BOB, "and now?")
    assert ("echo: and now?" in app.replies_to(BOB)) is (first == "yes")


async def test_a_no_can_be_taken_back(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, identity_change(BOB))
    await app.say(BOB, "are you there?")
    await press(app, "no")
    await app.say(BOB, "nobody hears this")
    await press(app, "yes")
    await app.say(BOB, "thank you")
    assert app.replies_to(BOB)[1:] == ["echo: are you there?", "echo: thank you"]


async def test_a_button_about_nobody_is_stale(app: AppUnderTest) -> None:
    for button_id in ("trust:yes:nobody", "trust:", "trust:yes", "trust::"):
        await app.graph.receive(PEOPLE[ALICE], payloads.button_reply(button_id, "yes"))
    await app.idle()
    assert set(app.replies_to(ALICE)) <= said_in_any_language(ASKING.stale_question)


@pytest.mark.needs("status")
async def test_the_only_admin_is_not_locked_out_by_a_new_phone_or_number(app: AppUnderTest) -> None:
    new_number = "5491155550199"
    await app.say(ALICE, "good morning")
    await happens(app, identity_change(ALICE))
    await app.say(ALICE, "still here")
    await happens(app, number_change(ALICE, new_number))
    await happens(app, text_message("/status", sender=new_number))
    assert app.replies_to(ALICE) == ["echo: good morning", "echo: still here"]
    assert len(app.replies_to(new_number)) == 1
    assert app.replies_to(new_number)[0].endswith(NOBODY_KNOCKED)


async def test_every_other_admin_is_asked_about_an_admin(tmp_path: Path) -> None:
    async with running_app(tmp_path, admin_phone_numbers=(ALICE, BOB)) as app:
        await both_have_written(app)
        await happens(app, identity_change(BOB))
        assert len(questions(app, ALICE)) == 1
        assert questions(app, BOB) == []
        await press(app, "yes")
        await app.say(BOB, "thank you")
        assert app.replies_to(BOB)[-1] == "echo: thank you"


async def test_a_change_of_one_person_leaves_others_alone(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, identity_change(BOB))
    await app.say(ALICE, "and I?")
    assert app.replies_to(ALICE)[-1] == "echo: and I?"


async def test_the_change_itself_is_never_answered_nor_shown_to_the_model(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, identity_change(BOB))
    await press(app, "yes")
    await app.say(BOB, "next")
    assert app.replies_to(BOB) == ["echo: my cat is called Tom", "echo: next"]
    assert "identity" not in prompt_of_last_call(app)


async def bobs_novel_is_being_written(app: AppUnderTest) -> None:
    await both_have_written(app)
    app.llm.block()
    await app.receive(BOB, "write a novel")
    async with asyncio.timeout(5):
        await app.llm.started.wait()


async def test_a_message_from_the_new_number_right_behind_the_change_is_recognised_and_held(
    app: AppUnderTest,
) -> None:
    await both_have_written(app)
    await happens(app, number_change(BOB, BOBS_NEW_NUMBER), text_message("it is me", sender=BOBS_NEW_NUMBER))
    assert app.replies_to(BOBS_NEW_NUMBER) == []
    await press(app, "yes")
    assert app.replies_to(BOBS_NEW_NUMBER) == ["echo: it is me"]


async def test_a_change_does_not_wait_for_a_running_turn_whose_answer_waits_for_the_admin(
    app: AppUnderTest,
) -> None:
    await bobs_novel_is_being_written(app)
    await app.post(number_change(BOB, BOBS_NEW_NUMBER))
    await app.post(text_message("it is me", sender=BOBS_NEW_NUMBER))
    app.llm.release()
    await app.idle()
    assert len(questions(app)) == 1
    assert app.replies_to(BOB) == ["echo: my cat is called Tom"]
    assert app.replies_to(BOBS_NEW_NUMBER) == []
    await press(app, "yes")
    assert app.replies_to(BOBS_NEW_NUMBER) == ["echo: write a novel", "echo: it is me"]


@pytest.mark.needs("conversation")
async def test_cancelling_does_not_undo_a_change_of_number(app: AppUnderTest) -> None:
    await bobs_novel_is_being_written(app)
    await app.receive(BOB, "/cancel")
    await app.post(number_change(BOB, BOBS_NEW_NUMBER))
    await app.idle()
    app.llm.release()
    assert len(questions(app)) == 1


@pytest.mark.needs("status")
async def test_a_change_that_is_delivered_twice_is_asked_about_once(app: AppUnderTest) -> None:
    await both_have_written(app)
    change = number_change(BOB, BOBS_NEW_NUMBER)
    await happens(app, change)
    await press(app, "yes")
    await happens(app, change)
    await happens(app, text_message("hello?", sender=BOBS_NEW_NUMBER))
    await app.say(ALICE, "/status")
    assert len(questions(app)) == 1
    assert app.replies_to(BOBS_NEW_NUMBER) == ["echo: hello?"]
    assert app.replies_to(ALICE)[-1].endswith(NOBODY_KNOCKED)


async def test_a_change_whose_turn_fails_at_its_end_is_asked_about_once(app: AppUnderTest) -> None:
    await both_have_written(app)
    async with Database.open(app.database) as other:
        await other.execute_script(
            "CREATE TRIGGER boom BEFORE UPDATE ON inbox WHEN NEW.state = 'done' AND NEW.kind = 'system'"
            " BEGIN SELECT RAISE(FAIL, 'boom'); END"
        )
        await happens(app, identity_change(BOB))
        await press(app, "yes")
        await other.execute_script("DROP TRIGGER boom")
    await app.clock.advance(60)
    await app.idle()
    await app.say(BOB, "hello?")
    assert len(questions(app)) == 1
    assert app.replies_to(BOB)[-1] == "echo: hello?"


@pytest.mark.needs("status")
async def test_whoever_gets_the_old_number_is_a_stranger(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, number_change(BOB, BOBS_NEW_NUMBER))
    await press(app, "yes")
    calls = len(app.llm.requests)
    await happens(app, text_message("hi, this number is mine now", sender=BOB))
    assert len(app.llm.requests) == calls
    await app.say(ALICE, "/status")
    assert BOB[-8:] in app.replies_to(ALICE)[-1]
    await happens(app, text_message("and I am still welcome", sender=BOBS_NEW_NUMBER))
    assert app.replies_to(BOBS_NEW_NUMBER) == ["echo: and I am still welcome"]


async def test_whoever_gets_the_old_number_and_is_listed_by_their_own_id_sees_nothing_of_its_last_owner(
    tmp_path: Path,
) -> None:
    newcomer = {**text_message("what do you know about me?", sender=BOB), "from_user_id": "AR.newcomer"}
    async with running_app(tmp_path, allowed_phone_numbers=(ALICE, BOB, "AR.newcomer")) as app:
        await both_have_written(app)
        await happens(app, number_change(BOB, BOBS_NEW_NUMBER))
        await press(app, "yes")
        await happens(app, newcomer)
        assert app.replies_to(BOB)[-1] == "echo: what do you know about me?"
        assert "Tom" not in prompt_of_last_call(app)


@pytest.mark.needs("status")
async def test_whoever_gets_an_admins_old_number_is_no_admin(tmp_path: Path) -> None:
    newcomer = {**text_message("/status", sender=ALICE), "from_user_id": "AR.newcomer"}
    async with running_app(tmp_path, allowed_phone_numbers=(BOB, "AR.newcomer")) as app:
        await both_have_written(app)
        await happens(app, number_change(ALICE, "5491155550199"))
        await happens(app, newcomer)
        assert len(app.replies_to(ALICE)) == 2
        assert not app.replies_to(ALICE)[-1].endswith(NOBODY_KNOCKED)
        await happens(app, identity_change(BOB))
        assert len(questions(app, "5491155550199")) == 1
        assert questions(app) == []


async def test_a_message_sent_before_the_change_and_delivered_after_it_is_its_authors(app: AppUnderTest) -> None:
    await both_have_written(app)
    change = number_change(BOB, BOBS_NEW_NUMBER)
    before = datetime.fromtimestamp(int(change["timestamp"]), UTC) - timedelta(seconds=5)
    await happens(app, change, text_message("sent from the old phone", sender=BOB, at=before))
    await press(app, "yes")
    assert app.replies_to(BOBS_NEW_NUMBER) == ["echo: sent from the old phone"]


async def test_who_has_an_id_of_their_own_is_not_the_last_owner_of_the_number_whenever_they_wrote(
    app: AppUnderTest,
) -> None:
    await both_have_written(app)
    change = number_change(BOB, BOBS_NEW_NUMBER)
    before = datetime.fromtimestamp(int(change["timestamp"]), UTC) - timedelta(seconds=5)
    stranger = {**text_message("who am I?", sender=BOB, at=before), "from_user_id": "AR.newcomer"}
    await happens(app, change)
    await press(app, "yes")
    await happens(app, stranger)
    assert app.replies_to(BOBS_NEW_NUMBER) == []
    assert app.replies_to(BOB) == ["echo: my cat is called Tom"]


async def test_a_person_who_moves_back_is_themselves_again(app: AppUnderTest) -> None:
    await both_have_written(app)
    for old, new in ((BOB, BOBS_NEW_NUMBER), (BOBS_NEW_NUMBER, BOB)):
        await happens(app, number_change(old, new))
        await press(app, "yes")
    await app.say(BOB, "what is my cat called?")
    assert app.replies_to(BOB)[-1] == "echo: what is my cat called?"
    assert "my cat is called Tom" in prompt_of_last_call(app)


async def test_a_move_to_a_number_that_was_anothers_brings_nothing_of_theirs(tmp_path: Path) -> None:
    async with running_app(tmp_path, allowed_phone_numbers=(ALICE, BOB, CAROL)) as app:
        await both_have_written(app)
        await happens(app, text_message("carol has a secret", sender=CAROL))
        await happens(app, number_change(BOB, CAROL))
        await press(app, "yes")
        await happens(app, text_message("what is my cat called?", sender=CAROL))
        assert "carol has a secret" not in prompt_of_last_call(app)
        assert "my cat is called Tom" in prompt_of_last_call(app)


async def test_two_admins_cannot_be_locked_out_together(tmp_path: Path) -> None:
    async with running_app(tmp_path, admin_phone_numbers=(ALICE, BOB)) as app:
        await both_have_written(app)
        await happens(app, identity_change(BOB))
        await happens(app, identity_change(ALICE))
        await app.say(ALICE, "still here")
        assert app.replies_to(ALICE)[-1] == "echo: still here"
        await press(app, "yes")
        await app.say(BOB, "so am I")
        assert app.replies_to(BOB)[-1] == "echo: so am I"


async def test_where_no_admin_ever_wrote_a_new_phone_locks_nobody_out(app: AppUnderTest) -> None:
    await app.say(BOB, "hi")
    await happens(app, identity_change(BOB))
    await app.say(BOB, "still here")
    assert app.replies_to(BOB) == ["echo: hi", "echo: still here"]


async def test_a_blocked_person_stays_blocked_under_a_new_number(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, identity_change(BOB))
    await press(app, "no")
    await happens(app, number_change(BOB, BOBS_NEW_NUMBER))
    await happens(app, text_message("a new start?", sender=BOBS_NEW_NUMBER))
    assert len(questions(app)) == 1
    assert app.replies_to(BOBS_NEW_NUMBER) == []


def under(bsuid: str, written: dict[str, Any]) -> dict[str, Any]:
    """The message as it comes from an account with that business-scoped id."""
    return {**written, "from_user_id": bsuid}


async def test_another_id_on_a_known_number_is_nobody_until_the_admin_says_so(app: AppUnderTest) -> None:
    await app.say(ALICE, "good morning")
    await happens(app, under("AR.bob", text_message("my cat is called Tom", sender=BOB)))
    await happens(app, under("AR.recycled", text_message("what do you know about me?", sender=BOB)))
    await happens(app, under("AR.recycled", text_message("/memories", sender=BOB)))
    assert app.replies_to(BOB) == ["echo: my cat is called Tom"]
    assert len(app.llm.requests) == len(("good morning", "my cat"))
    [question] = questions(app)
    assert question.text.startswith(tuple(said_in_any_language(ASKING.trust_question, name="Bob")))
    await press(app, "yes")
    assert app.replies_to(BOB)[1] == "echo: what do you know about me?"
    await happens(app, under("AR.recycled", text_message("thank you", sender=BOB)))
    assert app.replies_to(BOB)[-1] == "echo: thank you"
    assert len(questions(app)) == 1


@pytest.mark.needs("oversight")
async def test_another_id_on_an_admins_number_has_no_rights_though_nobody_can_be_asked(app: AppUnderTest) -> None:
    await happens(app, under("AR.alice", text_message("good morning", sender=ALICE)))
    with capture_logs() as logs:
        await happens(app, under("AR.recycled", text_message("/mode yolo", sender=ALICE)))
    assert app.replies_to(ALICE) == ["echo: good morning"]
    assert [entry["log_level"] for entry in logs if entry["event"] == "identity.other_id"] == ["error"]


async def test_a_number_that_shows_its_id_for_the_first_time_is_the_same_person(app: AppUnderTest) -> None:
    await both_have_written(app)
    await happens(app, under("AR.bob", text_message("what is my cat called?", sender=BOB)))
    assert questions(app) == []
    assert app.replies_to(BOB)[-1] == "echo: what is my cat called?"


async def test_the_id_that_comes_with_a_changed_number_needs_no_second_yes(app: AppUnderTest) -> None:
    await app.say(ALICE, "good morning")
    await happens(app, under("AR.bob", text_message("my cat is called Tom", sender=BOB)))
    await happens(app, number_change(BOB, BOBS_NEW_NUMBER))
    await press(app, "yes")
    await happens(app, under("AR.bobs2", text_message("what is my cat called?", sender=BOBS_NEW_NUMBER)))
    assert app.replies_to(BOBS_NEW_NUMBER) == ["echo: what is my cat called?"]
    assert len(questions(app)) == 1


@pytest.mark.parametrize("verdict", ["no", None])
async def test_who_is_not_trusted_is_not_told_to_slow_down(tmp_path: Path, verdict: str | None) -> None:
    async with running_app(tmp_path, rate_limit_max=3) as app:
        await both_have_written(app)
        await happens(app, identity_change(BOB))
        if verdict is not None:
            await press(app, verdict)
        for n in range(6):
            await app.say(BOB, f"message {n}")
        assert len(app.replies_to(BOB)) == 1
        await press(app, "yes")
        await app.clock.advance(600)
        await app.idle()
        held = [] if verdict == "no" else [f"echo: message {n}" for n in range(6)]
        assert app.replies_to(BOB)[1:] == held


@pytest.mark.parametrize("verdict", ["no", None])
async def test_messages_that_wait_for_a_human_do_not_make_the_service_look_late(
    app: AppUnderTest, verdict: str | None
) -> None:
    await both_have_written(app)
    await happens(app, identity_change(BOB))
    if verdict is not None:
        await press(app, verdict)
    await app.say(BOB, "anyone?")
    assert (await app.http.get("/health/ready")).json()["oldest_pending_at"] is None
