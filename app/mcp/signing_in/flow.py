"""The SDK's OAuth flow for one server, apart from the request that made it necessary."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from typing import Final

import httpx2
from mcp.client.auth import (
    OAuthClientProvider,
    OAuthFlowError,
    OAuthRegistrationError,
)
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.client.auth.utils import extract_field_from_www_auth
from mcp.shared.auth import OAuthClientInformationFull
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from pydantic import AnyUrl

from app.domain.errors import AppError
from app.mcp.connecting.host import Verdict
from app.mcp.connecting.resolve import ServerSpec, Unusable
from app.mcp.signing_in.callback import OurClient
from app.mcp.signing_in.grants import GrantStorage
from app.mcp.signing_in.links import Declined, Links, TooLate

CLIENT_ID: Final = "OAUTH_CLIENT_ID"
CLIENT_SECRET: Final = "OAUTH_CLIENT_SECRET"  # noqa: S105 - a variable's name
PRIVATE_KEY: Final = "OAUTH_PRIVATE_KEY"
SIGNING_ALGORITHM: Final = "OAUTH_SIGNING_ALGORITHM"
ISSUER: Final = "OAUTH_ISSUER"
GRANT_TYPE: Final = "OAUTH_GRANT_TYPE"
MACHINE_GRANT: Final = "client_credentials"
_ALGORITHM: Final = "ES256"
_PAST: Final = 1.0
"""A moment long ago, for the SDK: the token is to be renewed."""
UNAUTHORIZED: Final = 401
FORBIDDEN: Final = 403
BROKEN: Final = (OAuthFlowError, httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, ValueError)
"""What the SDK lets through when an authorization server refuses, breaks the rules or cannot be reached."""
_CHALLENGE: Final = "www-authenticate"
_Flow = AsyncGenerator[httpx2.Request, httpx2.Response]


def wants_person(spec: ServerSpec) -> bool:
    """Tell whether a person must consent, or the owner gave us an account of our own."""
    return spec.env.get(GRANT_TYPE) != MACHINE_GRANT


def make_provider(
    spec: ServerSpec, storage: GrantStorage, client: OurClient, links: Links | None
) -> OAuthClientProvider:
    """Build the flow with what the store knows, which the SDK by itself would not read back.

    Without `links` it asks nobody, and holds the token for over: it can only renew it.

    Where the owner gave the server variables of the names above (as `env`), they are used: an id and a
    secret that were registered by hand, or an account of our own with secret or private key (PEM, in one
    line with `\\n`), which needs the issuer: else the server could have our secret sent anywhere.

    Raises:
        Unusable: the variables do not make sense together.
    """
    provider = _of_person(spec, storage, client, links) if wants_person(spec) else _of_machine(spec, storage)
    provider.context.oauth_metadata = storage.grant.metadata
    provider.context.token_expiry_time = _PAST if links is None else None
    return provider


def _of_person(
    spec: ServerSpec, storage: GrantStorage, client: OurClient, links: Links | None
) -> OAuthClientProvider:
    client_id, secret = spec.env.get(CLIENT_ID), spec.env.get(CLIENT_SECRET)
    if client_id is not None:
        given = OAuthClientInformationFull(
            client_id=client_id,
            client_secret=secret,
            redirect_uris=[AnyUrl(client.redirect_url)],
            token_endpoint_auth_method="client_secret_basic" if secret else "none",
            issuer=spec.env.get(ISSUER),
        )
        storage.grant = storage.grant.model_copy(update={"client": given})
    return OAuthClientProvider(
        spec.url,
        client.metadata(),
        storage,
        None if links is None else partial(links.show, spec),
        None if links is None else partial(links.wait, spec.name),
        client_metadata_url=client.document_url,
    )


def _of_machine(spec: ServerSpec, storage: GrantStorage) -> OAuthClientProvider:
    client_id, issuer = spec.env.get(CLIENT_ID), spec.env.get(ISSUER)
    if client_id is None or issuer is None:
        raise Unusable(f"an account of its own needs {CLIENT_ID} and {ISSUER}")
    if (key := spec.env.get(PRIVATE_KEY)) is not None:
        signed = SignedJWTParameters(
            issuer=client_id,
            subject=client_id,
            signing_key=key.replace("\\n", "\n"),
            signing_algorithm=spec.env.get(SIGNING_ALGORITHM, _ALGORITHM),
        )
        return PrivateKeyJWTOAuthProvider(
            spec.url, storage, client_id, signed.create_assertion_provider(), issuer=issuer
        )
    secret = spec.env.get(CLIENT_SECRET)
    if secret is None:
        raise Unusable(f"an account of its own needs {CLIENT_SECRET} or {PRIVATE_KEY}")
    return ClientCredentialsOAuthProvider(spec.url, storage, client_id, secret, issuer=issuer)


async def run_flow(http: httpx2.AsyncClient, provider: OAuthClientProvider, refusal: httpx2.Response) -> None:
    """Sign in as the answer `refusal` demands; the tokens are in the provider's storage afterwards.

    What was refused may have been a call that changes something, so it is not repeated here: the flow is run
    around a request that is never sent.

    Raises:
        BROKEN, and what `Links` raises.
    """
    probe = refusal.request
    async with aclosing(provider.async_auth_flow(probe)) as flow:
        await _send_until(probe, http, flow, await anext(flow))
        await _send_until(probe, http, flow, await flow.asend(refusal))


async def run_renewal(http: httpx2.AsyncClient, provider: OAuthClientProvider) -> int | None:
    """Renew the token of a provider that holds it for over; returns the status of the last answer.

    Raises:
        BROKEN.
    """
    probe = httpx2.Request("POST", provider.context.server_url)
    async with aclosing(provider.async_auth_flow(probe)) as flow:
        return await _send_until(probe, http, flow, await anext(flow))


async def _send_until(
    probe: httpx2.Request, http: httpx2.AsyncClient, flow: _Flow, outgoing: httpx2.Request
) -> int | None:
    """Send what the flow wants sent, until that is the probe; returns the status of the last answer."""
    status: int | None = None
    while outgoing is not probe:
        response = await http.send(outgoing)
        status = response.status_code
        outgoing = await flow.asend(response)
    return status


def is_refusal(response: httpx2.Response) -> bool:
    """Tell whether another token would help (RFC 6750, section 3; MCP 2025-11-25, "Authorization")."""
    if response.status_code == FORBIDDEN:
        return extract_field_from_www_auth(response, "error") == "insufficient_scope"
    return response.status_code == UNAUTHORIZED


def copy_refusal(response: httpx2.Response) -> httpx2.Response:
    """Return what the flow reads of a refusal, and nothing that belongs to the connection."""
    version = response.request.headers.get(MCP_PROTOCOL_VERSION_HEADER)
    sent = {} if version is None else {MCP_PROTOCOL_VERSION_HEADER: version}
    challenge = response.headers.get(_CHALLENGE)
    return httpx2.Response(
        response.status_code,
        headers={} if challenge is None else {_CHALLENGE: challenge},
        request=httpx2.Request("POST", response.request.url, headers=sent),
    )


def explain(fault: BaseException) -> Verdict:
    """Say for the owner why signing in failed; of what servers wrote, nothing: it may repeat a code or token."""
    match fault:
        case Declined():
            return Verdict(False, "an admin, or the server's own sign-in page, did not allow it")
        case TooLate():
            return Verdict(False, "nobody allowed it while the link was good")
        case Unusable():
            return Verdict(False, str(fault))
        case AppError():
            return Verdict(False, f"no admin could be asked, or nothing kept ({fault.code})")
        case OAuthRegistrationError():
            return Verdict(
                False, "it registers no new client: its owner must give it a header, or OAUTH_CLIENT_ID"
            )
        case httpx2.UnsupportedProtocol():
            return Verdict(False, "its sign-in leads to an address that may not be used")
        case httpx2.HTTPError() | httpx2.StreamError():
            return Verdict(False, f"its sign-in cannot be reached ({type(fault).__name__})", is_final=False)
        case _:
            return Verdict(False, f"its sign-in does not follow the rules ({type(fault).__name__})")
