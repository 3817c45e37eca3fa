"""Which tasks a named project has, with talk before and behind."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.projects.asked import asked_tasks_of, may_ask_tasks
from app.skills.tools.projects.records import Project
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("projects")
NAMES = ("Garage", "Boda de Ana", "North Gate", "Garage 2", "Huerto")
KNOWN = [Project(n, n, name, "", "active", 1, 0) for n, name in enumerate(NAMES, 1)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hang on, which tasks were in Garage? my sister is asking", "Garage"),
        ("wait what tasks does the garage one have", "Garage"),
        ("what tasks are in Garage 2", "Garage 2"),
        ("what did we have in North Gate again", "North Gate"),
        ("do you remember what tasks we put in North Gate? Jo wants to know", "North Gate"),
        ("che, qué tareas tenía lo de Boda de Ana?", "Boda de Ana"),
        ("oiga y qué pendientes había en el proyecto Huerto, me pregunta el vecino", "Huerto"),
        ("decime las tareas del huerto porfa", "Huerto"),
        ("qué teníamos en lo de Huerto?", "Huerto"),
    ],
)
def test_a_loose_question_for_its_tasks_names_the_project(text: str, name: str) -> None:
    found = asked_tasks_of(text, KNOWN)
    assert may_ask_tasks(text)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "text",
    [
        "she knows which tasks were in Garage",
        "which tasks should I add to Garage?",
        "le dije qué tareas había en Huerto",
        "qué tareas me conviene agregar a Huerto?",
        "what should I put in Garage?",
        "I told him what we had in Garage",
        "what are the best tasks for a beginner",
        "what did we have for dinner",
    ],
)
def test_stories_and_questions_for_advice_ask_for_none(text: str) -> None:
    assert asked_tasks_of(text, KNOWN) is None


async def test_a_project_made_by_code_is_shown_in_a_new_conversation(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "quiero abrir un proyecto, ponele Vereda Norte, nos dieron el permiso")
        await app.say(ALICE, "pues métele una tarea, pedir el plano 14-C en la ventanilla 3, que ayer cerraron")
        assert await stored(app, "title", "project_tasks") == ["pedir el plano 14-C en la ventanilla 3"]
        await app.say(ALICE, "/clear")
        await app.say(ALICE, "espera, qué tareas tenía lo de Vereda Norte? me preguntan")
        assert "14-C" in app.replies_to(ALICE)[-1]
        assert llm.requests == []
