"""What the style guide promises about the whole tree, checked on its syntax, its schema and its files."""

import ast
import functools
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from app.config import Settings
from app.database.db import Database, Row
from app.database.migrate import load_migrations
from tests.databases import migrated
from tests.syntax import every_node

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / "app").rglob("*.py"))
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 50
MAX_NINTH_DECILE = 16
"""Of the lines of all functions."""
SETTING_LINE = re.compile(r"(?:# ?)?([A-Z][A-Z0-9_]*)=")

BROAD_EXCEPT_PLACES = frozenset(
    {"pipeline/queueing/dispatcher.py", "pipeline/queueing/lanes.py", "skills/engine.py"}
)
"""A turn, a lane and a tool: whatever is raised in them must not end the process. All others re-raise."""

FROZEN_CALLS = frozenset(
    {
        "Decimal",
        "LatePattern",
        "NewType",
        "ParamSpec",
        "Path",
        "TypeAdapter",
        "TypeVar",
        "httpx.Limits",
        "httpx.Timeout",
        "json.JSONDecoder",
        "lazy",
        "object",
        "range",
        "re.compile",
        "structlog.get_logger",
        "timedelta",
        "typer.Typer",
    }
)
"""What a module may call for a constant, besides our frozen dataclasses: the result never changes.

Typer's commands are added once, while their module is imported. A LatePattern is compiled once, to what it says.
"""

READ_ONLY_WRAPPERS = frozenset({"MappingProxyType", "frozenset", "tuple"})
MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.cache
def trees() -> dict[Path, ast.Module]:
    """Parsed by the tests that look, not by each worker that collects."""
    return {path: ast.parse(path.read_text("utf-8")) for path in MODULES}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT / "app").as_posix()


@functools.cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All of a tree, walked once for all tests."""
    return every_node(tree)


def functions(tree: ast.Module) -> Iterator[Function]:
    return (node for node in nodes(tree) if isinstance(node, Function))


def code_lines(function: Function, lines: list[str]) -> int:
    """Lines of a function's body, without its docstring, blank lines and comments."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    if not body:
        return 0
    inside = lines[body[0].lineno - 1 : function.end_lineno]
    return sum(1 for line in inside if line.strip() and not line.strip().startswith("#"))


@functools.cache
def frozen_makers() -> frozenset[str]:
    """What the style guide lists, our frozen dataclasses, and functions that return one, a text or a pattern."""
    classes = {
        node.name
        for tree in trees().values()
        for node in nodes(tree)
        if isinstance(node, ast.ClassDef) and any("frozen=True" in ast.unparse(one) for one in node.decorator_list)
    }
    makers = {
        node.name
        for tree in trees().values()
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and node.returns
        and ast.unparse(node.returns) in {*classes, "str", "re.Pattern[str]"}
    }
    return FROZEN_CALLS | classes | makers


def is_frozen_call(call: ast.Call) -> bool:
    """The call is of a known maker, of a frozen class's own constructor, or fills in a text."""
    name = ast.unparse(call.func)
    is_formatting = isinstance(call.func, ast.Attribute) and call.func.attr == "format"
    return is_formatting or name in frozen_makers() or name.partition(".")[0] in frozen_makers()


def mutable_parts(value: ast.expr) -> Iterator[ast.expr]:
    """Parts of a module-level value that somebody could change, or that nobody has vouched for."""
    match value:
        case ast.Call(func=func, args=args) if ast.unparse(func) in READ_ONLY_WRAPPERS:
            for wrapped in args:
                yield from mutable_entries(wrapped)
        case ast.Call():
            if not is_frozen_call(value):
                yield value
        case ast.Lambda() | ast.Subscript():
            return  # code, and the parameters of a type
        case _ if isinstance(value, MUTABLE):
            yield value
        case _:
            yield from parts_inside(value)


def mutable_entries(wrapped: ast.expr) -> Iterator[ast.expr]:
    """A read-only view of lists is not read-only: look at the values of a literal dictionary."""
    if isinstance(wrapped, ast.Dict):
        for key, entry in zip(wrapped.keys, wrapped.values, strict=True):
            if key is not None:
                yield from mutable_parts(entry)


def parts_inside(value: ast.expr) -> Iterator[ast.expr]:
    for part in ast.iter_child_nodes(value):
        if isinstance(part, ast.expr):
            yield from mutable_parts(part)


def module_values(tree: ast.Module) -> Iterator[ast.expr]:
    """Values bound when the module is imported, wherever in an `if` or `try` they stand."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            if statement.value is not None and not is_export_list(statement):
                yield statement.value
        elif not isinstance(statement, Function | ast.ClassDef):
            waiting += [node for node in ast.walk(statement) if isinstance(node, ast.Assign | ast.AnnAssign)]


def is_export_list(statement: ast.Assign | ast.AnnAssign | ast.AugAssign) -> bool:
    """`__all__` must be a list or a tuple by the language's rules; nobody reads it at run time."""
    return isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__"


def class_values(tree: ast.Module) -> Iterator[ast.expr]:
    """Values that all objects of a class share; a pydantic model copies the defaults of its fields."""
    for node in nodes(tree):
        if isinstance(node, ast.ClassDef):
            for one in node.body:
                is_field = isinstance(one, ast.AnnAssign) and node.bases and "ClassVar" not in ast.unparse(one)
                if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None and not is_field:
                    yield one.value


def is_broad(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    if caught is None:
        return True
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(name, ast.Name) and name.id in {"Exception", "BaseException"} for name in names)


def reraises(handler: ast.ExceptHandler) -> bool:
    """The handler ends by raising, and nothing in it leaves earlier."""
    leaves = [node for node in ast.walk(handler) if isinstance(node, ast.Return | ast.Continue | ast.Break)]
    return isinstance(handler.body[-1], ast.Raise) and not leaves


def test_a_module_stays_small_enough_to_be_read_at_once() -> None:
    sizes = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: size for name, size in sizes.items() if size > MAX_MODULE_LINES} == {}


def test_functions_stay_small_enough_to_be_understood() -> None:
    sizes: dict[str, int] = {}
    for path in MODULES:
        lines = path.read_text("utf-8").splitlines()
        for function in functions(trees()[path]):
            sizes[f"{name_of(path)}:{function.lineno} {function.name}"] = code_lines(function, lines)
    assert {name: size for name, size in sizes.items() if size > MAX_FUNCTION_LINES} == {}
    assert sorted(sizes.values())[len(sizes) * 9 // 10] <= MAX_NINTH_DECILE


def test_no_module_remembers_anything() -> None:
    globals_ = [
        f"{name_of(path)}:{node.lineno}"
        for path, tree in trees().items()
        for node in nodes(tree)
        if isinstance(node, ast.Global)
    ]
    assert globals_ == []
    mutable = [
        f"{name_of(path)}:{part.lineno}: {ast.unparse(part)[:80]}"
        for path, tree in trees().items()
        for value in module_values(tree)
        for part in mutable_parts(value)
    ]
    assert mutable == []


def test_no_class_shares_something_that_changes() -> None:
    shared = [
        f"{name_of(path)}:{value.lineno}: {ast.unparse(value)[:80]}"
        for path, tree in trees().items()
        for value in class_values(tree)
        if isinstance(value, MUTABLE)
    ]
    assert shared == []


def test_nobody_swallows_what_they_do_not_know() -> None:
    swallowing = Counter(
        name_of(path)
        for path, tree in trees().items()
        for node in nodes(tree)
        if isinstance(node, ast.ExceptHandler) and is_broad(node) and not reraises(node)
    )
    assert swallowing - Counter(BROAD_EXCEPT_PLACES) == Counter()


def test_nothing_is_imported_inside_a_function() -> None:
    inside = Counter(
        name_of(path)
        for path, tree in trees().items()
        for function in functions(tree)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    # The bundled model's library is optional: only its own process loads it, and says so when it is missing.
    assert inside - Counter({"llm/llamacpp_server.py": 1}) == Counter()


def imported_by(tree: ast.Module) -> Iterator[str]:
    """Names of modules, and of what is taken out of them, which may be modules too."""
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def test_no_modules_import_each_other_in_a_circle() -> None:
    names = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in MODULES}
    ours = {path: name.removesuffix(".__init__") for path, name in names.items()}
    imports = {name: {*imported_by(trees()[path])} & {*ours.values()} - {name} for path, name in ours.items()}
    assert sum(map(len, imports.values())) > len(MODULES)
    TopologicalSorter(imports).prepare()


def test_every_setting_stands_in_the_example_file_and_nothing_else_does() -> None:
    lines = (ROOT / ".env.example").read_text("utf-8").splitlines()
    named = [match[1] for line in lines if (match := SETTING_LINE.match(line))]
    assert sorted(named) == sorted(name.upper() for name in Settings.model_fields)


def test_the_example_file_comments_each_setting_in_the_order_of_the_class() -> None:
    lines = (ROOT / ".env.example").read_text("utf-8").splitlines()
    matches = [(n, SETTING_LINE.match(line)) for n, line in enumerate(lines)]
    numbered = [(n, match[1].lower()) for n, match in matches if match is not None]
    assert [name for _, name in numbered] == list(Settings.model_fields)
    assert [name for n, name in numbered if not re.match(r"# .+ .+", lines[n - 1])] == []


def test_an_unchanged_copy_of_the_example_file_is_a_valid_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    text = (ROOT / ".env.example").read_text("utf-8")
    uncommented = re.sub(r"^# ?([A-Z][A-Z0-9_]*=)", r"\1", text, flags=re.MULTILINE)
    for content in (text, uncommented):
        (tmp_path / ".env").write_text(content)
        assert Settings(_env_file=tmp_path / ".env") == Settings(_env_file=None)


async def ordinary_tables(db: Database) -> list[Row]:
    """Tables of ours; search indexes are virtual ones and bring tables of their own."""
    rows = await db.fetch_all("PRAGMA table_list")
    return [row for row in rows if row["type"] == "table" and not row["name"].startswith("sqlite_")]


async def test_every_row_that_belongs_to_somebody_says_to_whom() -> None:
    async with migrated() as db:
        names = [row["name"] for row in await ordinary_tables(db)]
        columns = {name: await db.fetch_all(f"PRAGMA table_info({name})") for name in names}
        keys = {name: await db.fetch_all(f"PRAGMA foreign_key_list({name})") for name in names}
    owned = {name: column for name, found in columns.items() for column in found if column["name"] == "user_id"}
    assert {"users", "identities", "inbox", "outbox", "conversations", "messages"} <= set(owned)
    assert [name for name, column in owned.items() if not column["notnull"]] == []
    for name in owned.keys() - {"users"}:
        to_users = [key for key in keys[name] if key["table"] == "users" and key["from"] == "user_id"]
        assert [key["on_delete"] for key in to_users] == ["CASCADE"], name


async def test_every_table_checks_its_types() -> None:
    async with migrated() as db:
        tables = await ordinary_tables(db)
    assert [row["name"] for row in tables if not row["strict"]] == ["schema_migrations"]


def _is_postgresql(path: Path) -> bool:
    return path.name.endswith(".postgresql.sql")


def test_the_migrations_of_each_room_are_numbered_without_gaps() -> None:
    moved = {one.replaces[:4] for one in load_migrations() if one.replaces}
    folders = sorted({path.parent for path in (ROOT / "app").rglob("migrations/*.sql")})
    for folder in folders:
        numbers = {path.name[:4] for path in folder.glob("*.sql") if not _is_postgresql(path)}
        expected = {f"{n:04}" for n in range(1, int(max(numbers)) + 1)}
        # Files of the core whose statements are an ability's now are gone.
        assert numbers == expected - (moved - numbers if folder.parent.name == "database" else set()), folder
    files = sorted(path.name for folder in folders for path in folder.glob("*.sql") if not _is_postgresql(path))
    assert sorted(f"{one.version:04}_{one.name}.sql" for one in load_migrations()) == files


def distribution(requirement: str) -> str:
    """The normalised name in a requirement (PyPA, "Names and normalization")."""
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match is not None, requirement
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [one for group in project.get("optional-dependencies", {}).values() for one in group]
    wanted = {distribution(one) for one in (*project["dependencies"], *extras)}
    pinned = {distribution(line) for line in constraints() if re.fullmatch(r"[A-Za-z0-9._-]+==[\w.+!-]+", line)}
    assert wanted - pinned == set()


def test_the_constraints_are_pins_and_name_no_place_on_any_machine() -> None:
    lines = constraints()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[\w.+!-]+( ?;.*)?", line)] == []
    assert len({distribution(line) for line in lines}) == len(lines)


def constraints() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def test_one_process_has_one_copy_of_sqlite() -> None:
    """A second one drops the locks of the first, which crashed whoever read then; `:memory:` is nobody's file."""
    allowed = {ROOT / "app/database/sqlite.py", ROOT / "app/media/heavy/tables.py"}
    written = [*MODULES, *sorted((ROOT / "tests").rglob("*.py"))]
    asks = re.compile(r"^\s*(?:import|from) (?:py)?sqlite3\b", re.MULTILINE)
    assert {path for path in written if asks.search(path.read_text("utf-8"))} == allowed
