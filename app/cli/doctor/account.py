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
from app.cli.meta import (
    API_SETUP,
    MANAGE,
    RENEW,
    challenge_problem,
    check_public_url,
    scopes_problem,
    token_problem,
)
from app.config import Settings
from app.domain.errors import AccessRevoked, AppError, Permanent
from app.domain.phones import digits_of
from app.whatsapp.admin import BAD_TOKEN, UNREACHABLE, GraphAdmin, PhoneNumber, TokenFacts

_WRONG_OBJECT: Final = frozenset({"graph_100", "graph_803"})
_SECRET: Final = re.compile(r"[0-9a-f]{32}")
_MAX_TEST_RECIPIENTS: Final = 5
_NAME_THE_APP: Final = "set WHATSAPP_APP_ID in .env to the App ID shown at the top of the app's dashboard"
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
            return _refused(exc, "the access token")
        if problem := token_problem(facts, self._settings.whatsapp_app_id or "", self._now()):
            return failed(problem.cause, problem.next_step)
        kind = facts.type.replace("_", " ").lower() or "unknown"
        if facts.ends_at is None:
            return ok(f"a {kind} token of app {facts.app_id} that never expires")
        is_soon = facts.ends_at - self._now() < _TOKEN_SOON
        sentence = f"a {kind} token of app {facts.app_id}, valid until {facts.ends_at:%Y-%m-%d %H:%M} UTC"
        return ok(sentence, f"that is soon: {RENEW}" if is_soon else "")

    async def permissions(self) -> Outcome:
        """The token may send, and may manage the account."""
        if self._facts is None:
            return ok("Meta does not say; the next checks will show it", _NAME_THE_APP)
        if problem := scopes_problem(self._facts):
            return failed(problem.cause, problem.next_step)
        return ok("the token may send messages and manage the account")

    async def number(self) -> Outcome:
        """The phone number id is the id of a number, not the number itself."""
        if not (self._number_id.isascii() and self._number_id.isdigit()):
            return await self._mistaken()
        try:
            number = await self._graph.number(self._number_id, self._token)
        except AppError as exc:
            is_other_thing = exc.code in _WRONG_OBJECT
            return await self._mistaken() if is_other_thing else _refused(exc, "the phone number")
        if not number.display_phone_number:
            return await self._mistaken()
        self._number = number
        is_bad = number.quality_rating == "RED"
        advice = "its quality is RED: people block or report it; send fewer messages that nobody asked for"
        name = number.verified_name or "no name yet"
        return ok(f"{number.display_phone_number} ({name})", advice if is_bad else "")

    async def secret(self) -> Outcome:
        """The secret is the app's: Meta signs webhooks with it."""
        app_id = self._app_id
        if not app_id:
            return skipped("it is not known which app it belongs to", _NAME_THE_APP)
        try:
            await self._graph.app_token(app_id, self._secret)
        except Permanent:
            shape = "" if _SECRET.fullmatch(self._secret) else " (it should be 32 characters, 0-9 and a-f)"
            page = f"https://developers.facebook.com/apps/{app_id}/settings/basic/"
            return failed(
                f"WHATSAPP_APP_SECRET is not the secret of app {app_id}{shape}: every webhook would be refused",
                f"copy the App Secret from {page} into WHATSAPP_APP_SECRET in .env",
            )
        except AppError as exc:
            return _refused(exc, "the app secret")
        return ok(f"it is the secret of app {app_id}, so webhooks that Meta signs are accepted")

    async def subscription(self) -> Outcome:
        """Our app is subscribed to the account: without that no message ever arrives."""
        account_id, app_id = self._account_id, self._app_id
        if not account_id or not app_id:
            advice = "set WHATSAPP_BUSINESS_ACCOUNT_ID and WHATSAPP_APP_ID in .env; both are shown in "
            return skipped("the account or the app is not known", advice + API_SETUP)
        try:
            apps = await self._graph.subscribed_apps(account_id, self._token)
        except AppError as exc:
            if exc.code not in _WRONG_OBJECT:
                return _refused(exc, "the subscribed apps")
            fix = f"set WHATSAPP_BUSINESS_ACCOUNT_ID in .env to the one shown in {API_SETUP}"
            return failed(f"{account_id} is not a WhatsApp Business Account that the token can see", fix)
        if all(app.id != app_id for app in apps):
            fix = f"run: python -m app connect (it calls POST /{account_id}/subscribed_apps with your token)"
            return failed(f"app {app_id} is not subscribed to account {account_id}: no message would arrive", fix)
        return ok(f"app {app_id} gets the messages of account {account_id}")

    async def recipients(self) -> Outcome:
        """A test number writes to five verified people at most."""
        if self._number is None or not self._number.is_test:
            return ok("your own number: it can answer everybody")
        sentence = f"this is Meta's test number, which writes to {_MAX_TEST_RECIPIENTS} verified people at most"
        count = len({*self._settings.allowed_phone_numbers, *self._settings.admin_phone_numbers})
        if count > _MAX_TEST_RECIPIENTS:
            fix = f"shorten ALLOWED_PHONE_NUMBERS to {_MAX_TEST_RECIPIENTS}, or add your own number in {API_SETUP}"
            return failed(f"{sentence}; {count} may write to it here", fix)
        return ok(sentence, f"verify each allowed number in {API_SETUP} > To (otherwise error 131030)")

    async def clock(self) -> Outcome:
        """This machine's clock agrees with the Date header of Meta's answers."""
        if self._skew_s is None:
            return skipped("Meta's answers carried no time")
        if abs(self._skew_s) > _MAX_SKEW_S:
            way = "ahead" if self._skew_s > 0 else "behind"
            return failed(
                f"this machine's clock is {abs(self._skew_s):.0f} s {way}: times and the 24-hour window are wrong",
                "let the system set its clock: sudo timedatectl set-ntp true (macOS: Settings > Date & Time)",
            )
        return ok(f"within {max(abs(self._skew_s), 1):.0f} s of Meta's")

    async def version(self) -> Outcome:
        """Meta still answers the version of the Graph API, and will for a while."""
        version, today = self._settings.whatsapp_api_version, self._now().date()
        fix = f"set WHATSAPP_API_VERSION={NEWEST_VERSION} in .env"
        if version not in _VERSION_ENDS:
            if _version_number(version) < min(map(_version_number, _VERSION_ENDS)):
                return failed(f"{version} has ended", fix)
            is_newest = version == NEWEST_VERSION
            return ok(f"{version} has no end yet" if is_newest else f"{version} is newer than this program knows")
        end = date.fromisoformat(_VERSION_ENDS[version])
        if end <= today:
            return failed(f"{version} ended on {end}", fix)
        return ok(f"{version} lasts until {end}", f"that is soon: {fix}" if end - today < _VERSION_SOON else "")

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
        return ok("the token works; Meta does not say for how long", _NAME_THE_APP)

    async def _mistaken(self) -> Outcome:
        """Say what was pasted in place of the id, and the id itself where the account tells it."""
        numbers: tuple[PhoneNumber, ...] = ()
        if self._account_id:
            with suppress(Permanent):
                numbers = await self._graph.phone_numbers(self._account_id, self._token)
        for number in numbers:
            if digits_of(number.display_phone_number) == digits_of(self._number_id):
                sentence = "WHATSAPP_PHONE_NUMBER_ID holds the phone number itself, not its id"
                return failed(sentence, f"set WHATSAPP_PHONE_NUMBER_ID={number.id} in .env")
        return failed(
            "WHATSAPP_PHONE_NUMBER_ID is not the id of a number that the token can see; "
            "often the phone number itself was pasted",
            f"copy the Phone number ID (about 15 digits, below the number) from {API_SETUP}",
        )

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
    fix = "set PUBLIC_URL in .env to the https:// address of your proxy or tunnel (cloudflared, ngrok, tailscale)"
    if settings.public_url is None:
        return skipped("PUBLIC_URL is not set", fix)
    try:
        address = f"{check_public_url(settings.public_url)}/webhook"
    except ValueError as exc:
        return failed(f"PUBLIC_URL cannot be used: {exc}", fix)
    problem = await challenge_problem(http, address, plain(settings.whatsapp_verify_token))
    if problem is None:
        return ok(f"{address} answers the challenge")
    if problem.status >= httpx.codes.INTERNAL_SERVER_ERROR and not is_service_running:
        sentence = f"the tunnel answers (HTTP {problem.status}), and the service is not running"
        return skipped(sentence, "start the service (make run), then run this again")
    return failed(f"{address} does not lead here: {problem.cause}", problem.next_step)


def _refused(exc: AppError, what: str) -> Outcome:
    """Put an error of Meta's into words; `what` was asked for."""
    if exc.code == BAD_TOKEN:
        return failed("Meta does not accept the access token", RENEW)
    if isinstance(exc, AccessRevoked):
        fix = f"give the system user the app and the WhatsApp account, then {RENEW}"
        return failed(f"the token may not read {what} ({exc.code})", fix)
    if exc.code == UNREACHABLE:
        fix = "check this machine's network (name resolution, firewall, proxy) and WHATSAPP_API_BASE_URL"
        return failed(f"the Graph API cannot be reached: {exc.detail}", fix)
    return failed(
        f"Meta gave no answer about {what} ({exc.code}): {exc.detail}",
        "try again in a few minutes; if it stays, check WHATSAPP_API_BASE_URL, WHATSAPP_API_VERSION and Meta's "
        "status page",
    )


def _version_number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.removeprefix("v").split("."))
