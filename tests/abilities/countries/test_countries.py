"""Capitals, money, languages and continents are told by code; what only names them is left alone."""

from pathlib import Path

import pytest
from babel.core import Locale

from app.domain.places import Places
from app.language.catalogue import LANGUAGES
from app.skills.tools.countries.told import countries
from tests.builders import ALICE
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app

# (talk, the answer to its last message)
TALKS = [
    (["what's the capital of Kazakhstan?"], "Kazakhstan: the capital is Astana."),
    (["cual es la capital de marruecos"], "Marruecos: la capital es Rabat."),
    (["capital de Finlandia?", "y la de noruega"], "Noruega: la capital es Oslo."),
    (["what is the capital of Ghana", "and senegal?", "ok and kenya"], "Kenya: the capital is Nairobi."),
    (["mi tío porfía que la capital de Turquía es Estambul. cuál es?"], "Turquía: la capital es Ankara."),
    (["my flatmate says Toronto is Canada's capital. which is it"], "Canada: the capital is Ottawa."),
    (["is Karachi the capital of Pakistan?"], "Pakistan: the capital is Islamabad."),
    (["what's scotland's capital"], "Scotland: the capital is Edinburgh."),
    (["qué moneda usan en polonia"], "Polonia: la moneda se llama esloti polaco."),
    (["what language do they speak in Austria?"], "Austria: the official language is German."),
    (["qué idiomas se hablan en Suiza"], "Suiza: los idiomas oficiales son alemán, francés, italiano."),
    (["en qué continente está Nepal"], "Nepal queda en el continente asiático."),
    (["which country is Tbilisi the capital of, my mate says armenia"], "Georgia: the capital is Tbilisi."),
    (["¿qué país tiene a Nairobi como capital?"], "Kenia: la capital es Nairobi."),
]  # fmt: skip


@pytest.mark.parametrize(("talk", "told"), TALKS)
async def test_what_is_so_of_a_country_is_told_without_a_model(tmp_path: Path, talk: list[str], told: str) -> None:
    llm = ScriptedChatModel()
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for message in talk:
            await app.say(ALICE, message)
        assert app.replies_to(ALICE)[-1] == told
    assert not [request for request in llm.requests if request.purpose != "short"]


@pytest.mark.parametrize(
    "message",
    [
        "we flew home from the capital of Morocco, tell me a joke",
        "estuvimos en la capital de Ecuador, qué plato típico me perdí?",
        "my aunt lives in the capital of Chile and she hates it",
        "how many people live in the capital of Japan?",
        "what should I eat in the capital of Peru",
        "qué hora es en la capital de Japón",
        "no me alcanza la plata ni en Bolivia, qué hago?",
        "is Brazil bigger than Canada?",
        "what's the capital of happiness",
        "write it with a capital C, as in Chile. what else is wrong?",
    ],
)
async def test_what_asks_for_something_else_is_not_answered_with_it(tmp_path: Path, message: str) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel("something else"), profile=CONSTRAINED) as app:
        await app.say(ALICE, message)
        assert not any(": the capital" in one or ": la capital" in one for one in app.replies_to(ALICE))
        assert not any("currency" in one or "moneda se llama" in one for one in app.replies_to(ALICE))


async def test_and_of_another_goes_on_only_behind_such_an_answer(tmp_path: Path) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel("something else"), profile=CONSTRAINED) as app:
        await app.say(ALICE, "what is the capital of Malta")
        await app.say(ALICE, "thanks, that settles it for us all, lovely")
        await app.say(ALICE, "and cyprus?")
        assert "Nicosia" not in app.replies_to(ALICE)[-1]


def test_every_country_has_a_name_and_a_capital_in_each_language() -> None:
    known = countries()
    for country in known.values():
        assert all(country.capitals[language] for language in LANGUAGES)
        if country.continent:
            assert all(Places().territory(Locale(one).territories[country.code]) for one in LANGUAGES)
    assert len([one for one in known.values() if one.continent]) > 190
