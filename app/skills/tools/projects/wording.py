"""Projects and tasks as a person reads them, in their language."""

from collections.abc import Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from app.charts.charts import Chart, Series
from app.domain.wording import one_line
from app.language.catalogue import Language, say
from app.language.texts import COMMON
from app.skills.tools.projects.records import Project, Task
from app.skills.tools.projects.texts import PROJECTS

_SHOWN_CHARS: Final = 120
_PROJECT_STATUS: Final = MappingProxyType(
    {
        "active": PROJECTS.status_active,
        "completed": PROJECTS.status_completed,
        "archived": PROJECTS.status_archived,
    }
)
_TASK_STATUS: Final = MappingProxyType(
    {"pending": PROJECTS.task_pending, "in_progress": PROJECTS.task_in_progress, "done": PROJECTS.task_done}
)
_PRIORITY: Final = MappingProxyType({"high": PROJECTS.priority_high, "low": PROJECTS.priority_low})


def project_words(project: Project, language: Language) -> str:
    """Return number, name, status and how many tasks are done, on one line."""
    phrase = PROJECTS.project_line if project.tasks else PROJECTS.project_line_empty
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


def task_status_words(status: str, language: Language) -> str:
    return say(_TASK_STATUS[status], language)


def task_words(task: Task, language: Language, now: datetime) -> str:
    """Return number, title and status on one line; the priority where it is not the usual one, when it is due.

    `now` is local.
    """
    state = [task_status_words(task.status, language)]
    if task.priority in _PRIORITY:
        state.append(say(_PRIORITY[task.priority], language))
    if task.due is not None and task.is_open:
        state.append(task.due.told(now, language))
    return f"{task.number}. {one_line(task.title, _SHOWN_CHARS)} ({', '.join(state)})"


def progress_chart(project: Project, tasks: Sequence[Task], language: Language) -> Chart:
    """Return how many tasks are in which state."""
    states = tuple(_TASK_STATUS)
    counts = tuple(float(sum(task.status == state for task in tasks)) for state in states)
    labels = tuple(say(_TASK_STATUS[state], language) for state in states)
    return Chart(project.name, labels, (Series("", counts),))


def listed(lines: Sequence[str], limit: int, language: Language) -> str:
    """Return the first lines, and how many more there are."""
    shown = list(lines[:limit])
    if len(lines) > limit:
        shown.append(say(COMMON.more, language, count=len(lines) - limit))
    return "\n".join(shown)
