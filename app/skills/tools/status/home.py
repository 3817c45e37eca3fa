"""The service in the home, for admins: its health with the next step, what waits, people, and turns."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from app.database.db import Database
from app.database.repositories.users import Directory
from app.domain.chat import ModelState
from app.domain.health import Checked, Examine
from app.domain.ids import UserId
from app.language.catalogue import Sentence, worded
from app.skills.pages import ENTRIES_PER_PAGE, Choice, Entry, Form, Page, Part, Section, Tone, Visit
from app.skills.tools.status.repository import Oversight, Person, Waiting
from app.skills.tools.status.texts import STATUS

_PULSE: Final = "M3 12h4l2.5-6 4 12 2.5-6h5"
_PEOPLE: Final = (
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14a6 6 0 0 1 3 6"
)
_TONES: Final[Mapping[str, Tone]] = MappingProxyType({"ok": "good", "failed": "bad", "skipped": "off"})
_WAITING: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "pending": STATUS.home_pending,
        "running": STATUS.home_running,
        "missed": STATUS.home_missed,
        "sending": STATUS.home_sending,
        "unknown": STATUS.home_unknown,
        "held": STATUS.home_held,
    }
)
_TRUST: Final[Mapping[str, Sentence]] = MappingProxyType(
    {"trusted": STATUS.home_trusted, "asked": STATUS.home_trust_asked, "blocked": STATUS.home_blocked}
)


class HealthRoom:
    """`examine` is None where nobody brought the checks; what was found last is kept until the next look."""

    def __init__(
        self,
        db: Database,
        model: Callable[[], Awaitable[ModelState]],
        pause_reason: Callable[[], str | None],
        examine: Examine | None,
    ) -> None:
        self._db = db
        self._model = model
        self._pause_reason = pause_reason
        self._examine = examine
        self._found: Sequence[Checked] = ()
        self._oversight = Oversight()

    def part(self) -> Part:
        acts = MappingProxyType({"check": self.check} if self._examine else {})
        return Part("service", STATUS.home_title, _PULSE, self.show, acts, self.summary, for_admins=True)

    async def show(self, visit: Visit) -> Page:
        state = await self._model()
        detail = worded(state.detail, visit.language)
        pace = visit.say(STATUS.home_pace, rate=f"{state.written_per_s:.1f}") if state.written_per_s else ""
        notes = tuple(filter(None, (detail, pace, visit.say(STATUS.home_calls, count=state.waiting))))
        model = Entry(state.name, notes=notes, tone="good" if state.state == "ready" else "bad")
        failed = [
            Entry(
                one.error or visit.say(STATUS.home_not_sent), notes=(one.name or "?", visit.told(one.created_at))
            )
            for one in await self._oversight.list_failed(self._db)
        ]
        return Page(
            [
                self._hops(visit),
                Section(visit.say(STATUS.home_model), [model]),
                _box(STATUS.home_inbox, await self._oversight.list_inbox(self._db), visit),
                self._outbox(await self._oversight.list_outbox(self._db), visit),
                Section(visit.say(STATUS.home_failed), failed, visit.say(STATUS.home_none_failed)),
            ]
        )

    async def summary(self, visit: Visit) -> str:
        inbox = await self._oversight.list_inbox(self._db)
        return visit.say(STATUS.home_waiting_count, count=sum(one.count for one in inbox))

    async def check(self, visit: Visit, form: Form) -> str:
        if self._examine is not None:
            self._found = await self._examine()
        broken = sum(one.status == "failed" for one in self._found)
        return visit.say(STATUS.home_broken, count=broken) if broken else visit.say(STATUS.home_all_well)

    def _hops(self, visit: Visit) -> Section:
        entries = [
            Entry(
                one.title[visit.language],
                one.sentence[visit.language],
                notes=(f"→ {one.next_step[visit.language]}",) if one.next_step else (),
                tone=_TONES[one.status],
            )
            for one in self._found
        ]
        choices = (Choice("check", visit.say(STATUS.home_check)),) if self._examine else ()
        return Section(visit.say(STATUS.home_hops), entries, visit.say(STATUS.home_not_checked), choices)

    def _outbox(self, found: Sequence[Waiting], visit: Visit) -> Section:
        section = _box(STATUS.home_outbox, found, visit)
        if (reason := self._pause_reason()) is None:
            return section
        paused = Entry(visit.say(STATUS.status_delivery_paused, reason=reason), tone="bad")
        return Section(section.title, [paused, *section.entries])


def people_part(db: Database, directory: Directory, admins: frozenset[str]) -> Part:
    """Return who writes, how far they are trusted, and who was turned away."""
    oversight = Oversight()

    async def show(visit: Visit) -> Page:
        found = await oversight.list_people(db, limit=ENTRIES_PER_PAGE, offset=visit.offset)
        aliases = await directory.aliases_of([UserId(one.user_id) for one in found])
        entries = [
            _person(one, visit, is_admin=not admins.isdisjoint(aliases.get(UserId(one.user_id), frozenset())))
            for one in found
        ]
        strangers = [
            Entry(
                one.name or "?",
                notes=(one.alias.partition(":")[2], visit.say(STATUS.home_tried, count=one.attempts)),
            )
            for one in await directory.list_strangers(ENTRIES_PER_PAGE)
        ]
        sections = [
            Section(entries=entries),
            Section(visit.say(STATUS.home_strangers), strangers, visit.say(STATUS.status_no_strangers)),
        ]
        return Page(sections, count=await oversight.count_people(db))

    async def summary(visit: Visit) -> str:
        return visit.say(STATUS.home_people_count, count=await oversight.count_people(db))

    return Part("people", STATUS.home_people, _PEOPLE, show, summary=summary, for_admins=True)


def _box(title: Sentence, found: Sequence[Waiting], visit: Visit) -> Section:
    entries = [
        Entry(
            visit.say(_WAITING[one.state], count=one.count),
            notes=(visit.say(STATUS.home_since, time=visit.told(one.since)),),
        )
        for one in found
    ]
    return Section(visit.say(title), entries, visit.say(STATUS.home_nothing_waits))


def _person(one: Person, visit: Visit, *, is_admin: bool) -> Entry:
    notes = [
        one.address,
        visit.say(_TRUST[one.trust]),
        visit.say(STATUS.home_last, time=visit.told(one.last_inbound_at)),
    ]
    if is_admin:
        notes.append(visit.say(STATUS.home_is_admin))
    return Entry(one.name or "?", notes=tuple(filter(None, notes)), tone="" if one.trust == "trusted" else "bad")
