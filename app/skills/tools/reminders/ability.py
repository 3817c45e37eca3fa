"""Reminders: once or again and again, on the person's own clock."""

from functools import partial

from app.asking.admins import Admins
from app.database.repository import Repository
from app.domain.chat import ToolCall
from app.domain.ids import UserId
from app.domain.turn import TurnContext
from app.jobs import Pruning
from app.skills.amending import CALL_ID, amended
from app.skills.kit import Kit
from app.skills.selection import Need
from app.skills.tools.reminders import home, reminders_tools
from app.skills.tools.reminders.buttons import ReminderButtons
from app.skills.tools.reminders.by_form import Forms
from app.skills.tools.reminders.commands import Commands
from app.skills.tools.reminders.firing import Firing
from app.skills.tools.reminders.followed import recall
from app.skills.tools.reminders.repository import UNDOABLE, ReminderQueue, Reminders
from app.skills.tools.reminders.stays import Stays
from app.skills.tools.reminders.templates import TemplateKeeper
from app.skills.tools.reminders.texts import REMINDERS
from app.skills.tools.reminders.withdrawn import Withdrawn
from app.skills.tools.reminders.zones import Zones


def register(kit: Kit) -> None:
    reminders, repository = Reminders(kit.db), Repository(kit.db)
    channel = kit.channel

    def take_up(user_ids: frozenset[UserId]) -> None:
        channel.begin(user_ids)
        channel.wake(user_ids)

    admins = Admins(repository, kit.clock, channel.admins, wake_delivery=channel.wake)
    keeper = TemplateKeeper(kit.db, kit.templates, kit.clock, admins, wake=kit.jobs.wake)
    firing = Firing(
        kit.db,
        kit.clock,
        kit.asking,
        take_up=take_up,
        may_send=channel.may_send,
        template_status=keeper.status,
    )
    buttons = ReminderButtons(
        repository, reminders, kit.clock, kit.asking, wake_delivery=channel.wake, firing=firing
    )
    kit.alarms.append(reminders)
    buttons.register(kit.when_done)
    kit.repository.acts.add(UNDOABLE)
    kit.repository.acts.when_undone(UNDOABLE.table, lambda user_id: firing.wake())
    reminders_tools.register(kit.tools, repository, reminders, kit.clock, buttons, firing)
    zones = Zones(kit.db)
    stays = Stays(zones, kit.places, kit.clock, kit.asking)
    stays.register()
    kit.tellings.append(stays.tell)
    kit.tellings.append(Withdrawn(kit.asking, repository.conversations).tell)
    Commands(reminders, kit.clock, kit.places, kit.tools, zones, keeper).register(kit.commands)
    forms = Forms(reminders, kit.repository.acts, kit.clock)
    kit.needs.append(Need(forms.needs))
    kit.certain.append(forms.certain)
    kit.recalls.append(partial(recall, reminders, kit.repository.acts, kit.clock))
    kit.amending["reminders"] = partial(_amend, reminders)
    kit.home.append(home.part(reminders, firing.wake))
    kit.preferences.extend([home.zone(kit.commands), home.quiet(kit.commands, reminders)])
    kit.jobs.add(keeper.job)
    delete = partial(ReminderQueue().delete_over, kit.db)
    kit.prunings.append(Pruning(REMINDERS.kept, kit.settings.keep_reminders_days, delete))
    kit.when_noticed.append(keeper.hear)
    kit.when_lost.append(keeper.hear_lost)
    kit.running.append(firing.running())
    kit.when_held.append(firing.tell_beside)
    kit.idles.append(firing.idle)


async def _amend(reminders: Reminders, row_id: int, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Amend`. The text of a task's reminder is that of the task."""
    meant = next(iter(await reminders.find(ctx.user_id, [row_id])), None)
    if meant is None or meant.subject or (found := amended(meant.text, text)) is None:
        return None
    arguments = {"new": found.new, "old": found.old, "reminder": str(meant.number)}
    return ToolCall(CALL_ID, "correct_reminder", arguments)
