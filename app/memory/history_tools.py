"""Earlier conversations and past days of the person who asks."""

import re
from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from babel.dates import get_day_names

from app.domain.errors import ToolFault
from app.domain.ports import Clock
from app.domain.tools import OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import clean, fold, one_line, stem, words
from app.language.catalogue import LANGUAGES
from app.memory.past import Days, Snapshot, Snapshots
from app.skills.registry import SkillRegistry

SKILL: Final = "history"

_SHOWN: Final = 5
_SHOWN_EVENTS: Final = 30
_FOUND_LINES: Final = 3
_LINE_CHARS: Final = 200
_NEAR: Final[tuple[tuple[frozenset[str], int], ...]] = (
    (frozenset({"today", "hoy"}), 0),
    (frozenset({"yesterday", "ayer"}), 1),
    (frozenset({"anteayer", "antes de ayer", "the day before yesterday", "day before yesterday"}), 2),
)
_WEEKDAYS: Final = tuple(
    frozenset(fold(get_day_names("wide", locale=language)[day]) for language in LANGUAGES) for day in range(7)
)
"""Monday first."""
_ISO: Final = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_DAY_FIRST: Final = re.compile(r"(\d{1,2})[-/.](\d{1,2})(?:[-/.](\d{4}))?")


class _HistoryTools:
    def __init__(self, snapshots: Snapshots, days: Days, clock: Clock) -> None:
        self._snapshots = snapshots
        self._days = days
        self._clock = clock

    async def search_past_conversations(self, query: OwnWords, *, ctx: TurnContext) -> str | ToolResult:
        """Search earlier conversations that have ended."""
        zone = ZoneInfo(ctx.timezone)
        found = await self._snapshots.search(ctx.user_id, query, limit=_SHOWN)
        events = await self._days.search(ctx.user_id, query, limit=_SHOWN)
        if not found and not events:
            missing = f'Nothing in earlier conversations matches "{one_line(clean(query), 60)}".'
            return ToolResult.nothing(missing)
        lines = [_shown(snapshot, query, zone) for snapshot in found]
        lines += [f"[{event.day}] {one_line(event.text, _LINE_CHARS)}" for event in events]
        return "\n".join(lines)

    async def get_daily_log(self, date: str = "", *, ctx: TurnContext) -> str | ToolResult:
        """Show what the user told of a day.

        Args:
            date: YYYY-MM-DD, yesterday, monday
        """
        today = self._clock.now().astimezone(ZoneInfo(ctx.timezone)).date()
        first, last = (today - timedelta(days=1), today) if not date.strip() else (parse_day(date, today),) * 2
        events = await self._days.list_between(ctx.user_id, first, last, limit=_SHOWN_EVENTS)
        if not events:
            day = f"for {first}" if first == last else f"since {first}"
            return ToolResult.nothing(f"Nothing is noted {day}.")
        return "\n".join(f"[{event.day}] {one_line(event.text, _LINE_CHARS)}" for event in events)


def register(registry: SkillRegistry, snapshots: Snapshots, days: Days, clock: Clock) -> None:
    """Add the two tools that look back."""
    tools = _HistoryTools(snapshots, days, clock)
    registry.add(
        tools.search_past_conversations,
        SKILL,
        read_only=True,
    )
    registry.add(tools.get_daily_log, SKILL, read_only=True)


def parse_day(text: str, today: date) -> date:
    """Return the day that is meant: a date (day before month), a weekday gone by, today, yesterday.

    Raises:
        ToolFault: it is none of these.
    """
    said = fold(text).strip(" .,")
    for names, ago in _NEAR:
        if said in names:
            return today - timedelta(days=ago)
    for number, names in enumerate(_WEEKDAYS):
        if not names.isdisjoint(said.split()[-1:]):
            return today - timedelta(days=(today.weekday() - number) % 7)
    try:
        if iso := _ISO.match(said):
            return date(int(iso[1]), int(iso[2]), int(iso[3]))
        if match := _DAY_FIRST.fullmatch(said):
            day = date(int(match[3] or today.year), int(match[2]), int(match[1]))
            return day if match[3] or day <= today else day.replace(year=today.year - 1)
    except ValueError:
        pass
    raise ToolFault("date_unknown", f'"{one_line(clean(text), 40)}" is no date: use YYYY-MM-DD.')


def _shown(snapshot: Snapshot, query: str, zone: ZoneInfo) -> str:
    """The date, the title, and the lines in which the words stand."""
    wanted = [stem(word) for word in words(query)]
    lines = snapshot.text.splitlines()
    hits = [line for line in lines if any(word in fold(line) for word in wanted)] or lines
    shown = " / ".join(one_line(line, _LINE_CHARS) for line in hits[:_FOUND_LINES])
    return f"[{snapshot.started_at.astimezone(zone):%Y-%m-%d}] {snapshot.title}: {shown}"
