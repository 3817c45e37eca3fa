"""What a connection has of us, whom the protocol calls the host: we open servers, and ask the people."""

from collections.abc import Callable
from dataclasses import dataclass, field

from app.domain.backoff import growing_delay_s
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.mcp.config import ServerConfig
from app.mcp.connecting.elicitation import Asker, Nobody
from app.mcp.connecting.resolve import ServerSpec
from app.mcp.connecting.transports import Connector
from app.mcp.signing_in.consent import Consents, NoConsents

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
class Host:
    """Opens servers with `resolve` and `connector`; asks the person of a call, and an admin for consent."""

    connector: Connector
    resolve: Resolve
    clock: Clock
    asker: Asker = field(default_factory=Nobody)
    on_progress: OnProgress = lambda ctx, text: None
    retries: Retries = field(default_factory=Retries)
    consents: Consents = field(default_factory=NoConsents)
