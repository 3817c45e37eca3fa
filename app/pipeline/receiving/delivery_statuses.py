"""What becomes of our messages: Meta's statuses, and sends that failed after they had been accepted."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog

from app.database.db import Transaction
from app.database.repositories.outbox import OutboxQueue
from app.domain.errors import AccessRevoked, Transient, WindowClosed
from app.domain.ids import UserId
from app.domain.inbound import StatusUpdate
from app.log import user_tag
from app.whatsapp.errors import classify_code

log = structlog.get_logger(__name__)

MAX_RESENDS: Final = 5
"""How often a message that Meta accepted and then failed to deliver is tried again."""


async def store_statuses(
    queue: OutboxQueue, statuses: Sequence[StatusUpdate], now: datetime, *, tx: Transaction
) -> frozenset[UserId]:
    """Let statuses move the outbox forward; returns the users whose outbox changed."""
    users = set(await queue.record_statuses(statuses, tx=tx))
    for status in statuses:
        if status.state == "failed":
            users |= await _settle_failure(queue, status, now, tx)
    return frozenset(users)


async def _settle_failure(queue: OutboxQueue, status: StatusUpdate, now: datetime, tx: Transaction) -> set[UserId]:
    """Decide by error code what becomes of a message that Meta could not deliver after all."""
    sent = await queue.find_sent(status.message_id, tx=tx)
    if sent is None:
        return set()
    error = classify_code(status.error_code or 0, status.error_detail)
    user = user_tag(sent.user_id)
    match error:
        case Transient(retry_after_s=delay_s) if sent.attempts < MAX_RESENDS:
            log.warning("outbox.failed_later", user=user, code=error.code, action="retry")
            available_at = now + timedelta(seconds=delay_s or 4**sent.attempts)
            await queue.reopen(sent.id, available_at, state="pending", tx=tx)
        case WindowClosed() if sent.occasion == "unasked":
            # Told with the next answer, instead of coming late as if nothing had happened.
            log.error("outbox.failed_later", user=user, code=error.code, detail=error.detail, action="tell")
            await queue.reopen(sent.id, now, state="failed", tx=tx)
        case WindowClosed() | AccessRevoked():
            log.error("outbox.failed_later", user=user, code=error.code, detail=error.detail, action="hold")
            await queue.reopen(sent.id, now, state="held", tx=tx)
        case _:
            log.error("outbox.failed_later", user=user, code=error.code, detail=error.detail, action="drop")
            await queue.reopen(sent.id, now, state="failed", tx=tx)
    return {sent.user_id}
