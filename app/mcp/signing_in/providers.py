"""The SDK's OAuth flow for one server: which grant, in whose name, with what is already known."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata
from pydantic import AnyUrl

from app.mcp.connecting.resolve import ServerSpec, Unusable
from app.mcp.signing_in.grants import GrantStorage

CLIENT_ID: Final = "OAUTH_CLIENT_ID"
CLIENT_SECRET: Final = "OAUTH_CLIENT_SECRET"  # noqa: S105 - a variable's name
PRIVATE_KEY: Final = "OAUTH_PRIVATE_KEY"
SIGNING_ALGORITHM: Final = "OAUTH_SIGNING_ALGORITHM"
ISSUER: Final = "OAUTH_ISSUER"
GRANT_TYPE: Final = "OAUTH_GRANT_TYPE"
MACHINE_GRANT: Final = "client_credentials"
_CLIENT_NAME: Final = "WasAP"
_ALGORITHM: Final = "ES256"
_PAST: Final = 1.0
"""A moment long ago, for the SDK: the token is to be renewed."""


@dataclass(frozen=True, slots=True)
class Person:
    """How a person is asked: `show` sends the link, `wait` returns what comes back."""

    show: Callable[[str], Awaitable[None]]
    wait: Callable[[], Awaitable[AuthorizationCodeResult]]


@dataclass(frozen=True, slots=True)
class OurClient:
    """Who we are to authorization servers.

    `redirect_url` is where the browser is sent back to; `document_url` is where `client_document` can be
    fetched from the internet (https, else None), for servers that take that instead of a registration.
    """

    redirect_url: str
    document_url: str | None = None

    def metadata(self) -> OAuthClientMetadata:
        is_local = self.redirect_url.startswith("http://")
        return OAuthClientMetadata(
            client_name=_CLIENT_NAME,
            redirect_uris=[AnyUrl(self.redirect_url)],
            application_type="native" if is_local else "web",
        )


def client_document(client: OurClient) -> Mapping[str, object]:
    """Return the document that stands at `document_url` (OAuth Client ID Metadata Document, MCP 2025-11-25)."""
    metadata = client.metadata().model_dump(mode="json", exclude_none=True)
    return {**metadata, "client_id": client.document_url, "token_endpoint_auth_method": "none"}


def wants_person(spec: ServerSpec) -> bool:
    """Tell whether a person must consent, or the owner gave us an account of our own."""
    return spec.env.get(GRANT_TYPE) != MACHINE_GRANT


def make_provider(
    spec: ServerSpec, storage: GrantStorage, client: OurClient, person: Person, *, is_token_over: bool
) -> OAuthClientProvider:
    """Build the flow with what the store knows, which the SDK by itself would not read back.

    Where the owner gave the server variables of the names above (as `env`), they are used: an id and a
    secret that were registered by hand, or an account of our own with secret or private key (PEM, in one
    line with `\\n`), which needs the issuer: else the server could have our secret sent anywhere.

    Raises:
        Unusable: the variables do not make sense together.
    """
    provider = _of_machine(spec, storage) if not wants_person(spec) else _of_person(spec, storage, client, person)
    provider.context.oauth_metadata = storage.grant.metadata
    provider.context.token_expiry_time = _PAST if is_token_over else None
    return provider


def _of_person(spec: ServerSpec, storage: GrantStorage, client: OurClient, person: Person) -> OAuthClientProvider:
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
        spec.url, client.metadata(), storage, person.show, person.wait, client_metadata_url=client.document_url
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
