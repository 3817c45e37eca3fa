"""What one message says: Meta's JSON for each message type, read into the types of `domain.inbound`."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeVar

from app.domain.ids import WaMessageId
from app.domain.inbound import (
    Audio,
    CallPermission,
    Choice,
    ContactCard,
    Contacts,
    Content,
    Document,
    Edit,
    EditableContent,
    FlowReply,
    Image,
    Location,
    MediaRef,
    Order,
    OrderItem,
    Reaction,
    Revoke,
    Sticker,
    System,
    Text,
    Unsupported,
    Video,
    Welcome,
)

T = TypeVar("T")

_DECIMAL: Final = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON object read without trust: an absent part and one of the wrong kind look the same.

    Its whole numbers have at most 18 digits; `parser` hands longer ones on as strings.
    """

    parts: Mapping[str, object]

    def child(self, name: str) -> "Node":
        """The object of that name, or an empty one."""
        value = self.parts.get(name)
        return Node(value if isinstance(value, dict) else {})

    def children(self, name: str) -> list["Node"]:
        """The objects in the list of that name, in order; whatever else is in it is left out."""
        value = self.parts.get(name)
        return [Node(item) for item in value if isinstance(item, dict)] if isinstance(value, list) else []

    def text(self, name: str) -> str | None:
        """A string that is not empty."""
        value = self.parts.get(name)
        return value if isinstance(value, str) and value else None

    def ident(self, name: str) -> str | None:
        """A string that is not blank, or a whole number written out."""
        value = self.parts.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return value if isinstance(value, str) and value.strip() else None

    def whole(self, name: str) -> int | None:
        """A whole number of at most 18 digits, also when it is written as a string."""
        value = self.ident(name)
        return int(value) if value is not None and _DECIMAL.fullmatch(value) else None

    def number(self, name: str) -> float | None:
        """A finite number."""
        value = self.parts.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value) if math.isfinite(value) else None

    def flag(self, name: str) -> bool:
        """Whether that part is `true`."""
        return self.parts.get(name) is True


@dataclass(frozen=True, slots=True)
class WireError:
    """One element of an `errors` list; `detail` is Meta's most specific sentence."""

    code: int | None
    detail: str

    @classmethod
    def read(cls, node: Node) -> "WireError":
        detail = node.child("error_data").text("details") or node.text("message") or node.text("title")
        return cls(node.whole("code"), detail or "")


NO_ERROR: Final = WireError(None, "")


def first_error(node: Node) -> WireError:
    """The first of a message's or status's own errors; `NO_ERROR` when it has none."""
    errors = node.children("errors")
    return WireError.read(errors[0]) if errors else NO_ERROR


def read_content(message: Node) -> Content:
    """Read what a message of any type says.

    Never raises. A type that is unknown, or known but damaged, becomes `Unsupported`: its `kind` is the
    message type and its `detail` names Meta's error or the missing part.
    Shapes: Meta's webhook reference for `messages`, its OpenAPI description v23.0, and recorded payloads.
    """
    kind = message.text("type") or "unknown"
    reader = _READERS.get(kind)
    if reader is None:
        return _unsupported(message, message.child("unsupported").text("type") or kind)
    return _try(reader, message, kind)


class _Damaged(Exception):
    """A part that the message type cannot do without is not there; the text names it."""


def _need(value: T | None, part: str) -> T:
    if value is None:
        raise _Damaged(f"{part} is missing or damaged")
    return value


def _try(reader: Callable[[Node], T], message: Node, kind: str) -> T | Unsupported:
    try:
        return reader(message)
    except _Damaged as damage:
        return _unsupported(message, kind, str(damage))


def _unsupported(message: Node, kind: str, damage: str = "") -> Unsupported:
    error = first_error(message)
    return Unsupported(kind=kind, code=error.code, detail=error.detail or damage)


def _message_id(node: Node, part: str) -> WaMessageId:
    return WaMessageId(_need(node.ident(part), part))


def _media(node: Node) -> MediaRef:
    return MediaRef(
        media_id=_need(node.ident("id"), "media id"),
        mime_type=node.text("mime_type") or "",
        sha256=node.text("sha256"),
        url=node.text("url"),
    )


def _text(message: Node) -> Text:
    return Text(_need(message.child("text").text("body"), "text.body"))


def _image(message: Node) -> Image:
    node = message.child("image")
    return Image(_media(node), node.text("caption"))


def _video(message: Node) -> Video:
    node = message.child("video")
    return Video(_media(node), node.text("caption"))


def _audio(message: Node) -> Audio:
    node = message.child("audio")
    return Audio(_media(node), is_voice=node.flag("voice"))


def _voice(message: Node) -> Audio:
    return Audio(_media(message.child("voice")), is_voice=True)


def _document(message: Node) -> Document:
    node = message.child("document")
    return Document(_media(node), node.text("filename"), node.text("caption"))


def _sticker(message: Node) -> Sticker:
    node = message.child("sticker")
    return Sticker(_media(node), is_animated=node.flag("animated"))


def _location(message: Node) -> Location:
    node = message.child("location")
    latitude = _need(node.number("latitude"), "location.latitude")
    longitude = _need(node.number("longitude"), "location.longitude")
    if abs(latitude) > 90 or abs(longitude) > 180:
        raise _Damaged("location is not on Earth")
    return Location(latitude, longitude, node.text("name"), node.text("address"), node.text("url"))


def _contacts(message: Node) -> Contacts:
    cards = tuple(_card(node) for node in message.children("contacts"))
    return Contacts(_need(cards or None, "contacts"))


def _card(node: Node) -> ContactCard:
    name = node.child("name")
    spoken = " ".join(part for key in ("first_name", "last_name") if (part := name.text(key)))
    phones = [phone.ident("phone") or phone.ident("wa_id") for phone in node.children("phones")]
    emails = [email.text("email") for email in node.children("emails")]
    return ContactCard(
        name=name.text("formatted_name") or spoken or node.child("org").text("company") or "",
        phones=tuple(phone for phone in phones if phone),
        emails=tuple(email for email in emails if email),
    )


def _reaction(message: Node) -> Reaction:
    node = message.child("reaction")
    return Reaction(_message_id(node, "message_id"), node.text("emoji"))


def _interactive(message: Node) -> Choice | FlowReply | CallPermission:
    node = message.child("interactive")
    kind = node.text("type")
    reply = node.child(kind or "")
    match kind:
        case "button_reply":
            return Choice(_need(reply.ident("id"), "button_reply.id"), reply.text("title") or "", "button")
        case "list_reply":
            return Choice(_need(reply.ident("id"), "list_reply.id"), reply.text("title") or "", "list")
        case "nfm_reply":
            return FlowReply(_need(reply.text("response_json"), "nfm_reply.response_json"))
        case "call_permission_reply":
            response = _need(reply.text("response"), "call_permission_reply.response")
            return CallPermission(is_granted=response == "accept")
        case _:
            raise _Damaged("interactive.type is missing or unknown")


def _button(message: Node) -> Choice:
    node = message.child("button")
    title = node.text("text") or ""
    return Choice(_need(node.ident("payload") or title or None, "button.payload"), title, "template")


def _order(message: Node) -> Order:
    node = message.child("order")
    items = tuple(item for product in node.children("product_items") if (item := _order_item(product)))
    return Order(_need(items or None, "order.product_items"), node.text("text") or "")


def _order_item(node: Node) -> OrderItem | None:
    product_id, quantity, price = (
        node.ident("product_retailer_id"),
        node.whole("quantity"),
        node.number("item_price"),
    )
    if product_id is None or quantity is None or price is None:
        return None
    return OrderItem(product_id, quantity, price, node.text("currency") or "")


def _system(message: Node) -> System:
    node = message.child("system")
    if not node.parts:
        raise _Damaged("system is missing or damaged")
    return System(
        kind=node.text("type") or "unknown",
        body=node.text("body") or "",
        new_wa_id=node.ident("new_wa_id") or node.ident("wa_id"),
        new_bsuid=node.ident("user_id"),
    )


def _edit(message: Node) -> Edit:
    node = message.child("edit")
    original_id = _message_id(node, "original_message_id")
    return Edit(original_id, _edited(node.child("message")))


def _edited(message: Node) -> EditableContent:
    # Only the types that can be edited are looked up, so an edit within an edit cannot recurse.
    named = (name for name in _EDITABLE if name in message.parts)
    kind = message.text("type") or next(named, "unknown")
    reader = _EDITABLE.get(kind)
    return _try(reader, message, kind) if reader else _unsupported(message, kind)


def _revoke(message: Node) -> Revoke:
    return Revoke(_message_id(message.child("revoke"), "original_message_id"))


def _welcome(_message: Node) -> Welcome:
    return Welcome()


_EDITABLE: Final[Mapping[str, Callable[[Node], Text | Image | Video | Document]]] = MappingProxyType(
    {"text": _text, "image": _image, "video": _video, "document": _document}
)

_READERS: Final[Mapping[str, Callable[[Node], Content]]] = MappingProxyType(
    {
        **_EDITABLE,
        "audio": _audio,
        "voice": _voice,
        "sticker": _sticker,
        "location": _location,
        "contacts": _contacts,
        "reaction": _reaction,
        "interactive": _interactive,
        "button": _button,
        "order": _order,
        "system": _system,
        "edit": _edit,
        "revoke": _revoke,
        "request_welcome": _welcome,
    }
)
