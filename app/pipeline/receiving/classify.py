"""What a message is: decided once, when it arrives, and stored with its row."""

from dataclasses import dataclass

from app.asking.lines import Reading
from app.commands.registry import CommandRegistry
from app.domain.ids import WaMessageId
from app.domain.inbound import (
    Audio,
    Choice,
    Contacts,
    Content,
    Document,
    Edit,
    Image,
    Lane,
    Location,
    Purpose,
    Reaction,
    Revoke,
    Sticker,
    System,
    Text,
    Video,
)


@dataclass(frozen=True, slots=True)
class Classification:
    """What a message is for, which lane it goes to, whether it may join its neighbours' turn.

    `ref_id` is the message that it edits, takes back or reacts to; `answers` is which question it answers.
    """

    purpose: Purpose
    lane: Lane = "turn"
    is_mergeable: bool = False
    ref_id: WaMessageId | None = None
    answers: str | None = None


def classify(content: Content, reading: Reading | None, *, commands: CommandRegistry) -> Classification:
    """Tell what a message is. Commands, answers and voice go at once; what people type may merge.

    `reading` is the question that it answers. A command is never an answer, whatever was asked.
    """
    match content:
        case Edit(original_id=ref_id):
            return Classification("rewrite", ref_id=ref_id)
        case Reaction(message_id=ref_id) | Revoke(original_id=ref_id):
            return Classification("change", ref_id=ref_id)
        case System():
            return Classification("system")
        case Text(body=written) | Choice(id=written) if commands.parse(written) is not None:
            return Classification("command", "control" if commands.is_control(written) else "turn")
        case Text() | Choice() if reading is not None:
            return Classification("answer", reading.lane, answers=reading.address)
        case _:
            return Classification("conversation", is_mergeable=_may_merge(content))


def _may_merge(content: Content) -> bool:
    match content:
        case Text(body=body):
            return not body.lstrip().startswith("/")
        case Audio(is_voice=is_voice):
            return not is_voice
        case _:
            return isinstance(content, Image | Video | Document | Location | Contacts | Sticker)
