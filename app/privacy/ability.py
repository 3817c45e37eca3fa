"""Privacy: everything that is a person's, to take along (/export) or to take away (/forget-me)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.jobs import Job
from app.privacy import commands, home
from app.privacy.erasure import Belongings, Eraser
from app.privacy.export import Exporter
from app.privacy.ownership import Ownership
from app.skills.kit import Kit


def register(kit: Kit) -> None:
    """Add both commands, and what completes an erasure that was begun."""
    ownership = Ownership(kit.db)
    eraser = Eraser(
        kit.repository,
        ownership,
        kit.clock,
        control=kit.channel.turns,
        belongings=Belongings(kit.files, kit.file_locks, kit.forgetting),
        wake_delivery=kit.channel.wake,
    )
    exporter = Exporter(ownership, kit.files, kit.clock)
    commands.register(kit.commands, kit.asking, exporter, eraser, media=kit.channel.media)
    kit.home.append(home.part(exporter, eraser))
    kit.jobs.add(Job("erasures", eraser.finish_erasures))
    # Before anything else begins to write.
    kit.running.insert(0, _finished(eraser))


@asynccontextmanager
async def _finished(eraser: Eraser) -> AsyncIterator[None]:
    await eraser.finish_erasures()
    yield
