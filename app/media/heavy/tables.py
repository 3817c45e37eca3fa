"""Tables of spreadsheets: read, described, and asked with SQL that can only read. Child process only."""

import csv
import io
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Final

from app.media.heavy.faults import Fault
from app.media.heavy.text import decoded

MAX_ROWS: Final = 50_000
MAX_COLUMNS: Final = 100
MAX_TABLES: Final = 20
MAX_RESULT_ROWS: Final = 50
_CELL_CHARS: Final = 500
_TOLD_ROWS: Final = 2000
_STEPS: Final = 1000
_MAX_CALLS: Final = 200_000
_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9.,\s]*")
_READING: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, 33})
"""33 is SQLITE_RECURSIVE, which the module does not name."""

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """A sheet: `columns` are usable names, `rows` as wide as they are."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def facts(self) -> dict[str, object]:
        return {"name": self.name, "columns": list(self.columns), "rows": len(self.rows)}


def run(*, path: str, filename: str, query: str) -> Mapping[str, object]:
    """Ask the tables of a file with one SELECT; returns `columns`, `rows` (at most `MAX_RESULT_ROWS`), `more`."""
    data = Path(path).read_bytes()
    kind = "xlsx" if data.startswith(b"PK") else "csv"
    tables = read_tables(kind, data)
    columns, found = _asked(tables, query)
    shown = [[_shown(cell) for cell in row] for row in found[:MAX_RESULT_ROWS]]
    return {"columns": columns, "rows": shown, "more": len(found) > MAX_RESULT_ROWS}


def _asked(tables: Sequence[Table], query: str) -> tuple[list[str], list[tuple[object, ...]]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for table in tables:
            _fill(db, table)
        calls = 0

        def is_too_long() -> int:
            nonlocal calls
            calls += 1
            return calls > _MAX_CALLS

        db.set_progress_handler(is_too_long, _STEPS)
        db.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY)
        try:
            cursor = db.execute(query)
            rows = cursor.fetchmany(MAX_RESULT_ROWS + 1)
        except sqlite3.Error as exc:
            raise Fault("bad_query", str(exc)[:300]) from exc
        return [one[0] for one in cursor.description or ()], rows


def read_tables(kind: str, data: bytes) -> list[Table]:
    """Read a spreadsheet, or text with any separator in any encoding."""
    tables = list(_sheets(data)) if kind == "xlsx" else [_separated(data)]
    if not any(table.rows for table in tables):
        raise Fault("empty")
    return tables


def told(table: Table) -> str:
    """Put a table in lines, its columns first, as they are read and searched."""
    lines = [f"Table {table.name}: {len(table.rows)} rows", " | ".join(table.columns)]
    lines += [" | ".join("" if cell is None else str(cell) for cell in row) for row in table.rows[:_TOLD_ROWS]]
    return "\n".join(lines)


def _separated(data: bytes) -> Table:
    text = decoded(data)
    if text is None:
        raise Fault("not_a_document")
    sample = text[:20_000]
    lines = [line for line in sample.splitlines() if line.strip()][:20]
    if not lines:
        raise Fault("empty")
    # The one that stands equally often in the most lines; csv.Sniffer guesses letters.
    separator = max(";\t|,", key=lambda mark: (_evenness(lines, mark), lines[0].count(mark)))
    csv.field_size_limit(1_000_000)
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        return _table("data", (row for row in rows if any(cell.strip() for cell in row)))
    except csv.Error as exc:
        raise Fault("damaged", str(exc)) from exc


def _evenness(lines: Sequence[str], mark: str) -> int:
    wanted = lines[0].count(mark)
    return sum(line.count(mark) == wanted for line in lines) if wanted else 0


def _sheets(data: bytes) -> Iterator[Table]:
    openpyxl = import_module("openpyxl")
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        for sheet in book.worksheets[:MAX_TABLES]:
            rows = sheet.iter_rows(values_only=True, max_row=MAX_ROWS + 1, max_col=MAX_COLUMNS)
            yield _table(sheet.title, (row for row in rows if any(cell is not None for cell in row)))
    except (
        *(LookupError, ValueError, TypeError, AttributeError, SyntaxError, OSError, RuntimeError, EOFError),
        *(zipfile.BadZipFile, zlib.error),
    ) as exc:
        raise Fault("damaged", type(exc).__name__) from exc


def _table(name: str, rows: Iterator[Sequence[Any]]) -> Table:
    kept = [row[:MAX_COLUMNS] for row in islice(rows, MAX_ROWS + 1)]
    head = kept[0] if kept else ()
    # One row alone is something to read, not the names of nothing.
    body = kept[1:] if len(kept) != 1 else kept
    # Sheets may claim a thousand columns of which three hold something.
    width = max((at + 1 for row in kept for at, cell in enumerate(row) if cell not in {None, ""}), default=0)
    columns = _names(head[: min(width, len(head))] if len(kept) != 1 else [None] * width)
    cells = [[_cell(cell) for cell in row[: len(columns)]] for row in body]
    filled = tuple((*row, *[None] * (len(columns) - len(row))) for row in cells)
    return Table(re.sub(r"\W+", "_", name).strip("_") or "sheet", columns, filled)


def _names(head: Sequence[object]) -> tuple[str, ...]:
    names: list[str] = []
    for number, cell in enumerate(head, start=1):
        name = (
            re.sub(r"\W+", "_", str(cell if cell is not None else "").strip()).strip("_")[:60] or f"column{number}"
        )
        while name.casefold() in {one.casefold() for one in names}:
            name += "_"
        names.append(name)
    return tuple(names) or ("column1",)


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, bool):
        return None if value is None else int(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, datetime):
        return value.isoformat(sep=" ").removesuffix(" 00:00:00")
    if isinstance(value, date):
        return value.isoformat()
    text = str(value).strip()[:_CELL_CHARS]
    number = _number(text)
    return text or None if number is None else number


def _number(text: str) -> int | float | None:
    """Read "1.234,50", "1,234.50" and "12 €" as numbers; what may be a code or a phone number stays text."""
    bare = text.strip(" €$£%\N{NO-BREAK SPACE}")
    if not _NUMBER.fullmatch(bare) or (bare.startswith("0") and len(bare) > 1 and bare[1].isdigit()):
        return None
    bare = bare.replace(" ", "").replace("\N{NO-BREAK SPACE}", "")
    last = max(bare.rfind(","), bare.rfind("."))
    if last >= 0:
        mark, other = bare[last], "," if bare[last] == "." else "."
        is_grouping = bare.count(mark) > 1 or (len(bare) - last == 4 and other not in bare and len(bare) > 4)
        is_grouping = is_grouping and not bare.startswith(("0", "-0"))
        bare = bare.replace(other, "")
        bare = bare.replace(mark, "") if is_grouping else bare.replace(mark, ".")
    try:
        return float(bare) if "." in bare else int(bare)
    except ValueError:
        return None


def _fill(db: sqlite3.Connection, table: Table) -> None:
    columns = ", ".join(f'"{name}"' for name in table.columns)
    marks = ", ".join("?" for _ in table.columns)
    db.execute(f'CREATE TABLE IF NOT EXISTS "{table.name}" ({columns})')
    db.executemany(f'INSERT INTO "{table.name}" VALUES ({marks})', table.rows)  # noqa: S608 - names are cleaned


def _shown(cell: object) -> Cell:
    if isinstance(cell, float):
        return round(cell, 6)
    return cell if isinstance(cell, int | str) or cell is None else str(cell)
