"""What tools tell a person themselves, where a model's words would add nothing."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class ToldPhrase(PhraseKey):
    """Results of the builtin tools; `STATUS_…`, `TASK_…` and `PRIORITY_…` end in the value they name."""

    MORE = "told_more"
    NOTE_SAVED = "told_note_saved"
    NOTE = "told_note"
    NOTE_DELETED = "told_note_deleted"
    NOTES = "told_notes"
    NOTES_NONE = "told_notes_none"
    NOTES_FOUND = "told_notes_found"
    NOTES_NOT_FOUND = "told_notes_not_found"
    CONVERTED = "told_converted"
    CONVERTED_NEXT_DAY = "told_converted_next_day"
    CONVERTED_DAY_BEFORE = "told_converted_day_before"
    PROJECT_CREATED = "told_project_created"
    PROJECT_EXISTS = "told_project_exists"
    PROJECT_STATUS = "told_project_status"
    PROJECTS = "told_projects"
    PROJECTS_NONE = "told_projects_none"
    PROJECT_LINE = "told_project_line"
    PROJECT_LINE_EMPTY = "told_project_line_empty"
    PROJECT_TASKS = "told_project_tasks"
    PROJECT_OPEN = "told_project_open"
    PROJECT_NOTES = "told_project_notes"
    PROJECT_NOTE_SAVED = "told_project_note_saved"
    TASK_ADDED = "told_task_added"
    TASK_EXISTS = "told_task_exists"
    TASK_CHANGED = "told_task_changed"
    TASK_DELETED = "told_task_deleted"
    STATUS_ACTIVE = "told_status_active"
    STATUS_COMPLETED = "told_status_completed"
    STATUS_ARCHIVED = "told_status_archived"
    TASK_PENDING = "told_task_pending"
    TASK_IN_PROGRESS = "told_task_in_progress"
    TASK_DONE = "told_task_done"
    PRIORITY_HIGH = "told_priority_high"
    PRIORITY_LOW = "told_priority_low"


ES: Final[Mapping[ToldPhrase, str]] = MappingProxyType(
    {
        ToldPhrase.MORE: "… y {count} más.",
        ToldPhrase.NOTE_SAVED: "Anotado ({number}): {title}",
        ToldPhrase.NOTE: "Nota {number}, {title}:\n{content}",
        ToldPhrase.NOTE_DELETED: "Borré la nota {line}",
        ToldPhrase.NOTES: "Tus notas:\n{lines}",
        ToldPhrase.NOTES_NONE: "Todavía no tienes notas.",
        ToldPhrase.NOTES_FOUND: "Esto dicen tus notas:\n{lines}",
        ToldPhrase.NOTES_NOT_FOUND: "No encontré «{query}» en tus notas ({total}).",
        ToldPhrase.CONVERTED: "Las {time} en {source} son las {there} en {target}.",
        ToldPhrase.CONVERTED_NEXT_DAY: "Las {time} en {source} son las {there} del día siguiente en {target}.",
        ToldPhrase.CONVERTED_DAY_BEFORE: "Las {time} en {source} son las {there} del día anterior en {target}.",
        ToldPhrase.PROJECT_CREATED: "Creé el proyecto {number}: {name}",
        ToldPhrase.PROJECT_EXISTS: "Ese proyecto ya existe, no creé nada:\n{line}",
        ToldPhrase.PROJECT_STATUS: "El proyecto {name} ahora está {status}.",
        ToldPhrase.PROJECTS: "Tus proyectos:\n{lines}",
        ToldPhrase.PROJECTS_NONE: "Todavía no tienes proyectos.",
        ToldPhrase.PROJECT_LINE: "{number}. {name} ({status}, {done} de {tasks} tareas hechas)",
        ToldPhrase.PROJECT_LINE_EMPTY: "{number}. {name} ({status}, sin tareas)",
        ToldPhrase.PROJECT_TASKS: "Tareas:\n{lines}",
        ToldPhrase.PROJECT_OPEN: "Pendiente:\n{lines}",
        ToldPhrase.PROJECT_NOTES: "Últimas notas:\n{lines}",
        ToldPhrase.PROJECT_NOTE_SAVED: "Anotado en {name} ({number}): {content}",
        ToldPhrase.TASK_ADDED: "Agregué a {name} la tarea {line}",
        ToldPhrase.TASK_EXISTS: "{name} ya tiene esa tarea, no agregué nada:\n{line}",
        ToldPhrase.TASK_CHANGED: "{name}: {line}\nVan {done} de {tasks} tareas hechas.",
        ToldPhrase.TASK_DELETED: "Borré de {name} la tarea {number}: {title}",
        ToldPhrase.STATUS_ACTIVE: "activo",
        ToldPhrase.STATUS_COMPLETED: "completado",
        ToldPhrase.STATUS_ARCHIVED: "archivado",
        ToldPhrase.TASK_PENDING: "pendiente",
        ToldPhrase.TASK_IN_PROGRESS: "en curso",
        ToldPhrase.TASK_DONE: "hecha",
        ToldPhrase.PRIORITY_HIGH: "prioridad alta",
        ToldPhrase.PRIORITY_LOW: "prioridad baja",
    }
)

EN: Final[Mapping[ToldPhrase, str]] = MappingProxyType(
    {
        ToldPhrase.MORE: "… and {count} more.",
        ToldPhrase.NOTE_SAVED: "Noted ({number}): {title}",
        ToldPhrase.NOTE: "Note {number}, {title}:\n{content}",
        ToldPhrase.NOTE_DELETED: "Deleted note {line}",
        ToldPhrase.NOTES: "Your notes:\n{lines}",
        ToldPhrase.NOTES_NONE: "You have no notes yet.",
        ToldPhrase.NOTES_FOUND: "Your notes say:\n{lines}",
        ToldPhrase.NOTES_NOT_FOUND: "I did not find “{query}” in your notes ({total}).",
        ToldPhrase.CONVERTED: "{time} in {source} is {there} in {target}.",
        ToldPhrase.CONVERTED_NEXT_DAY: "{time} in {source} is {there} the next day in {target}.",
        ToldPhrase.CONVERTED_DAY_BEFORE: "{time} in {source} is {there} the day before in {target}.",
        ToldPhrase.PROJECT_CREATED: "Created project {number}: {name}",
        ToldPhrase.PROJECT_EXISTS: "That project exists already, nothing was created:\n{line}",
        ToldPhrase.PROJECT_STATUS: "Project {name} is now {status}.",
        ToldPhrase.PROJECTS: "Your projects:\n{lines}",
        ToldPhrase.PROJECTS_NONE: "You have no projects yet.",
        ToldPhrase.PROJECT_LINE: "{number}. {name} ({status}, {done} of {tasks} tasks done)",
        ToldPhrase.PROJECT_LINE_EMPTY: "{number}. {name} ({status}, no tasks)",
        ToldPhrase.PROJECT_TASKS: "Tasks:\n{lines}",
        ToldPhrase.PROJECT_OPEN: "Open:\n{lines}",
        ToldPhrase.PROJECT_NOTES: "Newest notes:\n{lines}",
        ToldPhrase.PROJECT_NOTE_SAVED: "Noted in {name} ({number}): {content}",
        ToldPhrase.TASK_ADDED: "Added to {name}: task {line}",
        ToldPhrase.TASK_EXISTS: "{name} has that task already, nothing was added:\n{line}",
        ToldPhrase.TASK_CHANGED: "{name}: {line}\n{done} of {tasks} tasks are done.",
        ToldPhrase.TASK_DELETED: "Deleted from {name}: task {number}, {title}",
        ToldPhrase.STATUS_ACTIVE: "active",
        ToldPhrase.STATUS_COMPLETED: "completed",
        ToldPhrase.STATUS_ARCHIVED: "archived",
        ToldPhrase.TASK_PENDING: "pending",
        ToldPhrase.TASK_IN_PROGRESS: "in progress",
        ToldPhrase.TASK_DONE: "done",
        ToldPhrase.PRIORITY_HIGH: "high priority",
        ToldPhrase.PRIORITY_LOW: "low priority",
    }
)
