"""The admins, and how they are written to."""

from collections.abc import Callable

from app.database.db import Transaction
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

    async def tell(self, text_in: Callable[[Language], str], *, only: UserId | None = None) -> frozenset[UserId]:
        """Owe each of them a text in their language, and return who that is; history and the log keep none of it.

        `only` one of them, where it is nobody else's business.

        Raises:
            Transient: the store failed, and nobody is told.
        """
        async with self._repository.transaction() as tx:
            told = await self.tell_in(tx, text_in, only=only)
        self.wake(told)
        return told

    async def tell_in(
        self,
        tx: Transaction,
        text_in: Callable[[Language], str],
        *,
        is_warning: bool = False,
        only: UserId | None = None,
        but: UserId | None = None,
    ) -> frozenset[UserId]:
        """As `tell`, in the caller's transaction, all of them `but` one; `wake` them afterwards."""
        meant = await self._repository.directory.list_meant(self._named, tx=tx)
        trusted = [admin for admin in meant if admin.trust == "trusted"]
        told = [admin for admin in trusted if admin.user_id != but and only in {None, admin.user_id}]
        for admin in told:
            await self._repository.outbox.add_unasked(
                admin.user_id,
                [OutText(text_in(admin.language))],
                self._clock.now(),
                occasion="warning" if is_warning else "unasked",
                tx=tx,
            )
        return frozenset(admin.user_id for admin in told)

    def wake(self, told: frozenset[UserId]) -> None:
        """Send what they are owed."""
        self._wake_delivery(told)
