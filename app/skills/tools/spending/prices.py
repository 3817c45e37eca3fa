"""The price table: a file that its owner fills in, read again whenever it changed."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

log = structlog.get_logger(__name__)

FILE: Final = "prices.toml"
TEMPLATE: Final = Path(__file__).parent / FILE
_DEFAULT: Final = "default"

Price = Annotated[Decimal, Field(ge=0, le=1000)]


class PriceTable(BaseModel):
    """Prices of one message by country and category; `as_of` and `source` say whose they are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    as_of: date | None = None
    source: str = ""
    currency: str = "USD"
    free_service_messages: Annotated[int, Field(ge=0)] = 1000
    prices: Mapping[str, Mapping[str, Price]] = Field(default_factory=dict)

    def price(self, country: str, category: str) -> Decimal | None:
        """Return what one message costs; None where the table does not say."""
        for key in (country, _DEFAULT):
            if (found := self.prices.get(key, {}).get(category)) is not None:
                return found
        return None


@dataclass(frozen=True, slots=True)
class _Read:
    changed_ns: int
    table: PriceTable
    problem: str


class Prices:
    """The table in `folder`; the template is put there first, so that there is something to edit."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._read: _Read | None = None

    def put_template(self) -> None:
        if not self.path.exists():
            self.path.write_bytes(TEMPLATE.read_bytes())

    def table(self) -> PriceTable:
        """Return the table as the file has it now; the last good one while the file cannot be read."""
        return self._current().table

    def problem(self) -> str:
        """Return what is wrong with the file, "" if nothing is."""
        return self._current().problem

    def _current(self) -> _Read:
        changed_ns = self.path.stat().st_mtime_ns if self.path.exists() else 0
        if self._read is None or self._read.changed_ns != changed_ns:
            self._read = self._fresh(changed_ns)
        return self._read

    def _fresh(self, changed_ns: int) -> _Read:
        last = PriceTable() if self._read is None else self._read.table
        if not changed_ns:
            return _Read(changed_ns, last, "")
        try:
            loaded = tomllib.loads(self.path.read_text("utf-8"), parse_float=Decimal)
            return _Read(changed_ns, PriceTable.model_validate(loaded), "")
        except (OSError, ValueError) as exc:
            problem = _describe(exc)
            log.error("prices.unreadable", problem=problem)
            return _Read(changed_ns, last, problem)


def _describe(exc: OSError | ValueError) -> str:
    if isinstance(exc, ValidationError):
        error = exc.errors()[0]
        return f"{'.'.join(map(str, error['loc']))}: {error['msg']}"
    return str(exc) if isinstance(exc, tomllib.TOMLDecodeError) else type(exc).__name__
