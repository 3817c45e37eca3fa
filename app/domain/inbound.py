"""What arrives: one frozen class per message type, whatever shape Meta's JSON had."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Final, Literal, get_args

from pydantic import Field, TypeAdapter, ValidationError

from app.domain.ids import WaMessageId


@dataclass(frozen=True, slots=True)
class Sender:
    """Who wrote. Either id may be missing: a person with a username has no `wa_id`."""

    wa_id: str | None = None
    bsuid: str | None = None
    parent_bsuid: str | None = None
    name: str | None = None
    username: str | None = None


@dataclass(frozen=True, slots=True)
class MediaRef:
    """A file at Meta's; `sha256` is base64, as webhooks carry it."""

    media_id: str
    mime_type: str = ""
    sha256: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ContactCard:
    name: str
    phones: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderItem:
    product_id: str
    quantity: int
    unit_price: float
    currency: str


@dataclass(frozen=True, slots=True)
class Text:
    body: str
    type: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class Image:
    media: MediaRef
    caption: str | None = None
    type: Literal["image"] = "image"


@dataclass(frozen=True, slots=True)
class Video:
    media: MediaRef
    caption: str | None = None
    type: Literal["video"] = "video"


@dataclass(frozen=True, slots=True)
class Audio:
    media: MediaRef
    is_voice: bool = False
    type: Literal["audio"] = "audio"


@dataclass(frozen=True, slots=True)
class Document:
    """`filename` is chosen by the sender: never a path."""

    media: MediaRef
    filename: str | None = None
    caption: str | None = None
    type: Literal["document"] = "document"


@dataclass(frozen=True, slots=True)
class Sticker:
    media: MediaRef
    is_animated: bool = False
    type: Literal["sticker"] = "sticker"


@dataclass(frozen=True, slots=True)
class Location:
    latitude: float
    longitude: float
    name: str | None = None
    address: str | None = None
    url: str | None = None
    type: Literal["location"] = "location"


@dataclass(frozen=True, slots=True)
class Contacts:
    cards: tuple[ContactCard, ...]
    type: Literal["contacts"] = "contacts"


@dataclass(frozen=True, slots=True)
class Reaction:
    """`emoji` is None when the reaction was removed."""

    message_id: WaMessageId
    emoji: str | None = None
    type: Literal["reaction"] = "reaction"


@dataclass(frozen=True, slots=True)
class Choice:
    """A pressed button or a picked list row; `id` is what we sent with it."""

    id: str
    title: str
    source: Literal["button", "list", "template"] = "button"
    type: Literal["choice"] = "choice"


@dataclass(frozen=True, slots=True)
class FlowReply:
    """A completed flow; `response` is Meta's JSON string, which may hold anything."""

    response: str
    type: Literal["flow_reply"] = "flow_reply"


@dataclass(frozen=True, slots=True)
class CallPermission:
    is_granted: bool
    type: Literal["call_permission"] = "call_permission"


@dataclass(frozen=True, slots=True)
class Order:
    items: tuple[OrderItem, ...]
    text: str = ""
    type: Literal["order"] = "order"


@dataclass(frozen=True, slots=True)
class System:
    """The person's number or identity changed; `new_wa_id`/`new_bsuid` where Meta names them."""

    kind: str
    body: str = ""
    new_wa_id: str | None = None
    new_bsuid: str | None = None
    type: Literal["system"] = "system"


@dataclass(frozen=True, slots=True)
class Revoke:
    original_id: WaMessageId
    type: Literal["revoke"] = "revoke"


@dataclass(frozen=True, slots=True)
class Welcome:
    """The chat was opened for the first time; there is nothing to read."""

    type: Literal["welcome"] = "welcome"


@dataclass(frozen=True, slots=True)
class Unsupported:
    """What WhatsApp could not hand over, or what this version does not know."""

    kind: str
    code: int | None = None
    detail: str = ""
    type: Literal["unsupported"] = "unsupported"


EditableContent = Annotated[Text | Image | Video | Document | Unsupported, Field(discriminator="type")]


@dataclass(frozen=True, slots=True)
class Edit:
    original_id: WaMessageId
    content: EditableContent
    type: Literal["edit"] = "edit"


Content = (
    Text
    | Image
    | Video
    | Audio
    | Document
    | Sticker
    | Location
    | Contacts
    | Reaction
    | Choice
    | FlowReply
    | CallPermission
    | Order
    | System
    | Edit
    | Revoke
    | Welcome
    | Unsupported
)


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """One message of one person, as it is stored in the inbox.

    `phone_number_id` is ours: which of the business numbers was written to.
    `sent_at` is Meta's time stamp (UTC), whole seconds.
    """

    id: WaMessageId
    phone_number_id: str
    sender: Sender
    sent_at: datetime
    content: Annotated[Content, Field(discriminator="type")]
    quoted_id: WaMessageId | None = None
    is_forwarded: bool = False
    group_id: str | None = None


Lane = Literal["turn", "control"]
"""Turns of a person run one after the other; control rows run beside them."""
Purpose = Literal["conversation", "command", "answer", "change", "rewrite", "system", "clock"]
"""What a message is for. `answer`: to a question of ours; `change`: of a message that was sent before;
`rewrite`: a change for which that message may have to be answered anew; `clock`: a wish that the person had told
us to take up at this time."""
PURPOSES: Final[frozenset[Purpose]] = frozenset(get_args(Purpose))

StatusState = Literal["sent", "delivered", "read", "played", "failed"]


@dataclass(frozen=True, slots=True)
class StatusUpdate:
    """What became of a message that `phone_number_id` sent. `tracker` is ours, if Meta returned it."""

    message_id: WaMessageId
    state: StatusState
    at: datetime
    tracker: str | None = None
    phone_number_id: str = ""
    error_code: int | None = None
    error_detail: str = ""
    is_billable: bool | None = None
    pricing_category: str | None = None
    pricing_type: str | None = None


@dataclass(frozen=True, slots=True)
class AccountNotice:
    """Anything else: account trouble, template states, shapes we do not know. For the owner's log."""

    field: str
    summary: str
    codes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class WebhookBatch:
    """All that one POST carried, in the order of the payload."""

    messages: tuple[InboundMessage, ...] = ()
    statuses: tuple[StatusUpdate, ...] = ()
    notices: tuple[AccountNotice, ...] = field(default=())


_ADAPTER: TypeAdapter[InboundMessage] = TypeAdapter(InboundMessage)


def encode_message(message: InboundMessage) -> str:
    """Serialise a message for the inbox."""
    return _ADAPTER.dump_json(message).decode()


def decode_message(payload: str) -> InboundMessage:
    """Read an inbox row of this version or an older one; an unknown content becomes `Unsupported`.

    Raises:
        pydantic.ValidationError: the envelope itself is damaged.
    """
    try:
        return _ADAPTER.validate_json(payload)
    except ValidationError as exc:
        if not all(error["loc"][:1] == ("content",) for error in exc.errors()):
            raise
    envelope = _ENVELOPE.validate_json(payload)
    return _ADAPTER.validate_python({**envelope, "content": Unsupported(kind="stored_by_another_version")})


_ENVELOPE: TypeAdapter[dict[str, object]] = TypeAdapter(dict[str, object])
