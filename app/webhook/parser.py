"""Turn the bytes of one webhook POST into messages, statuses and notices, whatever shape they have."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, get_args

from app.domain.errors import Rejected
from app.domain.ids import WaMessageId
from app.domain.inbound import (
    AccountNotice,
    InboundMessage,
    Sender,
    StatusState,
    StatusUpdate,
    WebhookBatch,
)
from app.domain.wording import cut
from app.webhook.contents import Node, WireError, first_error, read_content

_OBJECT: Final = "whatsapp_business_account"
_UNKNOWN_SHAPE: Final = "unknown_shape"
_MAX_AHEAD: Final = timedelta(minutes=5)
_MAX_INT_CHARS: Final = 18
_MAX_SUMMARY_CHARS: Final = 200
_MAX_UNKNOWN_SHAPES: Final = 20
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_STATES: Final[Mapping[str, StatusState]] = MappingProxyType({state: state for state in get_args(StatusState)})

# What Meta tells an owner, as opposed to what people write or who they are (Meta, webhook fields reference).
_TELLING_KEYS: Final = (
    "event",
    "type",
    "decision",
    "reason",
    "rejection_reason",
    "status",
    "category",
    "value",
    "message_template_name",
    "message_template_language",
    "previous_category",
    "new_category",
    "previous_quality_score",
    "new_quality_score",
    "old_limit",
    "current_limit",
    "alert_type",
    "alert_severity",
    "alert_status",
    "violation_type",
    "restriction_type",
    "waba_ban_state",
    "waba_ban_date",
    "initiated_by",
)
_TELLING_PARTS: Final = (
    "alert_info",
    "ban_info",
    "violation_info",
    "restriction_info",
    "disconnection_info",
    "partner_client_certification_info",
    "calls",
    "groups",
    "user_preferences",
)


def parse(body: bytes, *, received_at: datetime) -> WebhookBatch:
    """Read every entry, change, message and status of one POST, in the order of the payload.

    Total: whatever is well-formed JSON gives a batch. What was not understood is named, by its place and never
    by its content, in notices with the field `unknown_shape`; one damaged message never hides its neighbours.
    A message or status without a usable time stamp gets `received_at` (aware, UTC), as does one dated more than
    five minutes after it. Every string of the batch can be stored as UTF-8 and holds no NUL.

    Raises:
        Rejected: `malformed_json` (400): not UTF-8, not JSON, or nested too deeply to be read.
    """
    reader = _Reader(received_at)
    reader.read_payload(_decode(body))
    return reader.batch()


def _decode(body: bytes) -> object:
    try:
        root: object = json.loads(body.decode("utf-8-sig"), parse_int=_bounded_int)
    except (ValueError, RecursionError) as exc:
        raise Rejected("malformed_json", type(exc).__name__, status=400) from exc
    return _storable(root)


def _bounded_int(digits: str) -> int | str:
    """Keep a number that fits 64 bits; a longer one, which only an id can be, stays text."""
    return int(digits) if len(digits) <= _MAX_INT_CHARS else digits


def _storable(root: object) -> object:
    """Take NUL and lone surrogates, which SQLite and UTF-8 cannot hold, out of every string; in place.

    Not recursive, so that it reads whatever depth the decoder did.
    """
    todo: list[Any] = []

    def visit(value: object) -> object:
        if isinstance(value, str):
            return _LONE_SURROGATE.sub("\ufffd", value.replace("\0", ""))
        if isinstance(value, dict | list):
            todo.append(value)
        return value

    cleaned = visit(root)
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            part.update({key: visit(value) for key, value in part.items()})
        else:
            part[:] = [visit(value) for value in part]
    return cleaned


class _Reader:
    """Collects what one payload holds; lives for one call of `parse`."""

    def __init__(self, received_at: datetime) -> None:
        self._received_at = received_at
        self._messages: list[InboundMessage] = []
        self._statuses: list[StatusUpdate] = []
        self._notices: list[AccountNotice] = []
        self._unknown_shapes = 0

    def batch(self) -> WebhookBatch:
        left_out = self._unknown_shapes - _MAX_UNKNOWN_SHAPES
        more = [AccountNotice(_UNKNOWN_SHAPE, f"{left_out} more")] if left_out > 0 else []
        return WebhookBatch(tuple(self._messages), tuple(self._statuses), (*self._notices, *more))

    def read_payload(self, root: object) -> None:
        if not isinstance(root, dict):
            self._unknown("payload", f"an object was expected, not {_kind(root)}")
            return
        payload = Node(root)
        if payload.text("object") != _OBJECT:
            self._unknown("object", f"{_OBJECT} was expected")
            return
        for place, entry in self._objects(payload, "entry", "", is_required=True):
            for change_place, change in self._objects(entry, "changes", place, is_required=True):
                self._read_change(change, change_place)

    def _read_change(self, change: Node, place: str) -> None:
        field = change.text("field")
        value = change.child("value")
        if field is None:
            self._unknown(f"{place}.field", "a name was expected")
        elif field != "messages":
            codes = _codes(WireError.read(error) for error in value.children("errors"))
            self._notices.append(AccountNotice(_cut(field), _summarise(value), codes))
        elif not any(value.parts.get(name) is not None for name in ("messages", "statuses", "errors")):
            self._unknown(f"{place}.value", "messages, statuses or errors were expected")
        else:
            self._read_value(value, f"{place}.value")

    def _read_value(self, value: Node, place: str) -> None:
        phone_number_id = value.child("metadata").ident("phone_number_id") or ""
        people = _People([_sender(contact, "wa_id", "") for contact in value.children("contacts")])
        for message_place, message in self._objects(value, "messages", place):
            self._read_message(message, phone_number_id, people, message_place)
        for status_place, status in self._objects(value, "statuses", place):
            self._read_status(status, phone_number_id, status_place)
        errors = [WireError.read(error) for _, error in self._objects(value, "errors", place)]
        if errors:
            said = "; ".join(error.detail or "no details" for error in errors)
            self._notices.append(AccountNotice("errors", _cut(said), _codes(errors)))

    def _read_message(self, message: Node, phone_number_id: str, people: "_People", place: str) -> None:
        message_id = message.ident("id")
        if message_id is None:
            self._unknown(f"{place}.id", "a message without it cannot be told from its repetition")
            return
        sender = people.who_wrote(message)
        if sender is None:
            self._unknown(f"{place}.from", "the message names nobody")
            return
        context = message.child("context")
        quoted_id = context.ident("id")
        self._messages.append(
            InboundMessage(
                id=WaMessageId(message_id),
                phone_number_id=phone_number_id,
                sender=sender,
                sent_at=self._time(message),
                content=read_content(message),
                quoted_id=WaMessageId(quoted_id) if quoted_id else None,
                is_forwarded=context.flag("forwarded") or context.flag("frequently_forwarded"),
                group_id=message.ident("group_id"),
            )
        )

    def _read_status(self, status: Node, phone_number_id: str, place: str) -> None:
        message_id = status.ident("id")
        state = _STATES.get(status.text("status") or "")
        if message_id is None or state is None:
            self._unknown(place, "a status needs an id and a known state")
            return
        error = first_error(status)
        pricing = status.child("pricing")
        billable = pricing.parts.get("billable")
        self._statuses.append(
            StatusUpdate(
                message_id=WaMessageId(message_id),
                state=state,
                at=self._time(status),
                tracker=status.ident("biz_opaque_callback_data"),
                phone_number_id=phone_number_id,
                error_code=error.code,
                error_detail=error.detail,
                is_billable=billable if isinstance(billable, bool) else None,
                pricing_category=pricing.text("category"),
                pricing_type=pricing.text("type"),
            )
        )

    def _time(self, node: Node) -> datetime:
        seconds = node.whole("timestamp")
        latest = (self._received_at + _MAX_AHEAD).timestamp()
        if seconds is None or not 0 < seconds <= latest:
            return self._received_at
        return datetime.fromtimestamp(seconds, UTC)

    def _objects(
        self, node: Node, name: str, place: str, *, is_required: bool = False
    ) -> Iterator[tuple[str, Node]]:
        """Yield the objects of a list with their places; notice whatever else is there."""
        value = node.parts.get(name)
        here = f"{place}.{name}" if place else name
        if not isinstance(value, list):
            if value is not None or is_required:
                self._unknown(here, f"a list was expected, not {_kind(value)}")
            return
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield f"{here}[{index}]", Node(item)
            else:
                self._unknown(f"{here}[{index}]", f"an object was expected, not {_kind(item)}")

    def _unknown(self, place: str, problem: str) -> None:
        self._unknown_shapes += 1
        if self._unknown_shapes <= _MAX_UNKNOWN_SHAPES:
            self._notices.append(AccountNotice(_UNKNOWN_SHAPE, _cut(f"{place}: {problem}")))


class _People:
    """The `contacts` of one change, found by either id; they are in no order that means anything."""

    def __init__(self, contacts: Sequence[Sender]) -> None:
        self._contacts = contacts
        self._by_id: dict[str, list[Sender]] = {}
        for contact in contacts:
            for identity in (contact.wa_id, contact.bsuid):
                if identity:
                    self._by_id.setdefault(identity, []).append(contact)

    def who_wrote(self, message: Node) -> Sender | None:
        """The sender as the message names them, completed from their contact; None if nobody is named.

        A message that names nobody is the only contact's, unless it is a system message. Those are completed by
        name only, because they speak of an identity that has just changed.
        """
        sender = _sender(message, "from", "from_")
        is_system = message.text("type") == "system"
        if sender.wa_id is None and sender.bsuid is None:
            only = self._contacts[0] if len(self._contacts) == 1 and not is_system else Sender()
            return only if only.wa_id or only.bsuid else None
        contact = self._contact_of(sender)
        if is_system:
            return replace(sender, name=contact.name, username=contact.username)
        return Sender(
            wa_id=sender.wa_id or contact.wa_id,
            bsuid=sender.bsuid or contact.bsuid,
            parent_bsuid=sender.parent_bsuid or contact.parent_bsuid,
            name=contact.name,
            username=contact.username,
        )

    def _contact_of(self, sender: Sender) -> Sender:
        """The first contact that shares an id with the sender and contradicts none; else an empty one."""
        shared = (self._by_id.get(identity, ()) for identity in (sender.bsuid, sender.wa_id) if identity)
        agreeing = (
            contact
            for contacts in shared
            for contact in contacts
            if _agree(sender.bsuid, contact.bsuid) and _agree(sender.wa_id, contact.wa_id)
        )
        return next(agreeing, Sender())


def _agree(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one == other


def _sender(node: Node, wa_key: str, prefix: str) -> Sender:
    """Read the ids of a message or a contact. One with a dot is no phone number, wherever it stands."""
    wa_id, bsuid = node.ident(wa_key), node.ident(f"{prefix}user_id")
    if wa_id is not None and "." in wa_id:
        wa_id, bsuid = None, bsuid or wa_id
    profile = node.child("profile")
    return Sender(
        wa_id=wa_id,
        bsuid=bsuid,
        parent_bsuid=node.ident(f"{prefix}parent_user_id"),
        name=profile.text("name"),
        username=profile.text("username"),
    )


def _summarise(value: Node) -> str:
    """What happened, from the parts known to hold neither what people wrote nor who they are."""
    nodes = [value]
    for name in _TELLING_PARTS:
        nodes += [value.child(name), *value.children(name)]
    said = [
        fact if key == "event" else f"{key}={fact}"
        for node in nodes
        for key in _TELLING_KEYS
        if (fact := node.ident(key))
    ]
    return _cut(", ".join(said) or "no details")


def _codes(errors: Iterable[WireError]) -> tuple[int, ...]:
    return tuple(error.code for error in errors if error.code is not None)


def _cut(text: str) -> str:
    return cut(text, _MAX_SUMMARY_CHARS)


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
