"""A person's time zone and quiet hours, in the home."""

from typing import Final

from app.commands.registry import CommandRegistry
from app.skills.pages import Entry, Field, Preference, Section, Visit, by_command, set_by_form, set_to
from app.skills.texts import SKILLS
from app.skills.tools.reminders.repository import Reminders
from app.skills.tools.reminders.texts import REMINDERS

_ZONE: Final = "zone"
_QUIET: Final = "quiet"
_OFF: Final = "off"
_ZONE_CHARS: Final = 100
_QUIET_CHARS: Final = 40


def zone(commands: CommandRegistry) -> Preference:
    """Return the time zone, set by `/zone` and a city."""

    async def show(visit: Visit) -> Section:
        place = Field("value", visit.say(REMINDERS.home_zone_place), _ZONE_CHARS)
        change = set_by_form(_ZONE, visit.say(SKILLS.home_change), place)
        entry = Entry(visit.zone.key, notes=(visit.told(visit.now),), choices=(change,))
        return Section(visit.say(REMINDERS.home_zone), [entry])

    return Preference(_ZONE, show, by_command(commands, "zone"))


def quiet(commands: CommandRegistry, reminders: Reminders) -> Preference:
    """Return the quiet hours, set by `/quiet`."""

    async def show(visit: Visit) -> Section:
        hours = await reminders.quiet_hours(visit.user_id)
        is_set = hours.start != hours.end
        told = f"{hours.start:%H:%M}–{hours.end:%H:%M}" if is_set else visit.say(REMINDERS.home_quiet_never)
        field = Field("value", visit.say(REMINDERS.home_quiet_hours), _QUIET_CHARS)
        choices = [set_by_form(_QUIET, visit.say(SKILLS.home_change), field)]
        if is_set:
            choices.append(set_to(_QUIET, visit.say(REMINDERS.home_quiet_off), _OFF))
        entry = Entry(told, visit.say(REMINDERS.home_quiet_about), choices=tuple(choices))
        return Section(visit.say(REMINDERS.home_quiet), [entry])

    return Preference(_QUIET, show, by_command(commands, "quiet"))
