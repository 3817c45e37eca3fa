"""A remote MCP server that wants a token, and its authorization server: one in-process app for both hosts."""

import asyncio
import base64
import hashlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Host as HostRoute
from starlette.routing import Route

from app.domain.ids import UserId
from app.domain.ports import Clock
from app.mcp.config import ServerConfig
from app.mcp.connecting.host import Host
from app.mcp.connecting.resolve import resolve
from app.mcp.connecting.transports import Transports
from app.mcp.files import ConfigFile, SecretStore
from app.mcp.manager import McpManager, OnState
from app.mcp.signing_in.callback import OurClient
from app.mcp.signing_in.grants import GrantStore
from app.mcp.signing_in.http import SignInHttp
from app.mcp.signing_in.sign_ins import SignIns
from tests.fakes.mcp import QUICK, our_tasks

SERVER: Final = "https://mcp.test"
ISSUER: Final = "https://auth.test"
URL: Final = f"{SERVER}/mcp"
REDIRECT_URL: Final = "https://wasap.test/oauth/mcp/callback"
REMOTE: Final = ServerConfig.model_validate({"type": "http", "url": URL, "public_only": True})
OWNER: Final = UserId("owner")


@dataclass
class Remote:
    """Both servers. Tokens last `lasts_s`; refresh tokens are good for one use, as OAuth 2.1 has it.

    While `may_renew` is not set, nothing is answered to a refresh token.
    """

    lasts_s: int = 3600
    call_scope: str = "basic"
    grants_scopes: bool = True
    takes_tokens: bool = True
    greets_anybody: bool = False
    metadata: dict[str, object] = field(default_factory=dict)
    resource: dict[str, object] = field(default_factory=dict)
    refuses_refresh: bool = False
    tokens: dict[str, str] = field(default_factory=dict)
    refresh_tokens: set[str] = field(default_factory=set)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    registered: list[dict[str, Any]] = field(default_factory=list)
    token_requests: list[dict[str, str]] = field(default_factory=list)
    calls: int = 0
    registers: bool = True
    may_renew: asyncio.Event = field(default_factory=asyncio.Event)

    def transport(self) -> httpx2.AsyncBaseTransport:
        """Connect to both, under their names."""
        return httpx2.ASGITransport(self._app())

    def browse(self, link: str, *, says: str = "yes") -> str:
        """Open a link as the admin's browser does; returns the address where it ends."""
        asked = {name: values[-1] for name, values in parse_qs(urlsplit(link).query).items()}
        assert asked["code_challenge_method"] == "S256"
        back = {"state": asked["state"]}
        if says == "yes":
            code = secrets.token_urlsafe(8)
            self.codes[code] = asked
            back |= {"code": code, "iss": ISSUER}
        else:
            back |= {"error": "access_denied"}
        return f"{asked['redirect_uri']}?{urlencode(back)}"

    def revoke(self) -> None:
        """Let no token count that was given so far; refresh tokens still do."""
        self.tokens.clear()

    def _app(self) -> Starlette:
        prm = "/.well-known/oauth-protected-resource/mcp"
        resource = [
            Route("/mcp", self._mcp, methods=["POST", "GET", "DELETE"]),
            Route(prm, self._describe_resource),
        ]
        issuer = [
            Route("/.well-known/oauth-authorization-server", self._describe_issuer),
            Route("/register", self._register, methods=["POST"]),
            Route("/token", self._token, methods=["POST"]),
        ]
        return Starlette(
            routes=[
                HostRoute("mcp.test", Starlette(routes=resource)),
                HostRoute("auth.test", Starlette(routes=issuer)),
            ]
        )

    def __post_init__(self) -> None:
        self.may_renew.set()

    async def _describe_resource(self, request: Request) -> Response:
        return JSONResponse({"resource": URL, "authorization_servers": [ISSUER], **self.resource})

    async def _describe_issuer(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": ISSUER,
                "authorization_endpoint": f"{ISSUER}/authorize",
                "token_endpoint": f"{ISSUER}/token",
                "registration_endpoint": f"{ISSUER}/register",
                "response_types_supported": ["code"],
                **self.metadata,
            }
        )

    async def _register(self, request: Request) -> Response:
        if not self.registers:
            return Response(status_code=404)
        asked = await request.json()
        self.registered.append(asked)
        return JSONResponse({**asked, "client_id": f"client-{len(self.registered)}"}, status_code=201)

    async def _token(self, request: Request) -> Response:
        form = {name: str(value) for name, value in (await request.form()).items()}
        self.token_requests.append(form)
        match form["grant_type"]:
            case "authorization_code":
                asked = self.codes.pop(form["code"], None)
                digest = hashlib.sha256(form["code_verifier"].encode()).digest()
                challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
                if asked is None or asked["code_challenge"] != challenge or form["resource"] != URL:
                    return JSONResponse({"error": "invalid_grant"}, status_code=400)
                return self._issue(asked.get("scope", "") if self.grants_scopes else "basic")
            case "refresh_token":
                await self.may_renew.wait()
                if self.refuses_refresh or form["refresh_token"] not in self.refresh_tokens:
                    return JSONResponse({"error": "invalid_grant"}, status_code=400)
                self.refresh_tokens.discard(form["refresh_token"])
                return self._issue("basic")
            case _:
                return self._issue("basic", is_person=False)

    def _issue(self, scope: str, *, is_person: bool = True) -> Response:
        token, refresh = f"token-{secrets.token_urlsafe(8)}", f"refresh-{secrets.token_urlsafe(8)}"
        self.tokens[token] = scope
        body: dict[str, object] = {
            "access_token": token,
            "token_type": "Bearer",
            "expires_in": self.lasts_s,
            "scope": scope,
        }
        if is_person:
            self.refresh_tokens.add(refresh)
            body["refresh_token"] = refresh
        return JSONResponse(body)

    async def _mcp(self, request: Request) -> Response:
        if request.method != "POST":
            return Response(status_code=405)
        message = await request.json()
        method = message["method"]
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if method == "initialize" and self.greets_anybody:
            return JSONResponse({"jsonrpc": "2.0", "id": message["id"], **self._reply(method)})
        if token not in self.tokens or not self.takes_tokens:
            return self._challenge(401, 'scope="basic"')
        if method == "tools/call" and self.call_scope not in self.tokens[token].split():
            return self._challenge(403, f'error="insufficient_scope", scope="{self.call_scope}"')
        if "id" not in message:
            return Response(status_code=202)
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], **self._reply(method)})

    def _challenge(self, status: int, more: str) -> Response:
        return Response(status_code=status, headers={"WWW-Authenticate": f"Bearer {more}"})

    def _reply(self, method: str) -> dict[str, object]:
        match method:
            case "initialize":
                info = {"name": "remote", "version": "1"}
                result: dict[str, object] = {
                    "protocolVersion": "2025-11-25",
                    "serverInfo": info,
                    "capabilities": {"tools": {}},
                }
            case "tools/list":
                result = {"tools": [{"name": "count", "inputSchema": {"type": "object"}}]}
            case "tools/call":
                self.calls += 1
                result = {"content": [{"type": "text", "text": f"call {self.calls}"}]}
            case _:
                return {"error": {"code": -32601, "message": "Method not found"}}
        return {"result": result}


@dataclass
class Admin:
    """A `ConsentAsker`: notes the links, and does with each what `on_link` says."""

    links: list[str] = field(default_factory=list)
    on_link: Callable[[str], Awaitable[object]] | None = None

    async def ask_consent(self, server: str, url: str) -> frozenset[UserId]:
        self.links.append(url)
        if self.on_link is not None:
            await self.on_link(url)
        return frozenset({OWNER})


@dataclass(frozen=True)
class Running:
    manager: McpManager
    sign_ins: SignIns
    secrets: SecretStore
    admin: Admin
    remote: Remote

    async def consent(self, *, says: str = "yes") -> str:
        """Let the admin answer the newest link through the browser."""
        return await self.sign_ins.answer(self.remote.browse(self.admin.links[-1], says=says))


@asynccontextmanager
async def running_sign_ins(
    home: Path,
    remote: Remote,
    clock: Clock,
    *,
    does: str = "nothing",
    redirect_url: str = REDIRECT_URL,
    on_state: OnState = lambda info: None,
) -> AsyncIterator[Running]:
    """A manager with sign-ins, over files in `home`, and an admin who `does` nothing, or says "yes" or "no"."""
    kept, admin = SecretStore(home / "secrets.json"), Admin()
    sign_ins = SignIns(
        GrantStore(kept, redirect_url),
        SignInHttp(remote.transport, remote.transport),
        admin,
        clock,
        OurClient(redirect_url),
    )
    host = Host(
        Transports(home / "mcp", guard=remote.transport, sign_in=sign_ins.auth),
        lambda name, config: resolve(name, config, find_secret=kept.find, environ={}),
        clock,
        retries=QUICK,
        consents=sign_ins,
    )
    manager = McpManager(ConfigFile(home / "mcp_servers.json"), host, on_state=on_state)
    running = Running(manager, sign_ins, kept, admin, remote)
    if does != "nothing":
        admin.on_link = lambda link: running.consent(says=does)
    try:
        yield running
    finally:
        await manager.aclose()
        await sign_ins.aclose()
    assert our_tasks() == []
