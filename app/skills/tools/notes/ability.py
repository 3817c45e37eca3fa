"""Notes: short texts that a person wants kept."""

from app.skills.kit import Kit
from app.skills.tools.notes import home, notes_tools
from app.skills.tools.notes.repository import TEXTS, UNDOABLE, Notes


def register(kit: Kit) -> None:
    notes = Notes(kit.db)
    notes_tools.register(kit.tools, notes, kit.clock, kit.repository.acts)
    kit.home.append(home.part(notes))
    kit.repository.embeddings.add(TEXTS)
    kit.repository.acts.add(UNDOABLE)
