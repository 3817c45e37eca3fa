"""Taking back what was last done, whatever ability did it."""

from app.jobs import Job
from app.skills.kit import Kit
from app.skills.outside import OutsideActs
from app.skills.tools.undo import commands


def register(kit: Kit) -> None:
    acts = kit.repository.acts
    outside = OutsideActs(kit.repository.tool_journal, kit.catalog)
    commands.register(kit.commands, acts, kit.repository.traces, kit.clock)
    kit.answer_buttons.append(commands.UndoButton(acts, outside).offer)

    async def finish_old() -> int:
        return await acts.finish_old(kit.clock.now())

    kit.jobs.add(Job("acts_finished", finish_old))
    kit.running.append(acts.watching())
