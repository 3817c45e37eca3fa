"""How the assistant is doing: its model, the conversation, and for administrators who knocked."""

from app.database.repositories.retention import OldRows
from app.skills.kit import Kit
from app.skills.tools.status import commands, home, turns
from app.skills.tools.status.retention import KeepDays, Retention


def register(kit: Kit) -> None:
    """Add /status, and the daily round that deletes what was dealt with long ago."""
    settings = kit.settings
    keep = KeepDays(
        settings.keep_messages_days,
        settings.keep_traces_days,
        settings.keep_strangers_days,
        settings.keep_audit_days,
    )
    retention = Retention(OldRows(kit.db), kit.oversight.audit.prune, keep, kit.clock)
    kit.jobs.add(retention.job)
    health = home.HealthRoom(kit.db, kit.model.state, kit.channel.pause_reason, kit.process.examine)
    kit.home.append(health.part())
    kit.home.append(home.people_part(kit.db, kit.repository.directory, kit.channel.admins))
    kit.home.append(turns.part(kit.db, kit.process.logs))
    commands.register(kit.commands, kit.repository, kit.model, kit.channel.pause_reason, retention, kit.statuses)
