"""What the assistant can do, what it did and why, and when it asks first."""

from app.skills.kit import Kit
from app.skills.tools.oversight import catalog_tools, commands, home, preferences, waiting
from app.skills.tools.oversight.introduced import Introduced
from app.skills.tools.oversight.rules import SingleRules


def register(kit: Kit) -> None:
    catalog_tools.register(kit.tools, kit.catalog.snapshot)
    commands.register(kit.commands, kit.repository, kit.catalog, kit.tools, kit.oversight)
    kit.tellings.append(Introduced(kit.commands).tell)
    rules = SingleRules(kit.repository, kit.catalog, kit.oversight, kit.clock)
    rules.register(kit.commands)
    channel = kit.channel
    # Somebody waits for its answer: the first thing to be seen.
    kit.home.insert(0, waiting.waiting_part(kit.asking, kit.repository, wake=channel.wake, begin=channel.begin))
    kit.preferences.append(preferences.mode(kit.commands))
    kit.home.append(home.part(kit.repository.audit_events))
    kit.home.append(home.skills_part(kit.tools))
    kit.home.append(rules.part())
