"""Tasks for a project that is named, or was just spoken of."""

import pytest

from app.skills.tools.projects.going_on import read_added, read_more, read_one, without_place
from app.skills.tools.projects.listing import read_listed
from app.skills.tools.projects.records import Project

KNOWN = [Project(n, n, name, "", "active", 1, 0) for n, name in enumerate(("Attic", "Boda", "Cocina"), 1)]
TOLD = ["Created project 1: Attic\nTasks:\n1. clear boxes (pending)"]


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("add the task book a van to the Attic project", ("Attic", "book a van")),
        ("agregá lijar y pintar la puerta al proyecto cocina", ("Cocina", "lijar y pintar la puerta")),
        ("agregale a Boda la tarea llamar al fotógrafo", ("Boda", "llamar al fotógrafo")),
        ("put soap in the attic", None),
        ("add milk to the shopping list", None),
    ],
)
def test_a_task_goes_to_the_project_that_is_named(text: str, added: tuple[str, str] | None) -> None:
    found = read_added(text, KNOWN)
    assert (found and (found.project, *found.tasks)) == added


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("and one more, sand the beams", "sand the beams"),
        ("one more sorry, borrow Jim's drill", "borrow Jim's drill"),
        ("y otra: medir las vigas", "medir las vigas"),
        ("sumale también contratar dj", "contratar dj"),
        ("agréguele también barnizar el remo", "barnizar el remo"),
        ("also, can you add paint the door", "paint the door"),
        ("and another, sand the floor", "sand the floor"),
        ("stick a third one on it, wax the hatch", "wax the hatch"),
        ("and a fourth: label the crates", "label the crates"),
        ("chuck another one on it, test the lamp", "test the lamp"),
        ("also to that: call the roofer", "call the roofer"),
        ("stick another on there, oil the boards", "oil the boards"),
        ("y otra ahí mismo, llevar a afilar la sierra", "llevar a afilar la sierra"),
        ("sumale otra, barrer", "barrer"),
        ("ok, and add a task there, hire the ladder", "hire the ladder"),
        ("pop in another task, ring the joiner", "ring the joiner"),
        ("agrégueme otra tarea, encargar las flores", "encargar las flores"),
        ("bueno y añada otra tarea ahí, medir la mesada", "medir la mesada"),
        ("échale otra tarea, pedir el presupuesto", "pedir el presupuesto"),
        ("put a task in that one, order bolts M8-40 for the hinge", "order bolts M8-40 for the hinge"),
        ("add a task there: fetch permit PL/2290-A, window 4", "fetch permit PL/2290-A, window 4"),
        ("give it a task: sand the floor", "sand the floor"),
        (
            "stick a task in it, measure the door (82 x 203), because the old one jammed",
            "measure the door (82 x 203)",
        ),
        ("pues métele una tarea, comprar manguera de 3/4, que ayer se rompió", "comprar manguera de 3/4"),
        ("ponele como tarea pedir semillas al vivero", "pedir semillas al vivero"),
        ("agendale otra tarea: ver al perito por el exp. 4402/26", "ver al perito por el exp. 4402/26"),
        ("into this project put just one task: fit 14 hooks", "fit 14 hooks"),
        ("adentro de ese poné una sola tarea: pedir 14 ganchos", "pedir 14 ganchos"),
        ("put a task, I said, not a note", None),
        ("he put a task in there, that was silly", None),
        ("anota una tarea para mañana", None),
        ("agendame una reunión: martes 5", None),
        ("add a task to my shopping list, milk", None),
        ("and that was another task, hire the ladder", None),
        ("he gave me another task, hire the ladder", None),
        ("ayer agregué otra tarea, medir la mesada", None),
        ("and on that, what a day", None),
        ("oh and another, he called me again", None),
        ("and another thing, do you like jazz?", None),
        ("one more, I'm tired", None),
        ("y una más, estoy cansado", None),
        ("sumale leche", None),
        ("also put up a shelf", None),
    ],
)
def test_one_more_task_goes_to_the_project_just_told_of(text: str, task: str | None) -> None:
    found = read_more(text, KNOWN, TOLD)
    assert (found and found.tasks[0]) == task
    assert read_more(text, KNOWN, ["Good morning!"]) is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("check that one off the attic project", "check that one"),
        ("tachala del proyecto cocina", "tachala"),
        ("delete it from the garage project", "delete it from the garage project"),
    ],
)
def test_the_place_of_a_task_is_no_part_of_what_it_is(text: str, left: str) -> None:
    assert without_place(text, KNOWN) == left


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("creá el proyecto Altillo con la tarea vaciar cajas", ("Altillo", ["vaciar cajas"])),
        ("abrime un proyecto que se llame Patio y le pone lijar la mesa", ("Patio", ["lijar la mesa"])),
        (
            "new project Van. first task: order part 40/17 (the blue one, not red)",
            ("Van", ["order part 40/17 (the blue one, not red)"]),
        ),
        ("kindly make one project Book Fair with task hire a hall", ("Book Fair", ["hire a hall"])),
    ],
)
def test_the_first_task_of_a_new_project_needs_no_colon(text: str, listed: tuple[str, list[str]]) -> None:
    assert read_listed(text) == listed


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("ponme de tarea pedir otra", "pedir otra"),
        ("give me a task to book the next one", "book the next one"),
        ("creame la tarea: llamar al gas", "llamar al gas"),
        ("pon una tarea en la cocina", None),
        ("add a task to the Attic project", None),
        ("set a task to ring Bob and remind me at 5", None),
        ("add eggs to the list", None),
    ],
)
def test_a_task_may_be_wanted_for_no_project(text: str, task: str | None) -> None:
    found = read_one(text)
    assert (found and found.tasks) == (None if task is None else [task])
