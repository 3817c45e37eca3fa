"""What a message is: decided once, when it arrives, and stored with its row."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.asking.asking import Asking
from app.asking.lines import Reading
from app.commands.registry import CommandRegistry
from app.domain.ids import UserId, WaMessageId
from app.domain.inbound import (
    Audio,
    Choice,
    Contacts,
    Content,
    Document,
    Edit,
    Image,
    InboundMessage,
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


class Classifier:
    """Reads messages against the questions that are open and the commands that there are."""

    def __init__(self, asking: Asking, commands: CommandRegistry) -> None:
        self._asking = asking
        self._commands = commands

    async def read(self, arrived: Sequence[tuple[UserId, InboundMessage]]) -> list[Classification]:
        """Tell what each message is at the moment in which they arrive."""
        readings = await self._asking.read_all(arrived)
        return [
            classify(message.content, reading, commands=self._commands)
            for (_, message), reading in zip(arrived, readings, strict=True)
        ]

    def read_again(self, content: Content) -> Classification:
        """Tell what a message is that was edited since; it answers nothing any more."""
        return classify(content, None, commands=self._commands)


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
