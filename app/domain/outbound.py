"""What is sent: one frozen class per message type of the Cloud API that we use."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from app.domain.ids import WaMessageId

MAX_TEXT_CHARS = 4096
MAX_INTERACTIVE_BODY_CHARS = 1024
MAX_BUTTONS = 3
MAX_BUTTON_TITLE_CHARS = 20
MAX_BUTTON_ID_CHARS = 256
MAX_LIST_ROWS = 10
MAX_ROW_TITLE_CHARS = 24
MAX_ROW_DESCRIPTION_CHARS = 72
MAX_CAPTION_CHARS = 1024


@dataclass(frozen=True, slots=True)
class Recipient:
    """Where to: a phone-based id, a business-scoped user id, or both."""

    wa_id: str | None = None
    bsuid: str | None = None


@dataclass(frozen=True, slots=True)
class OutText:
    """WhatsApp-formatted text, already rendered and within `MAX_TEXT_CHARS`."""

    body: str
    quote_id: WaMessageId | None = None
    type: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class Button:
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Buttons:
    body: str
    buttons: tuple[Button, ...]
    header: str | None = None
    footer: str | None = None
    quote_id: WaMessageId | None = None
    type: Literal["buttons"] = "buttons"


@dataclass(frozen=True, slots=True)
class ListRow:
    id: str
    title: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class ListSection:
    title: str
    rows: tuple[ListRow, ...]


@dataclass(frozen=True, slots=True)
class ListMenu:
    """`label` is the text on the button that opens the list."""

    body: str
    label: str
    sections: tuple[ListSection, ...]
    quote_id: WaMessageId | None = None
    type: Literal["list"] = "list"


@dataclass(frozen=True, slots=True)
class OutReaction:
    """An empty `emoji` removes the reaction."""

    message_id: WaMessageId
    emoji: str
    type: Literal["reaction"] = "reaction"


@dataclass(frozen=True, slots=True)
class OutMedia:
    """A file that was uploaded before; `media_id` is Meta's."""

    kind: Literal["image", "audio", "video", "document", "sticker"]
    media_id: str
    caption: str | None = None
    filename: str | None = None
    is_voice: bool = False
    quote_id: WaMessageId | None = None
    type: Literal["media"] = "media"


@dataclass(frozen=True, slots=True)
class OutTemplate:
    """A template that Meta approved, which needs no open window. `body` is what the person reads.

    `values` fill its variables in order; `buttons` are the ids of its quick replies, in order.
    """

    name: str
    language: str
    body: str
    values: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    type: Literal["template"] = "template"


OutboundMessage = OutText | Buttons | ListMenu | OutReaction | OutMedia | OutTemplate

_ADAPTER: TypeAdapter[OutboundMessage] = TypeAdapter(Annotated[OutboundMessage, Field(discriminator="type")])


Occasion = Literal["answer", "unasked", "warning"]
"""Why a message is sent: to answer somebody, unasked (a reminder, news), or to warn of the spending limit."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a turn wants to say: Markdown, or text that is shown as it is written, which delivery splits; then
    ready messages. `lead` is shown as it is written, above the text."""

    markdown: str = ""
    literal: str = ""
    messages: tuple[OutboundMessage, ...] = ()
    lead: str = ""


def words_of(message: OutboundMessage) -> str:
    """Return what a person reads of a message."""
    match message:
        case OutText(body=text) | Buttons(body=text) | ListMenu(body=text) | OutTemplate(body=text):
            return text
        case OutMedia(caption=text):
            return text or ""
        case OutReaction(emoji=text):
            return text


def encode_outbound(message: OutboundMessage) -> str:
    """Serialise a message for the outbox."""
    return _ADAPTER.dump_json(message).decode()


def decode_outbound(payload: str) -> OutboundMessage:
    """Read a message back from the outbox."""
    return _ADAPTER.validate_json(payload)
