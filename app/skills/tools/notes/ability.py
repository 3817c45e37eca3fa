"""Notes: short texts that a person wants kept."""

from app.skills.kit import Kit
from app.skills.tools.notes import notes_tools


def register(kit: Kit) -> None:
    notes_tools.register(kit.tools, kit.repository.notes, kit.clock)
