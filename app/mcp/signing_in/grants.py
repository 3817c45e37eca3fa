"""What signing in at a server brought: kept among the secrets, for exactly that server and address."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import structlog
from mcp.shared.auth import OAuthClientInformationFull, OAuthMetadata, OAuthToken
from pydantic import BaseModel, ValidationError

from app.domain.ports import Clock
from app.mcp.config import variable_key
from app.mcp.connecting.resolve import ServerSpec
from app.mcp.files import SecretStore

log = structlog.get_logger(__name__)

_VARIABLE: Final = "OAUTH_GRANT"
_EARLY: Final = timedelta(seconds=30)
"""A token is renewed a little before it ends: the request takes time, and clocks differ."""
_ENDPOINTS: Final = frozenset(
    {
        "issuer",
        "authorization_endpoint",
        "token_endpoint",
        "registration_endpoint",
        "token_endpoint_auth_methods_supported",
        "client_id_metadata_document_supported",
        "authorization_response_iss_parameter_supported",
    }
)


class Grant(BaseModel):
    """One server's tokens, our registration with its authorization server, and where that is reached.

    It counts for `url` and `redirect_url` only: a token must never go to another address that is later
    given the same name, and a registration does not cover another way back.
    """

    url: str
    redirect_url: str
    tokens: OAuthToken | None = None
    expires_at: datetime | None = None
    client: OAuthClientInformationFull | None = None
    metadata: OAuthMetadata | None = None

    def is_due(self, now: datetime) -> bool:
        """Tell whether the token has ended, or nearly."""
        return self.expires_at is not None and now >= self.expires_at - _EARLY

    @property
    def scopes(self) -> frozenset[str]:
        return frozenset((self.tokens.scope or "").split()) if self.tokens is not None else frozenset()


class GrantStore:
    """The grants of all servers, each one value in the `SecretStore` (0600): in no log, in no config file.

    Its key belongs to the server's variables, so it goes when the server is removed.
    """

    def __init__(self, secrets: SecretStore, redirect_url: str) -> None:
        self._secrets = secrets
        self._redirect_url = redirect_url

    def load(self, spec: ServerSpec) -> Grant:
        """Return what is kept for a server at its address; an empty grant when that is nothing usable.

        Raises:
            ConfigError: the secrets cannot be read.
        """
        text = self._secrets.find(variable_key(spec.name, _VARIABLE))
        empty = Grant(url=spec.url, redirect_url=self._redirect_url)
        if text is None:
            return empty
        try:
            grant = Grant.model_validate_json(text)
        except ValidationError:
            log.warning("mcp.grant_unreadable", server=spec.name)
            return empty
        if grant.url != spec.url:
            return empty
        if grant.redirect_url != self._redirect_url:
            return grant.model_copy(update={"redirect_url": self._redirect_url, "client": None})
        return grant

    def save(self, spec: ServerSpec, grant: Grant) -> None:
        """Keep a grant in place of the earlier one.

        Raises:
            ValueError: it is too large to be kept.
            ConfigError: the secrets cannot be written.
        """
        self._secrets.set(variable_key(spec.name, _VARIABLE), grant.model_dump_json(exclude_none=True))


class GrantStorage:
    """The SDK's `TokenStorage` over one server's grant; each change is kept at once.

    The few milliseconds of file work stay on the event loop: the file of secrets is rewritten as a whole,
    and two threads doing that would lose one of two changes.
    """

    def __init__(self, store: GrantStore, spec: ServerSpec, clock: Clock) -> None:
        self._store = store
        self._spec = spec
        self._clock = clock
        self.grant = store.load(spec)

    async def get_tokens(self) -> OAuthToken | None:
        return self.grant.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        lasts = tokens.expires_in
        expires_at = None if lasts is None else self._clock.now() + timedelta(seconds=lasts)
        self._keep({"tokens": tokens, "expires_at": expires_at})

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.grant.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self._keep({"client": client_info})

    def set_metadata(self, metadata: OAuthMetadata | None) -> None:
        """Keep where tokens are renewed: after a restart nothing else would tell."""
        if metadata is None:
            return
        few = OAuthMetadata.model_validate(metadata.model_dump(mode="json", include=set(_ENDPOINTS)))
        if few != self.grant.metadata:
            self._keep({"metadata": few})

    def _keep(self, changes: Mapping[str, object]) -> None:
        """Change what is kept now: while a person was asked, the token may have been renewed."""
        self.grant = self._store.load(self._spec).model_copy(update=changes)
        self._store.save(self._spec, self.grant)
