"""One assistant turn: history and context in, an answer or an honest sentence out."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import structlog

from app.context.builder import ANSWER_TOKENS, NOTE_OPENING, ContextBuilder, NewestMessage
from app.database.repository import Repository
from app.domain.chat import ChatRequest, ChatResponse, Usage
from app.domain.errors import NotReady, Permanent, Transient
from app.domain.ids import WaMessageId
from app.domain.phrases import Phrase, say
from app.domain.ports import ChatModel
from app.domain.turn import TurnContext

log = structlog.get_logger(__name__)

_EXCUSES: Final = MappingProxyType(
    {
        "llm_timeout": Phrase.MODEL_SLOW,
        "llm_busy": Phrase.MODEL_BUSY,
        "llm_model_missing": Phrase.MODEL_MISSING,
        "llm_prompt_too_long": Phrase.TOO_LONG,
    }
)


@dataclass(frozen=True, slots=True)
class Answer:
    """`is_excuse`: the model could not answer, and `text` says so; it does not belong in history."""

    text: str
    usage: Usage
    is_excuse: bool = False


class Assistant:
    def __init__(self, repository: Repository, model: ChatModel, builder: ContextBuilder) -> None:
        self._repository = repository
        self._model = model
        self._builder = builder

    async def answer(self, text: str, quoted_id: WaMessageId | None, ctx: TurnContext) -> Answer:
        """Answer one turn's text.

        Raises:
            NotReady: the model is being fetched or loaded; the turn should wait.
        """
        conversations = self._repository.conversations
        history = await conversations.list_recent(ctx.user_id, ctx.conversation_id)
        quoted = await conversations.find_quoted(ctx.user_id, quoted_id) if quoted_id else None
        newest = NewestMessage(text, ctx.language, ctx.received_at, quoted)
        try:
            prompt = self._builder.build(history, newest)
            response = await self._model.chat(ChatRequest(prompt, max_tokens=ANSWER_TOKENS))
        except NotReady:
            raise
        except (Transient, Permanent) as exc:
            log.error("llm.failed", code=exc.code, detail=exc.detail)
            phrase = _EXCUSES.get(exc.code, Phrase.MODEL_DOWN)
            return Answer(say(phrase, ctx.language, ref=ctx.turn_id), Usage(calls=1), is_excuse=True)
        return _answer(response, ctx)


def _answer(response: ChatResponse, ctx: TurnContext) -> Answer:
    text = response.text.partition(NOTE_OPENING)[0].strip()
    if not text:
        excuse = say(Phrase.EMPTY_ANSWER, ctx.language, ref=ctx.turn_id)
        return Answer(excuse, response.usage, is_excuse=True)
    return Answer(f"{text} …" if response.is_truncated else text, response.usage)
