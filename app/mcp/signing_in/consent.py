"""What others see of signing in at a server: who is asked, and what a connection waits for."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, Protocol
from urllib.parse import urlsplit

from app.domain.ids import UserId
from app.language.catalogue import Language, Sentence, say
from app.mcp.texts import MCP

Answered = Literal["taken", "declined", "unknown", "not_yours"]
"""What became of an answer. `unknown`: its link was never sent, was used before, or is too old."""

SENTENCES: Final[Mapping[Answered, Sentence]] = MappingProxyType(
    {
        "taken": MCP.sign_in_taken,
        "declined": MCP.sign_in_declined,
        "unknown": MCP.sign_in_unknown,
        "not_yours": MCP.sign_in_not_yours,
    }
)

LINK_LIFE_S: Final = 900.0
MAX_ANSWER_CHARS: Final = 8192
WAITING_FOR_CONSENT: Final = "it waits for an admin, who was sent a link to allow it"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a sign-in ended. `reason` says for the owner why it was not granted, and holds no secret;
    `is_final`: trying again would change nothing."""

    is_granted: bool
    reason: str = ""
    is_final: bool = True


class ConsentAsker(Protocol):
    async def ask_consent(self, server: str, url: str) -> frozenset[UserId]:
        """Send the link to the admins and return those it was sent to: only they may paste the answer.

        The link is a secret of theirs: it goes into no log and no conversation that a model reads.

        Raises:
            AppError: nobody can be reached.
        """
        ...


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


def consent_text(server: str, url: str, language: Language, *, is_pasted: bool) -> str:
    """Return the message with the link; `is_pasted`: the browser will not find its way back to us by itself."""
    host = urlsplit(url).hostname or ""
    asked = say(MCP.sign_in_ask, language, server=server, url=url, host=host, minutes=round(LINK_LIFE_S / 60))
    return f"{asked}\n\n{say(MCP.sign_in_ask_paste, language)}" if is_pasted else asked
