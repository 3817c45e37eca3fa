"""One run of the SDK's OAuth flow, apart from the request that made it necessary."""

from contextlib import aclosing
from typing import Final

import httpx2
from mcp.client.auth import (
    AuthorizationCodeResult,
    OAuthClientProvider,
    OAuthFlowError,
    OAuthRegistrationError,
)
from mcp.client.auth.utils import extract_field_from_www_auth
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER

from app.domain.errors import AppError
from app.mcp.connecting.resolve import Unusable
from app.mcp.consent import Verdict
from app.mcp.oauth_links import Declined, TooLate
from app.mcp.signing_in.providers import Person

UNAUTHORIZED: Final = 401
FORBIDDEN: Final = 403
BROKEN: Final = (OAuthFlowError, httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, ValueError)
"""What the SDK lets through when an authorization server refuses, breaks the rules or cannot be reached."""
_CHALLENGE: Final = "www-authenticate"


async def run_flow(http: httpx2.AsyncClient, provider: OAuthClientProvider, refusal: httpx2.Response) -> None:
    """Sign in as the answer `refusal` demands; the tokens are in the provider's storage afterwards.

    What was refused may have been a call that changes something, so it is not repeated here: the flow is run
    around a request that is never sent.

    Raises:
        BROKEN, and what the provider's person raises.
    """
    probe = refusal.request
    async with aclosing(provider.async_auth_flow(probe)) as flow:
        outgoing = await anext(flow)
        while outgoing is not probe:
            outgoing = await flow.asend(await http.send(outgoing))
        outgoing = await flow.asend(refusal)
        while outgoing is not probe:
            outgoing = await flow.asend(await http.send(outgoing))


async def run_renewal(http: httpx2.AsyncClient, provider: OAuthClientProvider) -> int | None:
    """Renew the token of a provider that holds it for over; returns the status of the last answer.

    Raises:
        BROKEN.
    """
    probe = httpx2.Request("POST", provider.context.server_url)
    status: int | None = None
    async with aclosing(provider.async_auth_flow(probe)) as flow:
        outgoing = await anext(flow)
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


def nobody() -> Person:
    """Return the person of a flow that must not ask any."""

    async def show(url: str) -> None:
        raise OAuthFlowError("renewing a token asks nobody")

    async def wait() -> AuthorizationCodeResult:
        raise OAuthFlowError("renewing a token asks nobody")

    return Person(show, wait)


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
