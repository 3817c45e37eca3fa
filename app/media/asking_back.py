"""Questions about pictures that were shown: answered out of what was read in them, or honestly not at all."""

from collections.abc import Sequence
from typing import Final

import structlog

from app.database.repositories.conversations import Conversations
from app.domain.errors import Transient
from app.domain.inbound import Image, InboundMessage
from app.domain.outbound import Reply
from app.domain.ports import PeoplesFiles
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.log import user_tag
from app.media.choosing import JUST_NOW, REMEMBERED_FOR, Choosing, may_be_about, picture_shown, told
from app.media.lexicon import DOCUMENTS, ELSEWHERE, PICTURES, POINTING
from app.media.questions import asks, said_words
from app.media.repository import MediaFile, MediaFiles
from app.media.texts import MEDIA
from app.media.vision import Vision

_LOOKED_AT: Final = 12
_LOOKED_BACK: Final = 20

log = structlog.get_logger(__name__)


class AskingBack:
    """Small models make up what they cannot see, and look for a receipt among the notes: code knows better."""

    def __init__(
        self,
        files: MediaFiles,
        store: PeoplesFiles,
        conversations: Conversations,
        vision: Vision,
        choosing: Choosing,
    ) -> None:
        self._files = files
        self._store = store
        self._conversations = conversations
        self._vision = vision
        self._choosing = choosing

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """See `Telling`."""
        shown = [one.id for one in messages if isinstance(one.content, Image)]
        quoted = {message.quoted_id for message in messages if message.quoted_id}
        if not shown and not quoted and (chosen := await self._choosing.take_typed(asked, ctx)) is not None:
            return chosen
        if not asks(asked) or not (shown or quoted or may_be_about(asked)):
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
        return await self._remembered(known, asked, ctx, may_point=not quoted)

    async def _remembered(
        self, known: Sequence[MediaFile], asked: str, ctx: TurnContext, *, may_point: bool
    ) -> Reply | None:
        """Answer out of what was shown before; where it `may_point`, "this" may be what was shown last."""
        said = set(said_words(asked))
        if said & (ELSEWHERE | DOCUMENTS):
            return None
        is_meant = False
        if known:
            is_meant = not said.isdisjoint(PICTURES) or (
                may_point and not said.isdisjoint(POINTING) and await self._is_spoken_of(known[0], ctx)
            )
            if is_meant and known[0].text == "":
                return await self._look(known[0], asked, ctx)
        shown = await self._choosing.list_shown(ctx.user_id, ctx.received_at - REMEMBERED_FOR, known)
        answer = await self._choosing.tell_or_ask(shown, asked, ctx)
        return answer or (await self._look(known[0], asked, ctx, is_honest=False) if is_meant else None)

    async def _is_spoken_of(self, file: MediaFile, ctx: TurnContext) -> bool:
        """Tell whether a picture was shown just now, and nothing else was spoken of since."""
        if ctx.received_at - file.created_at > JUST_NOW:
            return False
        shown_in = await self._conversations.find_turn(ctx.user_id, file.message_id)
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=_LOOKED_BACK)
        since = [one.text for one in recent if one.role == "user" and shown_in and one.turn_id > shown_in]
        return shown_in is not None and all(
            asks(text) and not (POINTING | PICTURES).isdisjoint(said_words(text)) for text in since
        )

    async def _look(
        self, file: MediaFile, asked: str, ctx: TurnContext, *, is_honest: bool = True
    ) -> Reply | None:
        """Look at a picture once more, with another question; where nobody can, say so, if that is `is_honest`."""
        if file.path and await self._vision.is_able():
            return Reply(literal=await self._seen(file, asked, ctx))
        return Reply(literal=say(MEDIA.cannot_see, ctx.language, model=self._vision.name)) if is_honest else None

    async def _seen(self, file: MediaFile, asked: str, ctx: TurnContext) -> str:
        try:
            async with self._store.local(ctx.user_id, file.path) as path:
                return await self._vision.look(path, asked, file.text or "", ctx)
        except (OSError, Transient) as exc:
            log.warning("picture.not_there", user=user_tag(ctx.user_id), reason=type(exc).__name__)
            return say(MEDIA.not_seen, ctx.language)


def _said(file: MediaFile, asked: str, ctx: TurnContext) -> Reply | None:
    """Return what the picture that is spoken of says about that, if that is all that is asked."""
    text = told(asked, picture_shown(file), is_named=True)
    return Reply(literal=say(MEDIA.picture_said, ctx.language, text=text)) if text else None
