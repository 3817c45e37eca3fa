"""What is said right behind a project that was made is a task of it; elsewhere it is talk."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.projects.listing import read_listed
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("projects")

TASKS = (
    (
        ("start a project called Boat Shed", "put varnish the oars in it", "caulk the hull goes in it too"),
        ("oh and call the harbour master too", "and buy rope"),
        ["varnish the oars", "caulk the hull", "call the harbour master", "buy rope"],
    ),
    (
        ("creame un proyecto llamado Gallinero", "poné clavar el techo ahí", "comprar los nidos va ahí también"),
        ("ah y llamar al carpintero también", "ahí va pintar la puerta"),
        ["clavar el techo", "comprar los nidos", "llamar al carpintero", "pintar la puerta"],
    ),
)
TALK = (
    ("put varnish the oars in it", "oh and call the harbour master too"),
    ("creame un proyecto llamado Gallinero", "ah y mi prima también", "ah y ayer fuimos a pescar también"),
    ("creame un proyecto llamado Gallinero", "y criar pollos con mi abuelo también me gustaba"),
    ("start a project called Boat Shed", "oh and love goes into it too", "oh and me too"),
    ("start a project called Boat Shed", "my sister got a new job at the docks", "oh and paint the hull too"),
    ("start a project called Boat Shed", "my uncle sailed in it too, put his back out", "oh and well done too"),
)


@pytest.mark.parametrize(("first", "more", "tasks"), TASKS)
async def test_what_is_said_right_behind_a_project_is_its_task(
    tmp_path: Path, encoder: LocalEmbedder, first: tuple[str, ...], more: tuple[str, ...], tasks: list[str]
) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 9) as (app, _):
        for said in (*first, *more):
            await app.say(ALICE, said)
        assert await stored(app, "title", "project_tasks") == tasks


@pytest.mark.parametrize("turns", TALK)
async def test_what_only_sounds_so_stays_talk(
    tmp_path: Path, encoder: LocalEmbedder, turns: tuple[str, ...]
) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 9) as (app, _):
        for said in turns:
            await app.say(ALICE, said)
        assert not await stored(app, "title", "project_tasks")


def test_what_is_called_one_task_is_one_whatever_stands_behind_its_comma() -> None:
    one = read_listed(
        "hacé un proyecto que se llame Nido y metele una sola tarea: clavar 8 varas, mi tía la pidió"
    )
    several = read_listed("new project Jetty with two tasks: tar the planks, tie the buoys")
    assert one is not None
    assert one.tasks == ["clavar 8 varas, mi tía la pidió"]
    assert several is not None
    assert several.tasks == ["tar the planks", "tie the buoys"]
