"""The JSON we send to Meta: always within its limits, or refused before it leaves."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, assert_never

from app.domain.errors import Permanent
from app.domain.ids import WaMessageId
from app.domain.outbound import (
    MAX_BUTTON_ID_CHARS,
    MAX_BUTTON_TITLE_CHARS,
    MAX_BUTTONS,
    MAX_CAPTION_CHARS,
    MAX_INTERACTIVE_BODY_CHARS,
    MAX_LIST_ROWS,
    MAX_ROW_DESCRIPTION_CHARS,
    MAX_ROW_TITLE_CHARS,
    MAX_TEXT_CHARS,
    Buttons,
    ListMenu,
    ListRow,
    ListSection,
    OutboundMessage,
    OutMedia,
    OutReaction,
    OutTemplate,
    OutText,
    Recipient,
)
from app.domain.wording import one_line

_MAX_HEADER_CHARS: Final = 60
_MAX_FOOTER_CHARS: Final = 60
_MAX_LIST_LABEL_CHARS: Final = 20
_MAX_SECTION_TITLE_CHARS: Final = 24
_MAX_ROW_ID_CHARS: Final = 200
_MAX_TRACKER_CHARS: Final = 512
_MAX_VARIABLE_CHARS: Final = 700
_MAX_QUICK_REPLY_CHARS: Final = 128

_KIB: Final = 1024
_MIB: Final = 1024 * _KIB
_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_STICKER: Final = "image/webp"

_MEDIA_LIMITS: Final[Mapping[str, int]] = MappingProxyType(
    {
        **dict.fromkeys(("audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"), 16 * _MIB),
        **dict.fromkeys(("image/jpeg", "image/png"), 5 * _MIB),
        **dict.fromkeys(("video/mp4", "video/3gpp"), 16 * _MIB),
        **dict.fromkeys(
            (
                "text/plain",
                "application/pdf",
                "application/msword",
                "application/vnd.ms-excel",
                "application/vnd.ms-powerpoint",
                f"{_OFFICE}wordprocessingml.document",
                f"{_OFFICE}spreadsheetml.sheet",
                f"{_OFFICE}presentationml.presentation",
            ),
            100 * _MIB,
        ),
    }
)

_URL: Final = re.compile(r"https?://\S", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Part:
    """The type-specific half of a message."""

    type: str
    content: dict[str, object]
    quote_id: WaMessageId | None = None


def message_payload(to: Recipient, message: OutboundMessage, *, tracker: str | None) -> dict[str, object]:
    """Return the body of `POST /{phone-number-id}/messages` (`whatsapp-cloud-api.md` §3.7).

    Display text that is too long (titles, labels, header, footer) is cut with an ellipsis, and button
    titles that became equal are numbered. Lengths count code points, as Meta's OpenAPI description does.

    Raises:
        Permanent: "message_too_large" where cutting would lose content, "message_invalid" where Meta
            would refuse the message, "recipient_unknown" when there is no id to send to.
    """
    part = _part(message)
    payload: dict[str, object] = {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        **_address(to),
        "type": part.type,
        part.type: part.content,
    }
    if part.quote_id:
        payload["context"] = {"message_id": part.quote_id}
    if tracker:
        payload["biz_opaque_callback_data"] = _whole(tracker, _MAX_TRACKER_CHARS, "tracker")
    return payload


def read_payload(message_id: WaMessageId, is_typing: bool) -> dict[str, object]:
    """Return the body that marks a message read and, if asked, shows the typing mark for up to 25 s."""
    payload: dict[str, object] = {"messaging_product": "whatsapp", "status": "read", "message_id": message_id}
    if is_typing:
        payload["typing_indicator"] = {"type": "text"}
    return payload


def check_upload(data: bytes, mime_type: str) -> None:
    """Refuse a file that Meta would refuse (`whatsapp-cloud-api.md` §3.8); sizes are binary units.

    Raises:
        Permanent: "media_type_unsupported", "media_empty" or "media_too_large".
    """
    kind = mime_type.split(";")[0].strip().lower()
    if kind == _STICKER:
        limit = 500 * _KIB if _is_animated_webp(data) else 100 * _KIB
    elif kind in _MEDIA_LIMITS:
        limit = _MEDIA_LIMITS[kind]
    else:
        raise Permanent("media_type_unsupported", f"WhatsApp takes no {kind or 'file without a type'}")
    if not data:
        raise Permanent("media_empty", f"an empty {kind} cannot be sent")
    if len(data) > limit:
        raise Permanent("media_too_large", f"{len(data)} bytes of {kind}, {limit} are allowed")


def _address(to: Recipient) -> dict[str, object]:
    address: dict[str, object] = {}
    if to.wa_id:
        address["to"] = to.wa_id
    if to.bsuid:
        address["recipient"] = to.bsuid
    if not address:
        raise Permanent("recipient_unknown", "neither a phone-based nor a business-scoped id is known")
    return address


def _part(message: OutboundMessage) -> _Part:
    match message:
        case OutText():
            body = _content(message.body, MAX_TEXT_CHARS, "text")
            return _Part("text", {"body": body, "preview_url": bool(_URL.search(body))}, message.quote_id)
        case Buttons():
            return _Part("interactive", _buttons(message), message.quote_id)
        case ListMenu():
            return _Part("interactive", _list(message), message.quote_id)
        case OutReaction():
            return _Part("reaction", {"message_id": message.message_id, "emoji": message.emoji})
        case OutMedia():
            return _Part(message.kind, _media(message), message.quote_id)
        case OutTemplate():
            return _Part("template", _template(message))
        case _:
            assert_never(message)


def _buttons(message: Buttons) -> dict[str, object]:
    _check_count(len(message.buttons), MAX_BUTTONS, "buttons")
    ids = _ids((button.id for button in message.buttons), MAX_BUTTON_ID_CHARS, "button id")
    titles = _distinct([button.title for button in message.buttons], MAX_BUTTON_TITLE_CHARS)
    interactive: dict[str, object] = {
        "type": "button",
        "body": {"text": _content(message.body, MAX_INTERACTIVE_BODY_CHARS, "body")},
        "action": {
            "buttons": [
                {"type": "reply", "reply": {"id": id_, "title": title}}
                for id_, title in zip(ids, titles, strict=True)
            ]
        },
    }
    if header := one_line(message.header or "", _MAX_HEADER_CHARS):
        interactive["header"] = {"type": "text", "text": header}
    if footer := one_line(message.footer or "", _MAX_FOOTER_CHARS):
        interactive["footer"] = {"text": footer}
    return interactive


def _list(message: ListMenu) -> dict[str, object]:
    sections = [section for section in message.sections if section.rows]
    rows = [row for section in sections for row in section.rows]
    _check_count(len(rows), MAX_LIST_ROWS, "rows")
    _ids((row.id for row in rows), _MAX_ROW_ID_CHARS, "row id")
    return {
        "type": "list",
        "body": {"text": _content(message.body, MAX_INTERACTIVE_BODY_CHARS, "body")},
        "action": {
            "button": _label(message.label, _MAX_LIST_LABEL_CHARS, "list label"),
            "sections": [_section(section, is_only=len(sections) == 1) for section in sections],
        },
    }


def _section(section: ListSection, *, is_only: bool) -> dict[str, object]:
    title = one_line(section.title, _MAX_SECTION_TITLE_CHARS)
    if not (title or is_only):
        raise Permanent("message_invalid", "each of several sections needs a title")
    rows = [_row(row) for row in section.rows]
    return {"title": title, "rows": rows} if title else {"rows": rows}


def _row(row: ListRow) -> dict[str, object]:
    payload: dict[str, object] = {"id": row.id, "title": _label(row.title, MAX_ROW_TITLE_CHARS, "row title")}
    if description := one_line(row.description, MAX_ROW_DESCRIPTION_CHARS):
        payload["description"] = description
    return payload


def _media(message: OutMedia) -> dict[str, object]:
    if not message.media_id:
        raise Permanent("message_invalid", "media without an id")
    payload: dict[str, object] = {"id": message.media_id}
    if message.caption:
        if message.kind in ("audio", "sticker"):
            raise Permanent("message_invalid", f"WhatsApp shows no caption under {message.kind}")
        payload["caption"] = _whole(message.caption, MAX_CAPTION_CHARS, "caption")
    if message.kind == "document" and message.filename:
        payload["filename"] = message.filename
    if message.kind == "audio" and message.is_voice:
        payload["voice"] = True
    return payload


def _template(message: OutTemplate) -> dict[str, object]:
    """Variables may hold no line breaks, tabs or rows of spaces (Meta, "Template components")."""
    values = [one_line(value, _MAX_VARIABLE_CHARS) for value in message.values]
    if not all(values):
        raise Permanent("message_invalid", "a variable of the template is blank")
    components: list[dict[str, object]] = []
    if values:
        components.append({"type": "body", "parameters": [{"type": "text", "text": value} for value in values]})
    for index, payload in enumerate(_ids(message.buttons, _MAX_QUICK_REPLY_CHARS, "quick reply")):
        button: dict[str, object] = {"type": "button", "sub_type": "quick_reply", "index": str(index)}
        components.append({**button, "parameters": [{"type": "payload", "payload": payload}]})
    return {"name": message.name, "language": template_language(message.language), "components": components}


def template_language(code: str) -> dict[str, object]:
    """Return the language of a template that is sent; the policy is the only one there is, and required."""
    return {"policy": "deterministic", "code": code}


def _whole(text: str, limit: int, what: str) -> str:
    if len(text) > limit:
        raise Permanent("message_too_large", f"{what}: {len(text)} characters, {limit} are allowed")
    return text


def _content(text: str, limit: int, what: str) -> str:
    if not text.strip():
        raise Permanent("message_invalid", f"the {what} is blank")
    return _whole(text, limit, what)


def _check_count(count: int, limit: int, what: str) -> None:
    if count == 0:
        raise Permanent("message_invalid", f"no {what}")
    if count > limit:
        raise Permanent("message_too_large", f"{count} {what}, {limit} are allowed")


def _ids(ids: Iterable[str], limit: int, what: str) -> list[str]:
    """Return the ids unchanged, because they must come back exactly as they were given."""
    checked = [_whole(id_, limit, what) for id_ in ids]
    if any(not id_ or id_ != id_.strip() for id_ in checked):
        raise Permanent("message_invalid", f"a {what} is empty or has spaces around it")
    if len(set(checked)) != len(checked):
        raise Permanent("message_invalid", f"a {what} is used twice")
    return checked


def _label(text: str, limit: int, what: str) -> str:
    label = one_line(text, limit)
    if not label:
        raise Permanent("message_invalid", f"the {what} is blank")
    return label


def _distinct(titles: Sequence[str], limit: int) -> list[str]:
    """Cut titles to size and number those that would then be equal: Meta refuses equal ones."""
    result: list[str] = []
    for title in titles:
        label = _label(title, limit, "button title")
        number = 2
        while label in result:
            suffix = f" {number}"
            label = one_line(title, limit - len(suffix)) + suffix
            number += 1
        result.append(label)
    return result


def _is_animated_webp(data: bytes) -> bool:
    """Tell by the animation flag of the extended header (WebP container specification)."""
    return data[:4] == b"RIFF" and data[12:16] == b"VP8X" and len(data) > 20 and bool(data[20] & 0x02)
