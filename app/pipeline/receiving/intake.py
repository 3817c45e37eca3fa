"""From parsed messages to inbox rows: who wrote, may they, is it new, when may its turn begin."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from app.asking.asking import Asking
from app.commands.registry import CommandRegistry
from app.database.db import Transaction
from app.database.repositories.inbox import NewRow, NewState
from app.database.repositories.users import Author
from app.database.repository import Repository
from app.domain.ids import TurnId, UserId
from app.domain.inbound import Edit, InboundMessage, Revoke, StatusUpdate, System, WebhookBatch
from app.domain.outbound import OutText
from app.language.catalogue import say
from app.log import user_tag
from app.pipeline.queueing.work import NewWork
from app.pipeline.receiving.admission import Admission, Pace, is_too_late
from app.pipeline.receiving.classify import Classification, classify
from app.pipeline.receiving.delivery_statuses import store_statuses
from app.pipeline.receiving.identity import IdentityKeeper
from app.pipeline.texts import PIPELINE

log = structlog.get_logger(__name__)


class Intake:
    """Store what is new and allowed, inside the caller's transaction."""

    def __init__(
        self,
        repository: Repository,
        identity: IdentityKeeper,
        pace: Pace,
        asking: Asking,
        commands: CommandRegistry,
        *,
        phone_number_id: str,
    ) -> None:
        self._repository = repository
        self._identity = identity
        self._pace = pace
        self._asking = asking
        self._commands = commands
        self._phone_number_id = phone_number_id

    async def store(self, batch: WebhookBatch, now: datetime, tx: Transaction) -> NewWork:
        """Store messages and statuses; returns what there is to do now.

        A change of number takes effect between the messages before and after it: those after it may come
        from the new number already.
        """
        stored: list[NewRow] = []
        told: frozenset[UserId] = frozenset()
        stopped: set[tuple[UserId, TurnId]] = set()
        for run in _runs([message for message in batch.messages if self._is_for_us(message)]):
            fresh, limited = await self._store_run(run, now, tx)
            told |= limited
            stopped |= await self._apply_changes(fresh, tx)
            for row in fresh:
                if isinstance(row.message.content, System):
                    told |= await self._identity.follow(row.user_id, row.message, row.message.content, tx)
            stored += fresh
        if authors := frozenset(row.user_id for row in stored):
            told |= await self._repository.outbox_queue.release_held(authors, now, tx=tx)
            log.info("inbox.accepted", count=len(stored), users=len(authors))
        if statuses := [status for status in batch.statuses if self._is_for_us(status)]:
            told |= await store_statuses(self._repository.outbox_queue, statuses, now, tx=tx)
        return NewWork(
            turns=frozenset(row.user_id for row in stored if row.lane == "turn"),
            controls=frozenset(row.user_id for row in stored if row.lane == "control"),
            outboxes=told,
            stopped=frozenset(stopped),
        )

    async def _store_run(
        self, messages: Sequence[InboundMessage], now: datetime, tx: Transaction
    ) -> tuple[list[NewRow], frozenset[UserId]]:
        """Store messages among which nobody's identity changes; returns the new ones, and who is told."""
        recognised, asked = await self._identity.recognise(messages, tx)
        if not recognised:
            return [], asked
        readings = await self._asking.read_all([(author.user_id, message) for message, author in recognised])
        rows = [
            self._row(author, message, classify(message.content, reading, commands=self._commands), now)
            for (message, author), reading in zip(recognised, readings, strict=True)
        ]
        fresh = await self._repository.inbox_queue.accept(rows, tx=tx)
        if len(fresh) < len(rows):
            log.info("inbox.duplicates_ignored", count=len(rows) - len(fresh))
        trusted = {author.user_id for _, author in recognised if author.trust == "trusted"}
        answered = [row for row in fresh if row.user_id in trusted and row.state == "pending"]
        # What runs beside a turn is counted apart: who wrote a lot can still say /cancel, or yes.
        admitted = await self._pace.admit([(row.user_id, row.lane) for row in answered], tx=tx)
        too_fast = [(row, one) for row, one in zip(answered, admitted, strict=True) if one.delay_s]
        told = await self._delay(too_fast, now, tx) if too_fast else frozenset()
        return fresh, asked | told

    def _is_for_us(self, one: InboundMessage | StatusUpdate) -> bool:
        if isinstance(one, InboundMessage) and one.group_id is not None:
            log.info("inbound.group_ignored")
            return False
        if one.phone_number_id == self._phone_number_id:
            return True
        if isinstance(one, InboundMessage):
            log.warning("inbound.other_number_ignored", phone_number_id=one.phone_number_id)
        else:
            log.warning("status.other_number_ignored", phone_number_id=one.phone_number_id)
        return False

    def _row(self, author: Author, message: InboundMessage, what: Classification, now: datetime) -> NewRow:
        """Decide what becomes of a message.

        Blocked users never get a reply. Their edits and revocations wait all the same: they must reach history
        if the admin takes the "no" back.
        """
        state: NewState = "pending"
        purpose = what.purpose
        if author.trust == "blocked" and what.ref_id is None:
            state = "cancelled"
        elif what.lane == "turn" and what.ref_id is None and is_too_late(message, now):
            state = "missed"
            age_s = (now - message.sent_at).total_seconds()
            log.warning("inbox.too_late", user=user_tag(author.user_id), age_s=age_s)
        elif purpose == "rewrite" and is_too_late(message, now):
            purpose = "change"
        return NewRow(
            user_id=author.user_id,
            message=message,
            lane=what.lane,
            is_mergeable=what.is_mergeable,
            received_at=now,
            available_at=now,
            ref_id=what.ref_id,
            state=state,
            purpose=purpose,
            answers=what.answers,
        )

    async def _delay(
        self, rows: Sequence[tuple[NewRow, Admission]], now: datetime, tx: Transaction
    ) -> frozenset[UserId]:
        """Let messages wait, and tell each author once; returns who was told."""
        told = set()
        for row, admission in rows:
            available_at = now + timedelta(seconds=admission.delay_s)
            await self._repository.inbox_queue.delay(row.user_id, row.message.id, available_at, tx=tx)
            if admission.is_first_delay:
                log.warning("inbox.rate_limited", user=user_tag(row.user_id))
                language = await self._repository.users.language(row.user_id, tx=tx)
                notice = OutText(say(PIPELINE.rate_limited, language))
                await self._repository.outbox.add(row.user_id, [notice], now, turn_id=None, tx=tx)
                told.add(row.user_id)
        return frozenset(told)

    async def _apply_changes(self, rows: Sequence[NewRow], tx: Transaction) -> set[tuple[UserId, TurnId]]:
        """Let edits and revocations reach messages whose turn is not over, in either order of arrival.

        Returns the turns that are running and have nothing to answer any more.
        """
        changes = self._repository.changes
        early = await changes.find_changes([row.message.id for row in rows], tx=tx)
        stopped = set()
        for user_id, message in early + [(row.user_id, row.message) for row in rows if row.ref_id is not None]:
            match message.content:
                case Edit(original_id=original_id, content=content):
                    edited = replace(message, content=content)
                    if await changes.is_superseded(user_id, message, tx=tx):
                        continue
                    if await changes.edit_pending(user_id, original_id, edited, tx=tx):
                        await changes.note_applied(user_id, message.id, tx=tx)
                case Revoke(original_id=original_id):
                    turn_id = await changes.revoke(user_id, original_id, message.sent_at, tx=tx)
                    stopped |= {(user_id, turn_id)} if turn_id is not None else set()
                case _:
                    pass
        return stopped


def _runs(messages: Sequence[InboundMessage]) -> Iterator[list[InboundMessage]]:
    """Split messages so that each change of identity is the last of its run."""
    run: list[InboundMessage] = []
    for message in messages:
        run.append(message)
        if isinstance(message.content, System):
            yield run
            run = []
    if run:
        yield run
