"""What introduces a note is no part of it; a message that is one note is kept word for word, without a model."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.notes.asking import brought_in, recalled_in
from app.skills.tools.notes.leading import behind_command, note_before, note_in
from app.skills.writing.wishes import find_text_wish
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("notes")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("write a note saying the shed code is 5518 before I forget", "the shed code is 5518"),
        ("escribí una nota que diga que el filtro es azul antes de que me olvide", "el filtro es azul"),
        (
            "anotame esto tal cual así no me olvido: caldera modelo KX-20, presion 1,5 bar",
            "caldera modelo KX-20, presion 1,5 bar",
        ),
        ("take a note there. cow 112 limping, cow 140 due monday", "cow 112 limping, cow 140 due monday"),
        ("jot this down before I forget - paint RAL 7016, two coats", "paint RAL 7016, two coats"),
        ("haceme una notita con esto: talle 38 las botas, 24 las de Tomi", "talle 38 las botas, 24 las de Tomi"),
        ("porfa apuntame esto que si no se me va: el banco, ventanilla 4", "el banco, ventanilla 4"),
        ("apuntame esto, que despues me olvido, talle 42", "talle 42"),
        ("che anotame el CUIT de Ivo que lo piden 20318847715", "el CUIT de Ivo que lo piden 20318847715"),
        ("oye anota la placa del taxi KLM447 que mañana la ocupo", "la placa del taxi KLM447 que mañana la ocupo"),
        ("hey can u note down the serial of the oven TQ7714X", "the serial of the oven TQ7714X"),
        ("nota: el gas se cierra a la derecha porfis gracias mi amor", "el gas se cierra a la derecha"),
        ("note: the hose is in the shed would ya", "the hose is in the shed"),
        ("nota: acampamos junto al río Po", "acampamos junto al río Po"),
        ("write this one down for me will ya, boiler serial 88-41-207", "boiler serial 88-41-207"),
        ("can you put this in a note so i dont lose it: tyre 195/65 R15", "tyre 195/65 R15"),
        (
            "guardá todo en una sola nota: garage 7731, alarma del fondo 22-1180, wifi luna2020",
            "garage 7731, alarma del fondo 22-1180, wifi luna2020",
        ),
        ("che anotame q la mesa del patio mide 1,90 x 80", "la mesa del patio mide 1,90 x 80"),
        ("buen dia, me anotás que el portón lo abre Delia?", "el portón lo abre Delia"),
        ("anota esto que no lo quiero perder, candado 5519", "candado 5519"),
        ("please note the mower is a Honda", "the mower is a Honda"),
        (
            "anotá las arepas de tía: 2 tazas de harina, sal y queso. es receta nomás, no compres nada",
            "las arepas de tía: 2 tazas de harina, sal y queso. es receta nomás, no compres nada",
        ),
        ("note, exactly as i say it: van keys 7712, spare 0093", "van keys 7712, spare 0093"),
        ("nota, tal cual porfa: alarma del deposito 5521", "alarma del deposito 5521"),
        ("quick note for me pls: gate 4482#, alarm 0915, bins out 7.30", "gate 4482#, alarm 0915, bins out 7.30"),
    ],
)
async def test_one_note_is_kept_word_for_word(
    tmp_path: Path, encoder: LocalEmbedder, said: str, kept: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == [kept]
        assert await stored(app, "text", "reminders") == []
        assert llm.requests == []


@pytest.mark.parametrize(
    "said",
    [
        "good note, thanks!",
        "haceme una nota, gracias",
        "make a note of it",
        "anota esto en la lista: leche, pan",
        "en una nota, me saqué un 9",
        "haceme una nota para la maestra: Tomi faltó por fiebre",
        "write a note to the teacher: Tomi was ill",
        "agendame esto: dentista el lunes a las 9",
        "haceme una nota. Mañana a las 9 recordame pagar",
        "take a note: the key is with Omar. and put milk on the list",
        "note that I paid 40 for the vet",
        "make that two",
        "anotá que falta pan",
        "anotá que mañana viene Rosa",
        "note the date",
        "note to self is a funny thing to say",
        "anotá lo que dijo Inés ayer",
        "and note that as well",
        "anotá que la cerca es de pino, y quitá la otra",
        "puedes anotar esto: la clave es 44?",
    ],
)
def test_what_may_be_more_or_something_else_is_left_to_who_sorts(said: str) -> None:
    assert note_in(said) == ""


async def test_a_note_before_a_wish_for_a_list_is_kept_too(tmp_path: Path, encoder: LocalEmbedder) -> None:
    lines = (
        call("save_note", content="guarda una nota: la pintura es blanco hueso"),
        call("add_to_list", items=["brochas", "cinta"], list_name="super"),
    )
    async with small_app(tmp_path, encoder, *lines) as (app, _):
        await app.say(
            ALICE, "guarda una nota: la pintura es blanco hueso. y pon brochas y cinta en la lista del super"
        )
        assert await stored(app, "content", "notes") == ["la pintura es blanco hueso"]
        assert await stored(app, "text", "list_items") == ["brochas", "cinta"]


@pytest.mark.parametrize("said", ["scrap that note, wrong cat", "nah scrap that note mate he's better"])
async def test_a_note_that_is_only_pointed_to_goes_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "note that the drops are for Otto")
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == []
        assert llm.requests == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("la modista pidió 15 mil por el dobladillo → notas", "la modista pidió 15 mil por el dobladillo"),
        ("/note spare fuses are in the tin", "spare fuses are in the tin"),
        ("dejá constancia de que el vecino rompió la medianera", "el vecino rompió la medianera"),
        ("y anota tb que la manguera está en el patio", "la manguera está en el patio"),
        ("and also note the tap turns right, not left", "the tap turns right, not left"),
        (
            "para la próxima consulta anotá que la abuela se mareó",
            "para la próxima consulta: la abuela se mareó",
        ),
        ("stick in a note that Lou is off dairy but butter is ok", "Lou is off dairy but butter is ok"),
        ("note to Sinead about the bus", ""),
        ("una notita de color: el circo tenía elefantes", ""),
    ],
)
def test_a_note_is_known_by_its_wish_wherever_that_stands(said: str, kept: str) -> None:
    assert (note_in(said) or note_before(said)) == kept


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("hágame una nota que diga el herrero cobra al contado", "el herrero cobra al contado"),
        ("guarda una nota que diga la bomba gotea", "la bomba gotea"),
        ("make a note that says the loft hatch sticks", "the loft hatch sticks"),
    ],
)
def test_what_a_note_is_to_say_is_the_note(said: str, kept: str) -> None:
    assert note_in(said) == kept
    assert find_text_wish(said) is None


@pytest.mark.parametrize(
    "said", ["hazme una nota para el portero que diga que volvemos el lunes", "write a card that says get well"]
)
def test_who_names_a_reader_wants_a_text(said: str) -> None:
    assert find_text_wish(said) is not None


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("ya pásame la clave de la sra Ofelia", 0),
        ("gracias, mandame de nuevo el código ese así lo copio", 1),
        ("gimme the code of the shed so i can open it", None),
        ("pasame la clave de la vecina", None),
        ("pásame eso al inglés", None),
        ("dame una clave para el portón", None),
    ],
)
def test_what_was_kept_is_brought(said: str, place: int | None) -> None:
    notes = ["la clave de la señora Ofelia es 22-TZ", "el código de la bici es 901", "el gas vence en mayo"]
    assert brought_in(said, notes) == place


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("cuál era el código que te di de la alarma?", 1),
        ("oye dónde te dije que estaba el extintor?", 0),
        ("what's the capital of France again?", None),
    ],
)
def test_what_is_asked_again_is_read_from_the_note_that_fits(asked: str, place: int | None) -> None:
    notes = ["el extintor está en el pasillo", "código de la alarma 4471", "the hotel in France is full"]
    assert recalled_in(asked, notes) == place


@pytest.mark.parametrize(
    ("taken", "said", "kept"),
    [
        ("anota la llave del altillo", "anota la llave del altillo, está en la lata", "la llave del altillo"),
        ("che anotame el turno 88", "che anotame el turno 88", "el turno 88"),
        (
            "anotar la cita en la agenda",
            "guarda una nota: anotar la cita en la agenda",
            "anotar la cita en la agenda",
        ),
        ("note the tide", "keep this: note the tide", "note the tide"),
    ],
)
def test_a_model_keeps_no_command_that_opened_the_message(taken: str, said: str, kept: str) -> None:
    assert behind_command(taken, (said,)) == kept


@pytest.mark.parametrize(
    "said",
    [
        "anotame la leche 2 litros",
        "note the milk and eggs",
        "anota la harina 0000 en la lista",
        "anota los 2500 de la luz",
    ],
)
def test_things_and_money_are_no_note_for_a_number_in_them(said: str) -> None:
    assert note_in(said) == ""
