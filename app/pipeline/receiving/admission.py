"""Who may come in, and as what: pure decisions about one message."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from app.asking.approvals import APPROVAL_PREFIX
from app.database.repositories.inbox import Lane
from app.domain.ids import WaMessageId
from app.domain.inbound import (
    Audio,
    Choice,
    Contacts,
    Content,
    Document,
    Edit,
    Image,
    InboundMessage,
    Location,
    Reaction,
    Revoke,
    Sender,
    Sticker,
    Text,
    Video,
)
from app.domain.phones import bsuid_alias, phone_alias, setting_alias
from app.mcp.question_form import QUESTION_PREFIX

TRUST_PREFIX: Final = "trust:"
REPLY_WINDOW: Final = timedelta(hours=24)
"""Meta refuses free-form replies to a person who last wrote longer ago (error 131047)."""

CONTROL_CHOICE_PREFIXES: Final = (TRUST_PREFIX, APPROVAL_PREFIX, QUESTION_PREFIX)


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


@dataclass(frozen=True, slots=True)
class Route:
    """Where a message goes: which lane, whether it may join its neighbours' turn, what it refers to."""

    lane: Lane
    is_mergeable: bool
    ref_id: WaMessageId | None = None


def sender_aliases(sender: Sender) -> tuple[str, ...]:
    """The identities under which a message's author may be known, the most specific first."""
    aliases = []
    if sender.bsuid:
        aliases.append(bsuid_alias(sender.bsuid))
    if sender.wa_id:
        aliases.append(phone_alias(sender.wa_id))
    return tuple(aliases)


def route_of(content: Content, is_control_text: Callable[[str], bool]) -> Route:
    """Decide the lane of a message. Commands, buttons and voice go at once; what people type may merge."""
    match content:
        case Text(body=body) if is_control_text(body):
            return Route("control", is_mergeable=False)
        case Choice(id=choice) if choice.startswith(CONTROL_CHOICE_PREFIXES) or is_control_text(choice):
            return Route("control", is_mergeable=False)
        case Text(body=body):
            return Route("turn", is_mergeable=not body.lstrip().startswith("/"))
        case Image() | Video() | Document() | Location() | Contacts() | Sticker():
            return Route("turn", is_mergeable=True)
        case Audio(is_voice=is_voice):
            return Route("turn", is_mergeable=not is_voice)
        case Edit(original_id=ref_id) | Revoke(original_id=ref_id) | Reaction(message_id=ref_id):
            return Route("turn", is_mergeable=False, ref_id=ref_id)
        case _:
            return Route("turn", is_mergeable=False)


def is_too_late(message: InboundMessage, now: datetime) -> bool:
    """Tell whether Meta's window for answering this message has closed."""
    return now - message.sent_at >= REPLY_WINDOW
