"""The template with which a reminder passes Meta's closed 24-hour window: submitted, and followed at Meta."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from types import MappingProxyType
from typing import Final

import structlog

from app.asking.admins import Admins
from app.database.db import Database, Transaction
from app.database.repositories.outbox import LostMessage
from app.domain.clock import to_ms
from app.domain.inbound import AccountNotice
from app.domain.outbound import OutTemplate
from app.domain.ports import Clock, NewTemplate, Templates, TemplateState
from app.domain.wording import one_line
from app.jobs import Job
from app.language.catalogue import LANGUAGES, Language, say
from app.skills.tools.reminders.texts import REMINDERS

log = structlog.get_logger(__name__)

NAME: Final = "wasap_reminder"
APPROVED, PENDING, REJECTED, PAUSED, DISABLED = "APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"
MISSING: Final = ""
"""There is none, or Meta does not know it any more."""
_FIELD: Final = "message_template_status_update"
_VARIABLE: Final = "{{1}}"
_MAX_VALUE_CHARS: Final = 600
_PENDING_EVERY: Final = timedelta(minutes=10)
_SETTLED_EVERY: Final = timedelta(hours=6)
_TOLD_BY_CODE: Final = MappingProxyType(
    {"graph_132001": MISSING, "graph_132015": PAUSED, "graph_132016": DISABLED}
)
_IN_WORDS: Final = MappingProxyType(
    {
        APPROVED: REMINDERS.template_approved,
        PENDING: REMINDERS.template_pending,
        REJECTED: REMINDERS.template_rejected,
        PAUSED: REMINDERS.template_paused,
        DISABLED: REMINDERS.template_disabled,
        MISSING: REMINDERS.template_missing,
    }
)


def new_template(language: Language) -> NewTemplate:
    """Return the template for reminders in a language, as it is submitted."""
    return NewTemplate(
        NAME,
        language,
        say(REMINDERS.template_body, language, text=_VARIABLE),
        say(REMINDERS.template_example, language),
        (
            say(REMINDERS.template_done, language),
            say(REMINDERS.button_snooze, language),
            say(REMINDERS.button_tomorrow, language),
        ),
    )


def filled(lines: Sequence[str], buttons: tuple[str, ...], language: Language) -> OutTemplate:
    """Return the template for these reminders; a variable holds one line."""
    value = one_line("; ".join(lines), _MAX_VALUE_CHARS)
    return OutTemplate(NAME, language, say(REMINDERS.template_body, language, text=value), (value,), buttons)


class TemplateStates:
    """What Meta last said of the template, by language."""

    async def all(self, db: Database) -> dict[Language, TemplateState]:
        rows = await db.fetch_all("SELECT language, status, reason FROM message_templates WHERE name = ?", NAME)
        return {
            row["language"]: TemplateState(NAME, row["language"], row["status"], row["reason"]) for row in rows
        }

    async def status(self, db: Database, language: Language) -> str:
        found = (await self.all(db)).get(language)
        return MISSING if found is None else found.status

    async def put(self, state: TemplateState, at_ms: int, *, tx: Transaction) -> bool:
        """Keep what Meta says; returns whether that is another state than before."""
        changed = await tx.execute(
            "INSERT INTO message_templates(name, language, status, reason, checked_at) VALUES (?1, ?2, ?3, ?4, ?5)"
            " ON CONFLICT(name, language) DO UPDATE SET status = ?3, reason = ?4, checked_at = ?5"
            " WHERE message_templates.status <> ?3",
            NAME,
            state.language,
            state.status,
            state.reason,
            at_ms,
        )
        return changed == 1


class TemplateKeeper:
    """Follows the template at Meta: asked regularly, at once when Meta says that something changed or when one
    could not be sent. The admins hear of every change."""

    def __init__(
        self,
        db: Database,
        templates: Templates | None,
        clock: Clock,
        admins: Admins,
        *,
        wake: Callable[[], None],
    ) -> None:
        self._db = db
        self._templates = templates
        self._clock = clock
        self._admins = admins
        self._wake = wake
        self._states = TemplateStates()
        self._due_s = 0.0

    @property
    def job(self) -> Job:
        return Job("templates", self.run)

    @property
    def is_available(self) -> bool:
        """Tell whether the account is known, and templates can be made and followed."""
        return self._templates is not None

    async def status(self, language: Language) -> str:
        """Return what Meta last said of the template in a language."""
        return await self._states.status(self._db, language)

    async def states(self) -> dict[Language, TemplateState]:
        return await self._states.all(self._db)

    async def create(self) -> None:
        """Submit the template in every language that lacks it.

        Raises:
            Transient, Permanent, AccessRevoked: Meta does not take it now.
        """
        if self._templates is None:
            return
        for language in LANGUAGES:
            await self._keep(await self._templates.create(new_template(language)), is_told=False)

    async def run(self) -> int:
        """Ask Meta if it is time; returns how many states changed."""
        if self._templates is None or self._clock.elapsed_s() < self._due_s:
            return 0
        known = await self.states()
        at_meta = {one.language: one for one in await self._templates.list(NAME)}
        gone = [TemplateState(NAME, language, MISSING) for language in known if language not in at_meta]
        changes = [await self._keep(one, is_told=one.language in known) for one in (*at_meta.values(), *gone)]
        is_pending = any(one.status == PENDING for one in at_meta.values())
        every = _PENDING_EVERY if is_pending else _SETTLED_EVERY
        self._due_s = self._clock.elapsed_s() + every.total_seconds()
        return sum(changes)

    def hear(self, notice: AccountNotice) -> None:
        """Meta says that the state of a template changed: ask for all of them."""
        if notice.field == _FIELD:
            self._due_s = 0.0
            self._wake()

    async def hear_lost(self, lost: LostMessage) -> None:
        """A template could not be sent: until Meta says otherwise it is not used again."""
        status = _TOLD_BY_CODE.get(lost.error)
        if isinstance(lost.message, OutTemplate) and status is not None:
            await self._keep(TemplateState(NAME, lost.message.language, status), is_told=False)
            self._due_s = 0.0

    async def _keep(self, state: TemplateState, *, is_told: bool) -> bool:
        async with self._db.transaction() as tx:
            is_new = await self._states.put(state, to_ms(self._clock.now()), tx=tx)
            if not is_new:
                return False
            told = (
                await self._admins.tell_in(tx, partial(_news, state), is_warning=True) if is_told else frozenset()
            )
        log.info("template.changed", language=state.language, status=state.status)
        self._admins.wake(told)
        return True


def describe(state: TemplateState, language: Language) -> str:
    """Say what the state of a template means."""
    words = _IN_WORDS.get(state.status)
    if words is None:
        return say(REMINDERS.template_other, language, status=state.status)
    return say(words, language, reason=state.reason or "?")


def _news(state: TemplateState, language: Language) -> str:
    return say(REMINDERS.template_news, language, which=state.language, state=describe(state, language))
