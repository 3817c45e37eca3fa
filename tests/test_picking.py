"""Which things a message means: their description without the reason, their place, and what is left alone."""

import pytest

from app.skills.picking.choosing import by_words, except_for
from app.skills.picking.reading import read_target, read_wish
from app.skills.picking.tokens import tokens_of
from app.skills.tools.lists.dictating import read_dictated
from app.skills.tools.lists.titles import is_aside
from app.skills.tools.notes.asking import asks_only_what_was_said


@pytest.mark.parametrize(
    ("said", "deed", "meant"),
    [
        ("sacá lo de los mosquitos que mi suegra ya compró dos", "remove", ["los mosquitos"]),
        ("quita eso que se pone en la linterna, vi varias en la alacena", "remove", ["se pone en la linterna"]),
        ("bórrame el arroz porfa, ya hay en casa", "remove", ["el arroz"]),
        ("take the nappies off the shopping list, gran brought loads", "remove", ["the nappies"]),
        ("ditch the stuff for the barbecue because it's raining", "remove", ["the barbecue"]),
        ("ya cargué lo del bebé y lo de la playa", "done", ["bebé", "la playa"]),
        ("dale, ya hice lo de la basura, tachalo", "done", ["la basura"]),
        ("I've packed the thing for my neck and the charger", "done", ["my neck", "the charger"]),
        ("los limones ya los compré", "done", ["los limones"]),
        ("marca la primera y la tercera", "done", ["la primera", "la tercera"]),
        ("uy esa última sácala nomás, ya vino el herrero", "remove", ["esa última"]),
        ("scrap that last one my aunt has it already", "remove", ["that last one"]),
        ("get rid of the second one", "remove", ["the second one"]),
    ],
)
def test_what_is_meant_is_read_without_the_reason(said: str, deed: str, meant: list[str]) -> None:
    wish = read_wish(said)
    assert wish is not None
    assert (wish.deed, [one.text for one in wish.targets]) == (deed, meant)


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("la primera", 1),
        ("el último", -1),
        ("the 3rd one", 3),
        ("número 4", 4),
        ("the second task", 2),
        ("la #2", 2),
    ],
)
def test_a_place_in_a_row_is_read(said: str, place: int) -> None:
    assert read_target(said).place == place


@pytest.mark.parametrize("said", ["the first aid kit", "pasta de primera marca", "second hand coat"])
def test_a_name_with_an_ordinal_in_it_is_a_name(said: str) -> None:
    assert read_target(said).place is None


@pytest.mark.parametrize(
    ("said", "new"),
    [
        ("the second task, change it to ring the vet. he never answers mails", "ring the vet"),
        ("cambiá la última por pan de centeno, que es más sano", "pan de centeno"),
        ("change number 3 to two lemons", "two lemons"),
    ],
)
def test_the_reason_is_no_part_of_new_words(said: str, new: str) -> None:
    wish = read_wish(said)
    assert wish is not None
    assert (wish.deed, wish.new) == ("change", new)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("borra la nota de la moto, la del seguro déjala", "la del seguro"),
        ("delete the bike note but leave the insurance one", "the insurance one"),
        ("saca el pan, el queso no", "el queso"),
        ("no borres la del gas, elimina la otra", "la del gas"),
    ],
)
def test_what_is_left_alone_is_read(said: str, kept: str) -> None:
    wish = read_wish(said)
    assert wish is not None
    assert (wish.deed, wish.kept) == ("remove", (kept,))


@pytest.mark.parametrize(
    "said",
    [
        "borra la nota de la moto y recordame mañana llamar al taller",
        "should I delete the note about the boiler?",
        "cancela el recordatorio del pan",
        "ya no sé qué cocinar hoy",
        "ayer fuimos al parque y llovió",
        "anotá que la llave la tiene Marta",
        "remind me to take the bins out",
    ],
)
def test_what_is_for_another_room_or_nothing_is_not_read(said: str) -> None:
    assert read_wish(said) is None


def test_all_is_meant_only_by_who_says_so() -> None:
    every, one = read_wish("ya compré todo"), read_wish("ya compré todo lo de la fiesta")
    assert every is not None
    assert every.is_all
    assert one is None or not one.is_all


def test_words_fit_whole_and_what_is_kept_is_left_out() -> None:
    assert by_words("la crema de afeitar", ["crema de leche", "pan"]) == []
    assert by_words("las pilas", ["pilas AA", "pilas AAA", "pan"]) == [0, 1]
    assert except_for(["the eggs one"], ["sell the goats", "eggs from Ana, 12 a week"]) == [0]


@pytest.mark.parametrize(
    "said",
    [
        "cuánto cobraba?",
        "¿y a qué hora llegaba?",
        "quién era y qué día venía?",
        "what did she charge again?",
        "decime de nuevo el teléfono y la dirección",
        "who was it?",
        "remind me what time was it?",
    ],
)
def test_a_question_that_names_nothing_asks_for_what_was_kept(said: str) -> None:
    assert asks_only_what_was_said(said)


@pytest.mark.parametrize(
    "said",
    [
        "what time is it?",
        "qué hora es?",
        "quién era San Martín?",
        "cuánto costaba el kilo de asado en 1990?",
        "dime otra vez el chiste",
        "what day is today?",
        "how are you?",
        "who won the match?",
    ],
)
def test_a_question_for_something_else_does_not(said: str) -> None:
    assert not asks_only_what_was_said(said)


@pytest.mark.parametrize(
    ("said", "items"),
    [
        (
            "agregá a la lista del súper: harina, miel, manteca, no, la miel no, mejor jalea, y levadura, "
            "que mañana viene mi nieta, gracias",
            ["harina", "manteca", "jalea", "levadura"],
        ),
        (
            "put oats, honey and milk on the shopping list, oh wait, scratch the honey, make it jam, and also "
            "eggs because my sister is coming, that's all",
            ["oats", "milk", "jam", "eggs"],
        ),
        (
            "agregá a la lista del súper: tomates, ajo y arroz, las cebollas no que mi hermana trajo un saco",
            ["tomates", "ajo", "arroz"],
        ),
        (
            "haz una lista para el asado: carbón, chorizos, cerveza; ah no, saca la cerveza, eso es todo",
            ["carbón", "chorizos"],
        ),
    ],
)
def test_who_takes_one_thing_back_while_dictating_keeps_the_others(said: str, items: list[str]) -> None:
    found = read_dictated(said)
    assert found is not None
    assert found.items == items


@pytest.mark.parametrize(
    "said", ["add milk and bread to the list", "sacá el pan de la lista y poné galletas", "no, mejor otra cosa"]
)
def test_who_takes_nothing_back_is_left_to_the_model(said: str) -> None:
    assert read_dictated(said) is None


def test_fillers_and_stories_are_no_items() -> None:
    assert [is_aside(one, one) for one in ("eso es todo", "that's all", "que vienen mis tíos", "pan")] == [
        True,
        True,
        True,
        False,
    ]


def test_an_hour_is_one_word() -> None:
    keys = [one.key for one in tokens_of("list: 2 nails, shut lab at 7:10")]

    assert keys == ["list", "2", "nails", "shut", "lab", "at", "7:10"]
