"""From message contents to text that the assistant can read, and what to say about the rest."""

from dataclasses import dataclass
from typing import assert_never

from app.asking.texts import ASKING
from app.domain.inbound import (
    Audio,
    CallPermission,
    Choice,
    Contacts,
    Content,
    Document,
    Edit,
    FlowReply,
    Image,
    Location,
    Order,
    Reaction,
    Revoke,
    Sticker,
    System,
    Text,
    Unsupported,
    Video,
    Welcome,
)
from app.language.catalogue import Sentence
from app.pipeline.texts import PIPELINE


@dataclass(frozen=True, slots=True)
class Described:
    """`text` is for the model and history; `notice` is the kind sentence for what cannot be understood yet."""

    text: str = ""
    notice: Sentence | None = None


def describe(content: Content) -> Described:  # noqa: C901 - one case for each content type
    """Put one message in words. With a caption the caption is the message; the file is mentioned."""
    match content:
        case Text(body=body):
            return Described(body.strip())
        case Image(caption=caption):
            return _attachment("image", caption, PIPELINE.cannot_see_image)
        case Video(caption=caption):
            return _attachment("video", caption, PIPELINE.cannot_watch)
        case Document(caption=caption):
            return _attachment("document", caption, PIPELINE.cannot_read_document)
        case Audio():
            return Described(notice=PIPELINE.cannot_listen)
        case Sticker():
            return Described(notice=PIPELINE.cannot_sticker)
        case Location():
            return Described(_location(content))
        case Contacts():
            return Described(_contacts(content))
        case Choice(title=title, source="template"):
            return Described(title)
        case Choice():
            return Described(notice=ASKING.stale_question)
        case FlowReply():
            return Described(notice=PIPELINE.cannot_flow)
        case Order(text=text):
            return Described(text, PIPELINE.cannot_order)
        case Welcome():
            return Described(notice=PIPELINE.welcome)
        case Unsupported():
            return Described(notice=PIPELINE.cannot_unsupported)
        case Edit(content=edited):
            return describe(edited)
        case CallPermission() | Reaction() | Revoke() | System():
            return Described()
        case _:
            assert_never(content)


def _attachment(kind: str, caption: str | None, notice: Sentence) -> Described:
    if caption is None or not caption.strip():
        return Described(notice=notice)
    return Described(f"{caption.strip()}\n[with {_article(kind)} that you cannot see]")


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _location(content: Location) -> str:
    named = ", ".join(part for part in (content.name, content.address) if part)
    place = f"{named} " if named else ""
    return f"[location: {place}({content.latitude:.6f}, {content.longitude:.6f})]"


def _contacts(content: Contacts) -> str:
    cards = "; ".join(", ".join((card.name, *card.phones, *card.emails)) for card in content.cards)
    return f"[contact: {cards}]"
