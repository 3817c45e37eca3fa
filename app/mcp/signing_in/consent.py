"""Asking the admins for consent to sign in at a server: the link, and what became of their answer."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal, Protocol
from urllib.parse import urlsplit

import structlog

from app.asking.admins import Admins
from app.domain.errors import Permanent
from app.domain.ids import UserId
from app.language.catalogue import Language, Sentence, say
from app.mcp.texts import MCP

log = structlog.get_logger(__name__)

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


class ConsentAsker(Protocol):
    async def ask_consent(self, server: str, url: str) -> frozenset[UserId]:
        """Send the link to the admins and return those it was sent to: only they may paste the answer.

        The link is a secret of theirs: it goes into no log and no conversation that a model reads.

        Raises:
            AppError: nobody can be reached.
        """
        ...


def consent_text(server: str, url: str, language: Language, *, is_pasted: bool) -> str:
    """Return the message with the link; `is_pasted`: the browser will not find its way back to us by itself."""
    host = urlsplit(url).hostname or ""
    asked = say(MCP.sign_in_ask, language, server=server, url=url, host=host, minutes=round(LINK_LIFE_S / 60))
    return f"{asked}\n\n{say(MCP.sign_in_ask_paste, language)}" if is_pasted else asked


class ChatConsents:
    """The `ConsentAsker` of WhatsApp. `is_pasted`: nobody's browser finds its way back to us by itself.

    Whoever signs in lends the server their account, so only its owner is asked (`owner_of`), where it has one.
    """

    def __init__(self, admins: Admins, owner_of: Callable[[str], UserId | None], *, is_pasted: bool) -> None:
        self._admins = admins
        self._owner_of = owner_of
        self._is_pasted = is_pasted

    async def ask_consent(self, server: str, url: str) -> frozenset[UserId]:
        """Send the owner the link, or every trusted admin where there is none.

        Raises:
            Permanent: there is no admin who could be asked, or the owner is none any more.
            Transient: the store failed.
        """

        def text_in(language: Language) -> str:
            return consent_text(server, url, language, is_pasted=self._is_pasted)

        asked = await self._admins.tell(text_in, only=self._owner_of(server))
        if not asked:
            raise Permanent("no_admin", "no admin has written yet, so nobody can be asked")
        log.info("consent.asked", server=server, admins=len(asked))
        return asked
