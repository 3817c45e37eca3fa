"""The access token, what it may do, and the app secret that belongs to it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

import httpx
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.cli.doctor.graph import RENEW, WRONG_OBJECT, Answer, GraphReader, refusal
from app.cli.doctor.outcome import Outcome, failed, ok, skipped
from app.domain.errors import Permanent, Transient

_MESSAGING: Final = "whatsapp_business_messaging"
_MANAGEMENT: Final = "whatsapp_business_management"
_NEEDED_SCOPES: Final = (_MESSAGING, _MANAGEMENT)
_SOON: Final = timedelta(days=7)
_HEX_SECRET_CHARS: Final = 32
_NAME_THE_APP: Final = "set WHATSAPP_APP_ID in .env to the App ID shown at the top of the app's dashboard"


class _GranularScope(BaseModel):
    scope: str
    target_ids: tuple[str, ...] = ()


class TokenInfo(BaseModel):
    """`data` of `GET /debug_token` (Meta's Graph API reference, "Debug-Token"); times in seconds, 0: never."""

    model_config = ConfigDict(hide_input_in_errors=True, coerce_numbers_to_str=True, frozen=True)

    app_id: str = ""
    type: str = ""
    is_valid: bool
    expires_at: int = 0
    data_access_expires_at: int = 0
    scopes: tuple[str, ...] = ()
    granular_scopes: tuple[_GranularScope, ...] = ()

    @property
    def account_ids(self) -> tuple[str, ...]:
        """The WhatsApp Business Accounts that the token is limited to, where it tells."""
        return next((each.target_ids for each in self.granular_scopes if each.scope == _MANAGEMENT), ())


class _Debugged(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    data: TokenInfo


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the owner set; `app_id` and `account_id` may be empty."""

    token: str = field(repr=False)
    app_secret: str = field(repr=False)
    phone_number_id: str
    app_id: str = ""
    account_id: str = ""


class _AppToken(BaseModel):
    """Answer of `GET /oauth/access_token` with `grant_type=client_credentials`."""

    model_config = ConfigDict(hide_input_in_errors=True)

    access_token: str = Field(min_length=1, repr=False)


class TokenChecks:
    """Asks Meta about the token; `info` is what it told, None where it told only that the token works."""

    def __init__(self, graph: GraphReader, credentials: Credentials, now: datetime) -> None:
        self._graph = graph
        self._credentials = credentials
        self._now = now
        self.info: TokenInfo | None = None

    @property
    def app_id(self) -> str:
        """The app that the token belongs to, or that the owner named, or nothing."""
        return self.info.app_id if self.info is not None else self._credentials.app_id

    async def token(self) -> Outcome:
        """The token is valid, of our app, and stays so for a while."""
        try:
            self.info = await self._inspected()
            if self.info is None:
                return await self._tried()
        except Transient as exc:
            return failed(
                f"the Graph API cannot be reached: {exc.detail}",
                "check this machine's network (name resolution, firewall, proxy) and WHATSAPP_API_BASE_URL",
            )
        except Permanent as exc:
            return failed(f"WHATSAPP_ACCESS_TOKEN is not a token: {exc.detail}", RENEW)
        return self._judged(self.info)

    async def permissions(self) -> Outcome:
        """The token may send, and may manage the account."""
        if self.info is None:
            return ok("Meta does not tell; the next hops show it", _NAME_THE_APP)
        missing = [scope for scope in _NEEDED_SCOPES if scope not in self.info.scopes]
        if missing:
            return failed(f"the token lacks {' and '.join(missing)}", RENEW)
        return ok("the token may send messages and manage the account")

    async def secret(self) -> Outcome:
        """Meta takes app id and secret together; webhooks are signed with the same secret."""
        if not self.app_id:
            return skipped("it is not known which app it should belong to", _NAME_THE_APP)
        answer = await self._log_in(self.app_id)
        if _app_token_in(answer) is not None:
            return ok(f"it is the secret of app {self.app_id}, so webhooks that Meta signs are taken")
        if answer.status >= httpx.codes.INTERNAL_SERVER_ERROR:
            return refusal(answer, "about the app secret")
        is_likely = _looks_like_secret(self._credentials.app_secret)
        shape = "" if is_likely else " (it should be 32 characters, 0-9 and a-f)"
        return failed(
            f"WHATSAPP_APP_SECRET is not the secret of app {self.app_id}{shape}: every webhook would be refused",
            f"copy the App Secret from https://developers.facebook.com/apps/{self.app_id}/settings/basic/ into "
            "WHATSAPP_APP_SECRET in .env",
        )

    async def _inspected(self) -> TokenInfo | None:
        """Return what `GET /debug_token` tells, None where it refuses.

        It asks for an app's token ("Debug-Token" in the Graph API's reference), which only the app's id and
        secret can buy; without these a token is let to inspect itself, which Meta may or may not answer.
        """
        app_token = (
            _app_token_in(await self._log_in(self._credentials.app_id)) if self._credentials.app_id else None
        )
        for bearer in dict.fromkeys((app_token or self._credentials.token, self._credentials.token)):
            answer = await self._graph.get("debug_token", token=bearer, input_token=self._credentials.token)
            if (info := _info_in(answer)) is not None:
                return info
        return None

    async def _log_in(self, app_id: str) -> Answer:
        """Ask for the app's own token (`whatsapp-cloud-api.md` §3.2); it is used for questions only."""
        return await self._graph.get(
            "oauth/access_token",
            token=None,
            client_id=app_id,
            client_secret=self._credentials.app_secret,
            grant_type="client_credentials",
        )

    async def _tried(self) -> Outcome:
        """Learn from the number's node whether the token works at all; a wrong number is the next hop's matter."""
        answer = await self._graph.get(
            self._credentials.phone_number_id.strip(), token=self._credentials.token, fields="id"
        )
        if answer.is_success or answer.code in WRONG_OBJECT:
            return ok("the token works; Meta does not tell how long", _NAME_THE_APP)
        return refusal(answer, "about the access token")

    def _judged(self, info: TokenInfo) -> Outcome:
        if not info.is_valid:
            how = "has expired" if 0 < info.expires_at <= self._now.timestamp() else "is no longer valid"
            return failed(f"the access token {how}", RENEW)
        if self._credentials.app_id and info.app_id != self._credentials.app_id:
            return failed(
                f"the token belongs to app {info.app_id}, WHATSAPP_APP_ID says {self._credentials.app_id}",
                f"set WHATSAPP_APP_ID={info.app_id} in .env, or make a token for the other app",
            )
        return self._lasting(info)

    def _lasting(self, info: TokenInfo) -> Outcome:
        kind = info.type.replace("_", " ").lower() or "unknown"
        ends = [at for at in (info.expires_at, info.data_access_expires_at) if at > 0]
        if not ends:
            return ok(f"a {kind} token of app {info.app_id} that never expires")
        end = datetime.fromtimestamp(min(ends), UTC)
        if end <= self._now:
            return failed(f"the access token has expired on {end:%Y-%m-%d}", RENEW)
        sentence = f"a {kind} token of app {info.app_id}, valid until {end:%Y-%m-%d %H:%M} UTC"
        is_short = end - self._now < _SOON
        return ok(sentence, f"that is soon: {RENEW}" if is_short else "")


def _info_in(answer: Answer) -> TokenInfo | None:
    try:
        return _Debugged.model_validate(answer.body).data if answer.is_success else None
    except ValidationError:
        return None


def _app_token_in(answer: Answer) -> str | None:
    try:
        return _AppToken.model_validate(answer.body).access_token if answer.is_success else None
    except ValidationError:
        return None


def _looks_like_secret(secret: str) -> bool:
    return len(secret) == _HEX_SECRET_CHARS and all(character in "0123456789abcdef" for character in secret)
