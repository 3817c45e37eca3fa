"""Reminders: once or again and again, on the person's own clock."""

from app.database.repository import Repository
from app.skills.kit import Kit
from app.skills.tools.reminders import commands, home, reminders_tools
from app.skills.tools.reminders.buttons import ReminderButtons
from app.skills.tools.reminders.firing import Firing
from app.skills.tools.reminders.repository import Reminders


def register(kit: Kit) -> None:
    reminders, repository = Reminders(kit.db), Repository(kit.db)
    firing = Firing(kit.db, kit.clock, kit.asking, wake_delivery=kit.channel.wake, may_send=kit.channel.may_send)
    buttons = ReminderButtons(
        repository, reminders, kit.clock, kit.asking, wake_delivery=kit.channel.wake, wake=firing.wake
    )
    buttons.register()
    reminders_tools.register(kit.tools, repository, reminders, kit.clock, buttons, firing.wake)
    commands.register(kit.commands, repository, reminders, kit.clock, kit.places, kit.tools)
    kit.home.append(home.part(repository, reminders, firing.wake))
    kit.running.append(firing.running())
    kit.asides.append(firing.tell_beside)
    kit.idles.append(firing.idle)
