"""A project, what is in it, and what happened there."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from app.skills.tools.projects.due import Due

ProjectStatus = Literal["active", "archived", "completed"]
TaskStatus = Literal["pending", "in_progress", "done"]
Priority = Literal["low", "medium", "high"]

PROJECT_STATUSES: Final[tuple[ProjectStatus, ...]] = ("active", "archived", "completed")
TASK_STATUSES: Final[tuple[TaskStatus, ...]] = ("pending", "in_progress", "done")


@dataclass(frozen=True, slots=True)
class Project:
    """`tasks` and `done` are counts at the time of reading; `id` is ours, `number` the owner's."""

    id: int
    number: int
    name: str
    description: str
    status: ProjectStatus
    tasks: int
    done: int

    @property
    def text(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Task:
    """`number` counts within its project."""

    id: int
    project_id: int
    number: int
    title: str
    status: TaskStatus
    priority: Priority
    due: Due | None = None

    @property
    def is_open(self) -> bool:
        return self.status != "done"

    @property
    def name(self) -> str:
        return self.title

    @property
    def text(self) -> str:
        return self.title


@dataclass(frozen=True, slots=True)
class ProjectNote:
    """`number` counts within its project."""

    project: str
    number: int
    content: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Activity:
    what: str
    created_at: datetime
