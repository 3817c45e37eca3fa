"""Whether a turn did something that lies outside the person's own records, where nothing brings it back."""

from app.database.repositories.audit import ToolJournal
from app.domain.ids import TurnId, UserId
from app.skills.catalog import ToolCatalog


class OutsideActs:
    def __init__(self, journal: ToolJournal, catalog: ToolCatalog) -> None:
        self._journal = journal
        self._catalog = catalog

    async def has_any(self, user_id: UserId, turn_id: TurnId) -> bool:
        """Tell whether a call of such a tool succeeded, or may have."""
        tools = self._catalog.snapshot().tools
        for entry in await self._journal.list_for_turn(user_id, turn_id):
            is_own = entry.tool in tools and not tools[entry.tool].sensitive
            if not is_own and (entry.result is None or entry.result.success):
                return True
        return False
