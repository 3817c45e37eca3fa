"""/reminders, /zone, /quiet and /templates."""

import re
from datetime import datetime, time
from typing import Final
from zoneinfo import ZoneInfo

from app.commands.registry import CommandRegistry, CommandSpec
from app.domain.errors import AccessRevoked, Permanent, ToolFault, Transient
from app.domain.outbound import Reply
from app.domain.places import Places
from app.domain.ports import Clock, TemplateState
from app.domain.tools import ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import fold, one_line
from app.language.catalogue import LANGUAGES, say
from app.skills.registry import SkillRegistry
from app.skills.tools.reminders.lexicon import CREATE, OFF
from app.skills.tools.reminders.repository import QuietHours, Reminders
from app.skills.tools.reminders.templates import MISSING, NAME, TemplateKeeper, describe
from app.skills.tools.reminders.texts import REMINDERS
from app.skills.tools.reminders.zones import Zones, read_stay
from app.when.rules import to_local
from app.when.telling import clock as shown
from app.when.telling import tell_moment

_SHOWN_CHARS: Final = 60
_SPAN: Final = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*(?:-|–|a|to|y|and)\s*(\d{1,2})(?::(\d{2}))?")
_LAST_HOUR: Final = 24
_NEVER: Final = QuietHours(time(0), time(0))


class Commands:
    def __init__(
        self,
        reminders: Reminders,
        clock: Clock,
        places: Places,
        tools: SkillRegistry,
        zones: Zones,
        keeper: TemplateKeeper,
    ) -> None:
        self._reminders = reminders
        self._clock = clock
        self._places = places
        self._tools = tools
        self._zones = zones
        self._keeper = keeper

    def register(self, registry: CommandRegistry) -> None:
        registry.add(CommandSpec("reminders", REMINDERS.help_reminders, self.reminders))
        registry.add(CommandSpec("zone", REMINDERS.help_zone, self.zone))
        registry.add(CommandSpec("quiet", REMINDERS.help_quiet, self.quiet))
        also = REMINDERS.name_templates
        registry.add(CommandSpec("templates", REMINDERS.help_templates, self.templates, also=also))

    async def reminders(self, args: str, ctx: TurnContext) -> Reply:
        result: ToolResult = await self._tools.tools.get("list_reminders").execute({}, ctx=ctx)
        return Reply(literal=result.reply)

    async def zone(self, args: str, ctx: TurnContext) -> Reply:
        """Tell the person's zone, or set it to that of a place."""
        if not args.strip():
            return Reply(say(REMINDERS.zone_is, ctx.language, zone=ctx.timezone, time=self._time(ctx.timezone)))
        now = to_local(self._clock.now(), ZoneInfo(ctx.timezone))
        stay = read_stay(args, now, ctx.language)
        if not stay.is_clear or (stay.until is not None and stay.until < now.date()):
            return Reply(say(REMINDERS.zone_until_unclear, ctx.language))
        try:
            zone = self._places.zone(stay.place, default=ctx.timezone)
            key = ZoneInfo(zone.key).key
        except (ToolFault, LookupError, ValueError):
            shown_args = one_line(stay.place, _SHOWN_CHARS)
            return Reply(literal=say(REMINDERS.zone_unknown, ctx.language, place=shown_args))
        await self._zones.set(ctx.user_id, key, stay.until)
        if stay.until is not None:
            day = tell_moment(datetime.combine(stay.until, time(23, 59)), now, ctx.language)
            return Reply(say(REMINDERS.zone_for_now, ctx.language, zone=key, time=self._time(key), until=day))
        return Reply(say(REMINDERS.zone_set, ctx.language, zone=key, time=self._time(key)))

    async def quiet(self, args: str, ctx: TurnContext) -> Reply:
        """Tell when the person is not woken, or set it."""
        wanted = _quiet_hours(args)
        if args.strip() and wanted is None:
            return Reply(say(REMINDERS.quiet_unclear, ctx.language))
        if wanted is not None:
            await self._reminders.set_quiet_hours(ctx.user_id, wanted)
        quiet = await self._reminders.quiet_hours(ctx.user_id)
        if quiet.start == quiet.end:
            return Reply(say(REMINDERS.quiet_never, ctx.language))
        return Reply(say(REMINDERS.quiet_is, ctx.language, start=f"{quiet.start:%H:%M}", end=f"{quiet.end:%H:%M}"))

    async def templates(self, args: str, ctx: TurnContext) -> Reply:
        """Show the templates, or submit what is missing: for admins."""
        if not ctx.is_admin:
            return Reply(say(REMINDERS.templates_admins, ctx.language))
        if not self._keeper.is_available:
            return Reply(say(REMINDERS.templates_unknown, ctx.language))
        if CREATE.intersection(fold(args).split()):
            try:
                await self._keeper.create()
            except (Transient, Permanent, AccessRevoked) as exc:
                return Reply(literal=say(REMINDERS.templates_failed, ctx.language, reason=exc.detail or exc.code))
            return Reply(say(REMINDERS.templates_made, ctx.language))
        known = await self._keeper.states()
        states = [known.get(language, TemplateState(NAME, language, MISSING)) for language in LANGUAGES]
        lines = [f"- {one.language}: {describe(one, ctx.language)}" for one in states]
        told = say(REMINDERS.templates, ctx.language, list="\n".join(lines))
        if any(one.status == MISSING for one in states):
            told = f"{told}\n{say(REMINDERS.templates_create, ctx.language)}"
        return Reply(told)

    def _time(self, zone: str) -> str:
        return shown(to_local(self._clock.now(), ZoneInfo(zone)))


def _quiet_hours(args: str) -> QuietHours | None:
    if OFF.intersection(fold(args).split()):
        return _NEVER
    match = _SPAN.search(fold(args))
    if match is None:
        return None
    try:
        start = time(int(match[1]) % _LAST_HOUR, int(match[2] or 0))
        end = time(int(match[3]) % _LAST_HOUR, int(match[4] or 0))
    except ValueError:
        return None
    return QuietHours(start, end)
