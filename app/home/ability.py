"""The home at `/`: for people who would rather look than ask."""

from app.home import commands, preferences
from app.home.access import Access
from app.home.guide import Guide
from app.home.look import Look
from app.home.repository import Doors
from app.home.router import Home, create_routes
from app.home.visitors import People, Visitors
from app.skills.kit import Kit


def register(kit: Kit) -> None:
    """Add the pages and `/home`; the parts come from all abilities."""
    settings, channel = kit.settings, kit.channel
    # In the simulator whoever has the token plays everybody anyway; with a number it opens admins' homes only.
    here = channel.allowed if settings.is_simulated else channel.admins
    visitors = Visitors(
        kit.repository,
        kit.clock,
        People(channel.allowed, channel.admins, here),
        timezone=settings.local_timezone,
        users_dir=settings.users_dir,
        mode=settings.tool_confirmation,
    )
    access = Access(kit.db, kit.clock, kit.process.guard, visitors, address=settings.public_url or "")
    kit.preferences.insert(0, preferences.language(kit.repository))
    kit.home.append(preferences.part(kit.preferences))
    process, simulator = kit.process, "/simulator" if settings.is_simulated else ""
    guide = Guide(kit.model.state, process.examine, process.connect, process.reception, simulator=simulator)
    kit.everywhere.append(guide.running())
    kit.routes.extend(create_routes(Home(access, kit.home, Look(), guide)))
    local = f"http://localhost:{settings.port}" if settings.is_simulated else ""
    commands.register(kit.commands, Doors(kit.db), kit.clock, address=settings.public_url or local)
