"""/export and /forget-me: what is yours, to take along or to take away."""

from datetime import timedelta
from functools import partial
from typing import Final

import structlog

from app.asking.answers import Answered, Handler, Press
from app.asking.asking import Asking
from app.asking.lexicon import says
from app.asking.repository import OpenQuestion
from app.commands.registry import CommandRegistry, CommandSpec
from app.domain.errors import Permanent
from app.domain.outbound import Button, Buttons, OutMedia, Reply
from app.domain.ports import MediaSource
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.privacy.erasure import Eraser
from app.privacy.export import Exporter
from app.privacy.lexicon import WANTS_TO_BE_FORGOTTEN
from app.privacy.texts import PRIVACY

log = structlog.get_logger(__name__)

KIND: Final = "forget-me"
ANSWER_WITHIN: Final = timedelta(minutes=5)
_ASKED: Final = "asked"
_PRESSED: Final = "pressed"


def register(
    registry: CommandRegistry,
    asking: Asking,
    exporter: Exporter,
    eraser: Eraser,
    *,
    media: MediaSource,
) -> None:
    async def export(args: str, ctx: TurnContext) -> Reply:
        archive = await exporter.build_archive(ctx.user_id, language=ctx.language, timezone=ctx.timezone)
        try:
            media_id = await media.upload(archive.data, mime_type=archive.mime_type, filename=archive.filename)
        except Permanent as exc:
            log.error("export.refused", code=exc.code, size_bytes=len(archive.data))
            return Reply(say(PRIVACY.export_failed, ctx.language))
        log.info("export.made", size_bytes=len(archive.data), left_out=len(archive.left_out))
        caption = say(PRIVACY.export_ready, ctx.language)
        return Reply(messages=(OutMedia("document", media_id, caption=caption, filename=archive.filename),))

    registry.add(CommandSpec("export", PRIVACY.help_export, export, also=PRIVACY.name_export))
    forgetting = Forgetting(asking, eraser)
    registry.add(
        CommandSpec(
            KIND,
            PRIVACY.help_forget_me,
            forgetting.run,
            also=PRIVACY.name_forget_me,
            is_control=True,
            wording=WANTS_TO_BE_FORGOTTEN,
        )
    )
    asking.handle(KIND, Handler(forgetting.answer, claims=is_last_word))


class Forgetting:
    """/forget-me: a button, then the typed word; the button "no" counts for both."""

    def __init__(self, asking: Asking, eraser: Eraser) -> None:
        self._asking = asking
        self._eraser = eraser

    async def run(self, args: str, ctx: TurnContext) -> Reply:
        """Ask; the word behind the command is the answer, as if it stood alone."""
        if is_last_word(args):
            return await self._erase(await self._asking.find_open(ctx.user_id, KIND), ctx)
        button = await self._asking.open(ctx.user_id, KIND, _ASKED, life=ANSWER_WITHIN)
        yes = Button(button("y"), say(PRIVACY.forget_yes, ctx.language))
        no = Button(button("n"), say(PRIVACY.forget_no, ctx.language))
        return Reply(messages=(Buttons(say(PRIVACY.forget_question, ctx.language), (yes, no)),))

    async def answer(self, press: Press) -> Answered | None:
        """Take a button, or the word; None for a button that changes nothing."""
        question, ctx = press.question, press.ctx
        if not press.key:
            return Answered(KIND, await self._erase(question, ctx))
        if question is None or not await self._move(question, press.key):
            return None
        if press.key == "n":
            return Answered(KIND, Reply(say(PRIVACY.forget_kept, ctx.language)))
        word = f"**{say(PRIVACY.forget_word, ctx.language)}**"
        minutes = ANSWER_WITHIN // timedelta(minutes=1)
        return Answered(KIND, Reply(say(PRIVACY.forget_type, ctx.language, word=word, minutes=minutes)))

    async def _move(self, question: OpenQuestion, key: str) -> bool:
        if key == "y":
            return await self._asking.rebind(question, _PRESSED, life=ANSWER_WITHIN)
        return await self._asking.settle(question)

    async def _erase(self, question: OpenQuestion | None, ctx: TurnContext) -> Reply:
        if question is not None and question.bound_to == _PRESSED:
            confirmed = partial(self._asking.settle_in, question=question)
            if await self._eraser.erase(ctx.user_id, ctx.language, confirmed=confirmed):
                return Reply()  # the erasure itself owes the person the sentence that confirms it
        return Reply(say(PRIVACY.forget_not_asked, ctx.language))


def is_last_word(text: str) -> bool:
    """Tell whether a text is the bare word that ends `/forget-me`, in any of our languages.

    It counts whether or not a question is open, so that it never reaches the model.
    """
    return says(text, PRIVACY.forget_word)
