"""What everything that is wired here stands on."""

from dataclasses import dataclass

from app.config import Settings
from app.database.repository import Repository
from app.database.vectors import VectorIndex
from app.domain.ports import Clock, Embedder


@dataclass(frozen=True, slots=True)
class Ground:
    """What everything stands on."""

    settings: Settings
    repository: Repository
    clock: Clock


@dataclass(frozen=True, slots=True)
class Meanings:
    """What finds texts by what they mean; without an embedder there is no index, and words must do.

    `index` and `spare`: see `Indexer`.
    """

    embedder: Embedder
    index: VectorIndex
    spare: VectorIndex
