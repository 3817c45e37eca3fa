"""What a connection has of us, whom the protocol calls the host: we open servers, and ask the people."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from app.domain.backoff import growing_delay_s
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.mcp.config import ServerConfig
from app.mcp.connecting.elicitation import Asker, Nobody
from app.mcp.connecting.resolve import ServerSpec
from app.mcp.connecting.transports import Connector

WAITING_FOR_CONSENT: Final = "it waits for an admin, who was sent a link to allow it"

Resolve = Callable[[str, ServerConfig], ServerSpec]
OnProgress = Callable[[TurnContext, str], None]
"""Told at most once a second that a call of that turn is alive; the text is the server's, often empty."""


@dataclass(frozen=True, slots=True)
class Retries:
    """A lost server is tried again after `first_s`, then after twice as long each time up to `longest_s`, ±30 %.

    After `give_up_after` failures in a row it is `failed`; None tries for ever, as networks come back.
    """

    first_s: float = 1.0
    longest_s: float = 300.0
    give_up_after: int | None = None

    def delay_s(self, failures: int) -> float:
        return growing_delay_s(failures, first_s=self.first_s, longest_s=self.longest_s, spread=0.3)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a sign-in ended. `reason` says for the owner why it was not granted, and holds no secret;
    `is_final`: trying again would change nothing."""

    is_granted: bool
    reason: str = ""
    is_final: bool = True


class Consents(Protocol):
    """The sign-ins, as a connection knows them."""

    def is_open(self, server: str) -> bool:
        """Tell whether somebody is being waited for."""
        ...

    async def verdict(self, server: str) -> Verdict | None:
        """Wait for the end of the server's sign-in; None when none was begun since this was last asked."""
        ...

    def drop(self, server: str) -> None:
        """End the server's sign-in, if there is one: its link counts no more."""
        ...


class NoConsents:
    """The `Consents` where no server wants any."""

    def is_open(self, server: str) -> bool:
        return False

    async def verdict(self, server: str) -> Verdict | None:
        return None

    def drop(self, server: str) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Host:
    """Opens servers with `resolve` and `connector`; asks the person of a call, and an admin for consent."""

    connector: Connector
    resolve: Resolve
    clock: Clock
    asker: Asker = field(default_factory=Nobody)
    on_progress: OnProgress = lambda ctx, text: None
    retries: Retries = field(default_factory=Retries)
    consents: Consents = field(default_factory=NoConsents)
