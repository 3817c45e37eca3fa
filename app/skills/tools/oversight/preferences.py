"""When a person is asked before something is done, in the home."""

from typing import Final

from app.commands.registry import CommandRegistry
from app.skills.pages import Entry, Preference, Section, Visit, by_command, set_to
from app.skills.texts import SKILLS
from app.skills.tools.oversight.commands import MEANINGS
from app.skills.tools.oversight.texts import OVERSIGHT

_MODE: Final = "mode"


def mode(commands: CommandRegistry) -> Preference:
    """Return the mode, set by `/mode`: not asking at all is for admins, and for them behind the rules."""

    async def show(visit: Visit) -> Section:
        entries = [
            Entry(
                visit.say(meaning),
                notes=(one,),
                tone="good" if one == visit.mode else "",
                choices=()
                if one == visit.mode
                else (set_to(_MODE, visit.say(SKILLS.home_choose), one, asks=asks),),
            )
            for one, meaning in MEANINGS.items()
            if one != "yolo" or visit.is_admin or visit.mode == "yolo"
            for asks in [visit.say(OVERSIGHT.home_mode_asks) if one == "yolo" else ""]
        ]
        return Section(visit.say(OVERSIGHT.home_mode), entries)

    return Preference(_MODE, show, by_command(commands, "mode"))
