"""Tasks that a message lists for a project, and those of which it says that they are done."""

import json
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.projects.listing import Listed, read_alone, read_listed, wished_for
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("projects")


@pytest.mark.parametrize(
    ("said", "project", "tasks"),
    [
        ("armeme un proyecto que se llame Corral con estas tareas: postes, alambre", "Corral", 2),
        ("set up a project that is called Choir with these tasks: hall, piano", "Choir", 2),
        ("en el proyecto Terraza agregá dos tareas: sellar el piso, y pintar la baranda", "Terraza", 2),
        ("En el proyecto Vivero agregue por favor: podar los rosales, lavar y guardar las macetas", "Vivero", 2),
        ("add these jobs to project Attic: fix the hatch, insulate the wall and paint", "Attic", 3),
        ("put these on the Kitchen project: tile the wall, order the sink", "Kitchen", 2),
        ("New project, loft room. Tasks for it: buy the boards, paint the beams", "loft room", 2),
        ("start a new project called Pond with these tasks: dig the hole, order the liner", "Pond", 2),
        ("make a project Shed and put a task in it: oil the lock", "Shed", 1),
        ("add two tasks to Garage: hang the bikes, and sort the tins", "Garage", 2),
    ],
)
def test_tasks_are_listed_for_a_project(said: str, project: str, tasks: int) -> None:
    found = read_listed(said, ["Garage", "House"])
    assert found is not None
    assert (found.project, len(found.tasks)) == (project, tasks)


@pytest.mark.parametrize(
    "said",
    [
        "we created a project Ferry with these tasks: paint, caulk, at work last year",
        "mi jefa armó el proyecto Muelle con estas tareas: medir, pintar, un lío",
        "add to the list: bread, milk",
        "el proyecto va bien: terminamos hoy",
        "la tarea de mate: ejercicio 3 y 4",
    ],
)
def test_other_things_behind_a_colon_are_no_tasks(said: str) -> None:
    assert read_listed(said) is None


def test_a_task_with_two_verbs_stays_one() -> None:
    said = "en el proyecto Casa anotá: lijar y pintar la puerta, comprar cal"
    assert read_listed(said) == Listed("Casa", ["lijar y pintar la puerta", "comprar cal"])


async def test_tasks_are_listed_done_and_asked_for_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "En el proyecto Huerta agregue dos tareas: cercar el patio, y traer abono")
        await app.say(ALICE, "lo del abono ya quedó hecho, vino mi yerno")
        assert await stored(app, "status", "project_tasks") == ["pending", "done"]
        await app.say(ALICE, "qué me falta entonces en la huerta")
        assert llm.requests == []
        assert "cercar el patio" in app.replies_to(ALICE)[-1]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            "apuntame dos tareas: llamar al banco y llevar el auto al taller",
            "|llamar al banco|llevar el auto al taller",
        ),
        ("todo: call the bank and pay the gas bill", "|call the bank|pay the gas bill"),
        ("para hacer hoy: regar las plantas, pagar la luz", "hoy|regar las plantas|pagar la luz"),
        ("my to do list for today: ring the school, post the parcel", "for today|ring the school|post the parcel"),
        ("things to do this week - fix the gate, call Auntie Bisi", "this week|fix the gate|call Auntie Bisi"),
        ("add 2 tasks: book the MOT and send Tunde the money", "|book the MOT|send Tunde the money"),
        ("todo bien: gracias", None),
        ("todo: mal", None),
        ("i have so much to do today: help", None),
        ("la tarea de mi hijo: sumas y restas", None),
        ("add two tasks to the Garden project: fix the fence", None),
        ("tareas: lavar. Y recordame a las 5 llamar", None),
        ("todo : 1 / 2", "|1 / 2"),
    ],
)
def test_tasks_are_listed_for_no_project(said: str, found: str | None) -> None:
    alone = read_alone(said)
    assert (None if alone is None else "|".join((alone.when, *alone.tasks))) == found


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("abrime un proyecto para la huerta", "huerta"),
        ("nos mudamos en mayo, armame un proyecto mudanza", "mudanza"),
        ("set up a project for the choir, would you", "choir"),
    ],
)
async def test_a_project_is_made_in_whatever_words_it_is_opened(
    tmp_path: Path, encoder: LocalEmbedder, said: str, name: str
) -> None:
    call = json.dumps({"calls": [{"create_project": {"name": name}}]})
    async with small_app(tmp_path, encoder, call) as (app, _):
        await app.say(ALICE, said)

        assert await stored(app, "name", "projects") == [name]


@pytest.mark.parametrize(
    ("said", "given", "kept"),
    [
        ("start a project called Loft, he's at me since june", ["hes at me since june"], []),
        ("abrí un proyecto Quincho, que mi suegro insiste", ["que mi suegro insiste"], []),
        ("start a project, call it Loft, my aunt thinks i'm lazy", ["lazy"], []),
        (
            "start a project Loft, lay the floor, paint it",
            ["lay the floor", "paint it"],
            ["lay the floor", "paint it"],
        ),
        ("project Loft with the task she signs the form", ["she signs the form"], ["she signs the form"]),
    ],
)
def test_why_a_project_is_made_is_no_task_of_it(said: str, given: list[str], kept: list[str]) -> None:
    assert wished_for(given, (said,)) == kept
