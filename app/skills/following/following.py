"""What becomes of the thing that was just done, by a message that relates to it.

Abilities recall the thing that the last answer told of; the fitted head says how a message relates to it; the
ability turns that into calls, or finds that nothing certain can be made of it. All that behind the rules, which
know the plainer wordings.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import structlog

from app.domain.chat import ToolCall
from app.domain.errors import AppError
from app.domain.ports import ChatModel
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.following.relations import Kind, Reading, Relation, RelationReader

DOUBTFUL_ID: Final = "doubtful"
"""A call whose id ends so is what can be done in the place of what was wished for: it is asked about."""

log = structlog.get_logger(__name__)

# Measured on messages of a hand that the examples had not seen: from here on 231 of 235 were read right ...
SURELY: Final = 0.95
# ... and between 36 of 44: what is asked is told, what becomes of a thing is asked about before it is done.
LIKELY: Final = 0.8
_EVEN: Final = 0.5
_WORD: Final = re.compile(r"[^\W_]+")
_MOST_CHARS: Final = 240
_ANSWERS_BACK: Final = 2
_SENTENCE_ENDS: Final = (". ", "; ", "! ", "\n")

Calls = Sequence[ToolCall]
Act = Callable[[Relation, str, TurnContext, ChatModel], Awaitable[Calls]]
"""Returns the calls for a message that relates so to the thing; none where that is not certain. The model may be
asked for words that a rule cannot find."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The thing that was just done or shown: what it says, in its own words, and what can become of it."""

    kind: Kind
    said: str
    act: Act
    says: Callable[[Relation, str], bool] = lambda relation, text: False
    """Tells whether a text has a verb that says plainly what becomes of the thing."""


Recall = Callable[[str, TurnContext], Awaitable[Spoken | None]]
"""Returns the thing of an ability that an answer told of; None where it told of none, which it mostly sees without
a look into the database."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A message that relates to a thing, and how; not `is_sure`, it may be something else after all."""

    spoken: Spoken
    relation: Relation
    is_sure: bool

    async def calls(self, text: str, ctx: TurnContext, model: ChatModel) -> Calls:
        """Return the calls for it, in doubt where it may be something else; none where no call is certain."""
        found = await self.spoken.act(self.relation, text, ctx, model)
        if self.is_sure or self.relation == "ask":
            return found
        return [replace(call, id=f"{call.id}_{DOUBTFUL_ID}") for call in found]


class Following:
    """Finds the thing that a message relates to, and how."""

    def __init__(self, reader: RelationReader, recalls: Sequence[Recall]) -> None:
        self._reader = reader
        self._recalls = recalls

    async def recall(self, text: str, ctx: TurnContext) -> Spoken | None:
        """Return the thing that a message may be about: that of the newest answer, or of the one before."""
        if len(text) > _MOST_CHARS:
            return None
        for answer in ctx.said.answers[:_ANSWERS_BACK]:
            for recall in self._recalls:
                if (spoken := await recall(answer, ctx)) is not None:
                    return spoken
        return None

    async def read(self, text: str, spoken: Spoken) -> Followed | None:
        """Return how a message relates to a thing; None where it is not sure that it does.

        An encoder that fails leaves the message to the other readers.
        """
        found = await self.relate(text, spoken.kind, spoken.said)
        return None if found is None else _followed(found, spoken, text)

    async def read_with_question(self, text: str, spoken: Spoken) -> tuple[str, Followed] | None:
        """Return what surely becomes of a thing, with the words for it, where a question of what it then says
        stands behind: "make it three, he is late. what time now?". The answer to the first is one to both.
        """
        end = max(map(text.rstrip().rfind, _SENTENCE_ENDS))
        front, behind = text[: end + 1], text[end + 1 :]
        asked = await self.relate(behind, spoken.kind, spoken.said) if front else None
        if asked is None or asked.relation != "ask" or asked.probability < LIKELY:
            return None
        followed = await self.read(front, spoken)
        is_act = followed is not None and followed.is_sure and followed.relation != "ask"
        return (front, followed) if followed is not None and is_act else None

    async def relate(self, text: str, kind: Kind, said: str) -> Reading | None:
        """Return how a text relates to a thing that says what was `said`; None where it likely does not."""
        if len(text) > _MOST_CHARS:
            return None
        try:
            found = await self._reader.read(text, kind, said)
        except AppError as exc:
            log.warning("following.head_failed", reason=exc.code)
            return None
        if found.relation == "got" and "?" in text:
            return found._replace(relation="ask")  # "The bulbs were on it already, no?"
        is_other = found.relation == "other" or (found.relation == "ask" and _asks_of_person(text, said))
        return None if is_other else found


def _asks_of_person(text: str, said: str) -> bool:
    """Tell whether a question is for a name, an age or the like, of which the thing tells nothing."""
    asked, told = (set(_WORD.findall(fold(one))) for one in (text, said))
    beside = asked - STOP_WORDS - COMMON_WORDS["of_persons"] - COMMON_WORDS["interrogatives"]
    return not COMMON_WORDS["of_persons"].isdisjoint(asked - told) and beside.isdisjoint(told)


def _followed(found: Reading, spoken: Spoken, text: str) -> Followed | None:
    """Return what a reading comes to: less is enough where a verb says it, too."""
    is_said = found.probability >= _EVEN and spoken.says(found.relation, text)
    is_likely = is_said or found.probability >= LIKELY
    return Followed(spoken, found.relation, is_said or found.probability >= SURELY) if is_likely else None
