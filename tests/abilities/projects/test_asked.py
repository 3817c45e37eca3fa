"""Which tasks a named project has, with talk before and behind."""

import pytest

from app.skills.tools.projects.asked import asked_tasks_of, may_ask_tasks
from app.skills.tools.projects.records import Project

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
