"""Answers as voice notes: for those who want them, where the answer can be spoken, else as text."""

import asyncio
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

import structlog

from app.commands.registry import CommandRegistry, CommandSpec
from app.domain.errors import NotReady, Permanent, Transient
from app.domain.outbound import OutMedia, Reply
from app.domain.ports import Children, MediaSource
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import Language, say
from app.log import user_tag
from app.media.faults import is_installed
from app.media.repository import VoiceChoices, VoiceMode
from app.media.texts import MEDIA
from app.media.weights import KOKORO, Weights, voice_file

MAX_SPOKEN_S: Final = 160
"""About 500 KB: WhatsApp shows a play button up to 512 KB."""
MAX_SPOKEN_CHARS: Final = 1500
SPEAK_S: Final = 300.0
MAX_NOTE_BYTES: Final = 512 * 1024
VOICES: Final[Mapping[str, tuple[Language, str]]] = MappingProxyType(
    {
        "dora": ("es", "ef_dora"),
        "alex": ("es", "em_alex"),
        "santa": ("es", "em_santa"),
        "heart": ("en", "af_heart"),
        "bella": ("en", "af_bella"),
    }
)
"""By the names that people say; the first of a language speaks it unless somebody chose."""
_ESPEAK: Final[Mapping[Language, str]] = MappingProxyType({"es": "es-419", "en": "en-us"})
_UNSPEAKABLE: Final = re.compile(r"```|`[^`]*`|https?://|www\.|^[^\S\n]*\|.*\||\|\s*-{3}", re.MULTILINE)
_MARKUP: Final = re.compile(r"[*_~#>`]+|^[^\S\n]*[-•]\s+|[☐☑🎤]", re.MULTILINE)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|\n+")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Studio:
    """What speaking takes: the process that does it, its models, a place for the sound, and the way out."""

    children: Children
    weights: Weights
    folder: Path
    media: MediaSource


class Speaking:
    """One bubble for each answer, since each is billed: the voice note, or the text."""

    def __init__(self, choices: VoiceChoices, studio: Studio) -> None:
        self._choices = choices
        self._studio = studio

    async def voice(self, reply: Reply, ctx: TurnContext, *, was_spoken_to: bool, asked: str) -> Reply:
        """See `Voice`. What fails leaves the text as it was; the reason is in the log."""
        mode, chosen = await self._choices.get(ctx.user_id)
        if mode == "off" or (mode == "auto" and not was_spoken_to) or not is_able():
            return reply
        text = reply.markdown or reply.literal
        if reply.messages or not is_speakable(text):
            return reply
        try:
            media_id = await self._spoken(sentences_of(text), ctx.language, chosen)
        except (NotReady, Transient, Permanent) as exc:
            log.info("voice.not_spoken", user=user_tag(ctx.user_id), code=exc.code)
            return reply
        return replace(
            reply, markdown="", literal="", lead="", messages=(OutMedia("audio", media_id, is_voice=True),)
        )

    async def _spoken(self, sentences: list[str], language: Language, chosen: str) -> str:
        voice = voice_for(language, chosen)
        models = self._studio.weights.ready([*KOKORO, voice_file(voice)])
        self._studio.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(dir=self._studio.folder))
        try:
            target = place / "note.ogg"
            done = await self._studio.children.run(
                "speak",
                {
                    "sentences": sentences,
                    "language": _ESPEAK.get(language, language),
                    "folder": str(models),
                    "voice": voice,
                    "target": str(target),
                    "max_s": MAX_SPOKEN_S,
                },
                timeout_s=SPEAK_S,
            )
            if done.get("spoken") != len(sentences):
                raise Permanent("too_long_to_speak", f"{done.get('spoken')} of {len(sentences)} sentences")
            data = await asyncio.to_thread(target.read_bytes)
        except OSError as exc:
            raise Permanent("voice_lost", type(exc).__name__) from exc
        finally:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)
        if len(data) > MAX_NOTE_BYTES:
            raise Permanent("too_long_to_speak", f"{len(data)} bytes")
        return await self._studio.media.upload(data, mime_type="audio/ogg", filename="voice.ogg")


def is_able() -> bool:
    """Tell whether this machine can speak at all."""
    return is_installed("voice") and shutil.which("espeak-ng") is not None


def is_speakable(text: str) -> bool:
    """Code, tables and links are read, not heard; so is what is long."""
    return 0 < len(text) <= MAX_SPOKEN_CHARS and not _UNSPEAKABLE.search(text)


def sentences_of(text: str) -> list[str]:
    """Return what is spoken, sentence by sentence, without marks that only eyes need."""
    bare = _MARKUP.sub("", text)
    parts = (" ".join(part.split()) for part in _SENTENCE_END.split(bare))
    return [part for part in parts if any(char.isalnum() for char in part)]


def voice_for(language: Language, chosen: str) -> str:
    """Return the voice that speaks a language: the chosen one if it does, else the first that does."""
    if chosen in VOICES and VOICES[chosen][0] == language:
        return VOICES[chosen][1]
    return next((voice for spoken, voice in VOICES.values() if spoken == language), "af_heart")


def register(registry: CommandRegistry, choices: VoiceChoices) -> None:
    """Add /voice."""

    async def voice(args: str, ctx: TurnContext) -> Reply:
        mode, chosen = await choices.get(ctx.user_id)
        wanted = fold(args).strip()
        names = ", ".join(VOICES)
        modes: Mapping[str, VoiceMode] = {"off": "off", "auto": "auto", "always": "always"}
        if not wanted:
            return Reply(say(MEDIA.voice_now, ctx.language, mode=mode, voice=chosen or "auto", names=names))
        if wanted not in modes and wanted not in VOICES:
            return Reply(say(MEDIA.voice_unknown, ctx.language, names=names))
        mode = modes.get(wanted, "auto" if mode == "off" else mode)
        chosen = wanted if wanted in VOICES else chosen
        await choices.put(ctx.user_id, mode, chosen)
        said = say(MEDIA.voice_set, ctx.language, mode=mode, voice=chosen or "auto")
        return Reply(said if is_able() else f"{said}\n{say(MEDIA.no_speech_here, ctx.language)}")

    registry.add(CommandSpec("voice", MEDIA.help_voice, voice))
