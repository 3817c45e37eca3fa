"""The turns of everybody in the home, for admins: their path, and never what was said."""

from collections.abc import Mapping, Sequence
from typing import Final

from app.database.db import Database
from app.domain.errors import NotFound
from app.log import LogRing
from app.skills.pages import ENTRIES_PER_PAGE, Entry, Page, Part, Section, Visit
from app.skills.tools.status.repository import Oversight, Step, Turn
from app.skills.tools.status.texts import STATUS

_ICON: Final = "M5 6h9a4 4 0 0 1 0 8H9M12 11l-3 3 3 3M5 6l3-3M5 6l3 3"
_LONGEST_NUMBER: Final = 18


def part(db: Database, logs: LogRing) -> Part:
    """Return the part, which changes nothing."""
    oversight = Oversight()

    async def show(visit: Visit) -> Page:
        if visit.item:
            return await _show_one(visit)
        found = await oversight.list_turns(db, limit=ENTRIES_PER_PAGE + 1, offset=visit.offset)
        entries = [_line(one, visit) for one in found[:ENTRIES_PER_PAGE]]
        sections = [Section(entries=entries, empty=visit.say(STATUS.home_no_turns))]
        return Page(sections, visit.say(STATUS.home_turns_intro), count=visit.offset + len(found))

    async def _show_one(visit: Visit) -> Page:
        number = visit.item if visit.item.isascii() and visit.item.isdigit() else ""
        turn = await oversight.find_turn(db, int(number)) if 0 < len(number) <= _LONGEST_NUMBER else None
        if turn is None:
            raise NotFound("turn_unknown")
        events = [event for event in logs.list_recent() if event.get("turn_id") == number]
        sections = [
            _steps(visit.say(STATUS.home_received), await oversight.list_received(db, turn.turn_id), visit),
            _used(turn, visit),
            _steps(visit.say(STATUS.home_sent), await oversight.list_sent(db, turn.turn_id), visit),
            Section(
                visit.say(STATUS.home_log), [_event(event) for event in events], visit.say(STATUS.home_no_log)
            ),
        ]
        return Page(sections, title=visit.say(STATUS.home_turn, number=turn.turn_id))

    return Part("turns", STATUS.home_turns, _ICON, show, for_admins=True)


def _line(turn: Turn, visit: Visit) -> Entry:
    tools = ", ".join(step.tool for step in turn.trace.steps) or visit.say(STATUS.home_no_tools)
    notes = (visit.told(turn.at), visit.say(STATUS.home_took, seconds=_seconds(turn)), tools)
    title = " · ".join(filter(None, (str(turn.turn_id), turn.name or "?", turn.reaction)))
    return Entry(title, notes=notes, item=str(turn.turn_id))


def _used(turn: Turn, visit: Visit) -> Section:
    trace = turn.trace
    cost = visit.say(
        STATUS.home_cost,
        calls=trace.model_calls,
        prompt=trace.prompt_tokens,
        cached=trace.cached_tokens,
        completion=trace.completion_tokens,
        seconds=_seconds(turn),
    )
    sorted_as = ", ".join(trace.categories) or "–"
    entries = [
        Entry(visit.say(STATUS.home_sorted, list=sorted_as), notes=(trace.sorted_by,) if trace.sorted_by else ()),
        *(
            Entry(step.tool, notes=(step.kind, f"{step.duration_ms} ms"), tone="" if step.kind == "ok" else "bad")
            for step in trace.steps
        ),
        Entry(cost, notes=(visit.say(STATUS.home_recalled, count=len(trace.recalled)),)),
    ]
    return Section(visit.say(STATUS.home_answered), entries)


def _steps(title: str, steps: Sequence[Step], visit: Visit) -> Section:
    entries = [
        Entry(
            " · ".join(filter(None, (one.kind, one.state))),
            notes=tuple(
                filter(
                    None, (visit.told(one.at), visit.say(STATUS.home_tries, count=one.attempts), one.error or "")
                )
            ),
            tone="bad" if one.error else "",
        )
        for one in steps
    ]
    return Section(title, entries, visit.say(STATUS.home_nothing_kept))


def _event(event: Mapping[str, str]) -> Entry:
    rest = " ".join(f"{name}={value}" for name, value in event.items() if name not in {"event", "at", "level"})
    return Entry(event.get("event", ""), rest, notes=(event.get("at", ""), event.get("level", "")))


def _seconds(turn: Turn) -> str:
    return f"{turn.trace.duration_ms / 1000:.1f}"
