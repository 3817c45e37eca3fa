"""A task that is to say something else is called so; it is never ticked for the reason beside that."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("projects")
SHED = "create a project Shed with the tasks buy hinges, sand the door"


@pytest.mark.parametrize(
    ("said", "titles"),
    [
        ("no hang on, change buy hinges to buy screws, we've got the hinges", ["buy screws", "sand the door"]),
        ("wait, buy hinges should say borrow hinges", ["borrow hinges", "sand the door"]),
        ("instead of sand the door put plane the door", ["buy hinges", "plane the door"]),
        ("en vez de buy hinges poné pedir bisagras, ya tenemos plata", ["pedir bisagras", "sand the door"]),
        ("no pará, cambiá buy hinges por pedir bisagras", ["pedir bisagras", "sand the door"]),
        ("not sand the door, make it oil the door", ["buy hinges", "oil the door"]),
        ("change sand the door to Friday", ["buy hinges", "sand the door"]),
        ("the door should be sanded by friday", ["buy hinges", "sand the door"]),
        (
            "my dad says I should change buy hinges to buy screws, what do you think?",
            ["buy hinges", "sand the door"],
        ),
        ("mi hermano dice que cambie buy hinges por buy screws, está loco", ["buy hinges", "sand the door"]),
    ],
)
async def test_a_task_is_called_anew_and_stays_open(
    tmp_path: Path, encoder: LocalEmbedder, said: str, titles: list[str]
) -> None:
    async with small_app(tmp_path, encoder, "Fine.") as (app, _):
        await app.say(ALICE, SHED)
        await app.say(ALICE, said)
        assert await stored(app, "title", "project_tasks") == titles
        assert await stored(app, "status", "project_tasks") == ["pending", "pending"]


@pytest.mark.parametrize(
    ("said", "titles"),
    [
        ("delete the hinges one, going with borrow a lock instead", ["borrow a lock", "sand the door"]),
        ("scrap the door one and put oil the gate in its place", ["buy hinges", "oil the gate"]),
        ("borrá la de hinges, mejor pedir un candado en su lugar", ["pedir un candado", "sand the door"]),
        ("delete the door one instead", ["buy hinges"]),
        ("delete the door one, my aunt is doing it instead", ["buy hinges"]),
    ],
)
async def test_a_task_that_goes_is_followed_by_what_is_wanted_instead(
    tmp_path: Path, encoder: LocalEmbedder, said: str, titles: list[str]
) -> None:
    async with small_app(tmp_path, encoder, "Fine.") as (app, _):
        await app.say(ALICE, SHED)
        await app.say(ALICE, said)
        assert await stored(app, "title", "project_tasks") == titles


@pytest.mark.parametrize(
    "said",
    [
        "right so look make me a project called Pond with the tasks dig the hole, line it and while you're at it "
        "tell me how much is 12 times 13 that's the slabs",
        "ya mira créame un proyecto que se llame Pond con las tareas dig the hole, line it y de paso dime "
        "cuánto es 12 por 13 que son las losas",
    ],
)
async def test_a_project_and_a_sum_behind_it_are_both_done(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    async with small_app(tmp_path, encoder, "Fine.") as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "title", "project_tasks") == ["dig the hole", "line it"]
        assert "156" in app.replies_to(ALICE)[-1]
