"""The Graph API's calls that tell about a token, a number and an account, with wrong set-ups on demand.

Shapes: `debug_token` and `oauth/access_token` as in Meta's Graph API reference; the others as in the OpenAPI
description of v23.0 (`getPhoneNumberById`, `getWhatsAppBusinessAccountPhoneNumbers`,
`getAllSubscriptionsForAWaba`).
"""

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.builders import APP_SECRET, PHONE_NUMBER_ID

APP_ID = "3000000000001"
ACCOUNT_ID = "2000000000001"
APP_TOKEN = f"{APP_ID}|a-token-of-the-app"
NUMBER = "15550000001"
SCOPES = ("whatsapp_business_messaging", "whatsapp_business_management")


class GraphAdmin:
    """Knows one app, one account, one number and one token; a test changes what it needs otherwise."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.app_secret = APP_SECRET
        self.may_inspect_itself = True
        self.is_reachable = True
        self.is_down = False
        self.is_token_valid = True
        self.token_type = "SYSTEM_USER"
        self.expires_at = 0
        self.scopes: tuple[str, ...] = SCOPES
        self.account_mode = "LIVE"
        self.subscribed = [APP_ID]
        self.at = datetime.now(UTC)
        self.seen: list[str] = []
        self._app = Starlette(
            routes=[
                Route("/{version}/oauth/access_token", self._app_token),
                Route("/{version}/debug_token", self._debug_token),
                Route("/{version}/{object_id}", self._node),
                Route("/{version}/{object_id}/phone_numbers", self._phone_numbers),
                Route("/{version}/{object_id}/subscribed_apps", self._subscribed_apps),
            ]
        )

    def transport(self) -> httpx.AsyncBaseTransport:
        return _Wire(self, httpx.ASGITransport(self._app))

    async def _app_token(self, request: Request) -> Response:
        query = request.query_params
        if query.get("client_id") != APP_ID or query.get("grant_type") != "client_credentials":
            return refused(101, "Error validating application.")
        if query.get("client_secret") != self.app_secret:
            return refused(1, f"Error validating client secret {query.get('client_secret')}")
        return self._answer({"access_token": APP_TOKEN, "token_type": "bearer"})

    async def _debug_token(self, request: Request) -> Response:
        bearers = {f"Bearer {APP_TOKEN}"}
        if self.may_inspect_itself:
            bearers.add(f"Bearer {self.token}")
        if request.headers.get("authorization") not in bearers:
            return refused(190, f"Malformed access token {request.headers.get('authorization')}")
        if request.query_params.get("input_token") != self.token:
            problem = {"code": 190, "message": "Invalid OAuth access token."}
            return self._answer({"data": {"error": problem, "is_valid": False, "scopes": []}})
        granted = [{"scope": scope, "target_ids": [ACCOUNT_ID]} for scope in self.scopes]
        return self._answer(
            {
                "data": {
                    "app_id": APP_ID,
                    "type": self.token_type,
                    "application": "An app",
                    "expires_at": self.expires_at,
                    "data_access_expires_at": 0,
                    "is_valid": self.is_token_valid,
                    "issued_at": 1790000000,
                    "scopes": list(self.scopes),
                    "granular_scopes": granted,
                    "user_id": "4000000000001",
                }
            }
        )

    async def _node(self, request: Request) -> Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        if request.path_params["object_id"] != PHONE_NUMBER_ID:
            return refused(100, "Unsupported get request. Object does not exist", subcode=33)
        return self._answer(self._number())

    async def _phone_numbers(self, request: Request) -> Response:
        return self._of_account(request, [self._number()])

    async def _subscribed_apps(self, request: Request) -> Response:
        link = "https://www.facebook.com/games/?app_id="
        return self._of_account(
            request,
            [
                {"whatsapp_business_api_data": {"id": app_id, "name": "An app", "link": f"{link}{app_id}"}}
                for app_id in self.subscribed
            ],
        )

    def _of_account(self, request: Request, data: list[dict[str, Any]]) -> Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        if request.path_params["object_id"] != ACCOUNT_ID:
            return refused(803, "WhatsApp Business Account not found", status=404)
        return self._answer({"data": data})

    def _number(self) -> dict[str, Any]:
        return {
            "id": PHONE_NUMBER_ID,
            "display_phone_number": "+1 555-000-0001",
            "verified_name": "Jasper's Market",
            "quality_rating": "GREEN",
            "account_mode": self.account_mode,
        }

    def _refusal(self, request: Request) -> Response | None:
        if request.headers.get("authorization") != f"Bearer {self.token}":
            return refused(190, "Invalid OAuth access token", subcode=463, status=401)
        return None

    def _answer(self, body: dict[str, Any]) -> Response:
        return JSONResponse(body, headers={"Date": format_datetime(self.at, usegmt=True)})


def refused(code: int, message: str, *, subcode: int | None = None, status: int = 400) -> Response:
    """A Graph error."""
    error = {"message": message, "type": "OAuthException", "code": code, "fbtrace_id": "AXsgnV2Cm3ZMGF3dF"}
    return JSONResponse({"error": error if subcode is None else {**error, "error_subcode": subcode}}, status)


class _Wire(httpx.AsyncBaseTransport):
    """Nobody answers while Meta is not reachable; its front door alone answers while it is down."""

    def __init__(self, admin: GraphAdmin, inner: httpx.ASGITransport) -> None:
        self._admin = admin
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._admin.seen.append(request.url.path)
        if not self._admin.is_reachable:
            raise httpx.ConnectError("Name or service not known", request=request)
        if self._admin.is_down:
            return httpx.Response(503, text="Service Unavailable", request=request)
        return await self._inner.handle_async_request(request)
