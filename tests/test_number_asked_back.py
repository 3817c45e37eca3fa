"""A number that was told in passing is found again by its unit; nothing else is taken for it."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.pipeline.answering.counted import number_told
from app.pipeline.answering.nearest import nearest, own_thing
from app.pipeline.lexicon.counted import asks_number_told
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            "how many yrs was it i told you, the lads reckon fewer",
            "im a thatcher, 17 years at it now",
        ),
        ("how many weeks did i tell you it was, vet wants to know", "the calf is 5 weeks old and drinking"),
        ("how many months was it I said the wean is? granny says 15", "the bairn is 13 months and toddling"),
        ("how many yrs did i tell you he did my sister swears its 40", "my dads been a postman 38 yrs"),
        ("sorry lost the thread, how many hens did i say we have", "we've got 9 brown hens and a goat"),
        ("cuántos años te dije que llevaba, mi hermana no me cree", "llevo veinte años de modista y sigo"),
        ("mi tía dice menos, ctos años eran los q te dije", "soy afinador hace 31 añitos"),
        ("¿de cuántos meses te conté que está el guagua ese?", "mi guambra tiene 10 meses y gatea"),
        ("uf cuantos meses era que te dije q tenia la bendi", "la bendi tiene 8 mesecitos y no duerme"),
        ("cuantos km te conté que hice?", "hoy remé 12 kilómetros con el viento en contra"),
        ("cuantas ovejas te dije que tenia", "18 ovejas tengo y un burro"),
    ],
)
def test_a_number_is_found_again_by_its_unit(asked: str, told: str) -> None:
    known = number_told(asked, ["hola", told, "jaja qué frío"])
    assert known is not None
    assert known.facts == f"«{told}»"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("how many times did i say no", "i have 9 hens"),
        ("how many years did the empire last", "im a thatcher, 17 years at it"),
        ("how many years did you say it takes", "im a thatcher, 17 years at it"),
        ("how many months did i tell my boss it takes", "it takes 4 months"),
        ("how many crates did i say i need for 48 jars", "we moved 42 crates"),
        ("how many yrs did i tell you Nora is", "my son Leo is 7 years old"),
        ("how many months did i say my grandson is", "my dog is 4 months old"),
        ("how many km is a marathon", "i rowed 12 km"),
        ("cuantas veces te dije que no", "tengo 6 gallinas"),
        ("cuántos meses le dije al doctor que tenía", "mi nieto tiene 14 meses"),
        ("cuántos meses te conté que tiene la perra", "mi abuela lleva 3 meses en cama"),
        ("cuántos meses tiene un año", "mi nieto tiene 14 meses"),
        ("y en días cuántos son", "mi nieto tiene 14 meses"),
        ("ya te dije mil veces que no", "mi nieto tiene 14 meses"),
        ("cuántas cajas te dije que son", "mi nieto tiene 14 meses"),
    ],
)
def test_what_asks_for_something_else_finds_nothing(asked: str, told: str) -> None:
    assert number_told(asked, [told]) is None


def test_of_several_such_numbers_none_is_taken() -> None:
    told = ["soy modista hace 23 años", "mi hijo estudia hace 4 años"]
    assert number_told("cuántos años te dije que eran", told) is None
    assert number_told("cuántos años te dije que eran", []) is None


@pytest.mark.parametrize("said", ["y cuántas cajas te dije que entraron", "how many hens did i say we have"])
def test_a_number_asked_back_is_no_sum(said: str) -> None:
    assert asks_number_told(said)
    assert not asks_number_told("how many hens is 12 times 4")


async def _unlike(_word: str, others: object) -> list[float]:
    return [0.0 for _ in others] if isinstance(others, list) else []


@pytest.mark.parametrize(
    ("told", "is_found"),
    [
        ("mi pastilla de la circulación es diosmina", True),
        ("my tablet for the stomach is omeprazole", True),
        ("mi pastilla es amarga", False),
        ("my tablet is big", False),
        ("la pastilla de mi tía es diosmina", False),
    ],
)
async def test_a_medicine_is_named_behind_what_it_is_for(told: str, is_found: bool) -> None:
    thing = own_thing("cómo se llamaba mi pastilla")
    assert thing is not None
    assert bool((await nearest(thing, [told], _unlike)).found) is is_found


@pytest.mark.needs("memory")
async def test_a_number_is_told_by_quoting_and_never_reckoned(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, *["Ha."] * 3) as (app, llm):
        await app.say(ALICE, "el potrillo tiene 7 meses y ya trota")
        await app.say(ALICE, "20 * 3")
        asked = len(llm.requests)
        await app.say(ALICE, "cuántos meses te conté que tiene el bicho? mi suegra dice 9")
        assert len(llm.requests) == asked
        assert "«el potrillo tiene 7 meses y ya trota»" in app.replies_to(ALICE)[-1]


@pytest.mark.needs("memory")
@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("remember my tablet is metformin", "what was my medicine called"),
        ("acordate que mi jarabe es ambroxol, siempre preguntan", "che cómo se llamaba mi jarabe"),
        ("remember my locksmith is Gwen Parry", "who was my locksmith"),
    ],
)
async def test_what_was_to_be_remembered_is_found_after_a_fresh_start(
    tmp_path: Path, encoder: LocalEmbedder, told: str, asked: str
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, told)
        await app.say(ALICE, "/clear")
        await app.say(ALICE, asked)
        assert not llm.requests
        answer = app.replies_to(ALICE)[-1]
        assert answer.startswith(("You told me: «", "Me contaste: «"))
        assert told.split()[-1] in answer
