"""The prompt: within its budget, ordered from stable to volatile, and the same at its beginning for long."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise, takewhile
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.repositories.conversations import StoredMessage
from app.domain.chat import ANSWER_TOKENS, ChatMessage
from app.domain.errors import Permanent
from app.domain.ids import TurnId
from app.language.catalogue import Language
from app.llm.prompts import load_prompt
from app.llm.wire import estimate_tokens
from app.pipeline.answering.builder import (
    MAX_CHOICE,
    MAX_MESSAGES,
    ContextBuilder,
    NewestMessage,
    Spoken,
    window_start,
)

Side = Literal["user", "assistant"]

NOW = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)
SYSTEM = "You are a helpful assistant."
ROLES: tuple[Side, Side] = ("user", "assistant")

texts = st.text(max_size=400)
histories = st.lists(texts, max_size=80).map(lambda bodies: dialogue(*bodies))


def dialogue(*bodies: str) -> list[Spoken]:
    """Turns of two messages each, numbered from 1."""
    return [Spoken(TurnId(1 + n // 2), ChatMessage(ROLES[n % 2], body)) for n, body in enumerate(bodies)]


def said(side: Side, text: str, turn: int = 1) -> StoredMessage:
    return StoredMessage(side, text, TurnId(turn), NOW)


def stored(*bodies: str) -> list[StoredMessage]:
    """A history in which the two sides take turns, the person first."""
    return [said(ROLES[n % 2], body, n // 2) for n, body in enumerate(bodies)]


def newest(text: str, *, language: Language = "en", quoted: StoredMessage | None = None) -> NewestMessage:
    return NewestMessage(text, language, NOW, quoted)


def cost(messages: list[Spoken]) -> int:
    return sum(estimate_tokens([one.message]) for one in messages)


@given(histories, st.integers(0, 5000))
def test_what_is_shown_fits_the_budget(history: list[Spoken], budget_tokens: int) -> None:
    start = window_start(history, budget_tokens)
    assert 0 <= start <= len(history)
    assert cost(history[start:]) <= budget_tokens


@given(histories, st.integers(0, 5000))
def test_at_most_half_of_what_fits_and_never_more_than_the_choice_is_given_up(
    history: list[Spoken], budget_tokens: int
) -> None:
    start = window_start(history, budget_tokens)
    fitting = [n for n in range(0, len(history), 2) if cost(history[n:]) <= budget_tokens]
    given_up = [n for n in fitting if n < start]
    assert len(given_up) <= min(len(fitting) // 2, MAX_CHOICE - 1)


@given(histories, st.integers(0, 5000))
def test_the_window_begins_with_the_person(history: list[Spoken], budget_tokens: int) -> None:
    shown = history[window_start(history, budget_tokens) :]
    assert [one.message.role for one in shown[:1]] in ([], ["user"])


@given(histories)
def test_a_budget_that_holds_everything_shows_everything(history: list[Spoken]) -> None:
    assert window_start(history, cost(history)) == 0


def test_nothing_fits_into_nothing() -> None:
    assert window_start(dialogue("a", "b", "c"), 0) == len("abc")
    assert window_start([], 0) == 0


def starts_over_time(turns: int, shown_turns: int, *, every: int = 1, known: int = 10_000) -> list[TurnId | None]:
    """With which turn the window begins, turn after turn, when so many fit.

    `every`: how far apart the numbers of the turns are; `known`: how many messages are read from the store.
    """
    body = "a message of always the same length"
    spoken = [Spoken(TurnId(every * (1 + n // 2)), ChatMessage(ROLES[n % 2], body)) for n in range(2 * turns)]
    budget_tokens = cost(spoken[: 2 * shown_turns])
    starts: list[TurnId | None] = []
    for turn in range(1, turns + 1):
        history = spoken[: 2 * turn][-known:]
        start = window_start(history, budget_tokens)
        starts.append(history[start].turn_id if start < len(history) else None)
    return starts


def moves(starts: list[TurnId | None]) -> int:
    return sum(one != other for one, other in pairwise(starts))


@pytest.mark.parametrize("every", [1, 2, 3, 10])
@pytest.mark.parametrize(("shown_turns", "rarely"), [(2, 2), (4, 2), (10, 4), (40, 8)])
def test_over_many_turns_the_beginning_of_the_prompt_moves_in_steps_only(
    shown_turns: int, rarely: int, every: int
) -> None:
    starts = starts_over_time(120, shown_turns, every=every)
    assert None not in starts
    assert 1 <= moves(starts) <= 120 // rarely


def test_behind_the_limit_of_what_is_read_the_beginning_still_moves_in_steps_only() -> None:
    starts = starts_over_time(200, 1000, known=200)
    assert moves(starts[: MAX_MESSAGES // 2]) == 0
    assert 1 <= moves(starts) <= (200 - MAX_MESSAGES // 2) // MAX_CHOICE + 1


def test_the_prompt_of_a_growing_conversation_begins_like_the_one_before_it() -> None:
    builder = ContextBuilder(SYSTEM, ANSWER_TOKENS + 700)
    bodies = [f"message number {n} with a few more words in it" for n in range(120)]
    prompts = [builder.build(stored(*bodies[: 2 * turn]), newest(bodies[2 * turn])) for turn in range(59)]
    changes = sum(later[: len(earlier) - 1] != earlier[:-1] for earlier, later in pairwise(prompts))
    assert 1 <= changes <= len(prompts) // MAX_CHOICE + 1


def test_the_prompt_goes_from_what_never_changes_to_what_changes_each_time() -> None:
    builder = ContextBuilder(SYSTEM, 8192)
    prompt = builder.build(stored("hi", "hello"), newest("and now?"))
    assert [message.role for message in prompt] == ["system", "user", "assistant", "user"]
    assert [message.content for message in prompt[:3]] == [SYSTEM, "hi", "hello"]
    assert prompt[3].content.startswith("and now?\n\n")


def test_nothing_before_the_newest_message_depends_on_time_or_language() -> None:
    builder = ContextBuilder(SYSTEM, 8192)
    history = stored("hi", "hello")
    one = builder.build(history, newest("and now?"))
    other = builder.build(history, NewestMessage("y ahora?", "es", NOW + timedelta(days=400)))
    assert one[:-1] == other[:-1]
    assert one[-1] != other[-1]


def test_the_language_and_the_day_stand_beside_the_newest_message() -> None:
    builder = ContextBuilder(SYSTEM, 8192)
    last = builder.build([], newest("hola", language="es"))[-1].content
    assert "Spanish" in last
    assert "English" not in last
    assert f"{NOW.astimezone():%Y-%m-%d %H:%M}" in last


@given(st.lists(st.sampled_from(ROLES), max_size=40))
def test_the_roles_alternate_and_the_person_speaks_first_and_last(sides: list[Side]) -> None:
    history = [said(side, f"text {n}", n) for n, side in enumerate(sides)]
    prompt = ContextBuilder(SYSTEM, 100_000).build(history, newest("now"))
    roles = [message.role for message in prompt]
    assert roles == ["system", *(["user", "assistant"] * len(prompt))[: len(prompt) - 1]]
    assert roles[-1] == "user"
    shown = "\n".join(message.content for message in prompt[1:]).partition("\n\n")[0].split("\n")
    unheard = len(list(takewhile(lambda side: side == "assistant", sides)))
    assert shown == [*(message.text for message in history[unheard:]), "now"]


def test_what_was_not_answered_stays_where_it_is_when_it_is_answered_at_last() -> None:
    builder = ContextBuilder(SYSTEM, 8192)
    unanswered = [*stored("hi", "hello"), said("user", "what is it?", 2)]
    [*before, last] = builder.build(unanswered, newest("tell me"))
    assert last.content.startswith("what is it?\ntell me\n\n")
    after = builder.build([*unanswered, said("user", "tell me", 3), said("assistant", "it", 3)], newest("thanks"))
    assert list(after[: len(before)]) == before
    assert last.content.startswith(after[len(before)].content)


def test_what_was_not_answered_is_left_out_where_it_does_not_fit() -> None:
    builder = ContextBuilder(SYSTEM, 2048)
    prompt = builder.build([*stored("hi", "hello"), said("user", "word " * 4000, 2)], newest("shorter"))
    assert [message.role for message in prompt] == ["system", "user", "assistant", "user"]
    assert prompt[-1].content.startswith("shorter\n\n")


@given(st.lists(st.text(max_size=600), max_size=60), st.text(max_size=60), st.integers(400, 4000))
def test_prompt_and_answer_stay_within_the_context(bodies: list[str], text: str, room: int) -> None:
    prompt = ContextBuilder(SYSTEM, ANSWER_TOKENS + room).build(stored(*bodies), newest(text))
    rounding = len(prompt)
    assert estimate_tokens(prompt) <= room + rounding


def test_a_newest_message_that_does_not_fit_by_itself_is_refused() -> None:
    builder = ContextBuilder(SYSTEM, 2048)
    with pytest.raises(Permanent) as caught:
        builder.build([], newest("word " * 4000))
    assert caught.value.code == "llm_prompt_too_long"


def test_history_makes_room_for_a_long_newest_message() -> None:
    builder = ContextBuilder(SYSTEM, 2048)
    history = stored(*(f"an older message {n}" for n in range(40)))
    prompt = builder.build(history, newest("word " * 800))
    assert prompt[0].content == SYSTEM
    assert len(prompt) < len(history)


@pytest.mark.parametrize(("side", "author"), [("user", "the person"), ("assistant", "you")])
def test_a_quote_names_its_author_and_its_words(side: Side, author: str) -> None:
    last = ContextBuilder(SYSTEM, 8192).build([], newest("this?", quoted=said(side, "the blue one")))[-1].content
    assert last.startswith("this?\n\n")
    assert f'{author} wrote before: "the blue one"' in last


def test_a_long_quote_is_cut() -> None:
    quoted = said("user", "x" * 5000)
    last = ContextBuilder(SYSTEM, 8192).build([], newest("this?", quoted=quoted))[-1].content
    assert 0 < last.count("x") < len(quoted.text)


def test_the_shipped_system_prompt_is_short() -> None:
    text = load_prompt("app.pipeline.answering", "system")
    assert text == text.strip() != ""
    assert estimate_tokens([ChatMessage("system", text)]) < ANSWER_TOKENS


def test_history_takes_no_more_than_its_own_share() -> None:
    history = stored(*(f"an older message about the garden, number {n}" for n in range(60)))
    few, many = (
        ContextBuilder(SYSTEM, 8192, history_tokens=most).build(history, newest("and the roses?"))
        for most in (200, None)
    )
    assert few[1:-1] == many[-1 - len(few[1:-1]) : -1]
    assert 0 < estimate_tokens(few[1:-1]) <= 200 < estimate_tokens(many[1:-1])
