"""How a text is to sound, and how its reader is called, is no part of what it tells."""

import pytest

from app.language.catalogue import Language
from app.skills.writing.told import read_draft_wish


@pytest.mark.parametrize(
    ("asked", "language", "told"),
    [
        (
            "write a message to my godmother saying the cake is ready, something short, I call her Aunty Flo",
            "en",
            "Hi Aunty Flo, the cake is ready.",
        ),
        (
            "write a message to my father-in-law saying the car is fixed, everyone calls him Pop Lew",
            "en",
            "Hi Pop Lew, the car is fixed.",
        ),
        (
            "escribime un mensaje para mi jefa avisando que falto hoy, que suene formal, le digo Doctora Ruiz",
            "es",
            "Hola, Doctora Ruiz: falto hoy.",
        ),
        (
            "redactá un mensaje para mi vecino que baje la tele, algo corto, le decimos Cacho",
            "es",
            "Hola, Cacho: baje la tele.",
        ),
        (
            "write a message to my godmother saying I call her sister Ann every week",
            "en",
            "Hi godmother, I call her sister Ann every week.",
        ),
    ],
)
def test_a_text_greets_its_reader_as_they_are_called(asked: str, language: Language, told: str) -> None:
    wish = read_draft_wish(asked)
    assert wish is not None
    assert wish.told(language) == told


@pytest.mark.parametrize(
    ("asked", "greeted"),
    [
        ("write a short sorry text to my landlord Igor, i flooded his hall", "Hi Igor,"),
        ("write a message to my aunt Ines that we land at noon", "Hi aunt Ines,"),
    ],
)
def test_whoever_is_named_beside_what_they_are_is_greeted_by_name(asked: str, greeted: str) -> None:
    wish = read_draft_wish(asked)
    assert wish is not None
    assert wish.told("en").startswith(greeted)
