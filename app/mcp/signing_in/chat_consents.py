"""Sends the admins the link with which they let us sign in at a server."""

from collections.abc import Callable

import structlog

from app.database.repository import Repository
from app.domain.errors import Permanent
from app.domain.ids import UserId
from app.domain.outbound import OutText
from app.domain.ports import Clock
from app.mcp.signing_in.consent import consent_text

log = structlog.get_logger(__name__)


class ChatConsents:
    """The `ConsentAsker` of WhatsApp. `is_pasted`: nobody's browser finds its way back to us by itself."""

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        admins: frozenset[str],
        *,
        is_pasted: bool,
        wake_delivery: Callable[[frozenset[UserId]], None],
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._admins = admins
        self._is_pasted = is_pasted
        self._wake_delivery = wake_delivery

    async def ask_consent(self, server: str, url: str) -> frozenset[UserId]:
        """Owe every trusted admin the link; history and the log keep none of it.

        Raises:
            Permanent: there is no admin who could be asked.
            Transient: the store failed.
        """
        async with self._repository.transaction() as tx:
            meant = await self._repository.directory.list_meant(self._admins, tx=tx)
            asked = [admin for admin in meant if admin.trust == "trusted"]
            if not asked:
                raise Permanent("no_admin", "no admin has written yet, so nobody can be asked")
            for admin in asked:
                text = OutText(consent_text(server, url, admin.language, is_pasted=self._is_pasted))
                await self._repository.outbox.add(admin.user_id, [text], self._clock.now(), turn_id=None, tx=tx)
        ids = frozenset(admin.user_id for admin in asked)
        self._wake_delivery(ids)
        log.info("consent.asked", server=server, admins=len(ids))
        return ids
