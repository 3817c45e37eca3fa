"""What a message is: decided once, when it arrives, and stored with its row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from app.commands.registry import CommandRegistry, parse_command
from app.domain.ids import UserId, WaMessageId
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
from app.privacy.commands import is_last_word


class OpenQuestions(Protocol):
    """What people were asked and have not answered yet."""

    def is_answer(self, user_id: UserId, content: Content) -> bool:
        """Tell whether a message must reach a question instead of the lane of turns.

        A pressed button of any question is one, open or not.
        """
        ...


@dataclass(frozen=True, slots=True)
class Classification:
    """What a message is for, which lane it goes to, whether it may join its neighbours' turn.

    `ref_id` is the message that it edits, takes back or reacts to.
    """

    purpose: Purpose
    lane: Lane = "turn"
    is_mergeable: bool = False
    ref_id: WaMessageId | None = None


Classify = Callable[[UserId, Content], Classification]


def classify(
    user_id: UserId, content: Content, *, questions: OpenQuestions, commands: CommandRegistry
) -> Classification:
    """Tell what a message is. Commands, answers and voice go at once; what people type may merge.

    A command is never an answer, whatever was asked.
    """
    match content:
        case Reaction(message_id=ref_id) | Edit(original_id=ref_id) | Revoke(original_id=ref_id):
            return Classification("change", ref_id=ref_id)
        case System():
            return Classification("system")
        case Text(body=written) | Choice(id=written) if parse_command(written) is not None:
            return Classification("command", "control" if commands.is_control(written) else "turn")
        case Text(body=body) if is_last_word(body):
            return Classification("erase_confirmation", "control")
        case Text() | Choice() if questions.is_answer(user_id, content):
            return Classification("answer", "control")
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
