"""A task that goes for a reason is told by that reason; where it names none, or several, it is asked which."""

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
BARN = "create a project Barn with the tasks fix the gutter, paint the doors, paint the frames"


@pytest.mark.parametrize(
    ("said", "titles"),
    [
        ("oh no, Ines is doing the gutter, delete that task", ["paint the doors", "paint the frames"]),
        ("delete that task, my cousin will fix the gutters", ["paint the doors", "paint the frames"]),
        ("my uncle is taking care of the doors so remove that one", ["fix the gutter", "paint the frames"]),
        ("ay no, los frames los hace mi cuñada, borrala", ["fix the gutter", "paint the doors"]),
        # Several, or none.
        (
            "oh no, Ines is doing the painting, delete that task",
            ["fix the gutter", "paint the doors", "paint the frames"],
        ),
        ("somebody else does it, delete that task", ["fix the gutter", "paint the doors", "paint the frames"]),
        ("eso lo hace mi cuñada, bórrala", ["fix the gutter", "paint the doors", "paint the frames"]),
        # No wish.
        ("Ines is doing the gutter, lovely of her", ["fix the gutter", "paint the doors", "paint the frames"]),
    ],
)
async def test_a_reason_tells_which_task_goes(
    tmp_path: Path, encoder: LocalEmbedder, said: str, titles: list[str]
) -> None:
    async with small_app(tmp_path, encoder, *["Fine."] * 3) as (app, _):
        await app.say(ALICE, BARN)
        await app.say(ALICE, said)
        assert await stored(app, "title", "project_tasks") == titles
        assert set(await stored(app, "status", "project_tasks")) == {"pending"}


@pytest.mark.parametrize(
    ("said", "project"),
    [
        ("New project and call it Cellar. Tasks: rack the wine, sweep", "Cellar"),
        ("can you start a new project? name it Sunday choir. Tasks: book hall, print songs", "Sunday choir"),
        ("proyecto nuevo porfa, ponle Bodega. Tareas: barrer, ordenar", "Bodega"),
        ("armame un proyecto nuevo, que se llame Vuelta al mundo. Tareas: vacunas, pasajes", "Vuelta al mundo"),
        ("proyecto Bodega, ponle estas tareas: barrer, ordenar", "Bodega"),
    ],
)
def test_what_it_is_to_be_called_is_its_name(said: str, project: str) -> None:
    found = read_listed(said)
    assert found is not None
    assert (found.project, len(found.tasks)) == (project, 2)


@pytest.mark.parametrize(
    "said", ["New project please. Tasks: rack the wine, sweep", "proyecto nuevo porfa. Tareas: barrer, ordenar"]
)
def test_a_project_without_a_name_is_called_nothing(said: str) -> None:
    assert read_listed(said) is None
