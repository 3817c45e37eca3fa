"""/export and /forget-me: what is yours, to take along or to take away."""

import secrets
import unicodedata
from datetime import timedelta
from typing import Final

import structlog

from app.asking.texts import ASKING
from app.commands.registry import CommandRegistry, CommandSpec, ParsedCommand
from app.database.repositories.ownership import Ownership
from app.domain.errors import Permanent
from app.domain.outbound import Button, Buttons, OutMedia, Reply
from app.domain.ports import Clock, MediaSource
from app.domain.turn import TurnContext
from app.language.catalogue import LANGUAGES, say
from app.privacy.erasure import Eraser
from app.privacy.export import Exporter
from app.privacy.texts import PRIVACY

log = structlog.get_logger(__name__)

FORGET_ME: Final = "forget-me"
ANSWER_WITHIN: Final = timedelta(minutes=5)
_YES: Final = "yes"
_NO: Final = "no"


def register(
    registry: CommandRegistry,
    ownership: Ownership,
    exporter: Exporter,
    eraser: Eraser,
    *,
    media: MediaSource,
    clock: Clock,
) -> None:
    async def export(args: str, ctx: TurnContext) -> Reply:
        archive = await exporter.build_archive(
            ctx.user_id, language=ctx.language, timezone=ctx.timezone, workspace=ctx.workspace
        )
        try:
            media_id = await media.upload(archive.data, mime_type=archive.mime_type, filename=archive.filename)
        except Permanent as exc:
            log.error("export.refused", code=exc.code, size_bytes=len(archive.data))
            return Reply(say(PRIVACY.export_failed, ctx.language))
        log.info("export.made", size_bytes=len(archive.data), left_out=len(archive.left_out))
        caption = say(PRIVACY.export_ready, ctx.language)
        return Reply(messages=(OutMedia("document", media_id, caption=caption, filename=archive.filename),))

    async def forget_me(args: str, ctx: TurnContext) -> Reply:
        verb, _, token = args.partition(" ")
        if verb == _YES:
            return await _press(token, ctx)
        if verb == _NO:
            is_kept = await ownership.withdraw(ctx.user_id, token)
            return Reply(say(PRIVACY.forget_kept if is_kept else ASKING.stale_question, ctx.language))
        if is_last_word(args):
            # Nothing to reply: the erasure itself owes the person the sentence that confirms it.
            is_erased = await eraser.erase(ctx.user_id, ctx.language)
            return Reply() if is_erased else Reply(say(PRIVACY.forget_not_asked, ctx.language))
        return await _ask(ctx)

    async def _ask(ctx: TurnContext) -> Reply:
        token = secrets.token_urlsafe(16)
        await ownership.ask(ctx.user_id, token, clock.now() + ANSWER_WITHIN)
        # A pressed button is read as the command that is its id.
        buttons = tuple(
            Button(f"/{FORGET_ME} {answer} {token}", say(title, ctx.language))
            for answer, title in ((_YES, PRIVACY.forget_yes), (_NO, PRIVACY.forget_no))
        )
        return Reply(messages=(Buttons(say(PRIVACY.forget_question, ctx.language), buttons),))

    async def _press(token: str, ctx: TurnContext) -> Reply:
        now = clock.now()
        if not await ownership.press(ctx.user_id, token, now, now + ANSWER_WITHIN):
            return Reply(say(ASKING.stale_question, ctx.language))
        word = say(PRIVACY.forget_word, ctx.language)
        minutes = ANSWER_WITHIN // timedelta(minutes=1)
        return Reply(say(PRIVACY.forget_type, ctx.language, word=f"**{word}**", minutes=minutes))

    registry.add(CommandSpec("export", PRIVACY.help_export, export))
    registry.add(CommandSpec(FORGET_ME, PRIVACY.help_forget_me, forget_me, is_control=True))


def read_last_word(text: str) -> ParsedCommand | None:
    """Read the bare word that ends `/forget-me` as that command; None for any other text.

    It counts whether or not a question is open, so that it never reaches the model.
    """
    return ParsedCommand(FORGET_ME, text.strip()) if is_last_word(text) else None


def is_last_word(text: str) -> bool:
    """Tell whether a text is the word, in any of our languages; case, accents and end marks do not count."""
    return _bare(text) in {_bare(say(PRIVACY.forget_word, language)) for language in LANGUAGES}


def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(char for char in folded if not unicodedata.combining(char))
    return " ".join(letters.strip(" \n\"'“”*.,;!¡").split())
