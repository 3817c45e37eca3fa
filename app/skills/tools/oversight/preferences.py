"""When a person is asked before something is done, in the home."""

from typing import Final

from app.commands.registry import CommandRegistry
from app.skills.pages import Preference, Section, Visit, by_command, option
from app.skills.tools.oversight.commands import MEANINGS
from app.skills.tools.oversight.texts import OVERSIGHT

_MODE: Final = "mode"


def mode(commands: CommandRegistry) -> Preference:
    """Return the mode, set by `/mode`: not asking at all is for admins, and for them behind the rules."""

    async def show(visit: Visit) -> Section:
        entries = [
            option(
                _MODE,
                visit.say(meaning),
                one,
                visit,
                is_chosen=one == visit.mode,
                asks=visit.say(OVERSIGHT.home_mode_asks) if one == "yolo" else "",
            )
            for one, meaning in MEANINGS.items()
            if one != "yolo" or visit.is_admin or visit.mode == "yolo"
        ]
        return Section(visit.say(OVERSIGHT.home_mode), entries)

    return Preference(_MODE, show, by_command(commands, "mode"))
