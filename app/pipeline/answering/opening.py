"""The beginning of a turn: who is asking, in which language, in which conversation."""

from datetime import datetime
from pathlib import Path

from app.database.repositories.inbox import Claim
from app.database.repository import Repository
from app.domain.turn import ConfirmationMode, TurnContext
from app.language.detection import LanguageDetector
from app.pipeline.answering.normalize import describe_all
from app.pipeline.receiving.admission import AllowList


class TurnOpener:
    """Builds the `TurnContext` that is passed down everywhere.

    `timezone` (IANA) is where the service runs, `users_dir` holds each person's own directory, `mode` tells when
    people who never chose are asked.
    """

    def __init__(
        self,
        repository: Repository,
        allow_list: AllowList,
        languages: LanguageDetector,
        *,
        timezone: str,
        users_dir: Path,
        mode: ConfirmationMode,
    ) -> None:
        self._repository = repository
        self._allow_list = allow_list
        self._languages = languages
        self._timezone = timezone
        self._users_dir = users_dir
        self._mode = mode

    async def open(self, claim: Claim, now: datetime) -> TurnContext:
        """Return the context of a claimed turn."""
        user, entries = await self._repository.directory.get_with_entries(claim.user_id)
        text, _ = describe_all([row.message.content for row in claim.rows])
        return TurnContext(
            turn_id=claim.turn_id,
            user_id=claim.user_id,
            conversation_id=await self._repository.conversations.ensure_open(claim.user_id, now),
            attempt=claim.attempt,
            received_at=now,
            language=self._languages.detect(text, user.language),
            is_admin=self._allow_list.is_admin(entries),
            timezone=self._timezone,
            workspace=self._users_dir / claim.user_id,
            mode=user.mode or self._mode,
        )
