"""Who wrote: people are known by Meta's ids, may move to others, and are confirmed by the admin when they do."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import structlog

from app.asking.trust import Trust
from app.database.db import Transaction
from app.database.repositories.users import Author, FormerIdentity
from app.database.repository import Repository
from app.domain.ids import UserId
from app.domain.inbound import InboundMessage, System
from app.domain.outbound import Recipient
from app.domain.phones import bsuid_alias, is_business_scoped, likely_language, phone_alias
from app.domain.ports import Clock
from app.log import user_tag
from app.pipeline.receiving.admission import AllowList, sender_aliases

log = structlog.get_logger(__name__)

_MOVED: Final = frozenset({"user_changed_number", "customer_changed_number", "user_changed_user_id"})


@dataclass(slots=True)
class _Known:
    """What is known about the ids in a batch; grows while its newcomers are taken in."""

    authors: dict[str, Author]
    former: dict[str, FormerIdentity] = field(default_factory=dict)
    entries: dict[UserId, frozenset[str]] = field(default_factory=dict)
    asked: frozenset[UserId] = frozenset()

    def author_of(self, message: InboundMessage, aliases: Sequence[str]) -> Author | None:
        """Return whom the ids identify: now, or when a message was sent that arrives late.

        A business-scoped id is one person's: where it is new, a number's last owner is somebody else.
        """
        for alias in aliases:
            if alias in self.authors:
                return self.authors[alias]
        former = self.former.get(aliases[0])
        return former.author if former is not None and _is_from_before(message, former.ended_at) else None

    def new_among(self, aliases: Sequence[str]) -> frozenset[str]:
        return frozenset(alias for alias in aliases if alias not in self.authors and alias not in self.former)

    def doubt(self, author: Author, admins: frozenset[UserId]) -> Author:
        """Note that the admins are asked about an author, who is not trusted from now on."""
        self.asked |= admins
        doubted = replace(author, trust="asked")
        self.authors = {alias: doubted if known == author else known for alias, known in self.authors.items()}
        return doubted

    def add(self, author: Author, aliases: Collection[str]) -> None:
        own = self.new_among(tuple(aliases))
        self.entries[author.user_id] = self.entries.get(author.user_id, frozenset()) | own
        self.authors |= {alias: author for alias in aliases if alias not in self.authors}


class IdentityKeeper:
    """Recognises authors, moves identities, and lets the admins be asked for trust anew."""

    def __init__(self, repository: Repository, allow_list: AllowList, trust: Trust, clock: Clock) -> None:
        self._repository = repository
        self._allow_list = allow_list
        self._trust = trust
        self._clock = clock

    async def recognise(
        self, messages: Sequence[InboundMessage], tx: Transaction
    ) -> tuple[list[tuple[InboundMessage, Author]], frozenset[UserId]]:
        """Pair each allowed message with its author, making users of newcomers; and the admins who are asked.

        An entry of ALLOWED_PHONE_NUMBERS stays with the person who moved away from that number: whoever
        gets it next is somebody else, who must be listed by their business-scoped id to be let in.

        A known number under another business-scoped id, of which Meta said nothing, may be somebody else's by
        now: its messages wait until an admin trusts them. Where there is nobody to ask, the operator must.
        """
        known = await self._look_up(messages, tx)
        paired: list[tuple[InboundMessage, Author]] = []
        newest: dict[UserId, InboundMessage] = {}
        for message in messages:
            author = self._at_home(message, known) or await self._admit(message, known, tx)
            if author is None:
                continue
            paired.append((message, author))
            if not isinstance(message.content, System) and _is_address(message, author, known):
                newest[author.user_id] = message
        await self._repository.directory.touch(newest, tx=tx)
        return paired, known.asked

    async def follow(
        self, user_id: UserId, message: InboundMessage, change: System, tx: Transaction
    ) -> frozenset[UserId]:
        """Apply a system message that was just stored; returns the admins who are asked about it.

        Where there is nobody to ask, nobody could ever confirm it, so the person stays trusted and the log says so
        at ERROR: a new phone is no reason to lock the owner out. Blocked users stay blocked under the new ids.
        """
        user = await self._repository.directory.get_in(user_id, tx=tx)
        if change.kind in _MOVED:
            await self._move(user_id, change, message.sent_at, tx)
        if user.trust == "blocked":
            log.warning("identity.changed_while_blocked", user=user_tag(user_id), kind=change.kind)
            return frozenset()
        admins = await self._trust.ask(user, tx)
        if not admins:
            log.error("identity.changed_unconfirmed", user=user_tag(user_id), kind=change.kind)
            return frozenset()
        await self._repository.users.move_trust(user_id, "asked", leaving=("trusted", "asked"), tx=tx)
        log.warning("identity.changed", user=user_tag(user_id), kind=change.kind)
        return admins

    async def _look_up(self, messages: Sequence[InboundMessage], tx: Transaction) -> _Known:
        directory = self._repository.directory
        aliases = {alias for message in messages for alias in sender_aliases(message.sender)}
        known = _Known(await directory.find_authors(aliases, tx=tx))
        if unknown := aliases - known.authors.keys():
            known.former = await directory.find_former(unknown, tx=tx)
        people = {author.user_id for author in known.authors.values()}
        people |= {former.author.user_id for former in known.former.values()}
        known.entries = await directory.aliases_of(people, tx=tx)
        return known

    def _at_home(self, message: InboundMessage, known: _Known) -> Author | None:
        """Return the author of a message if nothing about them is new and they are allowed."""
        aliases = sender_aliases(message.sender)
        author = known.authors.get(aliases[0])
        if author is None or any(known.authors.get(alias) != author for alias in aliases):
            return None
        return author if self._allow_list.is_allowed(known.entries.get(author.user_id, frozenset())) else None

    async def _admit(self, message: InboundMessage, known: _Known, tx: Transaction) -> Author | None:
        """Return a message's author; None, and a line in the list of strangers, for who is not allowed."""
        now = self._clock.now()
        directory = self._repository.directory
        aliases = sender_aliases(message.sender)
        author = known.author_of(message, aliases)
        entries = known.new_among(aliases)
        if author is not None:
            entries |= known.entries.get(author.user_id, frozenset())
        if not self._allow_list.is_allowed(entries):
            await directory.record_stranger(aliases[0], message.sender.name, now, tx=tx)
            log.warning("inbound.not_allowed", sender=user_tag(aliases[0]))
            return None
        if author is None:
            language = likely_language(message.sender.wa_id)
            author = Author(await directory.create(message.sender, language, now, tx=tx))
        elif not _is_address(message, author, known):
            return author
        elif not isinstance(message.content, System) and await self._is_other_id(author, aliases[0], known, tx):
            author = await self._doubt(author, known, tx)
        for alias in aliases:
            if alias not in known.authors:
                await self._repository.users.add_alias(author.user_id, alias, now, tx=tx)
        known.add(author, aliases)
        return author

    async def _is_other_id(self, author: Author, alias: str, known: _Known, tx: Transaction) -> bool:
        """Tell whether the id is a business-scoped one that is new, of a person who has another one."""
        if not is_business_scoped(alias) or alias in known.authors:
            return False
        former = known.former.get(alias)
        if former is not None and former.author.user_id == author.user_id:
            return False
        return await self._repository.directory.has_bsuid(author.user_id, tx=tx)

    async def _doubt(self, author: Author, known: _Known, tx: Transaction) -> Author:
        """Let a person wait for trust; blocked ones stay blocked, and who waits already goes on waiting."""
        if not await self._repository.users.move_trust(author.user_id, "asked", leaving=("trusted",), tx=tx):
            return author
        admins = await self._trust.ask(await self._repository.directory.get_in(author.user_id, tx=tx), tx)
        level = logging.WARNING if admins else logging.ERROR
        log.log(level, "identity.other_id", user=user_tag(author.user_id), admins_asked=len(admins))
        return known.doubt(author, admins)

    async def _move(self, user_id: UserId, change: System, at: datetime, tx: Transaction) -> None:
        aliases = []
        if change.new_wa_id:
            aliases.append(phone_alias(change.new_wa_id))
        if change.new_bsuid:
            aliases.append(bsuid_alias(change.new_bsuid))
        else:
            # Meta issues another one with each number.
            await self._repository.directory.give_up_bsuid(user_id, at, tx=tx)
        address = Recipient(change.new_wa_id, change.new_bsuid)
        await self._repository.directory.move(user_id, aliases, address, at, tx=tx)


def _is_from_before(message: InboundMessage, ended_at: datetime) -> bool:
    """Tell whether the id was still that person's. Meta's times are whole seconds; the change may come twice."""
    return message.sent_at < ended_at or (isinstance(message.content, System) and message.sent_at == ended_at)


def _is_address(message: InboundMessage, author: Author, known: _Known) -> bool:
    """Tell whether the person can be written to where this message came from; not so for a former id."""
    return any(known.authors.get(alias) == author for alias in sender_aliases(message.sender))
