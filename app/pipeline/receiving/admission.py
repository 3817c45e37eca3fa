"""Who may come in, and how late: pure decisions about one message."""

from datetime import datetime, timedelta
from typing import Final

from app.domain.inbound import InboundMessage, Sender
from app.domain.phones import bsuid_alias, phone_alias, setting_alias

REPLY_WINDOW: Final = timedelta(hours=24)
"""Meta refuses free-form replies to a person who last wrote longer ago (error 131047)."""


class AllowList:
    """Who may use the assistant; empty means nobody."""

    def __init__(self, allowed: tuple[str, ...], admins: tuple[str, ...]) -> None:
        self._allowed = frozenset(map(setting_alias, allowed)) | frozenset(map(setting_alias, admins))
        self._admins = frozenset(map(setting_alias, admins or allowed[:1]))

    @property
    def admins(self) -> frozenset[str]:
        return self._admins

    def is_allowed(self, aliases: frozenset[str]) -> bool:
        return not self._allowed.isdisjoint(aliases)

    def is_admin(self, aliases: frozenset[str]) -> bool:
        return not self._admins.isdisjoint(aliases)


def sender_aliases(sender: Sender) -> tuple[str, ...]:
    """The identities under which a message's author may be known, the most specific first."""
    aliases = []
    if sender.bsuid:
        aliases.append(bsuid_alias(sender.bsuid))
    if sender.wa_id:
        aliases.append(phone_alias(sender.wa_id))
    return tuple(aliases)


def is_too_late(message: InboundMessage, now: datetime) -> bool:
    """Tell whether Meta's window for answering this message has closed."""
    return now - message.sent_at >= REPLY_WINDOW
