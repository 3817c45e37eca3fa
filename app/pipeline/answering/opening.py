"""The beginning of a turn: who is asking, in which language, in which conversation."""

from dataclasses import dataclass
from pathlib import Path

from app.database.repositories.inbox import Claim
from app.database.repository import Repository
from app.domain.ports import Clock
from app.domain.turn import ConfirmationMode, TurnContext
from app.language.detection import LanguageDetector
from app.pipeline.answering.normalize import describe_all
from app.pipeline.receiving.admission import AllowList


@dataclass(frozen=True, slots=True)
class Place:
    """Where the service runs: its time zone (IANA), the directory that holds each user's own, and when
    people who never chose a mode are asked."""

    timezone: str
    users_dir: Path
    mode: ConfirmationMode


class TurnOpener:
    """Builds the `TurnContext` that is passed down everywhere."""

    def __init__(
        self,
        repository: Repository,
        allow_list: AllowList,
        languages: LanguageDetector,
        clock: Clock,
        *,
        place: Place,
    ) -> None:
        self._repository = repository
        self._allow_list = allow_list
        self._languages = languages
        self._clock = clock
        self._place = place

    async def open(self, claim: Claim) -> TurnContext:
        """Return the context of a claimed turn."""
        user = await self._repository.users.get(claim.user_id)
        aliases = await self._repository.directory.aliases_of([claim.user_id])
        text, _ = describe_all([row.message.content for row in claim.rows])
        now = self._clock.now()
        return TurnContext(
            turn_id=claim.turn_id,
            user_id=claim.user_id,
            conversation_id=await self._repository.conversations.ensure_open(claim.user_id, now),
            attempt=claim.attempt,
            received_at=now,
            language=self._languages.detect(text, user.language),
            is_admin=self._allow_list.is_admin(aliases.get(claim.user_id, frozenset())),
            timezone=self._place.timezone,
            workspace=self._place.users_dir / claim.user_id,
            mode=user.mode or self._place.mode,
        )
