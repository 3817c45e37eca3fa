"""What a person can do on the page, and the message that Meta would make of it."""

import base64
from typing import Literal, assert_never

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from app.domain.errors import Rejected
from app.simulator import payloads
from app.simulator.media import MediaStore
from app.simulator.payloads import JsonObject, MediaKind


class _Input(BaseModel):
    """What a person did. An `id` chosen by the page makes trying again safe."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user: str
    id: str | None = Field(default=None, pattern=r"^wamid\.SIM[0-9A-F]{32}$")
    quote_id: str | None = Field(default=None, max_length=256)


class TextInput(_Input):
    type: Literal["text"]
    text: str = Field(min_length=1, max_length=65_536)


class ButtonInput(_Input):
    type: Literal["button"]
    button_id: str = Field(min_length=1, max_length=256)
    title: str = Field(max_length=256)


class ListInput(_Input):
    type: Literal["list"]
    row_id: str = Field(min_length=1, max_length=256)
    title: str = Field(max_length=256)
    description: str = Field(default="", max_length=256)


class ReactionInput(_Input):
    """An empty emoji takes the reaction back."""

    type: Literal["reaction"]
    message_id: str = Field(min_length=1, max_length=256)
    emoji: str = Field(max_length=32)


class LocationInput(_Input):
    type: Literal["location"]
    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)
    name: str | None = Field(default=None, max_length=256)


class ContactInput(_Input):
    type: Literal["contact"]
    name: str = Field(min_length=1, max_length=256)
    wa_id: str = Field(pattern=r"^[0-9]{5,20}$")


class EditInput(_Input):
    type: Literal["edit"]
    message_id: str = Field(min_length=1, max_length=256)
    text: str = Field(min_length=1, max_length=65_536)


class RevokeInput(_Input):
    type: Literal["revoke"]
    message_id: str = Field(min_length=1, max_length=256)


class MediaInput(_Input):
    """A file that was uploaded before. `voice` marks an audio file as spoken just now."""

    type: Literal["media"]
    kind: MediaKind
    media_id: str = Field(pattern=r"^[0-9]{1,20}$")
    caption: str | None = Field(default=None, max_length=1024)
    voice: bool = False


AnyInput = (
    TextInput
    | ButtonInput
    | ListInput
    | ReactionInput
    | LocationInput
    | ContactInput
    | MediaInput
    | EditInput
    | RevokeInput
)


def content(sent: AnyInput, files: MediaStore) -> JsonObject:
    """Build the part of the message that depends on its type.

    Raises:
        Rejected: 404, a file is no longer kept.
    """
    match sent:
        case TextInput():
            return payloads.text(sent.text)
        case ButtonInput():
            return payloads.button_reply(sent.button_id, sent.title)
        case ListInput():
            return payloads.list_reply(sent.row_id, sent.title, sent.description)
        case ReactionInput():
            return payloads.reaction(sent.message_id, sent.emoji)
        case LocationInput():
            return payloads.location(sent.latitude, sent.longitude, name=sent.name)
        case ContactInput():
            return payloads.contact(sent.name, sent.wa_id)
        case MediaInput():
            return _media(sent, files)
        case EditInput():
            return payloads.edit(sent.message_id, payloads.text(sent.text))
        case RevokeInput():
            return payloads.revoke(sent.message_id)
        case _:
            assert_never(sent)


def _media(sent: MediaInput, files: MediaStore) -> JsonObject:
    file = files.find(sent.media_id)
    if file is None:
        raise Rejected("media_unknown", "no such file", status=404)
    digest = base64.b64encode(file.sha256).decode()
    facts: dict[str, JsonValue] = {"id": sent.media_id, "mime_type": file.mime_type, "sha256": digest}
    match sent.kind:
        case "image" | "video":
            facts["caption"] = sent.caption or None
        case "document":
            facts |= {"caption": sent.caption or None, "filename": file.filename}
        case "audio":
            facts["voice"] = sent.voice
        case "sticker":
            pass
        case _:
            assert_never(sent.kind)
    return payloads.media(sent.kind, facts)
