"""Questions about pictures that were shown: answered out of what was read in them, or honestly not at all."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from app.domain.inbound import Image, InboundMessage
from app.domain.turn import TurnContext
from app.domain.wording import stem, words
from app.language.catalogue import say
from app.media.lexicon import AMOUNTS, ASKING, DOCUMENTS, ELSEWHERE, LOOKING, PICTURES, POINTING, SAYING, WRITTEN
from app.media.questions import asks, said_words, stems
from app.media.repository import MediaFile, MediaFiles
from app.media.texts import MEDIA
from app.media.vision import Vision
from app.security.paths import validate_path

_REMEMBERED_FOR: Final = timedelta(days=2)
_JUST_NOW: Final = timedelta(minutes=10)
_LOOKED_AT: Final = 12
_SHORTEST_WORD: Final = 4
_AROUND: Final = ASKING | LOOKING | POINTING | SAYING | AMOUNTS | PICTURES | WRITTEN


class AskingBack:
    """Small models make up what they cannot see, and look for a receipt among the notes: code knows better."""

    def __init__(self, files: MediaFiles, vision: Vision) -> None:
        self._files = files
        self._vision = vision

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> str:
        """See `Telling`."""
        if not asks(asked):
            return ""
        shown = [one.id for one in messages if isinstance(one.content, Image)]
        if shown:
            now = [one for one in [await self._files.find(ctx.user_id, id_) for id_ in shown] if one is not None]
            if now and all(one.text == "" for one in now):
                return await self._look(now[-1], asked, ctx)
            return _told(asked, now, ctx, is_named=True) if len(now) == 1 else ""
        since = ctx.received_at - _REMEMBERED_FOR
        known = await self._files.list_pictures(ctx.user_id, since, limit=_LOOKED_AT)
        quoted = {message.quoted_id for message in messages}
        if pointed := [one for one in known if one.message_id in quoted]:
            told = _told(asked, pointed, ctx, is_named=True)
            return told or await self._look(pointed[0], asked, ctx, is_honest=pointed[0].text == "")
        said = set(said_words(asked))
        if not known or said & (ELSEWHERE | DOCUMENTS):
            return ""
        is_new = ctx.received_at - known[0].created_at <= _JUST_NOW
        is_meant = bool(said & PICTURES or (is_new and said & POINTING))
        if is_meant and known[0].text == "":
            return await self._look(known[0], asked, ctx)
        is_named = not said.isdisjoint(PICTURES | WRITTEN)
        told = _told(asked, [one for one in known if one.text], ctx, is_named=is_named)
        return told or (await self._look(known[0], asked, ctx, is_honest=False) if is_meant else "")

    async def _look(self, file: MediaFile, asked: str, ctx: TurnContext, *, is_honest: bool = True) -> str:
        """Look at a picture once more, with another question; where nobody can, say so, if that is `is_honest`."""
        if file.path and await self._vision.is_able():
            return await self._vision.look(validate_path(file.path, ctx.workspace), asked, file.text or "", ctx)
        return say(MEDIA.cannot_see, ctx.language, model=self._vision.name) if is_honest else ""


def _told(asked: str, known: Sequence[MediaFile], ctx: TurnContext, *, is_named: bool) -> str:
    """Return what a picture says about that, word for word; "" where that is not all that is asked."""
    said = set(said_words(asked))
    wanted = {stem(word) for word in words(asked) if word not in _AROUND}
    is_amount = not said.isdisjoint(AMOUNTS)
    ranked = sorted(known, key=lambda one: -len(wanted & stems(one.text or "")))
    if not ranked:
        return ""
    best, have = ranked[0], stems(ranked[0].text or "")
    if is_named and said & SAYING and wanted <= have:
        return say(MEDIA.picture_said, ctx.language, text=best.text)
    is_about_it = wanted <= have and any(word.isalpha() and len(word) >= _SHORTEST_WORD for word in wanted)
    if not is_about_it or not (is_named or is_amount):
        return ""
    lines = [line for line in (best.text or "").splitlines() if wanted & stems(line)]
    if is_amount:
        lines = [line for line in lines if any(char.isdigit() for char in line)]
    return say(MEDIA.picture_said, ctx.language, text="\n".join(lines)) if lines else ""
