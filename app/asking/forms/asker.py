"""A server's question to the person whose call it is working on: its fields one after the other.

The answers are stored nowhere.
"""

from functools import partial
from types import MappingProxyType
from typing import Final

import structlog

from app.asking.asking import Asking
from app.asking.forms.model import CANCELLED, Answer, Question, Value
from app.asking.forms.reading import Given, Prompt, Reading, Refused, Unfit, prompts_of, read_key, read_text
from app.asking.forms.showing import build_prompt, is_typed
from app.asking.lines import Ask, Line, Silence
from app.asking.showing import neutralise
from app.asking.texts import ASKING
from app.domain.errors import Permanent
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.security.audit import call_hash

log = structlog.get_logger(__name__)

MAX_RETRIES: Final = 2
"""How often a person is asked again after an answer that does not fit."""


class ChatAsker:
    """Puts forms over WhatsApp. What people type is handed to the call, never logged or kept."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    async def ask(self, ctx: TurnContext, question: Question) -> Answer:
        """Put a question to the person of that turn, and to nobody else; silence is "cancel".

        Cancelling the wait closes the question.

        Raises:
            Permanent: the person cannot be written to, or the question cannot be shown.
            Transient: the question could not be stored.
        """
        values: dict[str, Value] = {}
        async with self._asking.line_of(ctx.user_id) as line:
            for prompt in prompts_of(question):
                reading = await self._ask_until_fit(line, ctx, prompt)
                match reading:
                    case Refused(action):
                        log.info("form.refused", server=question.server, action=action)
                        return Answer(action)
                    case Given(value) if prompt.field is not None:
                        values[prompt.field.name] = value
                    case Unfit():
                        log.info("form.not_understood", server=question.server)
                        return CANCELLED
                    case _:
                        pass
        log.info("form.filled_in", server=question.server, fields=len(values))
        return Answer("accept", MappingProxyType(values))

    async def _ask_until_fit(self, line: Line, ctx: TurnContext, prompt: Prompt) -> Reading:
        reading = await self._ask_once(line, ctx, prompt, None)
        for _ in range(MAX_RETRIES):
            if not isinstance(reading, Unfit):
                break
            reading = await self._ask_once(line, ctx, prompt, reading)
        return reading

    async def _ask_once(self, line: Line, ctx: TurnContext, prompt: Prompt, unfit: Unfit | None) -> Reading:
        """Ask one thing. Whoever was asked to type is told when it is over, so that what they type late goes to
        nobody unawares."""
        question, server = prompt.question, neutralise(prompt.question.server)
        ask: Ask[Reading] = Ask(
            "form",
            call_hash(question.server, [question.message, prompt.number]),
            show=lambda button: build_prompt(prompt, button, ctx.language, unfit=unfit),
            read_key=partial(read_key, prompt),
            read_text=partial(read_text, prompt, is_typed=is_typed(prompt)),
            is_private=True,
            elsewhere=say(ASKING.question_answer_first, ctx.language, server=server),
        )
        reading = await self._asking.wait_for_answer(line, ctx, ask)
        if not isinstance(reading, Silence):
            return reading
        if not reading.was_sent:
            raise Permanent("person_unreachable", "the person wrote too long ago, or the question never left")
        if is_typed(prompt):
            await self._asking.tell(ctx.user_id, say(ASKING.question_expired, ctx.language, server=server))
        return Refused("cancel")
