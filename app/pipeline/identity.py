"""When a person's number or phone changes: their things follow, and the admin confirms who it is."""

from datetime import datetime
from typing import Final

import structlog

from app.database.db import Transaction
from app.database.repositories.users import User
from app.database.repository import Repository
from app.domain.ids import UserId
from app.domain.inbound import System
from app.domain.outbound import Button, Buttons, Reply
from app.domain.phones import bsuid_alias, phone_alias
from app.domain.phrases import Phrase, say
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.log import user_tag
from app.pipeline.admission import AllowList

log = structlog.get_logger(__name__)

_MOVED: Final = frozenset({"user_changed_number", "customer_changed_number", "user_changed_user_id"})
_PREFIX: Final = "trust:"


class IdentityKeeper:
    """Moves identities, and asks the admins for trust anew."""

    def __init__(self, repository: Repository, allow_list: AllowList, clock: Clock) -> None:
        self._repository = repository
        self._allow_list = allow_list
        self._clock = clock

    async def apply(self, user: User, change: System) -> frozenset[UserId]:
        """Follow a system message; returns the admins who were asked."""
        now = self._clock.now()
        admins = [admin for admin in await self._admins() if admin.user_id != user.user_id]
        async with self._repository.transaction() as tx:
            if change.kind in _MOVED:
                await self._move(user.user_id, change, now, tx)
            if not admins:
                # Nobody could ever confirm it, and a new phone is no reason to lock the owner out.
                log.error("identity.changed_unconfirmed", user=user_tag(user.user_id), kind=change.kind)
                return frozenset()
            await self._repository.users.set_trust(user.user_id, "asked", tx=tx)
            for admin in admins:
                await self._repository.outbox.add(
                    admin.user_id, [_question(user, admin)], now, turn_id=None, tx=tx
                )
        log.warning("identity.changed", user=user_tag(user.user_id), kind=change.kind)
        return frozenset(admin.user_id for admin in admins)

    async def answer(self, choice_id: str, ctx: TurnContext) -> tuple[Reply, UserId | None]:
        """Take an admin's answer; returns what to say and whose lane may have work now."""
        verdict, _, asked_for = choice_id.removeprefix(_PREFIX).partition(":")
        if not ctx.is_admin:
            return Reply(say(Phrase.ADMIN_ONLY, ctx.language)), None
        user = await self._repository.users.find(UserId(asked_for))
        if user is None or user.trust != "asked":
            return Reply(say(Phrase.STALE_QUESTION, ctx.language)), None
        is_trusted = verdict == "yes"
        async with self._repository.transaction() as tx:
            await self._repository.users.set_trust(user.user_id, "trusted" if is_trusted else "blocked", tx=tx)
        phrase = Phrase.TRUST_GRANTED if is_trusted else Phrase.TRUST_DENIED
        return Reply(say(phrase, ctx.language, name=_name(user))), user.user_id

    async def _move(self, user_id: UserId, change: System, now: datetime, tx: Transaction) -> None:
        users = self._repository.users
        if change.new_wa_id:
            await users.add_alias(user_id, phone_alias(change.new_wa_id), now, tx=tx)
        if change.new_bsuid:
            await users.add_alias(user_id, bsuid_alias(change.new_bsuid), now, tx=tx)
        await users.move_address(user_id, wa_id=change.new_wa_id, bsuid=change.new_bsuid, tx=tx)

    async def _admins(self) -> list[User]:
        known = await self._repository.directory.find(self._allow_list.admins)
        return [await self._repository.users.get(user_id) for user_id in sorted(set(known.values()))]


def _question(user: User, admin: User) -> Buttons:
    language = admin.language
    return Buttons(
        body=say(Phrase.TRUST_QUESTION, language, name=_name(user)),
        buttons=(
            Button(f"{_PREFIX}yes:{user.user_id}", say(Phrase.TRUST_YES, language)),
            Button(f"{_PREFIX}no:{user.user_id}", say(Phrase.TRUST_NO, language)),
        ),
    )


def _name(user: User) -> str:
    return user.name or user.recipient.wa_id or "?"
