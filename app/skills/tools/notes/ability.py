"""Notes: short texts that a person wants kept."""

from typing import Final

from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS
from app.skills.kit import Kit
from app.skills.tools.notes import home, notes_tools
from app.skills.tools.notes.lexicon import KEEP_IT, NOT_BEHIND, OTHER_WISH
from app.skills.tools.notes.repository import TEXTS, UNDOABLE, Notes

_MAX_CHARS: Final = 2_000
_LEAST_WORDS: Final = 3


def register(kit: Kit) -> None:
    notes = Notes(kit.db)
    notes_tools.register(kit.tools, notes, kit.clock, kit.repository.acts)
    kit.needs.append(_kept_at_the_end)
    kit.home.append(home.part(notes))
    kit.repository.embeddings.add(TEXTS)
    kit.repository.acts.add(UNDOABLE)


async def _kept_at_the_end(text: str, ctx: TurnContext) -> tuple[str, ...]:
    """Tell of a message that ends with the wish to keep what it says: "the gate code is 4417, save it"."""
    flat = " ".join(text.split())
    if len(flat) > _MAX_CHARS or "?" in flat or (wish := KEEP_IT.search(flat)) is None:
        return ()
    said = fold(flat[: wish.start()]).split()
    if len(said) < _LEAST_WORDS or said[-1] in NOT_BEHIND:
        return ()
    is_other = said[0].strip(",:") in OTHER_WISH | COMMON_WORDS["interrogatives"]
    return () if is_other else (notes_tools.SKILL,)
