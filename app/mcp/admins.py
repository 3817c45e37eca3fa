"""The admins, as those to whom the servers have something to say."""

from collections.abc import Callable

from app.database.repository import Repository
from app.domain.ids import UserId
from app.domain.outbound import OutText
from app.domain.ports import Clock
from app.language.catalogue import Language


class Admins:
    """Those whom the settings name (see `AllowList.admins`), once they have written and are trusted."""

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        named: frozenset[str],
        *,
        wake_delivery: Callable[[frozenset[UserId]], None],
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._named = named
        self._wake_delivery = wake_delivery

    async def tell(self, text_in: Callable[[Language], str]) -> frozenset[UserId]:
        """Owe each of them a text in their language, and return who that is; history and the log keep none of it.

        Raises:
            Transient: the store failed, and nobody is told.
        """
        now = self._clock.now()
        async with self._repository.transaction() as tx:
            meant = await self._repository.directory.list_meant(self._named, tx=tx)
            told = [admin for admin in meant if admin.trust == "trusted"]
            for admin in told:
                text = OutText(text_in(admin.language))
                await self._repository.outbox.add(admin.user_id, [text], now, turn_id=None, tx=tx)
        ids = frozenset(admin.user_id for admin in told)
        self._wake_delivery(ids)
        return ids
