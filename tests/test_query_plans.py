"""What a message costs must not grow with what is stored: no statement reads the whole of a table that grows.

The statements are found in the source, so that a new one is asked about without being named here.
"""

import ast
import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Final

from app.database.db import Database
from app.database.repositories.embeddings import TextSource
from app.database.vectors import SqliteVecIndex
from app.privacy.ownership import Ownership
from tests.databases import migrated

ROOT: Final = Path(__file__).resolve().parents[1]
CALLS: Final = frozenset({"fetch_all", "fetch_one", "execute", "execute_many"})
VERB: Final = re.compile(r"(SELECT|INSERT( OR \w+)? INTO|UPDATE|DELETE FROM|WITH) ")
OTHER: Final = re.compile(r"(PRAGMA|CREATE|DROP|BEGIN|COMMIT|ROLLBACK|VACUUM) ?")
NOT_ASKED: Final = frozenset(
    {
        "app/database/db.py",
        "app/database/sqlite.py",
        "app/database/postgresql.py",
        "app/database/moving.py",
        "app/media/heavy/tables.py",
    }
)
"""Some are given the statements of all others, one copies everything, one asks the tables of a sent document."""

TOOL_RUNNERS: Final = frozenset({"super()", "self._engine", "tool"})
"""Whose `execute` runs a tool."""

FEW: Final = frozenset(
    {"users", "erasures", "tool_index", "tool_rules", "tool_vectors", "schema_migrations", "processes"}
)
"""One row for each person, tool, migration, or process of the last day: nothing that is written adds one."""

ONLY_WHAT_IS_OPEN: Final = frozenset(
    {
        "inbox_open",
        "outbox_open",
        "outbox_stopped",
        "outbox_lost",
        "questions_waited_for",
        "conversations_open",
        "conversations_unsettled",
    }
)
"""Partial indexes: what is handled has left them."""

STOPS_EARLY: Final = re.compile(r" ORDER BY (id|last_at) DESC LIMIT (\?|\d+)(\)( AS \w+)?)?$")
"""Read from the end, in the order of the index."""

VALUES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "change": ("state = ?", "state = ?, available_at = ?, error = ?"),
        "changes": ("name = NULL",),
        "columns": ("status = ?", "due = ?, due_zone = ?", "title = ?"),
        "column": ("wa_id", "bsuid"),
        "condition": ("dims > 0 AND dims < ?", "dims > ?"),
        "counter": ("last_task", "last_note"),
        "floor": ("coalesce(s.through_message_id, 0)", "c.extracted_through_message_id"),
        "held": ("SELECT id FROM vec_embeddings",),
        "order": ("ASC", "DESC"),
        "places": ("?, ?",),
        "one.table": ("notes",),
        "wanted": ("title = ?",),
        "names": ("title, content",),
        "marks": ("?, ?",),
        "_places(kinds)": ("?, ?",),
        "within": (" AND n.user_id = ?2 AND (CAST(?3 AS BIGINT) IS NULL OR n.project_id = ?3)",),
        "words.matches": ("<words> MATCH ?1",),
        "words.cost": ("<words>.rank",),
        "row['name']": ("notes_fts",),
        "table['name']": ("vec_embeddings_chunks",),
    }
)
"""What stands for a part of a statement that the source alone does not tell."""

ONCE: Final = frozenset(
    {
        ("app/database/repositories/embeddings.py", "_list_unread"),
        ("app/database/repositories/acts.py", "watching"),
        ("app/database/repositories/audit.py", "list_blanked"),
        ("app/database/repositories/audit.py", "count_unrecorded"),
    }
)
"""Functions that go through all there is, or make triggers: once in the life of a process, or when an operator has
the whole audit trail checked."""


def _with_words(sql: str) -> str:
    """Name the full-text table that the statement searches; see `word_search`."""
    table = re.search(r"\w+_fts", sql)
    return sql.replace("<words>", table[0]) if table else sql


@dataclass(frozen=True, slots=True)
class Statement:
    place: str
    function: str
    sql: str

    @property
    def aliases(self) -> Mapping[str, str]:
        """The tables behind the names that a plan uses."""
        named = re.findall(r"(?:FROM|JOIN|UPDATE|INTO) \"?(\w+)\"?(?: AS)?(?: ([a-z]\w*)\b)?", self.sql)
        return {alias or table: table for table, alias in named}


class Source:
    """One module of the application, and the statements in it."""

    def __init__(self, path: Path, owned: Sequence[str], texts: Sequence[TextSource]) -> None:
        self.place = path.relative_to(ROOT).as_posix()
        self._module = importlib.import_module(self.place.removesuffix(".py").replace("/", "."))
        self._tree = ast.parse(path.read_text("utf-8"))
        self._owned = tuple(owned)
        self._texts = tuple(texts)

    def statements(self) -> Iterator[Statement]:
        for function in ast.walk(self._tree):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            calls = (node for node in ast.walk(function) if isinstance(node, ast.Call) and node.args)
            asked = (call.args[0] for call in calls if _name(call.func) in CALLS)
            for first in asked:
                if not OTHER.match(ast.unparse(first).lstrip("f\"'")):
                    for sql in self._rendered(first):
                        yield Statement(self.place, function.name, _with_words(sql))

    def _rendered(self, node: ast.expr) -> tuple[str, ...]:
        match node:
            case ast.Constant(value=str(text)):
                return (text,)
            case ast.JoinedStr(values=parts):
                return tuple("".join(chosen) for chosen in product(*map(self._rendered, parts)))
            case ast.BinOp(left=left, right=right):
                return tuple(a + b for a, b in product(self._rendered(left), self._rendered(right)))
            case ast.FormattedValue(value=value):
                return self._value(ast.unparse(value))
            case _:
                return self._value(ast.unparse(node))

    def _value(self, expression: str) -> tuple[str, ...]:
        if isinstance(found := getattr(self._module, expression, None), str):
            return (found,)
        if expression in VALUES:
            return VALUES[expression]
        if expression == "table":
            return self._owned
        if expression.endswith(".select"):
            return tuple(text.select for text in self._texts)
        if expression in {"where", "statement"}:
            begin = re.compile("user_id = ") if expression == "where" else VERB
            return tuple(text for text in self._texts_of_module() if begin.match(text))
        raise AssertionError(f"{self.place}: what is {expression}? Say it in VALUES")

    def _texts_of_module(self) -> Iterator[str]:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def _name(function: ast.expr) -> str:
    """`fetch_all` of `self._db.fetch_all`; "" of a call on something that is no database."""
    owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
    is_asked = owner not in TOOL_RUNNERS and not owner.startswith("self._tools")
    return function.attr if is_asked and isinstance(function, ast.Attribute) else ""


def _texts() -> list[TextSource]:
    found: dict[str, TextSource] = {}
    for path in (ROOT / "app").rglob("repository.py"):
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        found |= {value.kind: value for value in vars(module).values() if isinstance(value, TextSource)}
    return list(found.values())


async def test_no_statement_reads_the_whole_of_a_table_that_grows() -> None:
    async with migrated() as db:
        async with db.transaction() as tx:
            await SqliteVecIndex(db, "any").make_room(3, tx=tx)
        owned = await Ownership(db).list_tables()
        rows = await db.fetch_all("SELECT name FROM pragma_table_list WHERE type = 'table'")
        tables = {row["name"] for row in rows} - {"sqlite_schema", "sqlite_master"}
        paths = sorted(path for path in (ROOT / "app").rglob("*.py") if has_statements(path))
        statements = [one for path in paths for one in Source(path, owned, _texts()).statements()]
        found = [
            f"{one.place} {one.function}: {line}"
            for one in statements
            for line in await reads_all(db, one, tables)
        ]
    assert len(statements) > 250
    assert not found, "\n".join(found)


def has_statements(path: Path) -> bool:
    text = path.read_text("utf-8")
    return path.relative_to(ROOT).as_posix() not in NOT_ASKED and any(f".{call}(" in text for call in CALLS)


async def reads_all(db: Database, statement: Statement, tables: set[str]) -> list[str]:
    """Return the lines of the plan that read all rows of a table that grows."""
    if (statement.place, statement.function) in ONCE:
        return []
    return [line for line in await plan(db, statement.sql) if _grows_with(line, statement, tables)]


def _grows_with(line: str, statement: Statement, tables: set[str]) -> bool:
    # "SEARCH x" without an index is how SQLite tells max() of a column: it looks at every row.
    match = re.fullmatch(r"(?:SCAN|SEARCH) (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", line)
    if match is None:
        return False
    table = statement.aliases.get(match[1], match[1])
    is_bounded = table in FEW or match[2] in ONLY_WHAT_IS_OPEN or STOPS_EARLY.search(statement.sql) is not None
    return table in tables and not is_bounded


async def plan(db: Database, sql: str) -> list[str]:
    """Ask SQLite how it would run a statement."""
    count = 0
    for number in re.findall(r"\?(\d*)", sql):
        count = max(count, int(number)) if number else count + 1
    return [row["detail"] for row in await db.fetch_all(f"EXPLAIN QUERY PLAN {sql}", *[None] * count)]


async def test_every_text_that_is_to_be_found_by_meaning_is_noted_when_it_is_new() -> None:
    async with migrated() as db:
        triggers = [
            row["sql"] for row in await db.fetch_all("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
        ]
    for text in _texts():
        noted = f"INTO unread_texts(kind, owner_id) VALUES ('{text.kind}', new.id)"
        assert any(f"AFTER INSERT ON {text.table}" in sql and noted in sql for sql in triggers), text.table
