"""The links that admins were sent: each good for one answer, for one server, for a while."""

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import structlog
from mcp.client.auth import AuthorizationCodeResult, OAuthFlowError

from app.domain.ids import UserId
from app.domain.ports import Clock
from app.mcp.connecting.resolve import ServerSpec
from app.mcp.signing_in.consent import LINK_LIFE_S, MAX_ANSWER_CHARS, Answered, ConsentAsker
from app.mcp.signing_in.http import may_be_shown

log = structlog.get_logger(__name__)


class Declined(Exception):
    """The admin, or the authorization server, said no."""


class TooLate(Exception):
    """Nobody answered while the link was good."""


@dataclass(slots=True)
class _Link:
    server: str
    answer: asyncio.Future[AuthorizationCodeResult]
    admins: frozenset[UserId] = frozenset()


class Links:
    """The open ones, known by the state in them: 256 random bits that the SDK made for one sign-in."""

    def __init__(self, asker: ConsentAsker, clock: Clock) -> None:
        self._asker = asker
        self._clock = clock
        self._by_state: dict[str, _Link] = {}

    async def show(self, spec: ServerSpec, url: str) -> None:
        """Send a link to the admins.

        Raises:
            OAuthFlowError: it is none that a person may be sent to.
            AppError: nobody can be reached.
        """
        states = _query(url).get("state")
        if not states or not may_be_shown(url, spec):
            raise OAuthFlowError("the link cannot be put before a person")
        link = _Link(spec.name, asyncio.get_running_loop().create_future())
        self._by_state[states[-1]] = link
        link.admins = await self._asker.ask_consent(spec.name, url)

    async def wait(self, server: str) -> AuthorizationCodeResult:
        """Wait for what comes back of a server's link.

        Raises:
            Declined, TooLate: nothing that helps.
        """
        answer = next(link.answer for link in self._by_state.values() if link.server == server)
        life = asyncio.create_task(self._clock.sleep(LINK_LIFE_S), name=f"mcp:{server}:link")
        both: set[asyncio.Future[Any]] = {answer, life}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            life.cancel()
        if not answer.done():
            answer.cancel()
            raise TooLate
        return answer.result()

    def answer(self, url: str, by: UserId | None) -> Answered:
        """Take the address at which a browser ended; see `SignIns.answer`."""
        given = {name: values[-1] for name, values in _query(url.strip()).items()}
        state = given.get("state", "")
        link = self._by_state.get(state)
        if link is None or link.answer.done():
            return "unknown"
        if by is not None and by not in link.admins:
            log.warning("mcp.consent_not_theirs", server=link.server)
            return "not_yours"
        if "code" not in given:
            link.answer.set_exception(Declined)
            return "declined"
        link.answer.set_result(AuthorizationCodeResult(code=given["code"], state=state, iss=given.get("iss")))
        return "taken"

    def forget(self, server: str) -> None:
        """Let a server's link count no more."""
        self._by_state = {state: link for state, link in self._by_state.items() if link.server != server}


def _query(url: str) -> dict[str, list[str]]:
    try:
        return parse_qs(urlsplit(url).query) if len(url) <= MAX_ANSWER_CHARS else {}
    except ValueError:
        return {}
