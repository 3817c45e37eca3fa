"""What becomes of our messages: Meta's statuses, and sends that failed after they had been accepted."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog

from app.database.db import Transaction
from app.database.repository import Repository
from app.domain.errors import AccessRevoked, Transient, WindowClosed
from app.domain.ids import UserId
from app.domain.inbound import StatusUpdate
from app.domain.ports import Clock
from app.log import user_tag
from app.whatsapp.errors import classify_code

log = structlog.get_logger(__name__)

MAX_RESENDS: Final = 5
"""How often a message that Meta accepted and then failed to deliver is tried again."""


class DeliveryStatuses:
    """Let statuses move the outbox forward."""

    def __init__(self, repository: Repository, clock: Clock, *, phone_number_id: str) -> None:
        self._repository = repository
        self._clock = clock
        self._phone_number_id = phone_number_id

    async def store(self, statuses: Sequence[StatusUpdate], tx: Transaction) -> frozenset[UserId]:
        """Record statuses in the caller's transaction; returns the users whose outbox changed."""
        now = self._clock.now()
        ours = [status for status in statuses if self._is_for_us(status)]
        users = set(await self._repository.outbox_queue.record_statuses(ours, tx=tx))
        for status in ours:
            if status.state == "failed":
                users |= await self._settle_failure(status, now, tx)
        return frozenset(users)

    def _is_for_us(self, status: StatusUpdate) -> bool:
        if status.phone_number_id == self._phone_number_id:
            return True
        log.warning("status.other_number_ignored", phone_number_id=status.phone_number_id)
        return False

    async def _settle_failure(self, status: StatusUpdate, now: datetime, tx: Transaction) -> set[UserId]:
        """Decide by error code what becomes of a message that Meta could not deliver after all."""
        sent = await self._repository.outbox_queue.find_sent(status.message_id, tx=tx)
        if sent is None:
            return set()
        error = classify_code(status.error_code or 0, status.error_detail)
        user = user_tag(sent.user_id)
        match error:
            case Transient(retry_after_s=delay_s) if sent.attempts < MAX_RESENDS:
                log.warning("outbox.failed_later", user=user, code=error.code, action="retry")
                available_at = now + timedelta(seconds=delay_s or 4**sent.attempts)
                await self._repository.outbox_queue.reopen(sent.id, available_at, state="pending", tx=tx)
            case WindowClosed() if sent.occasion == "unasked":
                # Told with the next answer, instead of coming late as if nothing had happened.
                log.error("outbox.failed_later", user=user, code=error.code, detail=error.detail, action="tell")
                await self._repository.outbox_queue.reopen(sent.id, now, state="failed", tx=tx)
            case WindowClosed() | AccessRevoked():
                log.error("outbox.failed_later", user=user, code=error.code, detail=error.detail, action="hold")
                await self._repository.outbox_queue.reopen(sent.id, now, state="held", tx=tx)
            case _:
                log.error("outbox.failed_later", user=user, code=error.code, detail=error.detail, action="drop")
                await self._repository.outbox_queue.reopen(sent.id, now, state="failed", tx=tx)
        return {sent.user_id}
