"""The Graph API's administration: tokens, accounts, numbers and subscriptions. Remembers nothing between calls.

Sources: "OpenAPI" is Meta's description of the Business Messaging API, v23.0; "Graph" is the reference at
developers.facebook.com/docs/graph-api; "WhatsApp" is developers.facebook.com/documentation/business-messaging.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Final, Generic, TypeVar
from urllib.parse import quote

import httpx
from pydantic import AliasPath, BaseModel, ConfigDict, Field, ValidationError

from app.domain.errors import AppError, Permanent, Transient
from app.language.catalogue import lazy
from app.whatsapp.errors import classify
from app.whatsapp.payloads import template_language
from app.whatsapp.texts import WHATSAPP

BAD_TOKEN: Final = "graph_190"  # noqa: S105 - the code of an error
UNREACHABLE: Final = "graph_unreachable"
WEBHOOK_OBJECT: Final = "whatsapp_business_account"
_HEADER_VALUE: Final = re.compile(r"[\x21-\x7e]*")
_TEST_MODE: Final = "SANDBOX"
_TEST_NAME: Final = "Test Number"
_NUMBER_FIELDS: Final = "id,display_phone_number,verified_name,quality_rating,account_mode"
_PAGE: Final = 100

_Id = Annotated[str, Field(min_length=1, coerce_numbers_to_str=True)]


class _Answer(BaseModel):
    """Part of an answer of Meta's; inputs stay out of error texts, because some are secrets."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)


class Named(_Answer):
    """A node of the Graph: an app or a WhatsApp account."""

    id: _Id
    name: str = ""


class PhoneNumber(_Answer):
    """A business number; `account_mode` is SANDBOX for a test number."""

    id: _Id
    display_phone_number: str = ""
    verified_name: str = ""
    quality_rating: str = ""
    account_mode: str = ""

    @property
    def is_test(self) -> bool:
        return self.account_mode == _TEST_MODE or self.verified_name == _TEST_NAME


class _Granted(_Answer):
    scope: str
    target_ids: tuple[_Id, ...] = ()


class TokenFacts(_Answer):
    """What Meta knows about an access token; times are unix seconds, 0 for never."""

    app_id: _Id = "0"
    type: str = ""
    user_id: str = ""
    is_valid: bool
    expires_at: int = 0
    data_access_expires_at: int = 0
    scopes: tuple[str, ...] = ()
    granular_scopes: tuple[_Granted, ...] = ()

    @property
    def ends_at(self) -> datetime | None:
        """When it stops working; None when it never does."""
        ends = [at for at in (self.expires_at, self.data_access_expires_at) if at > 0]
        return datetime.fromtimestamp(min(ends), UTC) if ends else None

    def targets(self, scope: str) -> tuple[str, ...]:
        """The accounts that a permission was given for; empty also when it is for all of them."""
        return tuple(
            one for granted in self.granular_scopes if granted.scope == scope for one in granted.target_ids
        )


class _FieldName(_Answer):
    name: str


class AppSubscription(_Answer):
    """Where Meta brings the webhooks of one kind of object, and which of its fields."""

    object: str
    callback_url: str = ""
    active: bool = False
    fields: tuple[_FieldName | str, ...] = ()

    @property
    def field_names(self) -> frozenset[str]:
        return frozenset(one if isinstance(one, str) else one.name for one in self.fields)


class SubscribedApp(_Answer):
    """An app that gets an account's webhooks, at an address of its own if `override_url` is set."""

    id: _Id = Field(validation_alias=AliasPath("whatsapp_business_api_data", "id"))
    override_url: str = Field("", validation_alias="override_callback_uri")


class Template(_Answer):
    """A message template in one language."""

    id: str = ""
    name: str = ""
    language: str = ""
    status: str = ""
    category: str = ""
    rejected_reason: str = ""


class _AppToken(_Answer):
    access_token: str = Field(min_length=1)


class _Done(_Answer):
    success: bool


class _Sent(_Answer):
    messages: Annotated[tuple[Named, ...], Field(min_length=1)]


_T = TypeVar("_T")
_AnswerT = TypeVar("_AnswerT", bound=_Answer)


class _Data(_Answer, Generic[_T]):
    data: _T


class GraphAdmin:
    """Meta's administration over a borrowed HTTP client, which never carries a token of its own.

    Raises, in every method:
        Permanent, AccessRevoked: Meta refuses; `.code` is `graph_<number>`, `.detail` has no secret.
        Transient: Meta cannot be reached (`UNREACHABLE`), or has trouble that passes.
    """

    def __init__(self, http: httpx.AsyncClient, *, base_url: str, version: str, timeout_s: float = 20) -> None:
        self._http = http
        self._root = f"{base_url.rstrip('/')}/{version}"
        self._timeout_s = timeout_s

    async def app_token(self, app_id: str, app_secret: str) -> str:
        """Exchange id and secret for the app's own token, which proves both.

        `GET /oauth/access_token?grant_type=client_credentials` (Graph, "Access tokens: app access tokens").
        """
        query = {"client_id": app_id, "client_secret": app_secret, "grant_type": "client_credentials"}
        return (await self._get(_AppToken, "oauth/access_token", "", query)).access_token

    async def app(self, app_id: str, app_token: str) -> Named:
        """`GET /{app-id}` (Graph, "Application")."""
        return await self._get(Named, app_id, app_token, {"fields": "id,name"})

    async def debug_token(self, access_token: str, app_token: str) -> TokenFacts:
        """Ask what a token is; an expired one is an answer (`is_valid` false), not an error.

        `GET /debug_token` (Graph, "Debug-Token"; WhatsApp, "Permissions" and "Manage accounts").
        """
        return (await self._get(_Data[TokenFacts], "debug_token", app_token, {"input_token": access_token})).data

    async def assigned_accounts(self, user_id: str, access_token: str) -> tuple[Named, ...]:
        """`GET /{user-id}/assigned_whatsapp_business_accounts` (OpenAPI)."""
        edge = f"{user_id}/assigned_whatsapp_business_accounts"
        query = {"fields": "id,name", "limit": str(_PAGE)}
        return (await self._get(_Data[tuple[Named, ...]], edge, access_token, query)).data

    async def number(self, number_id: str, access_token: str) -> PhoneNumber:
        """`GET /{phone-number-id}` (OpenAPI); `display_phone_number` is empty for any other object."""
        return await self._get(PhoneNumber, number_id, access_token, {"fields": _NUMBER_FIELDS})

    async def phone_numbers(self, account_id: str, access_token: str) -> tuple[PhoneNumber, ...]:
        """`GET /{waba-id}/phone_numbers` (OpenAPI); the first hundred."""
        edge = f"{account_id}/phone_numbers"
        query = {"fields": _NUMBER_FIELDS, "limit": str(_PAGE)}
        return (await self._get(_Data[tuple[PhoneNumber, ...]], edge, access_token, query)).data

    async def subscribed_apps(self, account_id: str, access_token: str) -> tuple[SubscribedApp, ...]:
        """`GET /{waba-id}/subscribed_apps` (OpenAPI)."""
        edge = f"{account_id}/subscribed_apps"
        return (await self._get(_Data[tuple[SubscribedApp, ...]], edge, access_token, {})).data

    async def subscribe_app(self, account_id: str, access_token: str) -> None:
        """Bring the account's webhooks to the token's app, at the app's callback URL.

        `POST /{waba-id}/subscribed_apps` with an empty body (OpenAPI), which also ends an earlier override.
        """
        await self._post(_Done, f"{account_id}/subscribed_apps", access_token, {})

    async def subscription(self, app_id: str, app_token: str) -> AppSubscription | None:
        """Return where the app's WhatsApp webhooks go now; None when nowhere.

        `GET /{app-id}/subscriptions` with the app's token (Graph, "Application subscriptions").
        """
        found = await self._get(_Data[tuple[AppSubscription, ...]], f"{app_id}/subscriptions", app_token, {})
        return next((one for one in found.data if one.object == WEBHOOK_OBJECT), None)

    async def subscribe_field(
        self, app_id: str, app_token: str, *, callback_url: str, verify_token: str, fields: frozenset[str]
    ) -> None:
        """Set callback URL, verify token and fields; Meta asks the URL for its challenge before it answers.

        `POST /{app-id}/subscriptions` with the app's token (Graph, "Application subscriptions").
        """
        body = {
            "object": WEBHOOK_OBJECT,
            "callback_url": callback_url,
            "verify_token": verify_token,
            "fields": ",".join(sorted(fields)),
        }
        await self._post(_Done, f"{app_id}/subscriptions", app_token, body)

    async def templates(self, account_id: str, access_token: str, name: str) -> tuple[Template, ...]:
        """`GET /{waba-id}/message_templates` (OpenAPI), those of that name, in all languages."""
        query = {"name": name, "fields": "id,name,language,status,category,rejected_reason", "limit": str(_PAGE)}
        edge = f"{account_id}/message_templates"
        found = (await self._get(_Data[tuple[Template, ...]], edge, access_token, query)).data
        # Meta also returns those whose names contain it.
        return tuple(one for one in found if one.name == name)

    async def create_template(self, account_id: str, access_token: str, body: Mapping[str, object]) -> Template:
        """Submit a template for approval. `POST /{waba-id}/message_templates` (OpenAPI)."""
        return await self._post(Template, f"{account_id}/message_templates", access_token, body)

    async def send_template(self, number_id: str, access_token: str, to: str, name: str, language: str) -> str:
        """Send an approved template without variables, which needs no open window; returns the message id.

        `POST /{phone-number-id}/messages` (OpenAPI).
        """
        template = {"name": name, "language": template_language(language)}
        return await self._send(number_id, access_token, {"to": to, "type": "template", "template": template})

    async def send_text(self, number_id: str, access_token: str, to: str, body: str) -> str:
        """Send a text inside the 24-hour window; returns the message id. `POST /{phone-number-id}/messages`."""
        text = {"body": body, "preview_url": False}
        return await self._send(number_id, access_token, {"to": to, "type": "text", "text": text})

    async def _send(self, number_id: str, access_token: str, message: dict[str, object]) -> str:
        body = {"messaging_product": "whatsapp", "recipient_type": "individual", **message}
        sent = await self._post(_Sent, f"{number_id}/messages", access_token, body)
        return sent.messages[0].id

    async def _get(self, kind: type[_AnswerT], path: str, token: str, query: Mapping[str, str]) -> _AnswerT:
        return await self._call(kind, self._http.build_request("GET", self._address(path), params=query), token)

    async def _post(self, kind: type[_AnswerT], path: str, token: str, body: Mapping[str, object]) -> _AnswerT:
        return await self._call(kind, self._http.build_request("POST", self._address(path), json=body), token)

    def _address(self, path: str) -> str:
        return f"{self._root}/{quote(path, safe='/')}"

    async def _call(self, kind: type[_AnswerT], request: httpx.Request, token: str) -> _AnswerT:
        if not _HEADER_VALUE.fullmatch(token):
            raise Permanent(BAD_TOKEN, "the access token holds characters that no HTTP header may carry")
        if token:
            request.headers["Authorization"] = f"Bearer {token}"
        request.extensions["timeout"] = httpx.Timeout(self._timeout_s).as_dict()
        try:
            response = await self._http.send(request, follow_redirects=False)
        except httpx.HTTPError as exc:
            # Not chained: the request in it holds the secrets of its query.
            is_offline = isinstance(exc, httpx.ConnectError)
            raise Transient(UNREACHABLE, lazy(WHATSAPP.offline if is_offline else WHATSAPP.silent)) from None
        if not response.is_success:
            raise _refusal(response)
        try:
            return kind.model_validate_json(response.content)
        except ValidationError:
            raise Permanent("graph_bad_answer", f"HTTP {response.status_code} with an unreadable body") from None


def _refusal(response: httpx.Response) -> AppError:
    try:
        body: object = response.json()
    except ValueError:
        body = None
    return classify(response.status_code, body)
