"""What is understood here and now, told by /status."""

from collections.abc import Sequence

from app.charts.charts import is_able as can_draw
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.media.faults import is_installed
from app.media.speaking import is_able as can_speak
from app.media.texts import MEDIA
from app.media.vision import Vision


class AbilitiesHere:
    def __init__(self, vision: Vision) -> None:
        self._vision = vision

    async def lines(self, ctx: TurnContext) -> Sequence[str]:
        """Return what this machine hears, reads, sees, speaks and draws, and what it does not."""
        parts = (
            (MEDIA.sense_voice, is_installed("voice")),
            (MEDIA.sense_documents, is_installed("documents")),
            (MEDIA.sense_text, is_installed("pictures")),
            (MEDIA.sense_sight, await self._vision.is_able()),
            (MEDIA.sense_speech, can_speak()),
            (MEDIA.sense_charts, can_draw()),
        )
        here = ", ".join(say(sentence, ctx.language) for sentence, is_here in parts if is_here)
        missing = ", ".join(say(sentence, ctx.language) for sentence, is_here in parts if not is_here)
        lines = [say(MEDIA.senses_here, ctx.language, list=here)] if here else []
        return [*lines, say(MEDIA.senses_missing, ctx.language, list=missing)] if missing else lines
