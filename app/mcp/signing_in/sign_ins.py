"""Signing in at remote servers: tokens carried and renewed, an admin asked where nobody has consented yet."""

import asyncio
import contextvars
from collections.abc import AsyncGenerator
from typing import Final

import httpx2
import structlog
from mcp.client.auth.utils import extract_scope_from_www_auth

from app.domain.errors import AppError
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.mcp.connecting.host import Verdict
from app.mcp.connecting.resolve import ServerSpec, Unusable
from app.mcp.signing_in.callback import OurClient
from app.mcp.signing_in.consent import Answered, ConsentAsker
from app.mcp.signing_in.flow import (
    BROKEN,
    FORBIDDEN,
    UNAUTHORIZED,
    copy_refusal,
    explain,
    is_refusal,
    make_provider,
    run_flow,
    run_renewal,
    wants_person,
)
from app.mcp.signing_in.grants import GrantStorage, GrantStore
from app.mcp.signing_in.http import SignInHttp
from app.mcp.signing_in.links import Declined, Links, TooLate

log = structlog.get_logger(__name__)

_AUTHORIZATION: Final = "authorization"
_REFUSALS: Final = frozenset({400, 401})
"""What a token endpoint answers to a refresh token that is over (RFC 6749, section 5.2)."""


class SignIns:
    """All sign-ins: the `Consents` of the connections, and what `Transports` gives its HTTP clients.

    A request that a server refuses for want of a token starts one sign-in for that server, in a task of its
    own that outlives the connection; whoever wanted something is told, and a connection waits for the
    verdict. A server is never asked for twice in vain: not when it refuses the very token that it has just
    given, nor when it wants scopes that were already asked for.
    """

    def __init__(
        self, store: GrantStore, http: SignInHttp, asker: ConsentAsker, clock: Clock, client: OurClient
    ) -> None:
        self._store = store
        self._http = http
        self._links = Links(asker, clock)
        self._clock = clock
        self.client = client
        self._tasks: dict[str, asyncio.Task[Verdict]] = {}
        self._ending: set[asyncio.Task[Verdict]] = set()
        self._verdicts: dict[str, Verdict] = {}
        self._renewals: dict[str, asyncio.Task[None]] = {}
        self._untried: dict[str, str] = {}
        self._asked: dict[str, frozenset[str]] = {}

    def auth(self, spec: ServerSpec) -> httpx2.Auth | None:
        """Return what puts the server's token on each request; None where the owner wrote a header for it,
        and where it would cross the internet in the clear."""
        if any(name.lower() == _AUTHORIZATION for name in spec.headers):
            return None
        if spec.is_public_only and not spec.url.startswith("https://"):
            return None
        return _Bearer(self, spec)

    def is_open(self, server: str) -> bool:
        task = self._tasks.get(server)
        return task is not None and not task.done()

    async def verdict(self, server: str) -> Verdict | None:
        """See `Consents`. Cancelling the wait does not end the sign-in."""
        task = self._tasks.get(server)
        if task is None:
            return self._verdicts.pop(server, None)
        await asyncio.wait({task})
        if self._tasks.get(server) is task:
            del self._tasks[server]
        return _verdict_of(task, server)

    def drop(self, server: str) -> None:
        task = self._tasks.pop(server, None)
        if task is not None and not task.done():
            task.cancel()
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
        self._verdicts.pop(server, None)
        self._untried.pop(server, None)
        self._asked.pop(server, None)

    async def answer(self, url: str, *, by: UserId | None = None) -> Answered:
        """Take the address to which an authorization server sent the browser back.

        `by` is who pasted it into a chat; None when the browser itself came to us, which only those could
        make it do who had the link. A link is good for one answer, whatever that says.
        """
        return self._links.answer(url, by)

    async def aclose(self) -> None:
        """End all sign-ins, whose links count no more; renewals come to their end and are kept."""
        for server in tuple(self._tasks):
            self.drop(server)
        if left := {*self._ending, *self._renewals.values()}:
            await asyncio.wait(left)

    async def token(self, spec: ServerSpec) -> str | None:
        """Return the server's token, renewed when it is due and can be; None when there is none.

        Raises:
            ConfigError: the secrets cannot be read or written.
        """
        grant = self._store.load(spec)
        if grant.tokens is None:
            return None
        if grant.is_due(self._clock.now()):
            await self._renew(spec, grant.tokens.access_token)
            grant = self._store.load(spec)
        return None if grant.tokens is None else grant.tokens.access_token

    async def refused(self, spec: ServerSpec, response: httpx2.Response, token: str | None) -> str | None:
        """Hear that a server wants another token than the one it got; returns that if it can be had at once.

        None: it cannot, and the answer stands. A sign-in has begun, unless that would be in vain.
        """
        known = self._store.load(spec).tokens
        if known is not None and known.access_token != token:
            return known.access_token
        if response.status_code == UNAUTHORIZED and token is not None:
            if token == self._untried.get(spec.name):
                self._note(spec, "it refuses the token that it has just given")
                return None
            await self._renew(spec, token)
            renewed = self._store.load(spec).tokens
            if renewed is not None and renewed.access_token != token:
                return renewed.access_token
        if not self._begin(spec, response) or wants_person(spec):
            return None
        await asyncio.wait({self._tasks[spec.name]})
        tokens = self._store.load(spec).tokens
        return None if tokens is None or tokens.access_token == token else tokens.access_token

    def taken(self, spec: ServerSpec) -> None:
        """Hear that the server took a request. It says nothing of a token that it has refused before: some
        servers greet anybody."""
        if spec.name not in self._verdicts:
            self._untried.pop(spec.name, None)

    def _begin(self, spec: ServerSpec, response: httpx2.Response) -> bool:
        """Start a sign-in unless one is open; returns False when that would be in vain."""
        if self.is_open(spec.name):
            return True
        scopes = frozenset((extract_scope_from_www_auth(response) or "").split())
        known = self._asked.get(spec.name, frozenset()) | self._store.load(spec).scopes
        if response.status_code == FORBIDDEN and scopes <= known:
            self._note(spec, "it wants more rights although it was given all that it asked for")
            return False
        self._asked[spec.name] = known | scopes
        self._verdicts.pop(spec.name, None)
        log.info("mcp.sign_in_started", server=spec.name)
        # Nothing of the call in whose name the server was asked may decide anything in here.
        self._tasks[spec.name] = asyncio.create_task(
            self._sign_in(spec, copy_refusal(response)),
            name=f"mcp:{spec.name}:sign-in",
            context=contextvars.Context(),
        )
        return True

    def _note(self, spec: ServerSpec, reason: str) -> None:
        log.warning("mcp.sign_in_useless", server=spec.name, reason=reason)
        self._verdicts[spec.name] = Verdict(False, reason)

    async def _sign_in(self, spec: ServerSpec, refusal: httpx2.Response) -> Verdict:
        """Go through the whole dance; what it brings is kept before this returns."""
        try:
            storage = GrantStorage(self._store, spec, self._clock)
            provider = make_provider(spec, storage, self.client, self._links)
            async with self._http.open(spec) as http:
                await run_flow(http, provider, refusal)
            storage.set_metadata(provider.context.oauth_metadata)
        except (Declined, TooLate, Unusable, AppError, *BROKEN) as exc:
            log.warning("mcp.sign_in_failed", server=spec.name, error=type(exc).__name__)
            return explain(exc)
        finally:
            self._links.forget(spec.name)
        if storage.grant.tokens is not None:
            self._untried[spec.name] = storage.grant.tokens.access_token
        log.info("mcp.signed_in", server=spec.name)
        return Verdict(True)

    async def _renew(self, spec: ServerSpec, token: str) -> None:
        """Renew a token, once for all who found it wanting; afterwards the store has another one, or not.

        It goes on when the call that wanted it is cancelled: most refresh tokens are good for one use, so
        an answer that nobody waits for any more must be kept all the same.
        """
        task = self._renewals.get(spec.name)
        if task is None or task.done():
            task = self._renewals[spec.name] = asyncio.create_task(
                self._renewal(spec, token), name=f"mcp:{spec.name}:renewal", context=contextvars.Context()
            )
        await asyncio.wait({task})

    async def _renewal(self, spec: ServerSpec, token: str) -> None:
        try:
            storage = GrantStorage(self._store, spec, self._clock)
            tokens = storage.grant.tokens
            if tokens is None or tokens.access_token != token or tokens.refresh_token is None:
                return
            provider = make_provider(spec, storage, self.client, None)
            async with self._http.open(spec) as http:
                status = await run_renewal(http, provider)
            if provider.context.current_tokens is None and status in _REFUSALS:
                log.warning("mcp.token_not_renewed", server=spec.name, status=status)
                await storage.set_tokens(tokens.model_copy(update={"refresh_token": None}))
        except (Unusable, AppError, *BROKEN) as exc:
            log.warning("mcp.token_not_renewed", server=spec.name, error=type(exc).__name__)


class _Bearer(httpx2.Auth):
    """Puts a server's token on each request, and hears what the server says to it."""

    def __init__(self, sign_ins: SignIns, spec: ServerSpec) -> None:
        self._sign_ins = sign_ins
        self._spec = spec

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        token = await self._sign_ins.token(self._spec)
        _put(request, token)
        response = yield request
        if not is_refusal(response):
            self._sign_ins.taken(self._spec)
            return
        token = await self._sign_ins.refused(self._spec, response, token)
        if token is not None:
            _put(request, token)
            yield request


def _put(request: httpx2.Request, token: str | None) -> None:
    if token is not None:
        request.headers[_AUTHORIZATION] = f"Bearer {token}"


def _verdict_of(task: asyncio.Task[Verdict], server: str) -> Verdict:
    if task.cancelled():
        return Verdict(False, "signing in was given up")
    if (fault := task.exception()) is not None:
        # Such as a private key that is none: the libraries below have errors of their own.
        log.error("mcp.sign_in_broke", server=server, error=type(fault).__name__)
        return Verdict(False, f"signing in broke ({type(fault).__name__})")
    return task.result()
