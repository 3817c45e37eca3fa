"""Projects: tasks, notes and what happened in them, numbered per person and per project."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Final, Literal

from app.database.db import Database, Row, Transaction
from app.database.full_text import word_search
from app.database.repositories.acts import Act, Undoable, recorded
from app.database.repositories.embeddings import TextSource
from app.database.repositories.matching import first_found
from app.database.repositories.users import next_number
from app.domain.clock import from_ms, to_ms
from app.domain.errors import NotFound
from app.domain.ids import UserId
from app.domain.wording import fold
from app.skills.alarms import Alarms
from app.skills.tools.projects.due import Due
from app.skills.tools.projects.records import (
    Activity,
    Priority,
    Project,
    ProjectNote,
    ProjectStatus,
    Task,
    TaskStatus,
)
from app.skills.tools.projects.task_alarms import TaskAlarms

UNDOABLE: Final = (
    Undoable("projects", ("name", "name_key", "description", "status")),
    Undoable("project_tasks", ("title", "status", "priority", "updated_at", "due", "due_zone")),
    Undoable("project_notes", ("content",)),
    Undoable("project_activity", ("what",)),
)
TEXTS: Final = TextSource("project_note", "project_notes", "content", says="a project note of theirs says")

_PROJECT: Final = (
    "SELECT projects.*,"
    " (SELECT count(*) FROM project_tasks WHERE project_id = projects.id) AS tasks,"
    " (SELECT count(*) FROM project_tasks WHERE project_id = projects.id AND status = 'done') AS done"
    " FROM projects WHERE user_id = ?"
)
_NOTE: Final = "SELECT n.number, n.content, n.created_at, p.name AS project"
_NOTES: Final = f"{_NOTE} FROM project_notes AS n JOIN projects AS p ON p.id = n.project_id"


class Projects:
    """A change and its line of activity are one transaction.

    Every change of a project that is not the owner's raises NotFound and changes nothing. `alarms` tell people of
    what is due, as long as it is to be done.
    """

    def __init__(self, db: Database, alarms: Sequence[Alarms] = ()) -> None:
        self._db = db
        self._alarms = TaskAlarms(alarms)

    async def create(
        self, user_id: UserId, name: str, description: str, at: datetime, *, act: Act | None = None
    ) -> Project | None:
        """Begin a project; None when the owner has one of that name already, whatever case and accents."""
        async with recorded(self._db, act) as tx:
            key = fold(name)
            if await tx.fetch_one("SELECT 1 FROM projects WHERE user_id = ? AND name_key = ?", user_id, key):
                return None
            number = await next_number(user_id, "project", tx=tx)
            await tx.execute(
                "INSERT INTO projects(user_id, number, name, name_key, description, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                user_id,
                number,
                name,
                key,
                description,
                to_ms(at),
            )
            row = await tx.fetch_one(f"{_PROJECT} AND number = ?", user_id, number)
            project = _project(_found(row))
            await _record(user_id, project.id, "project created", at, tx=tx)
        return project

    async def list_all(self, user_id: UserId) -> list[Project]:
        """Return the owner's projects of every status, newest first."""
        return [_project(row) for row in await self._db.fetch_all(f"{_PROJECT} ORDER BY number DESC", user_id)]

    async def get(self, user_id: UserId, project_id: int) -> Project:
        """Return a project with its counts.

        Raises:
            NotFound: it does not exist, or is not the owner's.
        """
        return _project(_found(await self._db.fetch_one(f"{_PROJECT} AND id = ?", user_id, project_id)))

    async def set_status(
        self, user_id: UserId, project_id: int, status: ProjectStatus, at: datetime, *, act: Act | None = None
    ) -> None:
        async with recorded(self._db, act) as tx:
            if not await tx.execute(
                "UPDATE projects SET status = ? WHERE user_id = ? AND id = ?", status, user_id, project_id
            ):
                raise NotFound("project_unknown")
            await _record(user_id, project_id, f"project is {status}", at, tx=tx)
            for row in await tx.fetch_all(
                "SELECT id FROM project_tasks WHERE user_id = ? AND project_id = ? AND due IS NOT NULL",
                user_id,
                project_id,
            ):
                await self._alarms.keep(user_id, row["id"], at, tx=tx)

    async def add_task(
        self,
        user_id: UserId,
        project_id: int,
        title: str,
        priority: Priority,
        *,
        at: datetime,
        act: Act | None = None,
    ) -> Task:
        """Add a pending task with the project's next number."""
        async with recorded(self._db, act) as tx:
            number = await _next_in_project(user_id, project_id, "last_task", tx=tx)
            row = await tx.fetch_one(
                "INSERT INTO project_tasks(user_id, project_id, number, title, priority, created_at, updated_at)"
                " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) RETURNING *",
                user_id,
                project_id,
                number,
                title,
                priority,
                to_ms(at),
            )
            await _record(user_id, project_id, f"task {number} added: {title}", at, tx=tx)
        return _task(_found(row))

    async def list_tasks(self, user_id: UserId, project_id: int | None = None) -> list[Task]:
        """Return the tasks of one project, or of all active ones: what is due first, then as they were added."""
        rows = await self._db.fetch_all(
            "SELECT project_tasks.* FROM project_tasks JOIN projects ON projects.id = project_tasks.project_id"
            " WHERE project_tasks.user_id = ?1"
            " AND CASE WHEN CAST(?2 AS BIGINT) IS NULL THEN projects.status = 'active' ELSE project_id = ?2 END"
            " ORDER BY project_id, project_tasks.number",
            user_id,
            project_id,
        )
        tasks = [_task(row) for row in rows]
        dated = [task for task in tasks if task.is_open and task.due is not None]
        dated.sort(key=lambda task: task.due.end if task.due is not None else datetime.max)
        return dated + [task for task in tasks if task not in dated]

    async def set_task_status(
        self, user_id: UserId, task: Task, status: TaskStatus, at: datetime, *, act: Act | None = None
    ) -> None:
        async with self._changed(user_id, task, {"status": status}, at, act) as tx:
            what = f"task {task.number} is {status.replace('_', ' ')}: {task.title}"
            await _record(user_id, task.project_id, what, at, tx=tx)
            if task.is_open != (status != "done"):
                await self._alarms.keep(user_id, task.id, at, tx=tx)

    async def set_due(
        self, user_id: UserId, task: Task, due: Due | None, zone: str, *, at: datetime, act: Act | None = None
    ) -> None:
        """Set when a task is due, on the wall clock of `zone`; None: it is no longer due at any time."""
        values = {"due": None, "due_zone": None} if due is None else {"due": due.stored, "due_zone": zone}
        async with self._changed(user_id, task, values, at, act) as tx:
            when = "no longer due" if due is None else f"due {due.stored}"
            await _record(user_id, task.project_id, f"task {task.number} is {when}: {task.title}", at, tx=tx)
            await self._alarms.keep(user_id, task.id, at, tx=tx)

    async def finish(self, user_id: UserId, subject: str, now: datetime, *, tx: Transaction) -> None:
        """Mark the task as done that an alarm was about; see `AlarmDone`."""
        if (task_id := TaskAlarms.task_of(subject)) is None:
            return
        row = await tx.fetch_one(
            "UPDATE project_tasks SET status = 'done', updated_at = ? WHERE user_id = ? AND id = ?"
            " AND status <> 'done' RETURNING *",
            to_ms(now),
            user_id,
            task_id,
        )
        if row is not None:
            what = f"task {row['number']} is done: {row['title']}"
            await _record(user_id, row["project_id"], what, now, tx=tx)

    async def find_task(self, user_id: UserId, task_id: int) -> Task | None:
        row = await self._db.fetch_one(
            "SELECT * FROM project_tasks WHERE user_id = ? AND id = ?", user_id, task_id
        )
        return None if row is None else _task(row)

    async def reword_task(
        self, user_id: UserId, task: Task, title: str, at: datetime, *, act: Act | None = None
    ) -> None:
        async with self._changed(user_id, task, {"title": title}, at, act) as tx:
            await _record(user_id, task.project_id, f"task {task.number} is now called: {title}", at, tx=tx)
            await self._alarms.reword(user_id, task.id, title, tx=tx)

    @asynccontextmanager
    async def _changed(
        self, user_id: UserId, task: Task, values: Mapping[str, str | None], at: datetime, act: Act | None
    ) -> AsyncIterator[Transaction]:
        """Write new values of a task; what goes with that joins the transaction."""
        columns = ", ".join(f"{column} = ?" for column in values)
        async with recorded(self._db, act) as tx:
            if not await tx.execute(
                f"UPDATE project_tasks SET {columns}, updated_at = ? WHERE user_id = ? AND id = ?",
                *values.values(),
                to_ms(at),
                user_id,
                task.id,
            ):
                raise NotFound("task_unknown")
            yield tx

    async def rename(
        self, user_id: UserId, project_id: int, name: str, at: datetime, *, act: Act | None = None
    ) -> bool:
        """Call a project otherwise; returns whether no other of the owner's is called so."""
        async with recorded(self._db, act) as tx:
            renamed = await tx.execute(
                "UPDATE projects SET name = ?1, name_key = ?2 WHERE user_id = ?3 AND id = ?4 AND NOT EXISTS"
                " (SELECT 1 FROM projects AS p WHERE p.user_id = ?3 AND p.name_key = ?2 AND p.id <> ?4)",
                name,
                fold(name),
                user_id,
                project_id,
            )
            if renamed:
                await _record(user_id, project_id, f"project is now called {name}", at, tx=tx)
        return bool(renamed)

    async def delete_task(self, user_id: UserId, task: Task, at: datetime, *, act: Act | None = None) -> None:
        async with recorded(self._db, act) as tx:
            if not await tx.execute("DELETE FROM project_tasks WHERE user_id = ? AND id = ?", user_id, task.id):
                raise NotFound("task_unknown")
            await _record(user_id, task.project_id, f"task {task.number} deleted: {task.title}", at, tx=tx)
            await self._alarms.keep(user_id, task.id, at, tx=tx)

    async def list_activity(self, user_id: UserId, project_id: int, *, limit: int) -> list[Activity]:
        """Return what happened last, newest first."""
        rows = await self._db.fetch_all(
            "SELECT what, created_at FROM project_activity WHERE user_id = ? AND project_id = ?"
            " ORDER BY id DESC LIMIT ?",
            user_id,
            project_id,
            limit,
        )
        return [Activity(row["what"], from_ms(row["created_at"])) for row in rows]

    async def add_note(
        self, user_id: UserId, project_id: int, content: str, at: datetime, *, act: Act | None = None
    ) -> int:
        """Keep a note in a project and return its number there."""
        async with recorded(self._db, act) as tx:
            number = await _next_in_project(user_id, project_id, "last_note", tx=tx)
            await tx.execute(
                "INSERT INTO project_notes(user_id, project_id, number, content, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                user_id,
                project_id,
                number,
                content,
                to_ms(at),
            )
            await _record(user_id, project_id, f"note {number} added", at, tx=tx)
        return number

    async def list_notes(self, user_id: UserId, project_id: int, *, limit: int) -> list[ProjectNote]:
        """Return a project's notes, newest first."""
        rows = await self._db.fetch_all(
            f"{_NOTES} WHERE n.user_id = ? AND n.project_id = ? ORDER BY n.number DESC LIMIT ?",
            user_id,
            project_id,
            limit,
        )
        return [_note(row) for row in rows]

    async def search_notes(
        self, user_id: UserId, query: str, *, project_id: int | None = None, limit: int
    ) -> list[ProjectNote]:
        """Return notes of one project, or of all, that hold the words; as `Notes.search`."""
        words = word_search(self._db, "project_notes_fts")
        within = " AND n.user_id = ?2 AND (CAST(?3 AS BIGINT) IS NULL OR n.project_id = ?3)"

        async def full_text(expression: str) -> list[Row]:
            # CROSS: the words first. Else SQLite goes through the person's rows, and searches anew for each.
            return await self._db.fetch_all(
                f"{_NOTE} FROM project_notes_fts CROSS JOIN project_notes AS n ON n.id = project_notes_fts.rowid"
                " JOIN projects AS p ON p.id = n.project_id"
                f" WHERE {words.matches} {within} ORDER BY {words.cost}, n.id DESC LIMIT ?4",
                expression,
                user_id,
                project_id,
                limit,
            )

        async def like(pattern: str) -> list[Row]:
            return await self._db.fetch_all(
                f"{_NOTES} WHERE n.content LIKE ?1 ESCAPE '\\' {within} ORDER BY n.id DESC LIMIT ?4",
                pattern,
                user_id,
                project_id,
                limit,
            )

        return [_note(row) for row in await first_found(query, full_text, like)]


async def _next_in_project(
    user_id: UserId, project_id: int, counter: Literal["last_task", "last_note"], *, tx: Transaction
) -> int:
    row = await tx.fetch_one(
        f"UPDATE projects SET {counter} = {counter} + 1 WHERE user_id = ? AND id = ?"
        f" RETURNING {counter} AS number",
        user_id,
        project_id,
    )
    return int(_found(row)["number"])


async def _record(user_id: UserId, project_id: int, what: str, at: datetime, *, tx: Transaction) -> None:
    await tx.execute(
        "INSERT INTO project_activity(user_id, project_id, what, created_at) VALUES (?, ?, ?, ?)",
        user_id,
        project_id,
        what,
        to_ms(at),
    )


def _found(row: Row | None) -> Row:
    if row is None:
        raise NotFound("project_unknown")
    return row


def _project(row: Row) -> Project:
    return Project(
        row["id"],
        row["number"],
        row["name"],
        row["description"],
        row["status"],
        tasks=row["tasks"],
        done=row["done"],
    )


def _task(row: Row) -> Task:
    return Task(
        row["id"],
        row["project_id"],
        row["number"],
        row["title"],
        row["status"],
        row["priority"],
        None if row["due"] is None else Due.read(row["due"]),
    )


def _note(row: Row) -> ProjectNote:
    return ProjectNote(row["project"], row["number"], row["content"], from_ms(row["created_at"]))
