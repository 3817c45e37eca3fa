"""One more reminder by a few words, or so long before a day told of; and another name for what was made."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.renaming import read_new_name
from app.skills.tools.reminders.elliptical import in_full
from tests.abilities.reminders.test_reminders import NOW, rows
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.fakes.clock import FrozenClock

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            ["our violin recital is on 14 December", "remind me 3 days before to tune the strings"],
            [("tune the strings", "2026-12-11")],
        ),
        (
            ["el examen de chofer es el 10 de diciembre", "recordame dos días antes repasar las señales"],
            [("repasar las señales", "2026-12-08")],
        ),
        (
            [
                "el desfile de la banda es el 10 de diciembre",
                "recordame el día antes a la noche planchar la camisa",
            ],
            [("planchar la camisa", "2026-12-09")],
        ),
        (
            ["la junta del edificio es el 10 de diciembre", "avisame el día anterior a las 20 imprimir el acta"],
            [("imprimir el acta", "2026-12-09")],
        ),
        (
            ["remind me tomorrow at 9 to phone the vet", "and tomorrow at 11 to go to the post office"],
            [("phone the vet", "2026-11-19"), ("go to the post office", "2026-11-19")],
        ),
        (
            ["remind me every Friday at 7am to put out the green bin", "and the brown one every other Friday"],
            [("put out the green bin", "2026-11-20"), ("put out the brown bin", "2026-11-20")],
        ),
        (["our recital was on 14 March", "remind me 3 days before to buy stamps"], []),
        (["what day is 14 December?", "remind me 3 days before to buy stamps"], []),
        (
            ["remind me tomorrow at 9 to phone the vet", "and at 5 I go to the gym"],
            [("phone the vet", "2026-11-19")],
        ),
    ],
)
async def test_what_goes_on_is_set_once_and_stories_set_nothing(
    tmp_path: Path, encoder: LocalEmbedder, said: list[str], expected: list[tuple[str, str]]
) -> None:
    async with small_app(tmp_path, encoder, *["Ok."] * 6, clock=FrozenClock(NOW)) as (app, _):
        for one in said:
            await app.say(ALICE, one)
        assert [(text, due[:10]) for text, due, _ in rows(app)] == expected


@pytest.mark.parametrize(
    ("what", "newest", "full"),
    [
        ("the big one", "clean the small tank", "clean the big tank"),
        ("the blue one", "wash the van", "wash the blue van"),
        ("el azul", "sacar el tacho verde", "sacar el tacho azul"),
        ("el gato", "bañar el perro", "el gato"),
        ("la azul", "sacar el tacho verde", "la azul"),
        ("one for Ann", "wash the van", "one for Ann"),
    ],
)
def test_another_one_has_the_thing_of_the_newest(what: str, newest: str, full: str) -> None:
    assert in_full(what, newest) == full


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("rename it to Workshop", "Workshop"),
        ("ok change its name to Old barn please", "Old barn"),
        ("cámbiale el nombre a Taller de la abuela", "Taller de la abuela"),
        ("renómbralo a Obra porque es más corto", "Obra"),
        ("que se llame Huerta, gracias", "Huerta"),
        ("call it a day", ""),
        ("llámala a las cinco", ""),
        ("call it off", ""),
        ("did you rename it to Barn?", ""),
        ("they call it the old mill road where we used to play as kids all summer", ""),
    ],
)
def test_another_name_is_read_whole(said: str, name: str) -> None:
    assert read_new_name(said) == name
