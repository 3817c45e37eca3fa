"""Questions about pictures that were shown: answered out of what was read in them, or honestly not at all."""

from collections.abc import Sequence
from typing import Final

from app.domain.inbound import Image, InboundMessage
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.media.choosing import JUST_NOW, REMEMBERED_FOR, Choosing, picture_shown, told
from app.media.lexicon import DOCUMENTS, ELSEWHERE, PICTURES, POINTING
from app.media.questions import asks, said_words
from app.media.repository import MediaFile, MediaFiles
from app.media.texts import MEDIA
from app.media.vision import Vision
from app.security.paths import validate_path

_LOOKED_AT: Final = 12


class AskingBack:
    """Small models make up what they cannot see, and look for a receipt among the notes: code knows better."""

    def __init__(self, files: MediaFiles, vision: Vision, choosing: Choosing) -> None:
        self._files = files
        self._vision = vision
        self._choosing = choosing

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """See `Telling`."""
        shown = [one.id for one in messages if isinstance(one.content, Image)]
        quoted = {message.quoted_id for message in messages if message.quoted_id}
        if not shown and not quoted and (chosen := await self._choosing.take_typed(asked, ctx)) is not None:
            return chosen
        if not asks(asked):
            return None
        if shown:
            now = [one for one in [await self._files.find(ctx.user_id, id_) for id_ in shown] if one is not None]
            if now and all(one.text == "" for one in now):
                return await self._look(now[-1], asked, ctx)
            return _said(now[0], asked, ctx) if len(now) == 1 else None
        since = ctx.received_at - REMEMBERED_FOR
        known = await self._files.list_pictures(ctx.user_id, since, limit=_LOOKED_AT)
        if pointed := [one for one in known if one.message_id in quoted]:
            said = _said(pointed[0], asked, ctx)
            return said or await self._look(pointed[0], asked, ctx, is_honest=pointed[0].text == "")
        return await self._remembered(known, asked, ctx)

    async def _remembered(self, known: Sequence[MediaFile], asked: str, ctx: TurnContext) -> Reply | None:
        """Answer out of what was shown before."""
        said = set(said_words(asked))
        if said & (ELSEWHERE | DOCUMENTS):
            return None
        is_meant = False
        if known:
            is_new = ctx.received_at - known[0].created_at <= JUST_NOW
            is_meant = bool(said & PICTURES or (is_new and said & POINTING))
            if is_meant and known[0].text == "":
                return await self._look(known[0], asked, ctx)
        shown = await self._choosing.list_shown(ctx.user_id, ctx.received_at - REMEMBERED_FOR)
        answer = await self._choosing.tell_or_ask(shown, asked, ctx)
        return answer or (await self._look(known[0], asked, ctx, is_honest=False) if is_meant else None)

    async def _look(
        self, file: MediaFile, asked: str, ctx: TurnContext, *, is_honest: bool = True
    ) -> Reply | None:
        """Look at a picture once more, with another question; where nobody can, say so, if that is `is_honest`."""
        if file.path and await self._vision.is_able():
            path = validate_path(file.path, ctx.workspace)
            return Reply(literal=await self._vision.look(path, asked, file.text or "", ctx))
        return Reply(literal=say(MEDIA.cannot_see, ctx.language, model=self._vision.name)) if is_honest else None


def _said(file: MediaFile, asked: str, ctx: TurnContext) -> Reply | None:
    """Return what the picture that is spoken of says about that, if that is all that is asked."""
    text = told(asked, picture_shown(file), is_named=True)
    return Reply(literal=say(MEDIA.picture_said, ctx.language, text=text)) if text else None
