"""Webhook payloads as Meta builds them, for every test that lets a message in."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final
from uuid import uuid4

from app.webhook.signature import sign
from tests.fakes.clock import BEGINNING

ALICE: Final = "5491155550101"
BOB: Final = "5491155550202"
PHONE_NUMBER_ID: Final = "1000000000001"
APP_SECRET: Final = "an app secret that only tests know"
VERIFY_TOKEN: Final = "a verify token that only tests know"
NAMES: Final[Mapping[str, str]] = MappingProxyType({ALICE: "Alice", BOB: "Bob"})


def text_message(
    body: str,
    *,
    sender: str = ALICE,
    id: str | None = None,  # noqa: A002 - the name it has in the payload
    at: datetime | None = None,
    quote: str | None = None,
) -> dict[str, Any]:
    """Build a text message; see `message`."""
    return message("text", {"body": body}, sender=sender, id=id, at=at, quote=quote)


def message(
    type_: str,
    payload: object = None,
    *,
    sender: str = ALICE,
    id: str | None = None,  # noqa: A002 - the name it has in the payload
    at: datetime | None = None,
    quote: str | None = None,
) -> dict[str, Any]:
    """Build one element of `messages` of any type; `payload` is what stands under the type's name.

    A sender with a dot is a business-scoped user id: such a message has no `from`. `quote` is the id of the
    message that is answered. The default id is new each time, the default time is when
    the clocks of tests begin.
    """
    built: dict[str, Any] = {
        ("from_user_id" if "." in sender else "from"): sender,
        "id": id or f"wamid.{uuid4().hex}",
        "timestamp": _seconds(at),
        "type": type_,
    }
    if payload is not None:
        built[type_] = payload
    if quote is not None:
        built["context"] = {"from": PHONE_NUMBER_ID, "id": quote}
    return built


def status(
    message_id: str,
    state: str,
    *,
    recipient: str = ALICE,
    at: datetime | None = None,
    tracker: str | None = None,
    error_code: int | None = None,
) -> dict[str, Any]:
    """Build one element of `statuses`; `tracker` is what was sent as `biz_opaque_callback_data`."""
    built: dict[str, Any] = {
        "id": message_id,
        "status": state,
        "timestamp": _seconds(at),
        "recipient_id": recipient,
    }
    if tracker is not None:
        built["biz_opaque_callback_data"] = tracker
    if error_code is None:
        built["pricing"] = {"billable": True, "pricing_model": "PMP", "category": "service"}
    else:
        details = {"details": f"details of {error_code}"}
        built["errors"] = [{"code": error_code, "title": f"title of {error_code}", "error_data": details}]
    return built


def webhook_payload(
    *messages: Mapping[str, Any],
    statuses: Iterable[Mapping[str, Any]] = (),
    names: Mapping[str, str] = NAMES,
    phone_number_id: str = PHONE_NUMBER_ID,
) -> dict[str, Any]:
    """Build a payload of one entry with one change that carries these messages and statuses.

    Its contacts are the senders, with their names where `names` (by sender id) has them. Meta names none for
    system messages, nor does this.
    """
    value: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550000001", "phone_number_id": phone_number_id},
    }
    senders = dict.fromkeys(_sender(m) for m in messages if m.get("type") != "system")
    contacts = [_contact(sender, names.get(sender)) for sender in senders if sender]
    if contacts:
        value["contacts"] = contacts
    if messages:
        value["messages"] = list(messages)
    if listed := list(statuses):
        value["statuses"] = listed
    change = {"value": value, "field": "messages"}
    return {"object": "whatsapp_business_account", "entry": [{"id": "2000000000001", "changes": [change]}]}


def encode(payload: object) -> bytes:
    r"""Serialise as Meta does: ASCII only, other characters as `\uXXXX`, `/` as `\/`."""
    return json.dumps(payload, separators=(",", ":")).replace("/", "\\/").encode("ascii")


def signed_headers(body: bytes, secret: str = APP_SECRET) -> dict[str, str]:
    """The headers with which Meta posts this body."""
    return {"Content-Type": "application/json", "X-Hub-Signature-256": sign(body, secret)}


def _seconds(at: datetime | None) -> str:
    return str(int((at or BEGINNING).timestamp()))


def _sender(message: Mapping[str, Any]) -> str | None:
    sender = message.get("from") or message.get("from_user_id")
    return sender if isinstance(sender, str) else None


def _contact(sender: str, name: str | None) -> dict[str, Any]:
    contact: dict[str, Any] = {("user_id" if "." in sender else "wa_id"): sender}
    if name is not None:
        contact["profile"] = {"name": name}
    return contact
