"""What the messages of a turn say, files included, before anybody thinks about an answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from app.database.repositories.conversations import NewMessage
from app.database.repositories.traces import TurnTrace
from app.domain.inbound import InboundMessage
from app.domain.outbound import Reply, words_of
from app.domain.senses import Perceived, Sense, Telling, Voice
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import say
from app.language.hasty import as_wished
from app.language.lexicon import COMMON_WORDS
from app.language.terse import as_asked
from app.pipeline.answering.normalize import describe
from app.pipeline.answering.outcome import Outcome
from app.pipeline.lexicon import after_taken_back
from app.pipeline.lexicon.counted import asks_number_told
from app.skills.amending_within import put_right_within
from app.skills.contrasting import without_contrast
from app.skills.going_ahead import without_going_ahead

_MOST_PUT_RIGHT: Final = 400
_MARKS: Final = ".,;:!¡¿"


@dataclass(frozen=True, slots=True)
class Question:
    """The messages of one turn in words.

    `asked` are the person's own words, `shown` what the model reads: those words and what is in the files. Without
    own words `notice` is the answer. `lead` stands before any other answer.
    """

    said: tuple[NewMessage, ...]
    asked: str
    shown: str
    lead: str
    notice: Reply
    is_spoken: bool
    categories: tuple[str, ...]
    ctx: TurnContext


class Senses:
    """Asks the sense for its type about each message; what none is for is described without looking into it.

    What nobody tells of as it is written is read once more without the slips in it, which `put_right` takes out.
    `as_asked` puts right a short question whose words are all known, before anybody reads it.
    """

    def __init__(
        self,
        senses: Mapping[str, Sense],
        tellings: Sequence[Telling],
        voices: Sequence[Voice],
        put_right: Callable[[str], str] = str,
        as_asked: Callable[[str], str] = str,
    ) -> None:
        self._put_right = put_right
        self._as_asked = as_asked
        self._senses = senses
        self._tellings = tellings
        self._voices = voices

    async def perceive(self, messages: Sequence[InboundMessage], ctx: TurnContext) -> Question:
        """Put the messages of a turn in words.

        What was heard, or stands in a file, may be somebody else's words: whoever else runs everything unasked is
        asked before something outside their own data changes.

        Raises:
            NotReady: a model is being fetched; the turn should wait.
        """
        sensed = [
            None if (sense := self._senses.get(message.content.type)) is None else await sense(message, ctx)
            for message in messages
        ]
        parts = [one or _described(message, ctx) for one, message in zip(sensed, messages, strict=True)]
        is_sensed = any(sensed)
        if is_sensed and ctx.mode == "yolo":
            ctx = replace(ctx, mode="confirm-sensitive")
        if language := next((one.language for one in parts if one.language), None):
            ctx = replace(ctx, language=language)
        notice = "\n\n".join(dict.fromkeys(one.reply for one in parts if one.reply))
        texts = [one.text for one in parts if one.text]
        plainly = "\n".join(one.asked for one in parts if one.asked)
        showing = "\n".join([*(one.passing for one in parts if one.passing), *texts])
        asked = self._wished(plainly)
        return Question(
            said=tuple(
                NewMessage("user", one.text, message.id)
                for one, message in zip(parts, messages, strict=True)
                if one.text
            ),
            asked=asked,
            shown=asked if showing == plainly else self._wished(showing),
            lead="\n".join(dict.fromkeys(one.lead for one in parts if one.lead)),
            notice=Reply(literal=notice) if is_sensed else Reply(notice),
            is_spoken=any(one.is_spoken for one in parts),
            categories=tuple(dict.fromkeys(one.category for one in parts if one.category)),
            ctx=ctx,
        )

    def _wished(self, text: str) -> str:
        """Return a text as it is wished for: without a wish that it takes back for another one and what only fills
        before a wish, put right where it puts itself right, and where it has slips in the words that lead it."""
        text = as_asked(as_wished(self._as_asked(text)))
        return without_going_ahead(without_contrast(put_right_within(after_taken_back(text) or text)))

    async def tell(self, messages: Sequence[InboundMessage], question: Question) -> Outcome | None:
        """Answer a question about what was shown, where no model is needed; a number asked back is no sum."""
        if asks_number_told(question.asked):
            return None
        for asked, telling in product(self._ways(question.asked), self._tellings):
            if (reply := await telling(messages, asked, question.ctx)) is not None:
                told = "\n".join(filter(None, (reply.literal, *map(words_of, reply.messages))))
                return Outcome("answer", reply, (*question.said, NewMessage("assistant", told)), trace=TurnTrace())
        return None

    def _ways(self, asked: str) -> Sequence[str]:
        """Return a text as it is written and, where it may ask something, without the slips in it."""
        right = self._put_right(asked) if len(asked) <= _MOST_PUT_RIGHT else asked
        return (asked, right) if right != asked and _may_ask(right) else (asked,)

    async def voice(self, outcome: Outcome, question: Question) -> Outcome:
        """Let an answer leave as it should: with what was understood before it, spoken, or both."""
        reply = replace(outcome.reply, lead=question.lead)
        if outcome.kind == "answer":
            for voice in self._voices:
                reply = await voice(reply, question.ctx, was_spoken_to=question.is_spoken, asked=question.asked)
        return replace(outcome, reply=reply)


def _described(message: InboundMessage, ctx: TurnContext) -> Perceived:
    described = describe(message.content)
    notice = say(described.notice, ctx.language) if described.notice is not None else ""
    return Perceived(described.text, asked=described.text, reply=notice)


def _may_ask(text: str) -> bool:
    is_asked = "?" in text or any(map(str.isdigit, text))
    return is_asked or not COMMON_WORDS["interrogatives"].isdisjoint(
        one.strip(_MARKS) for one in fold(text).split()
    )
