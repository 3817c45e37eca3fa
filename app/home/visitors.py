"""Who a session or a seat at this machine stands for: only people who may still talk to the assistant."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from app.database.repositories.users import User
from app.database.repository import Repository
from app.domain.errors import NotFound
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.domain.turn import ConfirmationMode
from app.language.catalogue import Language
from app.skills.pages import Visit


@dataclass(frozen=True, slots=True)
class People:
    """The aliases of everybody who is let in, and of admins; `here` are those whose home opens with the token."""

    allowed: frozenset[str]
    admins: frozenset[str]
    here: frozenset[str]


class Visitors:
    """`timezone` (IANA) is where the service runs, `users_dir` has each person's own directory, `mode` counts for
    whoever chose none."""

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        people: People,
        *,
        timezone: str,
        users_dir: Path,
        mode: ConfirmationMode,
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._people = people
        self._timezone = timezone
        self._users_dir = users_dir
        self._mode = mode

    async def find(self, user_id: UserId) -> Visit | None:
        """Return a person as a visitor; None when they are gone, or not trusted or allowed any more."""
        try:
            user, entries = await self._repository.directory.get_with_entries(user_id)
        except NotFound:
            return None
        if user.trust != "trusted" or self._people.allowed.isdisjoint(entries):
            return None
        return Visit(
            user_id=user_id,
            name=user.name or "",
            language=user.language,
            zone=ZoneInfo(user.zone(self._timezone)),
            is_admin=not self._people.admins.isdisjoint(entries),
            workspace=self._users_dir / user_id,
            mode=user.mode or self._mode,
            now=self._clock.now(),
        )

    def owner(self, language: Language) -> Visit:
        """Return whoever runs the service, before they have written as anybody."""
        return Visit(
            user_id=UserId(""),
            name="",
            language=language,
            zone=ZoneInfo(self._timezone),
            is_admin=True,
            workspace=self._users_dir,
            mode=self._mode,
            now=self._clock.now(),
        )

    async def list_here(self) -> list[User]:
        """Return whose homes open with the token of this machine."""
        return await self._list(self._people.here)

    async def _list(self, aliases: Collection[str]) -> list[User]:
        async with self._repository.transaction() as tx:
            meant = await self._repository.directory.list_meant(aliases, tx=tx)
        return [one for one in meant if one.trust == "trusted"]
