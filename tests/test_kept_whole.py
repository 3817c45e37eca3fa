"""What is to be kept is kept whole: behind a greeting or a story, with all that a correction says of it."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.amending import amended
from app.skills.going_ahead import without_going_ahead
from app.skills.tools.notes.leading import note_behind_talk, note_in
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("kept", "said", "right"),
    [
        (
            "el jardinero cobra 700 y viene el 3",
            "no, cobra 750 y viene el 5",
            "el jardinero cobra 750 y viene el 5",
        ),
        ("the berth is B12 and the fee is 640", "sorry, the fee is 660 and the berth is B21", None),
        ("Femi's line is 0803 555 2147", "no, it ends in 74", "Femi's line is 0803 555 2174"),
        ("el techista es Aníbal Rojas", "se llama Amílcar, no Aníbal", "el techista es Amílcar Rojas"),
        ("la chapa mide 90 x 240", "me equivoqué, mide 90 x 245", "la chapa mide 90 x 245"),
        ("choir is in Room 4 with Hugh", "no, Room 6 with Clive", "choir is in Room 6 with Clive"),
        ("the dance is the 8th at 7 with Meg", "no, it's the 9th, they rang me at 6", None),
        ("the tiles cost $62", "that's wrong, they cost $67", "the tiles cost $67"),
    ],
)
def test_all_that_a_correction_says_is_put_right(kept: str, said: str, right: str | None) -> None:
    found = amended(kept, said)
    expected = (
        right
        or {
            "sorry, the fee is 660 and the berth is B21": "the berth is B21 and the fee is 660",
            "no, it's the 9th, they rang me at 6": "the dance is the 9th at 7 with Meg",
        }[said]
    )
    assert found is not None
    assert found.text == expected
    assert kept.replace(found.old, found.new) == expected


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("ey compa, anótame que el toldo es de 3 m", "anótame que el toldo es de 3 m"),
        ("buenas vecino me apunta que el pozo tiene 18 m", "me apunta que el pozo tiene 18 m"),
        ("alright pal, could you jot down that the hive is empty", "could you jot down that the hive is empty"),
        ("ok boss remind me at 5 to oil the hinge", "remind me at 5 to oil the hinge"),
    ],
)
def test_who_is_called_is_no_part_of_a_wish(said: str, meant: str) -> None:
    assert without_going_ahead(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "mum put cider on the list",
        "mi tío anota los goles",
        "ya anoté el teléfono",
        "perdón, anotá que eran 12",
        "jefe dice que anote todo",
        "pal of mine notes the tides",
    ],
)
def test_who_is_told_of_stays(said: str) -> None:
    assert without_going_ahead(said) == said


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("the ferry was late again, anyway write down that the ticket code is FX-19", "the ticket code is FX-19"),
        ("pasé toda la mañana en la cola, anotá que el trámite es el 5512", "el trámite es el 5512"),
        ("vino la pintora, anotá que su tarifa es 90", ""),
        ("if it rains, note that the match is at the gym", ""),
        ("he said note that the door is locked", ""),
    ],
)
def test_a_note_is_heard_behind_a_story(said: str, note: str) -> None:
    assert note_behind_talk(said) == note


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("guarda que el tapicero se llama Ulises", "el tapicero se llama Ulises"),
        ("save that the shed key is under the slab", "the shed key is under the slab"),
        ('save this quote "Slow is smooth"', '"Slow is smooth"'),
        ("take a note. Keep the dough cold. It rests a day", "Keep the dough cold. It rests a day"),
        ("guarda que se quema el asado", ""),
    ],
)
def test_what_is_to_be_kept_is_heard(said: str, note: str) -> None:
    assert note_in(said) == note


@pytest.mark.needs("reminders")
@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "recuérdame mañana a las 10 am llevarle las muestras a la Dra. Quiroga",
            "llevarle las muestras a la Dra. Quiroga",
        ),
        ("remind me tomorrow at 4pm to pay Mrs. Lindqvist", "pay Mrs. Lindqvist"),
        ("remind me tomorrow at noon to salt the path", "salt the path"),
        ("remind me tomorrow at 3pm to ring the depot, they never answer after five", "ring the depot"),
        ("recordame mañana a las 16 pasar por la imprenta, cierran a las 18", "pasar por la imprenta"),
        ("recuérdame mañana a las 5 pm llamar a la notaría, después de las 6 no atienden", "llamar a la notaría"),
    ],
)
async def test_a_reminder_keeps_its_words(tmp_path: Path, encoder: LocalEmbedder, said: str, kept: str) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "text", "reminders") == [kept]
