"""A project that is wished for by its name, with talk behind it."""

import pytest

from app.skills.tools.projects.opening import read_new


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("make me a project called Lighthouse, the council finally gave us the keys", "Lighthouse"),
        ("hey can you make a project named Blue Barn for me, my uncle lends it to us till June", "Blue Barn"),
        ("armame un proyecto que se llame Kermés, nos pidieron la organización y el trabajo: pintar", "Kermés"),
        ("ábrame un proyecto llamado Taller Rosa, que la vecina nos presta el local", "Taller Rosa"),
        ("make me a project called Green Shed they have given us the whole Yard", "Green Shed"),
        ("could you set up a project called book fair please, school asked us to run it", "book fair"),
        ("me armás un proyecto que se llame Patio Chico?", "Patio Chico"),
        ("creame un proyecto de nombre Casa nueva de Ana, ya firmamos", "Casa nueva de Ana"),
        ('create a project called "Sea Wall", the insurer pays', "Sea Wall"),
        ("please open a project called Canoe and let me know, it's for the scouts", "Canoe"),
        ("mum wants a garden so make me a project called Herb Bed", "Herb Bed"),
        ("ando feliz, haceme un proyecto que se llame Murga, nos dieron el galpón", "Murga"),
        ("I'd like to open a project, call it Rooftop, the landlord said yes", "Rooftop"),
        ("i wanna open a new project, name it Harbour Kiosk, we got the licence", "Harbour Kiosk"),
        ("quiero abrir un proyecto, ponele Vereda, el intendente nos dio permiso", "Vereda"),
        ("quiero hacer un proyecto que se llame feria de ciencias porque la profe lo pidió", "feria de ciencias"),
        ("abrime otro proyecto y ponele Radio Comunal, nos donaron la antena", "Radio Comunal"),
    ],
)
def test_a_project_gets_its_name_and_no_task_of_what_is_told(text: str, name: str) -> None:
    assert read_new(text) == (name, [])


@pytest.mark.parametrize(
    ("text", "name", "tasks"),
    [
        ("new project Garage: sweep, paint", "Garage", ["sweep", "paint"]),
        ("haceme un proyecto Kermés: pintar, lijar y barrer", "Kermés", ["pintar", "lijar", "barrer"]),
        ("create a project Sauna with these tasks: buy larch, lay slabs", "Sauna", ["buy larch", "lay slabs"]),
        ("start a project bee hut with three tasks: saw, nail and wax", "bee hut", ["saw", "nail", "wax"]),
        ("make a project Sauna with a task: buy larch, the dry one", "Sauna", ["buy larch, the dry one"]),
        (
            "create a project called Sauna with the following tasks: dig, lay the slabs and wire it, it's huge",
            "Sauna",
            ["dig", "lay the slabs", "wire it"],
        ),
        ("new project: Dovecote. Tasks: saw, nail", "Dovecote", ["saw", "nail"]),
        ("new project Dovecote (tasks: saw, nail)", "Dovecote", ["saw", "nail"]),
        ("new project: Dovecote, thanks", "Dovecote", []),
        ("proyecto nuevo: Palomar, tareas: medir, serruchar", "Palomar", ["medir", "serruchar"]),
        ("Nuevo proyecto: Palomar de la abuela", "Palomar de la abuela", []),
        (
            "creá el proyecto Palomar con estas tareas: medir, pintar la tapa",
            "Palomar",
            ["medir", "pintar la tapa"],
        ),
        ("arma un proyecto Palomar con: medir, pintar, gracias", "Palomar", ["medir", "pintar"]),
    ],
)
def test_things_behind_a_colon_are_its_tasks(text: str, name: str, tasks: list[str]) -> None:
    assert read_new(text) == (name, tasks)


@pytest.mark.parametrize(
    "text",
    [
        "armé un proyecto que se llama Kermés, nos encargaron la organización",
        "abrí un proyecto que se llama Kermés, nos encargaron todo",
        "my boss wants to open a project called Atlas, what a bore",
        "I'd like to open a project called Bloom with my class next year",
        "I'd like to open a project, my sister says I should",
        "quiero abrir un proyecto, ponele una tarea",
        "make me a project called Barn and put a task in it: sweep",
        "haceme un proyecto que se llame Huerto y recordame regarlo mañana",
        "make me a project called Barn, or would a list be better?",
        "make a project plan for school, they want it by Monday",
        "new project at work, so tired",
        "new project Monday, so tired",
        "new project: they lent us the hall",
        "new project: measure it, saw it, nail it",
        "proyecto nuevo: empecé a pintar el galpón",
        "create a project with these tasks: saw, nail",
        "tengo un proyecto nuevo, se llama Kermés, nos encargaron todo",
        "create a project",
        "she was so cross, she makes a project called Atlas, and I pay",
        "remind me to call Ann, make a project called Barn",
    ],
)
def test_plans_stories_and_wishes_for_more_open_none(text: str) -> None:
    assert read_new(text) is None
