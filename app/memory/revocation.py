"""A revoked message takes along what was learned from it."""

from typing import Protocol

import structlog

from app.database.repositories.ownership import Ownership
from app.domain.ids import TurnId, UserId, WaMessageId

log = structlog.get_logger(__name__)


class Forgetter(Protocol):
    """Facts, by the turn that they were learned in."""

    async def forget_turn(self, user_id: UserId, turn_id: TurnId) -> object:
        """Take back what the turn taught; doing it twice changes nothing."""
        ...


class Revocation:
    """The part of a revocation that history itself does not do.

    Summary, snapshot and daily events need nothing here: deleting the message from `messages` removes or reopens
    them in the same transaction (triggers of migration 0007), and they are made anew from what remains.
    """

    def __init__(self, ownership: Ownership, memories: Forgetter) -> None:
        self._ownership = ownership
        self._memories = memories

    async def revoke(self, user_id: UserId, message_id: WaMessageId) -> TurnId | None:
        """Forget the facts that were learned in the message's turn; before or after history forgets the text.

        A turn of several merged messages is one: the facts of all of them go. Doing it twice changes nothing, and
        a message that was never read, or is somebody else's, changes nothing at all. Returns the turn.
        """
        turn_id = await self._ownership.find_turn(user_id, message_id)
        if turn_id is None:
            return None
        await self._memories.forget_turn(user_id, turn_id)
        log.info("memory.revoked", source_turn_id=turn_id)
        return turn_id
