"""The first-run guide: from a fresh clone to a connected number, for whoever has the token of this machine.

Each step stands there from the beginning, with its state, its cause and what to do next. What was given is kept in
memory until the number is connected, and secrets are never shown again.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.domain.chat import ModelState
from app.domain.connecting import Connect, Reception, Run
from app.domain.errors import NotFound
from app.domain.health import NOTHING, Checked, Examine, Status
from app.home.texts import AT_HOME
from app.language.catalogue import LANGUAGES, OF_LOGS, InEachLanguage, Language, Sentence, say, worded
from app.skills.pages import Choice, Entry, Field, Form, Page, Part, Section, Tone, Visit

NAME: Final = "setup"
_ICON: Final = "M5 12l4 4L19 6"
_TONES: Final[Mapping[Status, Tone]] = MappingProxyType({"ok": "good", "failed": "bad", "skipped": "off"})
_STEPS: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "app": AT_HOME.step_app,
        "token": AT_HOME.step_token,
        "permissions": AT_HOME.step_permissions,
        "account": AT_HOME.step_account,
        "number": AT_HOME.step_number,
        "owner": AT_HOME.step_owner,
        "receiver": AT_HOME.step_receiver,
        "address": AT_HOME.step_address,
        "settings": AT_HOME.step_settings,
        "callback": AT_HOME.step_callback,
        "subscription": AT_HOME.step_subscription,
        "message": AT_HOME.step_message,
        "webhook": AT_HOME.step_webhook,
        "templates": AT_HOME.step_templates,
    }
)
_ID_CHARS: Final = 40
_SECRET_CHARS: Final = 1000
_URL_CHARS: Final = 300
_FAMILY_CHARS: Final = 400


@dataclass(frozen=True, slots=True)
class Setting:
    """Something that connecting needs, by the name that the steps know it by."""

    name: str
    label: Sentence
    limit: int
    is_secret: bool = False
    is_needed: bool = True


_SETTINGS: Final = (
    Setting("WHATSAPP_APP_ID", AT_HOME.give_app_id, _ID_CHARS),
    Setting("WHATSAPP_APP_SECRET", AT_HOME.give_app_secret, _SECRET_CHARS, is_secret=True),
    Setting("WHATSAPP_ACCESS_TOKEN", AT_HOME.give_token, _SECRET_CHARS, is_secret=True),
    Setting("owner", AT_HOME.give_owner, _ID_CHARS),
    Setting("family", AT_HOME.give_family, _FAMILY_CHARS, is_needed=False),
    Setting("PUBLIC_URL", AT_HOME.give_address, _URL_CHARS),
    Setting("WHATSAPP_PHONE_NUMBER_ID", AT_HOME.give_number, _ID_CHARS, is_needed=False),
    Setting("WHATSAPP_BUSINESS_ACCOUNT_ID", AT_HOME.give_account, _ID_CHARS, is_needed=False),
)


class Guide:
    """Keeps what was found and given so far; one run at a time, which goes on while the page is looked at."""

    def __init__(
        self,
        model: Callable[[], Awaitable[ModelState]],
        examine: Examine | None,
        connect: Connect | None,
        reception: Reception,
        *,
        simulator: str,
    ) -> None:
        self._model = model
        self._examine = examine
        self._connect = connect
        self._reception = reception
        self._simulator = simulator
        self._checked: Sequence[Checked] = ()
        self._given: dict[str, str] = {}
        self._language: Language | None = None
        self._steps: dict[str, Checked] = {}
        self._plan: tuple[InEachLanguage, ...] = ()
        self._now: InEachLanguage = NOTHING
        self._is_done = False
        self._work: asyncio.Task[None] | None = None

    @property
    def is_underway(self) -> bool:
        return self._work is not None and not self._work.done()

    def language(self, wanted: Language) -> Language:
        """Return the language that was chosen here, else the one that a browser wants."""
        return self._language or wanted

    @property
    def part(self) -> Part:
        acts = MappingProxyType(
            {"language": self.choose, "check": self.check, "prove": self.prove, "connect": self.connect}
        )
        return Part(NAME, AT_HOME.setup, _ICON, self.show, acts, for_admins=True)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """End what goes on when the service ends."""
        try:
            yield
        finally:
            if self._work is not None:
                self._work.cancel()
                await asyncio.wait({self._work})

    # What a run tells, while it goes: see `Progress`.

    def took(self, step: Checked) -> None:
        self._steps[step.hop] = step

    def planned(self, lines: tuple[InEachLanguage, ...]) -> None:
        self._plan = lines

    def said(self, text: InEachLanguage) -> None:
        self._now = text

    async def show(self, visit: Visit) -> Page:
        sections = [await self._model_section(visit), self._try(visit)]
        if self._examine is not None:
            sections.insert(0, self._machine(visit))
        sections.insert(0, _languages(visit))
        if self._connect is not None:
            sections += [self._number(visit), self._run(visit)]
        return Page(sections, visit.say(AT_HOME.setup_intro), is_underway=self.is_underway)

    async def choose(self, visit: Visit, form: Form) -> str:
        """Keep the language of this page, and of the first message to the number's owner."""
        chosen = next((one for one in LANGUAGES if one == form.get("value")), None)
        if chosen is None:
            raise NotFound("language_unknown")
        self._language = chosen
        return say(AT_HOME.setup_language_set, chosen)

    async def check(self, visit: Visit, form: Form) -> str:
        if self._examine is None:
            raise NotFound("no_checks")
        self._checked = await self._examine()
        broken = sum(one.status == "failed" for one in self._checked)
        return visit.say(AT_HOME.setup_broken if broken else AT_HOME.setup_well, count=broken)

    async def prove(self, visit: Visit, form: Form) -> str:
        """Look at everything that was given, at Meta and here; nothing changes."""
        given = {one.name: visit.read(form, self._field(one, visit)) for one in _SETTINGS}
        # What is secret is not shown again, so an empty field keeps it.
        kept = {one.name: self._given.get(one.name, "") for one in _SETTINGS if one.is_secret}
        self._given = {name: value for name, value in {**kept, **_told(given)}.items() if value}
        return self._begin(visit, is_agreed=False)

    async def connect(self, visit: Visit, form: Form) -> str:
        """Do what was shown, after the yes to just that."""
        if not self._plan or form.get("plan") != _shown(self._plan):
            raise NotFound("nothing_planned")
        return self._begin(visit, is_agreed=True)

    def _begin(self, visit: Visit, *, is_agreed: bool) -> str:
        if self._connect is None or self.is_underway:
            raise NotFound("not_now")
        self._steps, self._plan, self._now, self._is_done = {}, (), NOTHING, False
        run = Run(dict(self._given), is_agreed, self._reception, self, self._language)
        self._work = asyncio.create_task(self._take_steps(self._connect, run), name="connecting")
        return visit.say(AT_HOME.setup_begun)

    async def _take_steps(self, connect: Connect, run: Run) -> None:
        self._is_done = await connect(run)
        if self._is_done:
            self._given, self._plan = {}, ()

    # Sections.

    def _machine(self, visit: Visit) -> Section:
        entries = [_checked(one, one.title[visit.language], visit) for one in self._checked]
        choices = (Choice("check", visit.say(AT_HOME.setup_check)),)
        return Section(visit.say(AT_HOME.setup_machine), entries, visit.say(AT_HOME.setup_unchecked), choices)

    async def _model_section(self, visit: Visit) -> Section:
        state = await self._model()
        is_ready = state.state == "ready"
        notes = tuple(filter(None, (worded(state.detail, visit.language),)))
        told = AT_HOME.setup_model_ready if is_ready else AT_HOME.setup_model_waits
        entry = Entry(state.name, visit.say(told), notes, tone="good" if is_ready else "bad")
        return Section(visit.say(AT_HOME.setup_model), [entry])

    def _try(self, visit: Visit) -> Section:
        if not self._simulator:
            entry = Entry(visit.say(AT_HOME.setup_connected), tone="good")
        else:
            entry = Entry(visit.say(AT_HOME.setup_simulator), visit.say(AT_HOME.setup_try), link=self._simulator)
        return Section(visit.say(AT_HOME.setup_first), [entry])

    def _number(self, visit: Visit) -> Section:
        fields = tuple(self._field(one, visit) for one in _SETTINGS)
        give = Choice(
            "prove", visit.say(AT_HOME.setup_give), fields=fields, label_sent=visit.say(AT_HOME.setup_prove)
        )
        choices = () if self.is_underway else (give,)
        told = "" if self._steps else visit.say(AT_HOME.setup_needs)
        return Section(visit.say(AT_HOME.setup_number), empty=told, choices=choices)

    def _run(self, visit: Visit) -> Section:
        entries = []
        if self.is_underway:
            entries.append(Entry(visit.say(AT_HOME.setup_underway), self._now.get(visit.language, "")))
        elif self._is_done:
            entries.append(Entry(visit.say(AT_HOME.setup_done), visit.say(AT_HOME.setup_restart), tone="good"))
        elif self._plan:
            values = MappingProxyType({"plan": _shown(self._plan)})
            asks = visit.say(AT_HOME.setup_asks)
            go = Choice("connect", visit.say(AT_HOME.setup_connect), values, asks=asks)
            entries.append(
                Entry(
                    visit.say(AT_HOME.setup_would),
                    "\n".join(line[visit.language] for line in self._plan),
                    tone="good",
                    choices=(go,),
                )
            )
        entries += [
            _checked(self._steps[name], visit.say(title), visit)
            if name in self._steps
            else Entry(visit.say(title), notes=(visit.say(AT_HOME.setup_open),), tone="off")
            for name, title in _STEPS.items()
        ]
        return Section(visit.say(AT_HOME.setup_steps), entries)

    def _field(self, one: Setting, visit: Visit) -> Field:
        known = self._given.get(one.name, "")
        return Field(
            one.name,
            visit.say(one.label),
            one.limit,
            "" if one.is_secret else known,
            "secret" if one.is_secret else "line",
            is_needed=one.is_needed and not (one.is_secret and known),
        )


def _languages(visit: Visit) -> Section:
    entries = []
    for one in LANGUAGES:
        name = say(AT_HOME.own_name, one)
        choose = Choice("language", say(AT_HOME.setup_choose, one), MappingProxyType({"value": one}))
        entries.append(
            Entry(name, tone="good") if one == visit.language else Entry(name, tone="off", choices=(choose,))
        )
    return Section(visit.say(AT_HOME.setup_language), entries)


def _told(given: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in given.items() if value}


def _shown(plan: Sequence[InEachLanguage]) -> str:
    """Return what a yes is bound to, whoever reads it in which language."""
    return " | ".join(line[OF_LOGS] for line in plan)


def _checked(one: Checked, title: str, visit: Visit) -> Entry:
    notes = (f"→ {one.next_step[visit.language]}",) if one.next_step else ()
    return Entry(title, one.sentence[visit.language], notes, tone=_TONES[one.status])
