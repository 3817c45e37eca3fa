"""The WhatsApp account: token, secret, number and subscription, as Meta sees them."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Final

import httpx

from app.cli.doctor.machine import plain
from app.cli.doctor.round import Outcome, failed, ok, skipped
from app.cli.doctor.texts import DOCTOR
from app.cli.meta import (
    API_SETUP,
    MANAGE,
    RENEW,
    Unfit,
    challenge_problem,
    check_public_url,
    scopes_problem,
    token_problem,
)
from app.cli.texts import AT_META
from app.config import Settings
from app.domain.errors import AccessRevoked, AppError, Permanent
from app.domain.phones import digits_of
from app.language.catalogue import LazyText, joined, lazy
from app.whatsapp.admin import BAD_TOKEN, UNREACHABLE, GraphAdmin, PhoneNumber, TokenFacts

_WRONG_OBJECT: Final = frozenset({"graph_100", "graph_803"})
_SECRET: Final = re.compile(r"[0-9a-f]{32}")
_MAX_TEST_RECIPIENTS: Final = 5
_NAME_THE_APP: Final = lazy(DOCTOR.name_the_app)
_TOKEN_SOON: Final = timedelta(days=7)
_MAX_SKEW_S: Final = 60.0
NEWEST_VERSION: Final = "v26.0"
_VERSION_SOON: Final = timedelta(days=90)
# Changelog of the Graph API, as of 2026 (`whatsapp-cloud-api.md` §3.1); the newest has no end yet.
_VERSION_ENDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "v20.0": "2026-09-24",
        "v21.0": "2027-01-21",
        "v22.0": "2027-05-20",
        "v23.0": "2027-10-08",
        "v24.0": "2028-02-18",
        "v25.0": "2028-07-29",
    }
)


class AccountChecks:
    """Asks Meta about what `settings` say, and changes nothing. Later checks use what earlier ones found.

    `graph_http` is for Meta alone: the dates of its answers tell how far this machine's clock is off.
    """

    def __init__(self, settings: Settings, graph_http: httpx.AsyncClient, now: Callable[[], datetime]) -> None:
        self._settings = settings
        self._now = now
        self._token = plain(settings.whatsapp_access_token)
        self._secret = plain(settings.whatsapp_app_secret)
        self._number_id = (settings.whatsapp_phone_number_id or "").strip()
        base_url, version = settings.whatsapp_api_base_url, settings.whatsapp_api_version
        self._graph = GraphAdmin(graph_http, base_url=base_url, version=version, timeout_s=10)
        graph_http.event_hooks = {"response": [self._note_time]}
        self._skew_s: float | None = None
        self._facts: TokenFacts | None = None
        self._number: PhoneNumber | None = None

    async def token(self) -> Outcome:
        """The token is valid, of our app, and stays so for a while."""
        try:
            facts = self._facts = await self._inspect()
            if facts is None:
                return await self._try()
        except AppError as exc:
            return _refused(exc, lazy(DOCTOR.what_token))
        if problem := token_problem(facts, self._settings.whatsapp_app_id or "", self._now()):
            return failed(problem.cause, problem.next_step)
        kind = facts.type.replace("_", " ").lower() or "unknown"
        if facts.ends_at is None:
            return ok(lazy(DOCTOR.token_forever, kind=kind, app=facts.app_id))
        is_soon = facts.ends_at - self._now() < _TOKEN_SOON
        until = f"{facts.ends_at:%Y-%m-%d %H:%M}"
        sentence = lazy(DOCTOR.token_until, kind=kind, app=facts.app_id, until=until)
        return ok(sentence, lazy(DOCTOR.that_is_soon, step=RENEW) if is_soon else "")

    async def permissions(self) -> Outcome:
        """The token may send, and may manage the account."""
        if self._facts is None:
            return ok(lazy(DOCTOR.permissions_untold), _NAME_THE_APP)
        if problem := scopes_problem(self._facts):
            return failed(problem.cause, problem.next_step)
        return ok(lazy(DOCTOR.permissions_ok))

    async def number(self) -> Outcome:
        """The phone number id is the id of a number, not the number itself."""
        if not (self._number_id.isascii() and self._number_id.isdigit()):
            return await self._mistaken()
        try:
            number = await self._graph.number(self._number_id, self._token)
        except AppError as exc:
            is_other_thing = exc.code in _WRONG_OBJECT
            return await self._mistaken() if is_other_thing else _refused(exc, lazy(DOCTOR.what_number))
        if not number.display_phone_number:
            return await self._mistaken()
        self._number = number
        is_bad = number.quality_rating == "RED"
        name = number.verified_name or lazy(DOCTOR.unnamed)
        shown = joined("", (f"{number.display_phone_number} (", name, ")"))
        return ok(shown, lazy(DOCTOR.number_red) if is_bad else "")

    async def secret(self) -> Outcome:
        """The secret is the app's: Meta signs webhooks with it."""
        app_id = self._app_id
        if not app_id:
            return skipped(lazy(DOCTOR.secret_untold), _NAME_THE_APP)
        try:
            await self._graph.app_token(app_id, self._secret)
        except Permanent:
            wrong = DOCTOR.secret_wrong if _SECRET.fullmatch(self._secret) else DOCTOR.secret_misshapen
            page = f"https://developers.facebook.com/apps/{app_id}/settings/basic/"
            return failed(lazy(wrong, app=app_id), lazy(DOCTOR.secret_step, page=page))
        except AppError as exc:
            return _refused(exc, lazy(DOCTOR.what_secret))
        return ok(lazy(DOCTOR.secret_ok, app=app_id))

    async def subscription(self) -> Outcome:
        """Our app is subscribed to the account: without that no message ever arrives."""
        account_id, app_id = self._account_id, self._app_id
        if not account_id or not app_id:
            return skipped(lazy(DOCTOR.account_untold), lazy(DOCTOR.account_untold_step, page=API_SETUP))
        try:
            apps = await self._graph.subscribed_apps(account_id, self._token)
        except AppError as exc:
            if exc.code not in _WRONG_OBJECT:
                return _refused(exc, lazy(DOCTOR.what_apps))
            fix = lazy(DOCTOR.account_unseen_step, page=API_SETUP)
            return failed(lazy(DOCTOR.account_unseen, account=account_id), fix)
        if all(app.id != app_id for app in apps):
            fix = lazy(DOCTOR.unsubscribed_step, account=account_id)
            return failed(lazy(DOCTOR.unsubscribed, app=app_id, account=account_id), fix)
        return ok(lazy(DOCTOR.subscribed, app=app_id, account=account_id))

    async def recipients(self) -> Outcome:
        """A test number writes to five verified people at most."""
        if self._number is None or not self._number.is_test:
            return ok(lazy(DOCTOR.number_of_your_own))
        most = _MAX_TEST_RECIPIENTS
        sentence = lazy(DOCTOR.test_number, most=most)
        count = len({*self._settings.allowed_phone_numbers, *self._settings.admin_phone_numbers})
        if count > most:
            fix = lazy(DOCTOR.test_number_full_step, most=most, page=API_SETUP)
            return failed(lazy(DOCTOR.test_number_full, found=sentence, people=count), fix)
        return ok(sentence, lazy(DOCTOR.test_number_step, page=API_SETUP))

    async def clock(self) -> Outcome:
        """This machine's clock agrees with the Date header of Meta's answers."""
        if self._skew_s is None:
            return skipped(lazy(DOCTOR.clock_untold))
        if abs(self._skew_s) > _MAX_SKEW_S:
            way = DOCTOR.clock_ahead if self._skew_s > 0 else DOCTOR.clock_behind
            return failed(lazy(way, seconds=f"{abs(self._skew_s):.0f}"), lazy(DOCTOR.clock_step))
        return ok(lazy(DOCTOR.clock_ok, seconds=f"{max(abs(self._skew_s), 1):.0f}"))

    async def version(self) -> Outcome:
        """Meta still answers the version of the Graph API, and will for a while."""
        version, today = self._settings.whatsapp_api_version, self._now().date()
        fix = lazy(DOCTOR.version_step, version=NEWEST_VERSION)
        if version not in _VERSION_ENDS:
            if _version_number(version) < min(map(_version_number, _VERSION_ENDS)):
                return failed(lazy(DOCTOR.version_over, version=version), fix)
            sentence = DOCTOR.version_open if version == NEWEST_VERSION else DOCTOR.version_newer
            return ok(lazy(sentence, version=version))
        end = date.fromisoformat(_VERSION_ENDS[version])
        if end <= today:
            return failed(lazy(DOCTOR.version_over_on, version=version, day=end), fix)
        advice = lazy(DOCTOR.that_is_soon, step=fix) if end - today < _VERSION_SOON else ""
        return ok(lazy(DOCTOR.version_until, version=version, day=end), advice)

    async def _inspect(self) -> TokenFacts | None:
        """Return what Meta knows about the token; None where it refuses to tell.

        It tells an app's own token, which only the app's id and secret can buy; without these a token may inspect
        itself, which Meta may or may not answer ("Debug-Token" in the Graph API's reference).
        """
        bearers = [self._token]
        if app_id := self._settings.whatsapp_app_id:
            with suppress(Permanent):
                bearers.insert(0, await self._graph.app_token(app_id, self._secret))
        for bearer in bearers:
            with suppress(Permanent):
                return await self._graph.debug_token(self._token, bearer)
        return None

    async def _try(self) -> Outcome:
        """Learn from the number whether the token works at all; a wrong number is the next check's matter."""
        try:
            await self._graph.number(self._number_id, self._token)
        except Permanent as exc:
            if exc.code not in _WRONG_OBJECT:
                raise
        return ok(lazy(DOCTOR.token_untold), _NAME_THE_APP)

    async def _mistaken(self) -> Outcome:
        """Say what was pasted in place of the id, and the id itself where the account tells it."""
        numbers: tuple[PhoneNumber, ...] = ()
        if self._account_id:
            with suppress(Permanent):
                numbers = await self._graph.phone_numbers(self._account_id, self._token)
        for number in numbers:
            if digits_of(number.display_phone_number) == digits_of(self._number_id):
                return failed(lazy(DOCTOR.number_pasted), lazy(DOCTOR.number_pasted_step, number=number.id))
        return failed(lazy(DOCTOR.number_wrong), lazy(DOCTOR.number_wrong_step, page=API_SETUP))

    @property
    def _app_id(self) -> str:
        """The app that the token belongs to, else the one in the settings; empty when neither is known."""
        return self._facts.app_id if self._facts is not None else self._settings.whatsapp_app_id or ""

    @property
    def _account_id(self) -> str:
        told = self._facts.targets(MANAGE) if self._facts is not None else ()
        return self._settings.whatsapp_business_account_id or (told[0] if len(told) == 1 else "")

    async def _note_time(self, response: httpx.Response) -> None:
        with suppress(ValueError):
            told = parsedate_to_datetime(response.headers.get("date", ""))
            self._skew_s = (self._now() - (told if told.tzinfo else told.replace(tzinfo=UTC))).total_seconds()


async def check_public_address(
    settings: Settings, http: httpx.AsyncClient, *, is_service_running: bool
) -> Outcome:
    """The webhook answers its challenge from outside."""
    fix = lazy(DOCTOR.address_step)
    if settings.public_url is None:
        return skipped(lazy(DOCTOR.address_unset), fix)
    try:
        address = f"{check_public_url(settings.public_url)}/webhook"
    except Unfit as exc:
        return failed(lazy(DOCTOR.address_bad, why=exc.why), fix)
    problem = await challenge_problem(http, address, plain(settings.whatsapp_verify_token))
    if problem is None:
        return ok(lazy(DOCTOR.address_ok, address=address))
    if problem.status >= httpx.codes.INTERNAL_SERVER_ERROR and not is_service_running:
        return skipped(lazy(DOCTOR.tunnel_idle, status=problem.status), lazy(DOCTOR.tunnel_idle_step))
    return failed(lazy(AT_META.leads_elsewhere, address=address, cause=problem.cause), problem.next_step)


def _refused(exc: AppError, what: LazyText) -> Outcome:
    """Put an error of Meta's into words; `what` was asked for."""
    if exc.code == BAD_TOKEN:
        return failed(lazy(DOCTOR.refused_token), RENEW)
    if isinstance(exc, AccessRevoked):
        fix = lazy(DOCTOR.refused_read_step, step=RENEW)
        return failed(lazy(DOCTOR.refused_read, what=what, code=exc.code), fix)
    if exc.code == UNREACHABLE:
        unreachable = lazy(DOCTOR.graph_unreachable, detail=exc.detail)
        return failed(unreachable, lazy(DOCTOR.graph_unreachable_step))
    return failed(
        lazy(DOCTOR.graph_silent, what=what, code=exc.code, detail=exc.detail), lazy(DOCTOR.graph_silent_step)
    )


def _version_number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.removeprefix("v").split("."))
