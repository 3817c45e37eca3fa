"""What is told beside a wish is neither lost nor done: a fact, a correction, a story, each with its wish."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.pipeline.answering.parting import told_before, told_behind
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]


@pytest.mark.needs("lists")
@pytest.mark.parametrize(
    ("said", "fact", "items"),
    [
        ("mi tío es celíaco y poneme galletas de arroz en la lista", "mi tío es celíaco", ["galletas de arroz"]),
        ("soy alérgico a las nueces, agregame semillas a la lista", "soy alérgico a las nueces", ["semillas"]),
        ("my flatmate is vegan and add oat cream to the list", "my flatmate is vegan", ["oat cream"]),
        ("add oat cream to the list and my flatmate is vegan", "my flatmate is vegan", ["oat cream"]),
    ],
)
async def test_a_fact_beside_an_item_is_kept_and_the_item_is_added(
    tmp_path: Path, encoder: LocalEmbedder, said: str, fact: str, items: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, said)
        assert await stored(app, "text", "list_items") == items
        assert await stored(app, "text", "memories") == [fact]
        assert fact in "\n".join(app.replies_to(ALICE))
        assert not llm.requests


@pytest.mark.needs("lists", "notes")
@pytest.mark.parametrize(
    ("kept", "said", "note", "items"),
    [
        (
            "note that the roofer wants 310",
            "sorry, 330, and put tape on the list",
            "the roofer wants 330",
            ["tape"],
        ),
        (
            "anotá que el techista pide 310",
            "pucha, son 330, y sumá cinta a la lista",
            "el techista pide 330",
            ["cinta"],
        ),
    ],
)
async def test_a_correction_and_a_wish_behind_it_are_both_done(
    tmp_path: Path, encoder: LocalEmbedder, kept: str, said: str, note: str, items: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, kept)
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == [note]
        assert await stored(app, "text", "list_items") == items


@pytest.mark.needs("lists", "notes")
async def test_a_note_ends_where_another_wish_begins(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, "anotame q el techista cobra 15 lucas y de paso sumame brea a la lista")
        assert await stored(app, "content", "notes") == ["el techista cobra 15 lucas"]
        assert await stored(app, "text", "list_items") == ["brea"]


@pytest.mark.needs("reminders")
@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("se cortó la manguera y recordame mañana a las 11 regar a mano", ["regar a mano"]),
        ("the hose split so remind me tomorrow at 11 to water by hand", ["water by hand"]),
        (
            "un primo me regaló el rosal, acuérdeme mañana a las 11 de regarlo poco",
            ["regarlo poco: un primo me regaló el rosal"],
        ),
        ("un primo me regaló un rosal, acuérdeme mañana a las 11 de barrer", ["barrer"]),
        # Of these the story says what, or when, or they wish for nothing:
        ("llego molido de noche, avisame hoy... no, mañana a las 6 de la tarde que hay que regar", []),
        ("mi jefe dijo: recordame mañana a las 11 regar a mano", []),
        ("se cortó la manguera y recordame mañana a las 11 comprar otra", []),
        ("the hose split so remind me tomorrow at 11 to buy a new one", []),
        ("el jueves viene el techista y recordame comprar brea", []),
        ("si se corta la manguera recordame mañana a las 11 comprar brea", []),
    ],
)
async def test_a_wish_behind_a_story_is_done_where_it_needs_nothing_of_it(
    tmp_path: Path, encoder: LocalEmbedder, said: str, kept: list[str]
) -> None:
    async with small_app(tmp_path, encoder, "Claro.", "Claro.") as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "text", "reminders") == kept


@pytest.mark.needs("lists", "projects")
async def test_a_formal_wish_for_a_list_is_no_task(tmp_path: Path, encoder: LocalEmbedder) -> None:
    said = "créeme un proyecto que se llame Patio con la tarea barrer, y añada brea a la lista de la ferretería"
    async with small_app(tmp_path, encoder, "Claro.", "Claro.") as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "title", "project_tasks") == ["barrer"]
        assert await stored(app, "text", "list_items") == ["brea"]


@pytest.mark.needs("lists")
@pytest.mark.parametrize(
    "said",
    [
        "mi cuñada viene los domingos y agrega cosas a la lista",
        "mi abuelo siempre anota todo y agrega tabaco a la lista",
        "i went round the shop and put bread on the list",
        "if it freezes put salt on the list",
        "si hiela poné sal en la lista",
    ],
)
async def test_what_others_do_or_what_was_done_before_is_no_wish(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    async with small_app(tmp_path, encoder, "Ah.", "Ah.") as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "text", "list_items") == []


@pytest.mark.parametrize(
    "said",
    [
        "agrega pan a la lista",
        "¿qué hora es en Oslo? agrega pan a la lista",
        "anotá que mi tía paga 40 y recordame a las 9 llamarla",
        "si nieva, agrega sal a la lista",
    ],
)
def test_a_wish_or_a_question_is_not_told_before_another(said: str) -> None:
    assert told_before(said) == ("", said)


def test_what_a_note_is_to_say_is_not_told_behind_it() -> None:
    said = "anotá que el vecino es Juan y mi tía es Ana"
    assert told_behind(said) == ("", said)


@pytest.mark.parametrize(
    ("asked", "corrected", "told"),
    [
        ("qué hora es en Oslo", "uy no, en Viena", "Viena:"),
        ("what time is it in Oslo", "ah no, Vienna", "Vienna:"),
        ("cuántos días hay entre el 2 de abril y el 9 de mayo", "perdón, hasta el 19 de mayo", "19 de mayo"),
        ("how many days between april 2 and may 9", "whoops, until may 19", "May 19"),
    ],
)
async def test_a_question_put_right_is_answered_again(
    tmp_path: Path, encoder: LocalEmbedder, asked: str, corrected: str, told: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, asked)
        await app.say(ALICE, corrected)
        assert told in app.replies_to(ALICE)[-1]
        assert not llm.requests


@pytest.mark.parametrize("said", ["no gracias", "no, estoy en Viena y acá ya es de noche"])
async def test_what_only_tells_of_a_place_asks_for_no_clock(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    async with small_app(tmp_path, encoder, "Ah.", "Ah.") as (app, _):
        await app.say(ALICE, "qué hora es en Oslo")
        await app.say(ALICE, said)
        assert "Viena:" not in app.replies_to(ALICE)[-1]


@pytest.mark.needs("lists")
async def test_words_for_instead_are_no_part_of_an_item(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, "agregá peras a la lista")
        await app.say(ALICE, "y agregá en cambio ciruelas")
        assert await stored(app, "text", "list_items") == ["peras", "ciruelas"]


@pytest.mark.needs("notes")
@pytest.mark.parametrize(
    ("kept", "said", "note"),
    [
        ("note that the shed code is 2290", "dammit, it was 2209", "the shed code is 2209"),
        ("anotá que la clave del galpón es 2290", "chuta, era 2209", "la clave del galpón es 2209"),
        ("anotá que la clave del galpón es 2290", "carajo qué frío", "la clave del galpón es 2290"),
    ],
)
async def test_an_oath_opens_a_correction_only_before_what_is_right(
    tmp_path: Path, encoder: LocalEmbedder, kept: str, said: str, note: str
) -> None:
    async with small_app(tmp_path, encoder, "Ah.", "Ah.") as (app, _):
        await app.say(ALICE, kept)
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == [note]
