"""The rows that a query found, for a model and for the person."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from babel.numbers import format_decimal

from app.domain.wording import cut, one_line
from app.language.catalogue import Language, say
from app.media.repository import Document
from app.media.texts import MEDIA

_MODEL_CHARS: Final = 8000
_TOLD_ROWS: Final = 20
_TOLD_CHARS: Final = 3000
_CELL_CHARS: Final = 80


def rows_for_model(answer: Mapping[str, Any]) -> str:
    """Return the rows below their columns, cut to what a prompt takes."""
    rows = [" | ".join("" if cell is None else str(cell) for cell in row) for row in answer["rows"]]
    more = "\n(more rows are left out)" if answer["more"] else ""
    return "\n".join([" | ".join(map(str, answer["columns"])), *rows])[:_MODEL_CHARS] + more


def rows_told(document: Document, answer: Mapping[str, Any], language: Language) -> str:
    """Say what was computed: one figure with its name, or a line for each row."""
    columns, rows = [str(one) for one in answer["columns"]], list(answer["rows"])
    if not rows or all(cell is None for row in rows for cell in row):
        return say(MEDIA.table_none, language, title=document.title)
    if len(rows) == 1:
        pairs = zip(columns, rows[0], strict=False)
        told = "\n".join(f"{name}: {_cell(cell, language)}" for name, cell in pairs)
    else:
        told = "\n".join((" · ".join(columns), *(_row(row, language) for row in rows[:_TOLD_ROWS])))
    said = say(MEDIA.table_said, language, title=document.title, text=cut(told, _TOLD_CHARS))
    is_cut = bool(answer["more"]) or len(rows) > _TOLD_ROWS or len(told) > _TOLD_CHARS
    return f"{said}\n{say(MEDIA.table_more, language)}" if is_cut else said


def _row(row: Sequence[object], language: Language) -> str:
    return "• " + " · ".join(_cell(cell, language) for cell in row)


def _cell(cell: object, language: Language) -> str:
    """Numbers as the person writes them, without grouping: a year and an article number are numbers, too."""
    if isinstance(cell, float):
        return str(format_decimal(cell, locale=language, decimal_quantization=False, group_separator=False))
    return "–" if cell is None else one_line(str(cell), _CELL_CHARS)
