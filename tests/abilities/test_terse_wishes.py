"""Wishes typed in a hurry: verbs in the infinitive, names in small letters, "mis notas" and no more."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from app.language.terse import as_asked, tells_of_doing
from app.llm.local_embedder import LocalEmbedder
from app.skills.picking.tokens import tokens_of
from app.skills.seeing_all import asks_to_see_all
from tests.builders import ALICE
from tests.fakes.clock import FrozenClock
from tests.harness import CONSTRAINED, running_app

NOW: Final = datetime(2026, 11, 18, 15, 0, tzinfo=UTC)


async def _embedder() -> LocalEmbedder:
    if (embedder := LocalEmbedder.open()) is None:
        pytest.skip("the optional extra `local` is not installed")
    await embedder.embed(["x"], purpose="query")
    return embedder


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("sumar yerba y miel a la lista", "suma yerba y miel a la lista"),
        ("Añadir velas a la lista del vivero", "Anade velas a la lista del vivero"),
        ("porfa apuntar en la lista: alambre", "porfa apunta en la lista: alambre"),
        ("recordar regar los helechos el lunes a las 7", "recuerdame regar los helechos el lunes a las 7"),
        ("sacar yerba de la lista", "saca yerba de la lista"),
        ("recordar llevar el perro al baño 9am", "recuerdame llevar el perro al baño 9am"),
        ("recordar el 12 de junio renovar el pase", "recuerdame el 12 de junio renovar el pase"),
        ("recordar que el jueves viene el gasista", "recuerdame que el jueves viene el gasista"),
        ("adding oats and gin to the camping list please", "add oats and gin to the camping list please"),
    ],
)
def test_a_wish_in_the_infinitive_is_read_as_one_asks(said: str, meant: str) -> None:
    assert as_asked(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "agregar harina a la salsa",
        "sumar gente a la lista es un problema",
        "meter más cosas en la lista o dejarla así?",
        "recordar es sano",
        "sacar malas notas",
        "meter la nota en un sobre",
        "echar una nota bajo la puerta",
        "cargar la alarma del local",
        "incluir tareas para la casa",
        "Recordar 1978",
        "Recordar el 9 de julio",
        "recordar amores viejos el lunes",
        "recordar comprar 2 kilos de harina",
        "tachar cosas de la lista me da paz",
        "abrir un proyecto cuesta plata",
        "adding her to the list was unfair",
        "adding things to the list keeps me calm",
    ],
)
def test_what_tells_or_asks_stays_as_it_is(said: str) -> None:
    assert as_asked(said) == said


def test_how_it_is_to_do_so_is_no_wish() -> None:
    assert tells_of_doing("anotar todo en la lista es obligatorio")
    assert not tells_of_doing("anotar en la lista: lo que es urgente")


def test_tea_is_no_pronoun() -> None:
    def keys(text: str) -> list[str]:
        return [one.key for one in tokens_of(text)]

    assert all("tea" in keys(said) for said in ("yerba y té", "te, miel y ajo", "te verde"))
    assert "tea" not in keys("te aviso y te llamo")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("mis notas", "notes"),
        ("show me all my lists", "lists"),
        ("ver proyectos", "projects"),
        ("what are my notes", "notes"),
    ],
)
def test_all_of_a_kind_is_asked_for_in_so_many_words(said: str, kind: str) -> None:
    assert asks_to_see_all(said, kind)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("mis notas del cole son altas", "notes"),
        ("my lists never end", "lists"),
        ("lists", "lists"),
        ("what are lists", "lists"),
        ("which are the notes", "notes"),
        ("que son las notas", "notes"),
    ],
)
def test_what_is_only_told_of_a_kind_shows_nothing(said: str, kind: str) -> None:
    assert not asks_to_see_all(said, kind)


async def test_terse_wishes_are_done_by_code(tmp_path: Path) -> None:
    async with running_app(
        tmp_path, profile=CONSTRAINED, embedder=await _embedder(), clock=FrozenClock(NOW)
    ) as app:
        for said in (
            "poner yerba y té en la lista",
            "sacar té de la lista",
            "crear nota: la cuñada se llama Rut",
            "mis notas",
            "crear un proyecto vivero",
            "agregar tarea a vivero: comprar macetas",
            "tareas del vivero",
        ):
            await app.say(ALICE, said)
        told = app.replies_to(ALICE)
        assert told[:2] == ["Compras:\n☐ yerba\n☐ té", "Quité: té\nCompras:\n☐ yerba"]
        assert "la cuñada se llama Rut" in told[3]
        assert "comprar macetas" in told[-1]


async def test_a_reminder_is_called_off_while_its_hour_is_still_asked(tmp_path: Path) -> None:
    async with running_app(
        tmp_path, profile=CONSTRAINED, embedder=await _embedder(), clock=FrozenClock(NOW)
    ) as app:
        await app.say(ALICE, "remind me to feed the geese at 8")
        await app.say(ALICE, "cancel that reminder")
        assert "Cancelled: feed the geese" in "\n".join(app.replies_to(ALICE))
