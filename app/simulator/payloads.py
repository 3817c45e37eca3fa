"""Webhooks as Meta writes them: what people send, and what became of what they were sent.

Shapes follow the Cloud API's reference of the `messages` webhook field.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final, Literal

from pydantic import JsonValue

from app.domain.inbound import StatusState

JsonObject = dict[str, JsonValue]
MediaKind = Literal["image", "audio", "video", "document", "sticker"]

DISPLAY_PHONE_NUMBER: Final = "15550009999"
_ACCOUNT_ID: Final = "simulated-account"
REGULAR: Final[Mapping[str, JsonValue]] = MappingProxyType(
    {"billable": True, "category": "service", "type": "regular"}
)
"""How Meta's statuses price a message that is billed as usual."""


@dataclass(frozen=True, slots=True)
class SimUser:
    """A made-up person who can write to the assistant; `wa_id` is digits only."""

    wa_id: str
    name: str
    bsuid: str | None = None


# What a person sends: the part of a message that depends on its type.


def text(body: str) -> JsonObject:
    return {"type": "text", "text": {"body": body}}


def button_reply(button_id: str, title: str) -> JsonObject:
    return _interactive("button_reply", {"id": button_id, "title": title})


def template_reply(payload: str, title: str) -> JsonObject:
    """A quick reply under a template was pressed."""
    return {"type": "button", "button": {"payload": payload, "text": title}}


def list_reply(row_id: str, title: str, description: str = "") -> JsonObject:
    row: JsonObject = {"id": row_id, "title": title}
    return _interactive("list_reply", {**row, "description": description} if description else row)


def reaction(message_id: str, emoji: str) -> JsonObject:
    """An empty emoji removes the reaction; Meta then leaves the key out."""
    target: JsonObject = {"message_id": message_id}
    return {"type": "reaction", "reaction": {**target, "emoji": emoji} if emoji else target}


def location(latitude: float, longitude: float, *, name: str | None = None) -> JsonObject:
    point: JsonObject = {"latitude": latitude, "longitude": longitude}
    return {"type": "location", "location": {**point, "name": name} if name else point}


def contact(name: str, wa_id: str) -> JsonObject:
    """A card out of somebody's address book."""
    phone: JsonObject = {"phone": f"+{wa_id}", "wa_id": wa_id, "type": "CELL"}
    return {
        "type": "contacts",
        "contacts": [{"name": {"formatted_name": name, "first_name": name}, "phones": [phone]}],
    }


def image(media_id: str, *, mime_type: str, sha256: str, caption: str | None = None) -> JsonObject:
    """`sha256` is base64, as webhooks carry it."""
    return media("image", {"id": media_id, "mime_type": mime_type, "sha256": sha256, "caption": caption})


def media(kind: MediaKind, facts: JsonObject) -> JsonObject:
    """A file: `id`, `mime_type`, `sha256` (base64), `caption`, `filename`, `voice`; None is left out.

    A sticker says whether it moves, and has no caption.
    """
    known: JsonObject = {name: value for name, value in facts.items() if value is not None}
    return {"type": kind, kind: {**known, "animated": False} if kind == "sticker" else known}


def edit(original_id: str, content: JsonObject) -> JsonObject:
    """`content` is what another builder here returned: text or an image."""
    return {"type": "edit", "edit": {"original_message_id": original_id, "message": content}}


def revoke(original_id: str) -> JsonObject:
    return {"type": "revoke", "revoke": {"original_message_id": original_id}}


def _interactive(kind: str, reply: JsonObject) -> JsonObject:
    return {"type": "interactive", "interactive": {"type": kind, kind: reply}}


# Whole webhooks.


def message(
    content: JsonObject, *, sender: SimUser, message_id: str, at: datetime, quote_id: str | None = None
) -> JsonObject:
    """Complete a message: who, when, and what it answers to (`quote_id`)."""
    whole: JsonObject = {"from": sender.wa_id, "id": message_id, "timestamp": _timestamp(at), **content}
    if sender.bsuid:
        whole["from_user_id"] = sender.bsuid
    if quote_id:
        whole["context"] = {"from": DISPLAY_PHONE_NUMBER, "id": quote_id}
    return whole


def message_webhook(phone_number_id: str, sender: SimUser, one_message: JsonObject) -> JsonObject:
    contact: JsonObject = {"profile": {"name": sender.name}, "wa_id": sender.wa_id}
    if sender.bsuid:
        contact["user_id"] = sender.bsuid
    return _webhook(phone_number_id, {"contacts": [contact], "messages": [one_message]})


def status(
    message_id: str,
    state: StatusState,
    *,
    recipient: str,
    at: datetime,
    tracker: str | None = None,
    error_code: int | None = None,
) -> JsonObject:
    """What became of a send: with pricing when it went well, with an error when it `failed`."""
    whole: JsonObject = {
        "id": message_id,
        "status": state,
        "timestamp": _timestamp(at),
        "recipient_id": recipient,
    }
    if tracker is not None:
        whole["biz_opaque_callback_data"] = tracker
    if error_code is None:
        whole["pricing"] = {"pricing_model": "PMP", **REGULAR}
    else:
        title = "Simulated error"
        details: JsonObject = {"details": "A fault that was switched on in the simulator."}
        whole["errors"] = [{"code": error_code, "title": title, "message": title, "error_data": details}]
    return whole


def status_webhook(phone_number_id: str, one_status: JsonObject) -> JsonObject:
    return _webhook(phone_number_id, {"statuses": [one_status]})


def template_webhook(template_id: str, name: str, language: str, event: str, reason: str) -> JsonObject:
    """What became of a template that was submitted."""
    value: JsonObject = {
        "event": event,
        "message_template_id": int(template_id),
        "message_template_name": name,
        "message_template_language": language,
        "reason": reason,
    }
    change: JsonObject = {"field": "message_template_status_update", "value": value}
    return {"object": "whatsapp_business_account", "entry": [{"id": _ACCOUNT_ID, "changes": [change]}]}


def encode(payload: JsonObject) -> bytes:
    r"""Serialise the way Meta does: no spaces, non-ASCII as \uXXXX, slashes escaped."""
    return json.dumps(payload, ensure_ascii=True, separators=(",", ":")).replace("/", "\\/").encode("ascii")


def signed_headers(body: bytes, app_secret: str) -> dict[str, str]:
    """The headers of a webhook: HMAC-SHA256 of the raw body under the app secret."""
    digest = hmac.new(app_secret.encode(), body, hashlib.sha256).hexdigest()
    return {"Content-Type": "application/json", "X-Hub-Signature-256": f"sha256={digest}"}


def _webhook(phone_number_id: str, value: JsonObject) -> JsonObject:
    metadata: JsonObject = {"display_phone_number": DISPLAY_PHONE_NUMBER, "phone_number_id": phone_number_id}
    value = {"messaging_product": "whatsapp", "metadata": metadata, **value}
    change: JsonObject = {"field": "messages", "value": value}
    return {"object": "whatsapp_business_account", "entry": [{"id": _ACCOUNT_ID, "changes": [change]}]}


def _timestamp(at: datetime) -> str:
    return str(int(at.timestamp()))
