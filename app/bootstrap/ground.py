"""What everything that is wired here stands on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zoneinfo import available_timezones

from app.config import Settings
from app.database.repository import Repository
from app.domain.ports import Clock

_LOCALTIME: Final = Path("/etc/localtime")


@dataclass(frozen=True, slots=True)
class Ground:
    """What everything stands on."""

    settings: Settings
    repository: Repository
    clock: Clock


def local_timezone(settings: Settings) -> str:
    """Return TIMEZONE, or the zone that this machine is set to, or UTC."""
    if settings.timezone:
        return settings.timezone
    target = str(_LOCALTIME.resolve())
    name = target.partition("zoneinfo/")[2]
    return name if name in available_timezones() else "UTC"
