"""Asking a person before a tool runs: one question with three buttons, bound to one exact call."""

from collections.abc import Mapping, Sequence
from json import dumps
from types import MappingProxyType
from typing import Final, Literal, get_args

import structlog

from app.asking.asking import Asking
from app.asking.lexicon import Word, read_word, says
from app.asking.lines import Ask, ButtonId, Line, Silence
from app.asking.showing import fits_beside_buttons, neutralise
from app.asking.texts import ASKING
from app.domain.outbound import Button, Buttons, OutboundMessage, OutText
from app.domain.turn import TurnContext
from app.language.catalogue import Language, Sentence, say
from app.security.audit import call_hash
from app.whatsapp.split import split

log = structlog.get_logger(__name__)

Choice = Literal["yes", "no", "abort"]
Verdict = Choice | Literal["expired", "passed_over", "no_channel", "too_long"]
"""`passed_over`: the person wrote something else; `no_channel`: they cannot be reached; `too_long`: the arguments
cannot be shown in full."""

KIND: Final = "approval"
MAX_SHOWN_MESSAGES: Final = 8
"""More text than this nobody reads before saying yes, so it is not asked at all."""
_BRIEF_LINE_CHARS: Final = 80
_TITLES: Final[Mapping[Choice, Sentence]] = MappingProxyType(
    {"yes": ASKING.approval_run, "no": ASKING.approval_cancel, "abort": ASKING.approval_abort}
)
_WISH_TITLES: Final[Mapping[Choice, Sentence]] = MappingProxyType(
    {"yes": ASKING.question_yes, "no": ASKING.wish_no}
)
_WORDS: Final[Mapping[Word, Choice]] = MappingProxyType(
    {"yes": "yes", "no": "no", "cancel": "no", "stop": "abort"}
)


class ApprovalBroker:
    """Asks whether a call may run. Who stops everything is asked nothing more in that attempt of the turn."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    async def ask(
        self,
        ctx: TurnContext,
        tool_name: str,
        arguments: Mapping[str, object],
        *,
        in_words: str | None = None,
        is_wish: bool = False,
    ) -> Verdict:
        """Show the call to its person and wait for a button; questions of one person come one at a time.

        `in_words` tells all that the call does, ready to be shown; without it, or where it is too long, the call
        is shown as it is. The answer counts for exactly these arguments. Cancelling the wait closes the question.
        `is_wish`: it is only asked whether the person wants it at all, and no more once they write something else.

        Raises:
            Transient: the question could not be stored.
        """
        asked = call_hash(tool_name, arguments)
        body = [in_words] if in_words else []
        texts: Sequence[OutText] = ()
        if not body or not fits_beside_buttons(body):
            call = [f"{neutralise(name)}: {neutralise(_json_text(value))}" for name, value in arguments.items()]
            texts, body = show_call(neutralise(tool_name), call, ctx.language)
        if len(texts) > MAX_SHOWN_MESSAGES:
            return "too_long"

        def show(button: ButtonId) -> tuple[OutboundMessage, ...]:
            return (*texts, Buttons("\n".join(body), buttons(button, ctx.language, is_wish=is_wish)))

        async with self._asking.line_of(ctx.user_id) as line:
            verdict = await self._ask_now(
                line, ctx, Ask(KIND, asked, show, read_key, read_answer, gives_way=is_wish)
            )
        log.info("approval.answered", tool=tool_name, verdict=verdict)
        if verdict == "yes" and call_hash(tool_name, arguments) != asked:
            log.error("approval.arguments_changed", tool=tool_name)
            return "no"
        return verdict

    async def _ask_now(self, line: Line, ctx: TurnContext, ask: Ask[Choice]) -> Verdict:
        if line.stopped == (ctx.turn_id, ctx.attempt):
            return "abort"
        answer = await self._asking.wait_for_answer(line, ctx, ask)
        if isinstance(answer, Silence):
            if not answer.was_sent:
                return "no_channel"
            return "passed_over" if answer.gave_way else "expired"
        if answer == "abort":
            line.stopped = (ctx.turn_id, ctx.attempt)
        return answer


def show_call(tool: str, call: Sequence[str], language: Language) -> tuple[tuple[OutText, ...], list[str]]:
    """Return the full text where it does not fit beside the buttons, and what stands beside them."""

    def body(lines: Sequence[str]) -> list[str]:
        return [say(ASKING.approval_question, language, tool=tool, arguments="\n".join(lines)).strip()]

    if fits_beside_buttons(body(call)):
        return (), body(call)
    brief = [line if len(line) <= _BRIEF_LINE_CHARS else f"{line[:_BRIEF_LINE_CHARS]}…" for line in call]
    while brief and not fits_beside_buttons(body([*brief, "…"])):
        brief.pop()
    return tuple(map(OutText, split("\n".join([tool, *call])))), body([*brief, "…"])


def buttons(button: ButtonId, language: Language, *, is_wish: bool = False) -> tuple[Button, ...]:
    titles = _WISH_TITLES if is_wish else _TITLES
    return tuple(Button(button(choice[0]), say(title, language)) for choice, title in titles.items())


def read_key(key: str) -> Choice | None:
    """Return what a button says."""
    return next((choice for choice in get_args(Choice) if key == choice[0]), None)


def read_answer(text: str) -> Choice | None:
    """Return what a bare yes, no or stop says, in any of our languages; None for any other text."""
    known = (*_TITLES.items(), *_WISH_TITLES.items())
    titled = next((choice for choice, title in known if says(text, title)), None)
    return titled or _WORDS.get(read_word(text) or "skip")


def _json_text(value: object) -> str:
    return dumps(value, ensure_ascii=False, default=str)
