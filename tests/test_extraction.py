"""Facts and events: only what the person said themselves, even when the model sees nothing, or too much."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Permanent, Transient
from app.domain.ids import TurnId, UserId, WaMessageId
from app.llm.prompts import load_prompt
from app.memory.extraction import Extractor
from app.memory.grounding import find_source, in_own_words
from app.memory.statements import MAX_FACT_CHARS, happenings, self_statements, statements
from tests.fakes.llm import ScriptedChatModel
from tests.talks import ANN, BOB, FactBook, Talks, talking

NOTHING = '{"facts": [], "events": []}'
EVER = date(2026, 1, 1), date(2026, 12, 31)


def notes(facts: list[str] | None = None, events: list[str] | None = None) -> str:
    return json.dumps({"facts": facts or [], "events": events or []})


class Reading:
    def __init__(self, talks: Talks, *, timezone: str = "UTC") -> None:
        self.talks = talks
        self.model = ScriptedChatModel()
        self.book = FactBook()
        self.extractor = Extractor(
            talks.repository,
            self.model,
            self.book,
            prompt=load_prompt("app.memory", "extract"),
            timezone=timezone,
        )

    async def read(self, user_id: UserId = ANN) -> int:
        return await self.extractor.extract(user_id, await self.talks.open(user_id))

    async def events(self, user_id: UserId = ANN) -> list[tuple[str, str]]:
        found = await self.talks.repository.days.list_between(user_id, *EVER, limit=99)
        return [(str(event.day), event.text) for event in found]


@pytest.fixture
async def reading() -> AsyncIterator[Reading]:
    async with talking() as talks:
        yield Reading(talks)


def told(text: str) -> list[str]:
    return self_statements(statements(text))


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        (
            "Hola, me llamo Ana y vivo en Rosario, Argentina. ¿Qué tal?",
            ["me llamo Ana", "vivo en Rosario, Argentina"],
        ),
        ("mi hija se llama Sofía", ["mi hija se llama Sofía"]),
        ("Mi cumpleaños es el 14 de marzo!", ["Mi cumpleaños es el 14 de marzo"]),
        ("che, soy alérgica a las nueces", ["soy alérgica a las nueces"]),
        ("ya no vivo en Madrid", ["ya no vivo en Madrid"]),
        ("no como carne", ["no como carne"]),
        ("tengo dos perros y mi hermano es Pablo", ["tengo dos perros", "mi hermano es Pablo"]),
        ("trabajo de enfermera, decime la hora", ["trabajo de enfermera"]),
        ("recordá que el portón se traba", ["el portón se traba"]),
        ("Por favor, acordate de que mi talle es 38", ["mi talle es 38"]),
        ("no te olvides que soy zurdo", ["soy zurdo"]),
        ("me gusta el mate amargo", ["me gusta el mate amargo"]),
        ("I'm allergic to peanuts", ["I'm allergic to peanuts"]),
        ("Hi! My name is Tom and I live in Leeds.", ["My name is Tom", "I live in Leeds"]),
        ("my wife's name is Eva", ["my wife's name is Eva"]),
        ("my son is Leo", ["my son is Leo"]),
        ("I don't eat fish", ["I don't eat fish"]),
        ("remember that I park on level 3", ["I park on level 3"]),
        ("please remember that my dentist is Dr. Paz", ["my dentist is Dr. Paz"]),
        ("I have two kids", ["I have two kids"]),
        ("I'm a nurse", ["I'm a nurse"]),
    ],
)
def test_plain_words_about_oneself_are_facts(said: str, facts: list[str]) -> None:
    assert told(said) == facts


@pytest.mark.parametrize(
    "said",
    [
        "¿mi hija se llama Sofía?",
        "cómo se llama mi hija",
        "do you remember that I live in Leeds?",
        "si viviera en Madrid sería feliz",
        "if I live in Leeds I pay more",
        "Traducí al inglés: me llamo Drácula. Vivo en Transilvania.",
        "Write a story. My name is Dracula.",
        'él me dijo "me llamo Pedro"',
        "me gusta esa idea",
        "I love it",
        "tengo hambre",
        "my wife is angry",
        "remember to buy milk",
        "recordame que mañana tengo turno",
        "Anotá que Lucía debe 45 euros",
        "gracias!",
        "",
        "👍",
    ],
)
def test_questions_requests_and_passing_words_are_none(said: str) -> None:
    assert told(said) == []


def test_what_happens_these_days_is_an_event_and_no_fact() -> None:
    said = statements("Hoy fui al dentista con Eva. Hoy llueve. ¿Mañana trabajo?")
    assert happenings(said) == ["Hoy fui al dentista con Eva"]
    assert self_statements(said) == []


@given(st.text(max_size=400))
def test_any_text_can_be_read_and_facts_are_its_own_words_in_bounds(text: str) -> None:
    for fact in (*told(text), *happenings(statements(text))):
        assert 0 < len(fact) <= MAX_FACT_CHARS
        assert "\n" not in fact


@pytest.mark.parametrize(
    ("note", "said", "kept"),
    [
        ("The user's name is Ana", "me llamo Ana", "me llamo Ana"),
        ("El usuario vive en Rosario", "vivo en Rosario con mi hija", "vivo en Rosario con mi hija"),
        ("vivo en Rosario", "ahora que lo pienso vivo en Rosario hace mil", "vivo en Rosario"),
        ("come carne", "no como carne", "no como carne"),
        ("doesn't eat fish", "I don't eat fish", "I don't eat fish"),
        ("Works as a nurse", "I work as a nurse", "I work as a nurse"),
        ("no come carne", "como carne", None),
        ("El hijo se llama Leo", "mi hija se llama Leo", None),
        ("Tiene 35 años", "tengo 34 años", None),
        ("Ana vive en Lima", "me llamo Ana", None),
        ("The user", "me llamo Ana", None),
        ("", "me llamo Ana", None),
    ],
)
def test_a_note_counts_only_where_the_person_said_it(note: str, said: str, kept: str | None) -> None:
    source = statements(said)
    at = find_source(note, source)
    assert (None if at is None else in_own_words(note, source[at])) == kept


async def test_facts_and_events_of_a_conversation_are_kept_with_their_turns(reading: Reading) -> None:
    first = await reading.talks.say("me llamo Ana")
    second = await reading.talks.say("la contraseña del router está en la heladera")
    await reading.talks.say("hoy firmé el contrato del taller")
    reading.model.add(notes(["La contraseña del router está en la heladera"], ["firmé el contrato"]))
    assert await reading.read() == 6
    assert list(reading.book.facts) == [
        (ANN, first, "me llamo Ana"),
        (ANN, second, "La contraseña del router está en la heladera"),
    ]
    assert await reading.events() == [
        ("2026-08-04", "hoy firmé el contrato del taller"),
        ("2026-08-04", "firmé el contrato"),
    ]


async def test_the_model_sees_only_statements_of_the_person(reading: Reading) -> None:
    await reading.talks.say("¿qué hora es?", answer="You live in Paris.")
    await reading.talks.say("my plant is a fern. What is it called in Latin?", answer="It is Polypodiopsida.")
    reading.model.add(notes(["You live in Paris", "It is Polypodiopsida", "my plant is a fern"]))
    await reading.read()
    assert reading.model.requests[0].messages[-1].content == "1. my plant is a fern."
    assert reading.model.requests[0].response_schema is not None
    assert reading.book.of() == ["my plant is a fern"]


async def test_where_nothing_is_told_no_model_is_asked(reading: Reading) -> None:
    await reading.talks.say("¿qué hora es?")
    await reading.talks.say("decime un chiste")
    assert await reading.read() == 4
    assert reading.model.requests == []


@pytest.mark.parametrize("line", ["", "nothing", "[1]", '{"facts": 3}', "[" * 5_000, Permanent("llm_refused")])
async def test_an_unreadable_answer_costs_only_what_the_model_would_have_added(
    reading: Reading, line: str | Exception
) -> None:
    await reading.talks.say("me llamo Ana")
    reading.model.add(line)
    assert await reading.read() == 2
    assert reading.book.of() == ["me llamo Ana"]
    assert await reading.read() == 0


async def test_while_the_model_is_away_nothing_counts_as_read(reading: Reading) -> None:
    await reading.talks.say("me llamo Ana")
    reading.model.add(Transient("llm_busy"), NOTHING)
    with pytest.raises(Transient):
        await reading.read()
    assert await reading.read() == 2


async def test_a_message_is_read_once(reading: Reading) -> None:
    await reading.talks.say("hoy vi a Carla en la plaza")
    reading.model.add(NOTHING, NOTHING)
    assert await reading.read() == 2
    assert await reading.read() == 0
    await reading.talks.say("hoy vi a Marta en la plaza")
    assert await reading.read() == 2
    assert [text for _, text in await reading.events()] == [
        "hoy vi a Carla en la plaza",
        "hoy vi a Marta en la plaza",
    ]


async def test_an_event_belongs_to_the_day_in_the_persons_zone() -> None:
    async with talking() as talks:
        reading = Reading(talks, timezone="America/Argentina/Buenos_Aires")
        await talks.clock.advance((datetime(2026, 8, 5, 1, 30, tzinfo=UTC) - talks.clock.now()).total_seconds())
        await talks.say("hoy cené con mi hermana en casa")
        reading.model.add(NOTHING)
        await reading.read()
        assert [day for day, _ in await reading.events()] == ["2026-08-04"]


async def test_what_is_taken_back_while_it_is_read_leaves_no_fact(reading: Reading) -> None:
    gone = await reading.talks.say("me llamo Ana")
    await reading.talks.say("vivo en Rosario")
    reading.model.add(NOTHING, NOTHING)
    reading.model.block()
    task = asyncio.create_task(reading.read())
    async with asyncio.timeout(5):
        await reading.model.started.wait()
        await reading.talks.revoke(gone)
        reading.model.release()
        assert await task == 0
    assert reading.book.of() == ["vivo en Rosario"]
    assert await reading.read() == 3
    assert reading.book.of() == ["vivo en Rosario"]


async def test_an_edited_turn_is_read_again_in_its_new_words(reading: Reading) -> None:
    turn = await reading.talks.say("me llamo Ana. Hoy vi a Carla en la plaza")
    reading.model.add(NOTHING)
    await reading.read()
    await reading.talks.edit(turn, "me llamo Anna. Hoy vi a Clara en la plaza")
    await reading.extractor.take_back(ANN, WaMessageId(f"wamid.{turn}"), is_rewritten=True)
    assert reading.book.of() == ["me llamo Anna"]
    assert [text for _, text in await reading.events()] == ["Hoy vi a Clara en la plaza"]
    await reading.extractor.take_back(BOB, WaMessageId(f"wamid.{turn}"), is_rewritten=True)
    assert reading.book.of() == ["me llamo Anna"]
    assert reading.book.of(BOB) == []


async def test_facts_planted_in_a_long_conversation_are_found_by_a_model_that_sees_nothing(
    reading: Reading,
) -> None:
    planted = {10: "por cierto, mi hija se llama Olivia", 40: "I'm allergic to shellfish", 90: "vivo en Mendoza"}
    for number in range(0, 120, 2):
        await reading.talks.say(planted.get(number, f"contame algo sobre el número {number}"))
    reading.model.add(*[NOTHING] * 9)
    assert await reading.read() == 120
    assert reading.book.of() == ["mi hija se llama Olivia", "I'm allergic to shellfish", "vivo en Mendoza"]


async def test_a_message_longer_than_any_prompt_is_read_alone(reading: Reading) -> None:
    await reading.talks.say("me llamo Ana. " + " ".join(f"La caja {n} está llena." for n in range(2_000)))
    await reading.talks.say("vivo en Rosario")
    reading.model.add(*[NOTHING] * 5)
    assert await reading.read() == 4
    assert reading.book.of() == ["me llamo Ana", "vivo en Rosario"]
    assert len(reading.model.requests) == 5
    assert max(len(request.messages[-1].content) for request in reading.model.requests) < 5_000


async def test_two_people_are_read_apart(reading: Reading) -> None:
    mine = await reading.talks.say("me llamo Ana")
    his = await reading.talks.say("me llamo Bob", user_id=BOB)
    reading.model.add(notes(["me llamo Bob"]), notes(["me llamo Ana"]))
    await reading.read()
    await reading.read(BOB)
    assert list(reading.book.facts) == [(ANN, mine, "me llamo Ana"), (BOB, his, "me llamo Bob")]
    assert await reading.extractor.extract(BOB, await reading.talks.open(ANN)) == 0
    assert TurnId(0) not in {turn for _, turn, _ in reading.book.facts}
