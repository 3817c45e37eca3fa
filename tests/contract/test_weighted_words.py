"""Words of a title count more than others, in either database."""

from app.database.db import Database
from app.database.repositories.tool_index import ToolIndexRows, ToolText


async def test_tools_are_found_by_words_and_a_title_counts_most(database: str) -> None:
    async with Database.open(database) as db:
        rows = ToolIndexRows(db)
        named = ToolText("mcp_echo", "a", "echo", "says it again", "text", "")
        other = ToolText("mcp_other", "b", "other", "has an echo", "text", "")
        await rows.replace((), [other, named])
        assert [name for name, _ in await rows.search('"echo"', limit=5)] == ["mcp_echo", "mcp_other"]
