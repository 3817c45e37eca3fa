"""`wasap migrate --to`: everything into another database, with a bar, counts and hashes."""

from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from app.config import Settings
from app.database.db import Database, is_server
from app.database.lock import single_process
from app.database.migrate import migrate
from app.database.moving import MovedTable, count_rows, move
from app.domain.errors import ConfigError

_LABEL = "{task.description}"


async def move_everything(settings: Settings, to: str, *, replaces: bool) -> None:
    """Copy the database of the settings to a server (`postgresql://…`) or a file, and print what was moved.

    Raises:
        ConfigError: the service runs, or one of the databases cannot be used.
        Rejected: see `app.database.moving.move`.
    """
    where = to if is_server(to) else Path(to)
    if _is_in_use(where, settings):
        raise ConfigError("DATABASE_URL", "that is the database which is in use already")
    with single_process(settings.data_dir / "app.lock", database=settings.own_database_file):
        async with Database.open(settings.database) as source, Database.open(where) as target:
            for db in (source, target):
                await db.serve_alone()
                await migrate(db, backup_dir=settings.data_dir / "backups" if db is source else None)
            moved = await _with_bar(source, target, replaces=replaces)
    name = target.label if isinstance(where, str) else f"{target.label}, {where}"
    _tell(moved, name, where)


def _is_in_use(where: Path | str, settings: Settings) -> bool:
    own = settings.own_database_file
    return where.resolve() == own.resolve() if isinstance(where, Path) and own else where == settings.database


async def _with_bar(source: Database, target: Database, *, replaces: bool) -> list[MovedTable]:
    console = Console(stderr=True)
    columns = (TextColumn(_LABEL), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=sum((await count_rows(source)).values()))

        def tell(table: str, rows: int) -> None:
            bar.update(task, advance=rows, description=table)

        return await move(source, target, replaces=replaces, tell=tell)


def _tell(moved: list[MovedTable], name: str, where: Path | str) -> None:
    for table in moved:
        if table.rows:
            print(f"{table.name:24} {table.rows:>10} rows  sha256 {table.sha256[:16]}…")
    print(f"{sum(table.rows for table in moved)} rows are in {name}; each table was read again and is the same")
    setting = f"DATABASE_PATH={where}" if isinstance(where, Path) else "DATABASE_URL to the address you gave"
    other = "DATABASE_URL" if isinstance(where, Path) else "DATABASE_PATH"
    print(
        f"next: set {setting} in .env, take {other} out, and start the service; the old database was not changed"
    )
