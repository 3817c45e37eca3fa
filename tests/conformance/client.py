"""The client that the conformance suite runs: one scenario, one server, through `McpManager`.

The suite calls it with the server's address as its argument and names the scenario in the environment
(README of @modelcontextprotocol/conformance 0.1.16, "Client Testing").
"""

import asyncio
import json
import logging
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import httpx
import httpx2
from mcp import types

from app.asking.forms.model import Answer, Question
from app.domain.clock import SystemClock
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.turn import TurnContext
from app.mcp.config import ServerConfig, variable_key
from app.mcp.connecting.calls import CallFailed
from app.mcp.connecting.host import Host, Retries
from app.mcp.connecting.resolve import resolve
from app.mcp.connecting.transports import Transports
from app.mcp.files import ConfigFile, SecretStore
from app.mcp.manager import McpManager
from app.mcp.signing_in.callback import OurClient
from app.mcp.signing_in.grants import GrantStore
from app.mcp.signing_in.http import SignInHttp
from app.mcp.signing_in.sign_ins import SignIns

NAME: Final = "conformance"
ADMIN: Final = UserId("admin")
REDIRECT_URL: Final = "http://localhost:8000/oauth/mcp/callback"
DOCUMENT_URL: Final = "https://conformance-test.local/client-metadata.json"
"""The document that the suite expects us to have; it is never fetched."""
CALLS: Final[Mapping[str, Mapping[str, object]]] = {"add_numbers": {"a": 5, "b": 3}}
_VARIABLES: Final = (
    ("client_id", "OAUTH_CLIENT_ID"),
    ("client_secret", "OAUTH_CLIENT_SECRET"),
    ("private_key_pem", "OAUTH_PRIVATE_KEY"),
    ("signing_algorithm", "OAUTH_SIGNING_ALGORITHM"),
)
_LONGEST_S: Final = 20.0


class Accepting:
    """A person who accepts every form as it is: what it left out gets the server's defaults."""

    async def ask(self, ctx: TurnContext, question: Question) -> Answer:
        return Answer("accept")


@dataclass
class Consenting:
    """An admin whose browser consents at once: it opens the link and lets us have where it is sent back to."""

    sign_ins: SignIns | None = None

    async def ask_consent(self, server: str, url: str) -> frozenset[UserId]:
        async with httpx.AsyncClient() as browser:
            response = await browser.get(url)
        if self.sign_ins is not None and response.is_redirect:
            await self.sign_ins.answer(response.headers["location"])
        return frozenset({ADMIN})


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def turn() -> TurnContext:
    return TurnContext(TurnId(1), UserId("tester"), ConversationId(1), 1, datetime.now(UTC), "en", is_admin=False)


@asynccontextmanager
async def running(home: Path) -> AsyncIterator[tuple[McpManager, SignIns, SecretStore]]:
    """The manager as the application builds it, with people who agree to everything."""
    secrets = SecretStore(home / "secrets.json")
    clock, admin = SystemClock(), Consenting()
    sign_ins = SignIns(
        GrantStore(secrets, REDIRECT_URL),
        SignInHttp(httpx2.AsyncHTTPTransport),
        admin,
        clock,
        OurClient(REDIRECT_URL, DOCUMENT_URL),
    )
    admin.sign_ins = sign_ins
    host = Host(
        Transports(home / "mcp", sign_in=sign_ins.auth),
        lambda name, config: resolve(name, config, find_secret=secrets.find, environ={}),
        clock,
        Accepting(),
        retries=Retries(first_s=0.2, longest_s=0.5, give_up_after=2),
        consents=sign_ins,
    )
    manager = McpManager(ConfigFile(home / "servers.json"), host)
    try:
        yield manager, sign_ins, secrets
    finally:
        await manager.aclose()
        await sign_ins.aclose()


async def find_issuer(url: str) -> str:
    """What the owner of an account knows: where it was made."""
    origin = httpx.URL(url)
    async with httpx.AsyncClient() as http:
        response = await http.get(origin.copy_with(path=f"/.well-known/oauth-protected-resource{origin.path}"))
    return str(response.json()["authorization_servers"][0])


async def config_for(url: str, context: Mapping[str, str], scenario: str, secrets: SecretStore) -> ServerConfig:
    """The server as its owner would write it down, with what the scenario says was registered by hand."""
    given = {name: context[key].replace("\n", "\\n") for key, name in _VARIABLES if key in context}
    if "client-credentials" in scenario:
        given |= {"OAUTH_GRANT_TYPE": "client_credentials", "OAUTH_ISSUER": await find_issuer(url)}
    for name, value in given.items():
        secrets.set(variable_key(NAME, name), value)
    env = {name: f"${{{variable_key(NAME, name)}}}" for name in given}
    return ServerConfig(type="http", url=url, env=env)


async def call_all(manager: McpManager, sign_ins: SignIns) -> None:
    """Call each tool; one that needs more rights is called again once when an admin has agreed."""
    info = manager.find_server(NAME)
    for tool in manager.list_tools() if info is not None else ():
        name = tool.name.removeprefix(f"mcp_{NAME}_")
        arguments = CALLS.get(name, {})
        try:
            print_result(await manager.call(NAME, name, arguments, turn()))
        except CallFailed as exc:
            say(f"{name}: {exc.detail}")
            verdict = await sign_ins.verdict(NAME)
            if verdict is not None and verdict.is_granted:
                print_result(await manager.call(NAME, name, arguments, turn()))


def print_result(result: types.CallToolResult) -> None:
    say(result.model_dump_json(exclude_none=True))


async def main(url: str, scenario: str, context: Mapping[str, str]) -> int:
    """Add the server, use all it has; returns 0 when it became ready and every call came through."""
    with tempfile.TemporaryDirectory() as folder:
        async with running(Path(folder)) as (manager, sign_ins, secrets):
            config = await config_for(url, context, scenario, secrets)
            info = await manager.hot_add_server(NAME, config, wait_s=_LONGEST_S)
            say(f"{info.state} {info.protocol} {info.error or ''}")
            if info.state != "ready":
                return 1
            try:
                await call_all(manager, sign_ins)
            except CallFailed as exc:
                say(exc.detail)
                return 1
    return 0


if __name__ == "__main__":
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    raise SystemExit(
        asyncio.run(
            main(
                sys.argv[1],
                os.environ.get("MCP_CONFORMANCE_SCENARIO", ""),
                json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")),
            )
        )
    )
