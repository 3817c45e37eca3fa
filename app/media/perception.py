"""From a message with a file to words: fetch it, see what it is, and hand it to the sense for that."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import structlog

from app.domain.errors import Permanent
from app.domain.inbound import Audio, Document, Image, InboundMessage, Video
from app.domain.senses import Perceived
from app.domain.turn import TurnContext
from app.log import user_tag
from app.media.arrivals import Arrivals, Arrived
from app.media.faults import failed
from app.media.kinds import Family

_EXTRA: Final[Mapping[Family, str]] = MappingProxyType(
    {"audio": "voice", "video": "voice", "image": "pictures", "document": "documents"}
)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file with what came beside it. `is_own_voice`: the person spoke it now, to us."""

    arrived: Arrived
    caption: str = ""
    filename: str = ""
    is_own_voice: bool = False


Understand = Callable[[Attachment, TurnContext], Awaitable[Perceived]]


class Perception:
    """Raises nothing for a file that cannot be understood: that is told."""

    def __init__(self, arrivals: Arrivals, senses: Mapping[Family, Understand]) -> None:
        self._arrivals = arrivals
        self._senses = senses

    async def perceive(self, message: InboundMessage, ctx: TurnContext) -> Perceived | None:
        """See `Sense`."""
        content = message.content
        if not isinstance(content, Audio | Document | Image | Video):
            return None
        caption = "" if isinstance(content, Audio) else (content.caption or "").strip()
        filename = (content.filename or "") if isinstance(content, Document) else ""
        try:
            async with self._arrivals.fetched(message.id, content.media, filename, ctx) as arrived:
                is_own = isinstance(content, Audio) and content.is_voice and not message.is_forwarded
                understand = self._senses.get(arrived.family)
                if understand is None:
                    raise Permanent(f"no_{_EXTRA[arrived.family]}", "nothing here understands it")
                return await understand(Attachment(arrived, caption, filename, is_own), ctx)
        except Permanent as exc:
            fault = exc
            if exc.code == "not_a_document" and not isinstance(content, Document):
                # It came as a recording or a picture: a list of documents would help nobody.
                fault = Permanent("damaged", "no sign of any known kind")
            log.info("media.not_understood", user=user_tag(ctx.user_id), kind=content.type, code=fault.code)
            return failed(fault, caption, f"a file ({content.type})", ctx.language)
