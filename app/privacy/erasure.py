"""Forgetting a person: all at once, confirmed to them, and completed whatever happens in between.

1. One transaction deletes every row of theirs, blanks the audit trail, frees their phone number and puts the
   sentence that confirms it in the outbox. Of the person only a row with their address is left.
2. Their files go, and delivery is woken.
3. Once the sentence was sent or given up, `finish_erasures` removes the address too, and whatever a turn that was
   cut off wrote meanwhile. It is a reconciler: a crash at any moment leaves something that it takes up.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog

from app.database.db import Transaction
from app.database.repository import Repository
from app.domain.errors import Transient
from app.domain.ids import TurnId, UserId
from app.domain.outbound import OutText
from app.domain.ports import Clock, PeoplesFiles, TurnControl
from app.domain.recollection import FileLock, ForgetElsewhere, Former
from app.language.catalogue import Language, say
from app.log import user_tag
from app.privacy.ownership import Ownership
from app.privacy.texts import PRIVACY

log = structlog.get_logger(__name__)

TELL_WITHIN: Final = timedelta(hours=24)
"""Meta refuses what is sent later than this after a person's last message, so nobody waits longer for it."""
_EVERY_TURN: Final = 2**62
_FOLDER_NAME: Final = re.compile(r"[0-9a-zA-Z-]+")


Confirmed = Callable[[Transaction], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Belongings:
    """What a person has beside the database: their `files`.

    Each of `locks` keeps somebody from writing them inside its block. Each of `elsewhere` forgets them in one
    more place; it may be called twice for one person.
    """

    files: PeoplesFiles
    locks: Sequence[FileLock] = ()
    elsewhere: Sequence[ForgetElsewhere] = ()


class Eraser:
    """Erases one person at a time; nothing of anybody else changes."""

    def __init__(
        self,
        repository: Repository,
        ownership: Ownership,
        clock: Clock,
        *,
        control: TurnControl,
        belongings: Belongings,
        wake_delivery: Callable[[frozenset[UserId]], None],
    ) -> None:
        self._repository = repository
        self._ownership = ownership
        self._clock = clock
        self._control = control
        self._belongings = belongings
        self._wake_delivery = wake_delivery

    async def erase(self, user_id: UserId, language: Language, *, confirmed: Confirmed) -> bool:
        """Forget a person whose confirmation still counts in the transaction that erases; False if it does not.

        Their running turn is cancelled and what they sent before is never answered, this turn's own row
        included: what its caller wants to reply is not sent, the sentence that confirms the erasure is.
        Messages that Meta delivers again stay known. The number is free at once: whoever writes from it begins
        as somebody new, if it is still allowed.
        """
        await self._control.cancel(user_id, TurnId(_EVERY_TURN))
        now = self._clock.now()
        async with self._repository.transaction() as tx:
            if not await confirmed(tx):
                return False
            await self._ownership.begin(user_id, now, tx=tx)
            await self._ownership.delete(user_id, keeps_address=True, tx=tx)
            told = OutText(say(PRIVACY.erased, language))
            await self._repository.outbox.add(user_id, [told], now, turn_id=None, tx=tx)
        log.info("erasure.begun", user=user_tag(user_id))
        await self._remove_files(user_id)
        self._wake_delivery(frozenset({user_id}))
        return True

    async def finish_erasures(self) -> int:
        """Remove for good whoever was erased and told so, and what was written about them since.

        Call it at start, before any turn runs, and from time to time. Returns how many people it removed. One
        whose files cannot be removed is tried again at the next call.
        """
        count = 0
        for user_id, address in await self._ownership.list_due(self._clock.now() - TELL_WITHIN):
            count += await self._complete(Former(user_id, address))
        await self._sweep()
        if count:
            await self._ownership.shrink()
        return count

    async def _complete(self, former: Former) -> bool:
        if not await self._remove_files(former.user_id):
            return False
        for forget in self._belongings.elsewhere:
            await forget(former)
        async with self._repository.transaction() as tx:
            await self._ownership.delete(former.user_id, keeps_address=False, tx=tx)
            await self._ownership.complete(former.user_id, self._clock.now(), tx=tx)
        log.info("erasure.completed", user=user_tag(former.user_id))
        return True

    async def _sweep(self) -> None:
        """Take away what a turn that was cut off, or a file that was half written, left after its person."""
        if late := await self._ownership.blank_late_audit():
            log.info("erasure.late_records_blanked", count=late)
        former = set(await self._ownership.list_former())
        for user_id in sorted(former.intersection(await self._owners()) if former else ()):
            await self._remove_files(user_id)

    async def _owners(self) -> Sequence[UserId]:
        try:
            return await self._belongings.files.list_owners()
        except (OSError, Transient) as exc:
            log.error("erasure.files_not_listed", reason=_reason(exc))
            return ()

    async def _remove_files(self, user_id: UserId) -> bool:
        if not _FOLDER_NAME.fullmatch(user_id):
            log.error("erasure.strange_id", user=user_tag(user_id))
            return True
        try:
            async with AsyncExitStack() as stack:
                for lock in self._belongings.locks:
                    await stack.enter_async_context(lock(user_id))
                await self._belongings.files.remove_all(user_id)
        except (OSError, Transient) as exc:
            log.error("erasure.files_left", user=user_tag(user_id), reason=_reason(exc))
            return False
        return True


def _reason(exc: OSError | Transient) -> str:
    reason = exc.strerror if isinstance(exc, OSError) else exc.code
    return reason or type(exc).__name__
