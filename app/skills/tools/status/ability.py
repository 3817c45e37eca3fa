"""How the assistant is doing: its model, the conversation, and for administrators who knocked."""

from app.database.repositories.retention import OldRows
from app.jobs import Pruning
from app.skills.kit import Kit
from app.skills.tools.status import commands, home, turns
from app.skills.tools.status.retention import Retention
from app.skills.tools.status.texts import STATUS


def register(kit: Kit) -> None:
    """Add /status, and the daily round that deletes what was dealt with long ago."""
    rows = OldRows(kit.db)
    kit.prunings.extend(_of_the_core(kit, rows))
    retention = Retention(rows, kit.prunings, kit.clock)
    kit.jobs.add(retention.job)
    health = home.HealthRoom(kit.db, kit.model.state, kit.channel.pause_reason, kit.process.examine)
    kit.home.append(health.part())
    kit.home.append(home.people_part(kit.db, kit.repository.directory, kit.channel.admins))
    kit.home.append(turns.part(kit.db, kit.process.logs))
    told = commands.Told(kit.db.label, kit.statuses, kit.process.list_all)
    commands.register(kit.commands, kit.repository, kit.model, kit.channel.pause_reason, retention, told)


def _of_the_core(kit: Kit, rows: OldRows) -> list[Pruning]:
    settings = kit.settings
    return [
        Pruning(STATUS.status_kept_messages, settings.keep_messages_days, rows.delete_handled),
        Pruning(STATUS.status_kept_traces, settings.keep_traces_days, rows.delete_traces),
        Pruning(STATUS.status_kept_strangers, settings.keep_strangers_days, rows.delete_strangers),
        Pruning(STATUS.status_kept_audit, settings.keep_audit_days, kit.oversight.audit.prune),
    ]
