"""From parsed messages to inbox rows: who wrote, may they, is it new, when may its turn begin."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from app.database.db import Transaction
from app.database.repositories.inbox import NewRow
from app.database.repository import Repository
from app.domain.ids import UserId
from app.domain.inbound import Edit, InboundMessage, Revoke
from app.domain.outbound import OutText
from app.domain.phones import likely_language
from app.domain.phrases import Phrase, say
from app.domain.ports import Clock
from app.log import user_tag
from app.pipeline.admission import AllowList, is_too_late, route_of, sender_aliases
from app.pipeline.rate_limit import RateLimiter

log = structlog.get_logger(__name__)


class Intake:
    """Store what is new and allowed, inside the caller's transaction."""

    def __init__(
        self,
        repository: Repository,
        allow_list: AllowList,
        limiter: RateLimiter,
        clock: Clock,
        *,
        phone_number_id: str,
        is_control_text: Callable[[str], bool],
    ) -> None:
        self._repository = repository
        self._allow_list = allow_list
        self._limiter = limiter
        self._clock = clock
        self._phone_number_id = phone_number_id
        self._is_control_text = is_control_text

    async def store(self, messages: Sequence[InboundMessage], tx: Transaction) -> frozenset[UserId]:
        """Store messages; returns the users whose inbox or outbox changed."""
        now = self._clock.now()
        authors = await self._identify([m for m in messages if self._is_for_us(m)], now, tx)
        rows = [self._row(user_id, message, now) for message, user_id in authors]
        if not rows:
            return frozenset()
        fresh = await self._repository.inbox_queue.accept(rows, tx=tx)
        if len(fresh) < len(rows):
            log.info("inbox.duplicates_ignored", count=len(rows) - len(fresh))
        await self._limit(fresh, now, tx)
        await self._apply_changes(fresh, tx)
        users = frozenset(row.user_id for row in fresh)
        await self._repository.outbox.release_held(users, now, tx=tx)
        log.info("inbox.accepted", count=len(fresh), users=len(users))
        return users

    def _is_for_us(self, message: InboundMessage) -> bool:
        if message.group_id is not None:
            log.info("inbound.group_ignored")
            return False
        if message.phone_number_id != self._phone_number_id:
            log.warning("inbound.other_number_ignored", phone_number_id=message.phone_number_id)
            return False
        return True

    async def _identify(
        self, messages: Sequence[InboundMessage], now: datetime, tx: Transaction
    ) -> list[tuple[InboundMessage, UserId]]:
        """Pair each allowed message with its author, making users of newcomers."""
        directory = self._repository.directory
        known = await directory.find_in({a for m in messages for a in sender_aliases(m.sender)}, tx=tx)
        paired: list[tuple[InboundMessage, UserId]] = []
        for message in messages:
            aliases = sender_aliases(message.sender)
            user_id = next((known[alias] for alias in aliases if alias in known), None)
            if not await self._is_allowed(aliases, user_id):
                await directory.record_stranger(aliases[0], message.sender.name, now, tx=tx)
                log.warning("inbound.not_allowed", sender=user_tag(aliases[0]))
                continue
            if user_id is None:
                language = likely_language(message.sender.wa_id)
                user_id = await directory.create(message.sender, language, now, tx=tx)
            for alias in aliases:
                if alias not in known:
                    await self._repository.users.add_alias(user_id, alias, now, tx=tx)
                    known[alias] = user_id
            paired.append((message, user_id))
        await directory.touch({user_id: message for message, user_id in paired}, tx=tx)
        return paired

    async def _is_allowed(self, aliases: Sequence[str], user_id: UserId | None) -> bool:
        """A person is allowed under any id they were ever seen with, not only the one in this message."""
        if self._allow_list.is_allowed(frozenset(aliases)):
            return True
        if user_id is None:
            return False
        known_as = await self._repository.directory.aliases_of([user_id])
        return self._allow_list.is_allowed(known_as.get(user_id, frozenset()))

    def _row(self, user_id: UserId, message: InboundMessage, now: datetime) -> NewRow:
        route = route_of(message.content, self._is_control_text)
        is_missed = route.lane == "turn" and route.ref_id is None and is_too_late(message, now)
        if is_missed:
            log.warning("inbox.too_late", user=user_tag(user_id), age_s=(now - message.sent_at).total_seconds())
        return NewRow(
            user_id=user_id,
            message=message,
            lane=route.lane,
            is_mergeable=route.is_mergeable,
            received_at=now,
            available_at=now,
            ref_id=route.ref_id,
            state="missed" if is_missed else "pending",
        )

    async def _limit(self, rows: Sequence[NewRow], now: datetime, tx: Transaction) -> None:
        """Let what is too fast wait, and tell its author once."""
        for row in rows:
            if row.lane == "control" or row.state != "pending":
                continue
            admission = self._limiter.admit(row.user_id, now)
            if not admission.delay_s:
                continue
            available_at = now + timedelta(seconds=admission.delay_s)
            await self._repository.inbox_queue.delay(row.user_id, row.message.id, available_at, tx=tx)
            if admission.is_first_delay:
                log.warning("inbox.rate_limited", user=user_tag(row.user_id))
                language = await self._repository.users.language(row.user_id, tx=tx)
                notice = OutText(say(Phrase.RATE_LIMITED, language))
                await self._repository.outbox.add(row.user_id, [notice], now, turn_id=None, tx=tx)

    async def _apply_changes(self, rows: Sequence[NewRow], tx: Transaction) -> None:
        """Let edits and revocations reach messages whose turn has not begun, in either order of arrival."""
        inbox = self._repository.inbox_queue
        early = await inbox.find_changes([row.message.id for row in rows], tx=tx)
        changes = [(row.user_id, row.message) for row in rows if row.ref_id is not None]
        for user_id, message in early + changes:
            match message.content:
                case Edit(original_id=original_id, content=content):
                    await inbox.edit_pending(
                        user_id, original_id, replace(message, id=original_id, content=content), tx=tx
                    )
                case Revoke(original_id=original_id):
                    await inbox.revoke(user_id, original_id, message.sent_at, tx=tx)
                case _:
                    pass
