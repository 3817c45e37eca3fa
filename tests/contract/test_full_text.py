"""What is found by its words comes in the same order of columns on both databases."""

from app.database.db import Database
from app.database.repositories.tool_index import ToolIndexRows, ToolText


async def test_a_word_in_the_name_counts_more_than_in_the_parameters(database: str) -> None:
    async with Database.open(database) as db:
        index = ToolIndexRows(db)
        in_parameters = ToolText("low", "1", "something", "does a thing", "kettle", "")
        in_name = ToolText("high", "2", "kettle", "does a thing", "something", "")
        await index.replace((), (in_parameters, in_name))

        found = await index.search('"kettle"*', limit=5)

    assert [name for name, _ in found] == ["high", "low"]
    assert found[0][1] > found[1][1] > 0
