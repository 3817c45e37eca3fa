"""A long answer as a document, for those who ask for one."""

import asyncio
import re
import shutil
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import structlog

from app.domain.errors import Permanent, Transient
from app.domain.outbound import OutMedia, Reply
from app.domain.ports import Children, MediaSource
from app.domain.turn import TurnContext
from app.domain.wording import first_words
from app.language.catalogue import say
from app.media.lexicon import AS_DOCUMENT
from app.media.texts import MEDIA

WRITE_S: Final = 60.0
WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_SHORTEST_CHARS: Final = 300
"""What is shorter is read in the chat, whatever was asked: it is no answer, but a question or an excuse."""
_TITLE_CHARS: Final = 60
_MARKS: Final = re.compile(r"[*_`#>]+")
_UNSAFE: Final = re.compile(r"[^\w -]+")

log = structlog.get_logger(__name__)


class Papers:
    def __init__(self, children: Children, media: MediaSource, folder: Path) -> None:
        self._children = children
        self._media = media
        self._folder = folder

    async def voice(self, reply: Reply, ctx: TurnContext, *, was_spoken_to: bool, asked: str) -> Reply:
        """See `Voice`: the answer as a Word document, one bubble. What fails leaves the text as it was."""
        text = reply.markdown or reply.literal
        is_wanted = AS_DOCUMENT.search(" ".join(asked.split())) is not None
        if not is_wanted or reply.messages or len(text) < _SHORTEST_CHARS or find_spec("docx") is None:
            return reply
        title = first_words(_MARKS.sub("", text), _TITLE_CHARS) or "document"
        try:
            data = await self._written(title, text)
            filename = f"{_UNSAFE.sub('', title).strip() or 'document'}.docx"
            media_id = await self._media.upload(data, mime_type=WORD, filename=filename)
        except (OSError, Permanent, Transient) as exc:
            log.warning("paper.not_written", reason=getattr(exc, "code", type(exc).__name__))
            return reply
        caption = say(MEDIA.as_document, ctx.language, title=title)
        file = OutMedia("document", media_id, caption=None if reply.lead else caption, filename=filename)
        return replace(reply, markdown="", literal="", messages=(file,))

    async def _written(self, title: str, markdown: str) -> bytes:
        place = Path(await asyncio.to_thread(_place_in, self._folder))
        target = place / "answer.docx"
        try:
            arguments = {"title": title, "markdown": markdown, "target": str(target)}
            await self._children.run("write_document", arguments, timeout_s=WRITE_S)
            return await asyncio.to_thread(target.read_bytes)
        finally:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)


def _place_in(folder: Path) -> str:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return tempfile.mkdtemp(dir=folder)
