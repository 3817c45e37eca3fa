"""Notes: short texts that a person wants kept."""

from app.skills.kit import Kit
from app.skills.tools.notes import notes_tools
from app.skills.tools.notes.repository import TEXTS, UNDOABLE, Notes


def register(kit: Kit) -> None:
    notes_tools.register(kit.tools, Notes(kit.db), kit.clock, kit.repository.acts)
    kit.repository.embeddings.add(TEXTS)
    kit.repository.acts.add(UNDOABLE)
