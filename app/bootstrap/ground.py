"""What everything that is wired here stands on."""

from dataclasses import dataclass

from app.config import Settings
from app.database.repository import Repository
from app.domain.ports import Clock


@dataclass(frozen=True, slots=True)
class Ground:
    """What everything stands on."""

    settings: Settings
    repository: Repository
    clock: Clock
