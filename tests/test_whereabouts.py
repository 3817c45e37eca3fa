"""Where somebody's people are, read from what they told."""

import pytest

from app.domain.places import Places
from app.skills.whereabouts.people import place_answered, read_spoken, read_told


@pytest.fixture(scope="module")
def places() -> Places:
    return Places()


@pytest.mark.parametrize(
    ("said", "kin", "names", "place"),
    [
        ("mi hermana Nelly vive en Melbourne", "sister", {"nelly"}, "Melbourne"),
        (
            "Te cuento que mi prima Rocío ahora vive en Villa Elisa con el marido",
            "cousin_f",
            {"rocio"},
            "Villa Elisa",
        ),
        ("mis viejos están viviendo en Mar del Plata", "parents", set(), "Mar del Plata"),
        ("mi cuñado se mudó a La Plata hace un mes", "brother_in_law", set(), "La Plata"),
        ("Nelly, mi tía, vive en Cali, Colombia", "aunt", {"nelly"}, "Cali, Colombia"),
        ("mi tía está enferma. Vive en Oruro", "aunt", set(), "Oruro"),
        ("mi suegra está en Lima", "mother_in_law", set(), "Lima"),
        ("my aunt Joan lives in Whitby, near the sea", "aunt", {"joan"}, "Whitby"),
        ("Our Ned has moved to Perth, Australia", "", {"ned"}, "Perth, Australia"),
        ("my brother's working in Leeds now", "brother", set(), "Leeds"),
        ("Priya is in Dublin", "", {"priya"}, "Dublin"),
    ],
)
def test_who_lives_where_is_read(places: Places, said: str, kin: str, names: set[str], place: str) -> None:
    [lives], _ = read_told([said], places)
    assert (lives.person.kin, set(lives.person.names), lives.place) == (kin, names, place)


@pytest.mark.parametrize(
    "said",
    [
        "la amiga de mi hermana vive en Lima",
        "mi hermana ya no vive en Lima",
        "mi hermana vive en una casa grande",
        "mi hermana vive en Lima?",
        "mi mamá está en cama",
        "si mi hermana viviera en Lima",
        "my sister lives in our old flat",
        "my dad is in hospital",
        "the friend my sister lives in Quito with",
    ],
)
def test_what_does_not_say_where_somebody_lives_is_left(places: Places, said: str) -> None:
    lives, _ = read_told([said], places)
    assert [one for one in lives if one.person.kin in {"sister", "mother", "father"}] == []


def test_who_was_just_spoken_of_is_meant_by_she(places: Places) -> None:
    lives, called = read_told(["mi hermana se llama Nelly", "ella vive en Melbourne hace años"], places)
    assert [(one.person.kin, one.place) for one in lives] == [("sister", "Melbourne")]
    assert called == {("sister", "nelly")}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("en Melbourne", "Melbourne"),
        ("vive en La Plata", "La Plata"),
        ("she's in Whitby", "Whitby"),
        ("Perth, Australia", "Perth, Australia"),
        ("in leeds", "leeds"),
        ("no sé", ""),
        ("vive con mi mamá", ""),
        ("ah", ""),
    ],
)
def test_a_place_is_read_from_an_answer(places: Places, text: str, place: str) -> None:
    assert place_answered(text, places) == place


@pytest.mark.parametrize(
    ("text", "shown", "is_sure"),
    [
        ("mi hermana", "mi hermana", True),
        ("para mi hermana Nelly", "mi hermana Nelly", True),
        ("Nelly", "Nelly", False),
        ("donde Nelly", "Nelly", True),
        ("allá en lo de la tía Rosa", "tía Rosa", True),
        ("where my parents live", "my parents", True),
        ("at nan's", "nan", True),
    ],
)
def test_who_is_spoken_of_is_read(text: str, shown: str, is_sure: bool) -> None:
    spoken = read_spoken(text, ())
    assert spoken is not None
    assert (spoken.shown, spoken.is_sure) == (shown, is_sure)


@pytest.mark.parametrize("text", ["mi hermana y mi tía", "el auto de la vecina nueva", "", "cuando llueva mucho"])
def test_what_is_nobody_is_left(text: str) -> None:
    spoken = read_spoken(text, ())
    assert spoken is None or not spoken.is_sure


@pytest.mark.parametrize(
    ("text", "language", "question"),
    [
        ("mi hermana Nelly", "es", "¿En qué ciudad está tu hermana Nelly?"),
        ("mis padres", "es", "¿En qué ciudad están tus padres?"),
        ("where my folks live", "en", "Which city are your folks in?"),
        ("where Joan lives", "en", "Which city is Joan in?"),
    ],
)
def test_where_they_are_is_asked_in_one_sentence(text: str, language: str, question: str) -> None:
    spoken = read_spoken(text, ())
    assert spoken is not None
    assert spoken.asked(language) == question
