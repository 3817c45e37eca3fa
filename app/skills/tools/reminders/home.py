"""Reminders in the home: what is to come, cancelling it, the time zone and quiet hours."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from app.commands.registry import CommandRegistry
from app.domain.errors import NotFound
from app.language.catalogue import Language
from app.skills.pages import (
    Choice,
    Entry,
    Field,
    Form,
    Page,
    Part,
    Preference,
    Section,
    Visit,
    by_command,
    set_by_form,
    set_to,
)
from app.skills.texts import SKILLS
from app.skills.tools.reminders.repository import Reminder, Reminders
from app.skills.tools.reminders.texts import REMINDERS
from app.when.rules import rule_of, to_local
from app.when.telling import tell_moment, tell_rule

_ICON: Final = "M12 8v4.5l3 2M12 21a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM4 6l3-2.5M20 6l-3-2.5"


def part(reminders: Reminders, wake: Callable[[], None]) -> Part:
    """Return the part; what is cancelled can be undone with `/undo`. `wake` looks anew at what comes next."""

    async def show(visit: Visit) -> Page:
        entries = [_entry(one, visit) for one in await reminders.list_active(visit.user_id)]
        sections = [Section(entries=entries, empty=visit.say(REMINDERS.none))]
        return Page(sections, visit.say(REMINDERS.home_intro, zone=visit.zone.key))

    async def summary(visit: Visit) -> str:
        return visit.say(REMINDERS.home_count, count=len(await reminders.list_active(visit.user_id)))

    async def cancel(visit: Visit, form: Form) -> str:
        active = await reminders.list_active(visit.user_id)
        one = next((one for one in active if str(one.number) == form.get("number")), None)
        if one is None:
            raise NotFound("reminder_unknown")
        await reminders.cancel(visit.user_id, [one.id], act=visit.act("deleted", one.text))
        wake()
        return visit.say(REMINDERS.cancelled, count=1, text=one.text)

    return Part("reminders", REMINDERS.home_title, _ICON, show, MappingProxyType({"cancel": cancel}), summary)


def _entry(one: Reminder, visit: Visit) -> Entry:
    when = tell_moment(one.due, to_local(visit.now, ZoneInfo(one.zone)), visit.language)
    notes = (when, _rule(one, visit.language)) if one.rule else (when,)
    values = MappingProxyType({"number": str(one.number)})
    asks = visit.say(REMINDERS.home_cancel_asks)
    cancel = Choice("cancel", visit.say(REMINDERS.home_cancel), values, asks=asks, is_grave=True)
    return Entry(one.text, notes=notes, choices=(cancel,))


def _rule(one: Reminder, language: Language) -> str:
    return tell_rule(rule_of(one.rule), one.first, language)


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
