"""Projects and tasks as a person reads them, in their language."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from app.database.repositories.projects import Project, Task
from app.domain.phrasebook.told import ToldPhrase
from app.domain.phrases import Language, say
from app.domain.wording import one_line

_SHOWN_CHARS: Final = 120
_PROJECT_STATUS: Final = MappingProxyType(
    {
        "active": ToldPhrase.STATUS_ACTIVE,
        "completed": ToldPhrase.STATUS_COMPLETED,
        "archived": ToldPhrase.STATUS_ARCHIVED,
    }
)
_TASK_STATUS: Final = MappingProxyType(
    {
        "pending": ToldPhrase.TASK_PENDING,
        "in_progress": ToldPhrase.TASK_IN_PROGRESS,
        "done": ToldPhrase.TASK_DONE,
    }
)
_PRIORITY: Final = MappingProxyType({"high": ToldPhrase.PRIORITY_HIGH, "low": ToldPhrase.PRIORITY_LOW})


def project_words(project: Project, language: Language) -> str:
    """Return number, name, status and how many tasks are done, on one line."""
    phrase = ToldPhrase.PROJECT_LINE if project.tasks else ToldPhrase.PROJECT_LINE_EMPTY
    return say(
        phrase,
        language,
        number=project.number,
        name=project.name,
        status=status_words(project.status, language),
        done=project.done,
        tasks=project.tasks,
    )


def status_words(status: str, language: Language) -> str:
    return say(_PROJECT_STATUS[status], language)


def task_words(task: Task, language: Language) -> str:
    """Return number, title and status on one line, the priority where it is not the usual one."""
    state = [say(_TASK_STATUS[task.status], language)]
    if task.priority in _PRIORITY:
        state.append(say(_PRIORITY[task.priority], language))
    return f"{task.number}. {one_line(task.title, _SHOWN_CHARS)} ({', '.join(state)})"


def listed(lines: Sequence[str], limit: int, language: Language) -> str:
    """Return the first lines, and how many more there are."""
    shown = list(lines[:limit])
    if len(lines) > limit:
        shown.append(say(ToldPhrase.MORE, language, count=len(lines) - limit))
    return "\n".join(shown)
