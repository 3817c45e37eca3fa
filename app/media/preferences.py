"""When answers are spoken, and in which voice, in the home."""

from typing import Final

from app.commands.registry import CommandRegistry
from app.media.repository import VoiceChoices
from app.media.speaking import VOICES, is_able
from app.media.texts import MEDIA
from app.skills.pages import Preference, Section, Visit, by_command, option

_VOICE: Final = "voice"
_MODES: Final = (
    ("auto", MEDIA.home_voice_auto),
    ("always", MEDIA.home_voice_always),
    ("off", MEDIA.home_voice_off),
)


def voice(commands: CommandRegistry, choices: VoiceChoices) -> Preference:
    """Return when answers are spoken, set by `/voice`; only where this machine can speak."""

    async def show(visit: Visit) -> Section:
        if not is_able():
            return Section(visit.say(MEDIA.home_voice), empty=visit.say(MEDIA.no_speech_here))
        mode, chosen = await choices.get(visit.user_id)
        entries = [option(_VOICE, visit.say(told), one, visit, is_chosen=one == mode) for one, told in _MODES]
        entries += [
            option(
                _VOICE,
                visit.say(MEDIA.home_voice_of, name=name.capitalize()),
                name,
                visit,
                is_chosen=name == chosen,
            )
            for name, (spoken, _) in VOICES.items()
            if spoken == visit.language
        ]
        return Section(visit.say(MEDIA.home_voice), entries)

    return Preference(_VOICE, show, by_command(commands, "voice"))
