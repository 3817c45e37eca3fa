"""The administration of a WhatsApp app at a local Graph API: token, numbers, webhook, subscription.

Shapes follow Meta's OpenAPI description of v23.0 where it has the call; `/oauth/access_token`, `/debug_token`,
`/{app-id}` and `/{app-id}/subscriptions` follow the Graph API's reference.
"""

import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

import httpx
from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.domain.phones import digits_of
from app.simulator import payloads
from app.simulator.payloads import JsonObject

SCOPES: Final = ("whatsapp_business_management", "whatsapp_business_messaging", "public_profile")
SAMPLE_TEMPLATE: Final = "hello_world"
TEMPORARY_H: Final = 24
_USER_ID: Final = "122100000000000001"
_STATES: Final = ("sent", "delivered")
_CHALLENGE_TIMEOUT_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class LocalApp:
    """An app at Meta's with one account and one number, and all that opens them."""

    app_id: str
    app_secret: str = field(repr=False)
    access_token: str = field(repr=False)
    account_id: str
    phone_number_id: str
    display_phone_number: str = "+1 555-000-9999"
    name: str = "Local app"


@dataclass
class AdminSwitches:
    """What is unusual about the app; a test or a person changes it at any time."""

    is_token_expired: bool = False
    is_token_temporary: bool = False
    missing_scopes: frozenset[str] = frozenset()
    is_callback_unreachable: bool = False
    is_test_number: bool = False
    verified_recipients: frozenset[str] = frozenset()
    has_sample_template: bool = True
    account_known_by: Literal["token", "user", "nobody"] = "token"
    """Who tells which account it is: `debug_token`, the list of the token's user, or neither."""


class _Refusal(Exception):
    """Answered as a Graph error."""

    def __init__(self, code: int, message: str, *, status: int = 400, subcode: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        error: JsonObject = {"message": message, "type": "OAuthException", "code": code, "fbtrace_id": "SIMULATED"}
        self.body: JsonObject = {"error": {**error, "error_subcode": subcode} if subcode else error}


class AdminApi:
    """An ASGI app that answers the administration's calls, and passes every other one on to `graph`.

    `graph` is the ASGI app of `SimulatedGraph`, for the same number and token. `http` is borrowed; with it the
    callback URL is asked for its challenge and gets webhooks, so that its transport is "the internet".
    """

    def __init__(
        self,
        local: LocalApp,
        graph: ASGIApp,
        http: httpx.AsyncClient,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.switches = AdminSwitches()
        self.callback_url = ""
        self.fields: tuple[str, ...] = ()
        self.is_subscribed = False
        self.override_url = ""
        self.templates_sent: list[JsonObject] = []
        self.calls: list[str] = []
        self._local = local
        self._graph = graph
        self._http = http
        self._now = now
        self._app_token = f"{local.app_id}|{secrets.token_urlsafe(20)}"
        app_edge = f"/{{version}}/{local.app_id}/subscriptions"
        account = f"/{{version}}/{local.account_id}"
        self._routes = (
            self._route("/{version}/oauth/access_token", self._on_app_token),
            self._route("/{version}/debug_token", self._on_debug_token),
            self._route(f"/{{version}}/{local.app_id}", self._on_app),
            self._route(app_edge, self._on_subscriptions),
            self._route(app_edge, self._on_set_subscription, method="POST"),
            self._route(account, self._on_account),
            self._route(f"{account}/phone_numbers", self._on_numbers),
            self._route(f"{account}/subscribed_apps", self._on_subscribed_apps),
            self._route(f"{account}/subscribed_apps", self._on_subscribe, method="POST"),
            self._route(f"/{{version}}/{_USER_ID}/assigned_whatsapp_business_accounts", self._on_assigned),
            self._route(f"/{{version}}/{local.phone_number_id}", self._on_number),
            self._route(f"/{{version}}/{local.phone_number_id}/messages", self._on_message, method="POST"),
            self._route("/{version}/{waba_id}/phone_numbers", self._on_unknown),
            self._route("/{version}/{waba_id}/subscribed_apps", self._on_unknown),
        )
        self._app = Starlette(routes=list(self._routes), exception_handlers={_Refusal: _answer_refusal})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_ours = any(route.matches(scope)[0] is Match.FULL for route in self._routes)
        await (self._app if is_ours else self._graph)(scope, receive, send)

    async def post_webhook(self, body: bytes, headers: Mapping[str, str]) -> int:
        """Bring a webhook to where the app wants it; the HTTP status. For `SimulatedGraph.connect`.

        Without a callback URL, the field `messages` or the account's subscription Meta brings nothing: then
        nothing is posted, and 200 tells that it needs no repetition.

        Raises:
            httpx.HTTPError: nobody answers there.
        """
        url = self.override_url or self.callback_url
        if not url or not self.is_subscribed or "messages" not in self.fields:
            return 200
        return (await self._http.post(url, content=body, headers=dict(headers))).status_code

    @staticmethod
    def _route(path: str, handler: Callable[[Request], Awaitable[Response]], *, method: str = "GET") -> Route:
        return Route(path, handler, methods=[method])

    # The app and its token.

    async def _on_app_token(self, request: Request) -> Response:
        query = request.query_params
        self.calls.append("app_token")
        if query.get("client_id") != self._local.app_id:
            raise _Refusal(101, "Error validating application. Cannot get application info due to a system error.")
        if not _is_same(query.get("client_secret", ""), self._local.app_secret):
            raise _Refusal(1, "Error validating client secret.")
        if query.get("grant_type") != "client_credentials":
            raise _Refusal(1, "Invalid grant_type")
        return JSONResponse({"access_token": self._app_token, "token_type": "bearer"})

    async def _on_debug_token(self, request: Request) -> Response:
        self._check_bearer(request, self._app_token, call="debug_token")
        token = request.query_params.get("input_token", "")
        if not _is_same(token, self._local.access_token):
            problem: JsonObject = {"code": 190, "message": "Invalid OAuth access token."}
            return JSONResponse({"data": {"error": problem, "is_valid": False, "scopes": []}})
        return JSONResponse({"data": self._token_facts()})

    def _token_facts(self) -> JsonObject:
        switches, local = self.switches, self._local
        scopes = [scope for scope in SCOPES if scope not in switches.missing_scopes]
        facts: JsonObject = {
            "app_id": local.app_id,
            "type": "USER" if switches.is_token_temporary else "SYSTEM_USER",
            "application": local.name,
            "expires_at": self._expires_at(),
            "is_valid": not switches.is_token_expired,
            "scopes": list[JsonValue](scopes),
            "user_id": _USER_ID,
        }
        if switches.account_known_by == "token":
            targets: list[JsonValue] = [local.account_id]
            facts["granular_scopes"] = [
                {"scope": scope, "target_ids": targets} for scope in scopes if scope.startswith("whatsapp")
            ]
        if switches.is_token_expired:
            message = "Error validating access token: Session has expired"
            facts["error"] = {"code": 190, "message": message, "subcode": 463}
        return facts

    def _expires_at(self) -> int:
        if self.switches.is_token_expired:
            return int((self._now() - timedelta(hours=1)).timestamp())
        if self.switches.is_token_temporary:
            return int((self._now() + timedelta(hours=TEMPORARY_H)).timestamp())
        return 0

    async def _on_app(self, request: Request) -> Response:
        self._check_bearer(request, self._app_token, call="app")
        return JSONResponse({"id": self._local.app_id, "name": self._local.name})

    # Where webhooks go.

    async def _on_subscriptions(self, request: Request) -> Response:
        self._check_bearer(request, self._app_token, call="subscriptions")
        if not self.callback_url:
            return JSONResponse({"data": []})
        entry = {
            "object": "whatsapp_business_account",
            "callback_url": self.callback_url,
            "active": True,
            "fields": [{"name": name, "version": request.path_params["version"]} for name in self.fields],
        }
        return JSONResponse({"data": [entry]})

    async def _on_set_subscription(self, request: Request) -> Response:
        self._check_bearer(request, self._app_token, call="set_subscription")
        body = _read_object(await request.body())
        url, token = str(body.get("callback_url", "")), str(body.get("verify_token", ""))
        if body.get("object") != "whatsapp_business_account" or not body.get("fields"):
            raise _Refusal(100, "(#100) The parameters object and fields are required")
        if not url.startswith("https://") or not token:
            raise _Refusal(100, "(#100) callback_url must be an https address, and verify_token is required")
        await self._ask_challenge(url, token)
        self.callback_url, self.fields = url, tuple(str(body["fields"]).split(","))
        return JSONResponse({"success": True})

    async def _ask_challenge(self, url: str, token: str) -> None:
        challenge = str(secrets.randbelow(10**9))
        query = {"hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": token}
        answered = ""
        if not self.switches.is_callback_unreachable:
            try:
                response = await self._http.get(url, params=query, timeout=_CHALLENGE_TIMEOUT_S)
                answered = response.text if response.status_code == httpx.codes.OK else ""
            except httpx.HTTPError:
                answered = ""
        if answered != challenge:
            raise _Refusal(2200, "(#2200) Callback verification failed")

    # The account and its number.

    async def _on_account(self, request: Request) -> Response:
        self._check_access(request, call="account")
        return JSONResponse({"id": self._local.account_id, "name": self._local.name, "timezone_id": "1"})

    async def _on_assigned(self, request: Request) -> Response:
        self._check_access(request, call="assigned")
        is_listed = self.switches.account_known_by != "nobody"
        account = {"id": self._local.account_id, "name": self._local.name}
        return JSONResponse({"data": [account] if is_listed else []})

    async def _on_numbers(self, request: Request) -> Response:
        self._check_access(request, call="phone_numbers")
        return JSONResponse({"data": [self._number()], "paging": {"cursors": {"after": "MTAx"}}})

    async def _on_number(self, request: Request) -> Response:
        self._check_access(request, call="phone_number")
        return JSONResponse(self._number())

    def _number(self) -> JsonObject:
        is_test = self.switches.is_test_number
        return {
            "id": self._local.phone_number_id,
            "display_phone_number": self._local.display_phone_number,
            "verified_name": "Test Number" if is_test else self._local.name,
            "quality_rating": "GREEN",
            "code_verification_status": "VERIFIED",
            "account_mode": "SANDBOX" if is_test else "LIVE",
            "status": "LINKED",
        }

    async def _on_subscribed_apps(self, request: Request) -> Response:
        self._check_access(request, call="subscribed_apps")
        return JSONResponse({"data": [self._subscribed_entry()] if self.is_subscribed else []})

    async def _on_subscribe(self, request: Request) -> Response:
        self._check_access(request, call="subscribe")
        body = _read_object(await request.body() or b"{}")
        self.is_subscribed, self.override_url = True, str(body.get("override_callback_uri", ""))
        return JSONResponse({"success": True})

    def _subscribed_entry(self) -> JsonObject:
        app_id = self._local.app_id
        link = f"https://www.facebook.com/games/?app_id={app_id}"
        entry: JsonObject = {"whatsapp_business_api_data": {"id": app_id, "name": self._local.name, "link": link}}
        return {**entry, "override_callback_uri": self.override_url} if self.override_url else entry

    async def _on_unknown(self, request: Request) -> Response:
        self._check_access(request, call="unknown_account")
        raise _Refusal(803, "WhatsApp Business Account not found", status=404)

    # Messages: templates are sent here, everything else by the graph.

    async def _on_message(self, request: Request) -> Response:
        self._check_access(request, call="messages")
        raw = await request.body()
        body = _read_object(raw)
        to = digits_of(str(body.get("to", "")))
        if self.switches.is_test_number and "status" not in body and to not in self.switches.verified_recipients:
            raise _Refusal(131030, "(#131030) Recipient phone number not in allowed list")
        if body.get("type") != "template":
            return await self._pass_on(request, raw)
        template = body.get("template")
        name = template.get("name") if isinstance(template, dict) else None
        if name != SAMPLE_TEMPLATE or not self.switches.has_sample_template:
            raise _Refusal(132001, "(#132001) Template name does not exist in the translation", status=404)
        self.templates_sent.append(body)
        message_id = f"wamid.SIM{secrets.token_hex(16).upper()}"
        answer: JsonObject = {
            "messaging_product": "whatsapp",
            "contacts": [{"input": to, "wa_id": to}],
            "messages": [{"id": message_id, "message_status": "accepted"}],
        }
        return JSONResponse(answer, background=BackgroundTask(self._report, message_id, to))

    async def _pass_on(self, request: Request, body: bytes) -> Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(self._graph)) as inner:
            headers = {"Authorization": request.headers["authorization"], "Content-Type": "application/json"}
            answer = await inner.post(str(request.url), content=body, headers=headers)
        return Response(answer.content, answer.status_code, media_type="application/json")

    async def _report(self, message_id: str, recipient: str) -> None:
        for state in _STATES:
            entry = payloads.status(message_id, state, recipient=recipient, at=self._now())
            body = payloads.encode(payloads.status_webhook(self._local.phone_number_id, entry))
            try:
                await self.post_webhook(body, payloads.signed_headers(body, self._local.app_secret))
            except httpx.HTTPError:
                return

    # Who asks.

    def _check_access(self, request: Request, *, call: str) -> None:
        self._check_bearer(request, self._local.access_token, call=call)
        if self.switches.is_token_expired:
            raise _Refusal(190, "Error validating access token: Session has expired", status=401, subcode=463)
        if self.switches.missing_scopes:
            needed = " or ".join(sorted(self.switches.missing_scopes))
            raise _Refusal(200, f"Requires {needed} permission", status=403, subcode=1349176)

    def _check_bearer(self, request: Request, token: str, *, call: str) -> None:
        self.calls.append(call)
        if not _is_same(request.headers.get("authorization", ""), f"Bearer {token}"):
            raise _Refusal(190, "Invalid OAuth access token", status=401)


def _is_same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())


def _read_object(raw: bytes) -> JsonObject:
    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise _Refusal(100, "(#100) The body is not a JSON object")
    return body


async def _answer_refusal(_: Request, exc: Exception) -> Response:
    if not isinstance(exc, _Refusal):
        raise exc
    return JSONResponse(exc.body, status_code=exc.status)
