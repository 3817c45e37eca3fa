"""What a picture shows: seen by a model of Ollama, or by a GGUF model with its projector, if either is there."""

import asyncio
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from app.domain.chat import ChatMessage, ChatRequest
from app.domain.errors import NotReady, Permanent, Transient
from app.domain.ports import ChatModel, Children
from app.domain.turn import TurnContext
from app.domain.wording import cut
from app.language.catalogue import LANGUAGE_NAMES, say
from app.llm.prompts import load_prompt
from app.log import user_tag
from app.media.faults import is_installed
from app.media.texts import MEDIA

LOOK_S: Final = 300.0
SHRINK_S: Final = 60.0
_ANSWER_TOKENS: Final = 400
_TEXT_CHARS: Final = 1500
_ANSWER_CHARS: Final = 2000
_MAX_RAW_BYTES: Final = 5 * 1024 * 1024

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Projector:
    """A model of the owner's that sees, and the file that makes it see."""

    model: Path
    projector: Path


class Vision:
    """Looks at pictures for whoever asks; heavy, so only where there is a question."""

    def __init__(
        self, model: ChatModel, name: str, children: Children, folder: Path, projector: Projector | None
    ) -> None:
        self._model = model
        self._children = children
        self._folder = folder
        self._projector = projector
        self._prompt = load_prompt("app.media", "look")
        self.name = name

    async def is_able(self) -> bool:
        """Tell whether something here sees."""
        return self._projector is not None or (await self._model.state()).state == "ready"

    async def look(self, path: Path, question: str, text: str, ctx: TurnContext) -> str:
        """Return what is seen, in the person's language, or the sentence that nothing could be seen.

        `text` is what was read in the picture. It and what is seen are a stranger's words: data.
        """
        prompt = self._prompt.format(
            question=question, language=LANGUAGE_NAMES[ctx.language], text=cut(text, _TEXT_CHARS) or "-"
        )
        try:
            seen = await self._seen(path, prompt)
        except (NotReady, Transient, Permanent, TimeoutError, OSError) as exc:
            log.warning("picture.not_seen", user=user_tag(ctx.user_id), code=getattr(exc, "code", "timeout"))
            return say(MEDIA.not_seen, ctx.language)
        return cut(seen.strip(), _ANSWER_CHARS) or say(MEDIA.not_seen, ctx.language)

    async def _seen(self, path: Path, prompt: str) -> str:
        place = Path(await asyncio.to_thread(_place_in, self._folder))
        try:
            small = await self._shrunk(path, place / "small.jpg")
            if self._projector is not None:
                arguments = {
                    "path": str(small),
                    "model": str(self._projector.model.resolve()),
                    "projector": str(self._projector.projector.resolve()),
                    "prompt": prompt,
                }
                return str((await self._children.run("look", arguments, timeout_s=LOOK_S)).get("says", ""))
            image = await asyncio.to_thread(small.read_bytes)
            message = ChatMessage("user", prompt, images=(image,))
            async with asyncio.timeout(LOOK_S):
                response = await self._model.chat(ChatRequest((message,), max_tokens=_ANSWER_TOKENS))
            return response.text
        finally:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

    async def _shrunk(self, path: Path, target: Path) -> Path:
        """Return a small JPEG copy; without the extra the picture itself, if it is not too large."""
        if is_installed("pictures"):
            arguments = {"path": str(path), "target": str(target)}
            await self._children.run("shrink_picture", arguments, timeout_s=SHRINK_S)
            return target
        if (await asyncio.to_thread(path.stat)).st_size > _MAX_RAW_BYTES:
            raise Permanent("media_too_large", "the extra `pictures` would make it smaller")
        return path


def _place_in(folder: Path) -> str:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return tempfile.mkdtemp(dir=folder)
