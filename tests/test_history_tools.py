"""The tools that look back: earlier conversations and past days, each person's own."""

from collections.abc import AsyncIterator
from datetime import date

import pytest

from app.domain.errors import ToolFault
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.tools import ToolResult
from app.domain.turn import TurnContext
from app.memory import history_tools
from app.memory.history_tools import parse_day
from app.memory.past import DayEvent
from app.skills.loader import load_builtin
from app.skills.registry import SkillRegistry
from tests.talks import ANN, BOB, NOON, Talks, talking

TODAY = date(2026, 8, 4)  # a Tuesday


class Desk:
    def __init__(self, talks: Talks) -> None:
        self.talks = talks
        self.registry = SkillRegistry()
        repository = talks.repository
        history_tools.register(self.registry, repository.snapshots, repository.days, talks.clock)

    async def call(self, user_id: UserId, tool_name: str, **arguments: object) -> ToolResult:
        tool = self.registry.tools.get(tool_name)
        ctx = TurnContext(
            TurnId(1), user_id, ConversationId(1), 1, NOON, "en", is_admin=False, timezone="Asia/Tokyo"
        )
        return await tool.execute(tool.validate_args(arguments), ctx=ctx)

    async def says(self, tool_name: str, *, user_id: UserId = ANN, **arguments: object) -> str:
        result = await self.call(user_id, tool_name, **arguments)
        assert result.success, result.error
        return result.output

    async def keep(self, title: str, text: str) -> None:
        await self.talks.say("hello")
        conversation_id = await self.talks.open()
        await self.talks.clear()
        base = await self.talks.repository.summaries.read(ANN, conversation_id)
        assert base is not None
        await self.talks.repository.snapshots.add(ANN, conversation_id, title=title, text=text, base=base, at=NOON)

    async def note(self, day: date, text: str) -> None:
        async with self.talks.db.transaction() as tx:
            await self.talks.repository.days.add(ANN, DayEvent(day, text, TurnId(1), NOON), tx=tx)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with talking() as talks:
        yield Desk(talks)


async def test_an_earlier_conversation_is_found_with_its_date_and_the_lines_that_matter(desk: Desk) -> None:
    await desk.keep("Viaje a Salta", "user: hola\nuser: el vuelo sale a las 9\nassistant: llevá abrigo")
    await desk.note(date(2026, 8, 1), "compré el vuelo")
    assert await desk.says("search_past_conversations", query="vuelos") == (
        "[2026-08-04] Viaje a Salta: user: el vuelo sale a las 9\n[2026-08-01] compré el vuelo"
    )
    assert (await desk.says("search_past_conversations", query="salta")).startswith("[2026-08-04] Viaje a Salta")


async def test_nothing_found_is_said_and_nothing_of_others_is_found(desk: Desk) -> None:
    await desk.keep("Viaje a Salta", "user: el vuelo")
    await desk.note(TODAY, "vuelo reservado")
    nothing = 'Nothing in earlier conversations matches "vuelo".'
    assert await desk.says("search_past_conversations", query="vuelo", user_id=BOB) == nothing
    assert await desk.says("get_daily_log", date="hoy", user_id=BOB) == "Nothing is noted for 2026-08-04."


async def test_the_log_is_of_yesterday_and_today_unless_a_day_is_named(desk: Desk) -> None:
    for day in (1, 3, 4):
        await desk.note(date(2026, 8, day), f"event of the {day}.")
    assert await desk.says("get_daily_log") == "[2026-08-03] event of the 3.\n[2026-08-04] event of the 4."
    assert await desk.says("get_daily_log", date="2026-08-01") == "[2026-08-01] event of the 1."
    assert await desk.says("get_daily_log", date="2026-07-01") == "Nothing is noted for 2026-07-01."


async def test_today_is_the_day_where_the_person_is(desk: Desk) -> None:
    await desk.talks.clock.advance(4 * 3600)  # 16:00 UTC is after midnight in Tokyo
    await desk.note(date(2026, 8, 5), "the next day")
    assert await desk.says("get_daily_log", date="today") == "[2026-08-05] the next day"


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("Hoy", "2026-08-04"),
        ("ayer", "2026-08-03"),
        ("yesterday.", "2026-08-03"),
        ("anteayer", "2026-08-02"),
        ("lunes", "2026-08-03"),
        ("el miércoles", "2026-07-29"),
        ("last Tuesday", "2026-08-04"),
        ("2026-7-9", "2026-07-09"),
        ("2026-08-01T10:00", "2026-08-01"),
        ("1/8", "2026-08-01"),
        ("24/12", "2025-12-24"),
        ("24-12-2024", "2024-12-24"),
    ],
)
def test_a_day_is_understood_as_people_name_it(said: str, day: str) -> None:
    assert parse_day(said, TODAY).isoformat() == day


@pytest.mark.parametrize("said", ["soon", "2026-13-01", "31/2", "", "29/2"])
def test_what_is_no_day_is_refused_with_the_form_that_works(said: str) -> None:
    with pytest.raises(ToolFault, match="YYYY-MM-DD"):
        parse_day(said, TODAY)


async def test_a_tool_that_is_given_no_day_says_so_to_the_model(desk: Desk) -> None:
    result = await desk.call(ANN, "get_daily_log", date="one day")
    assert not result.success
    assert "YYYY-MM-DD" in (result.error or "")


async def test_the_skill_names_the_tools_it_has(desk: Desk) -> None:
    [skill] = [one for one in load_builtin()[0] if one.name == history_tools.SKILL]
    for tool in desk.registry.list_tools():
        assert tool.read_only
        assert tool.name in skill.instructions


async def test_what_a_person_wrote_is_marked_as_their_words(desk: Desk) -> None:
    marked = {tool.name: tool.word_parameters for tool in desk.registry.list_tools() if tool.word_parameters}
    assert marked == {"search_past_conversations": ("query",)}
