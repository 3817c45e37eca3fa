"""Whether somebody whose number or phone changed is still the same person, which the admins are asked."""

from typing import Final

from app.asking.answers import Answered, Handler, Press
from app.asking.asking import Asking
from app.asking.lines import ButtonId
from app.asking.texts import ASKING
from app.database.db import Transaction
from app.database.repositories.users import User
from app.database.repository import Repository
from app.domain.ids import UserId
from app.domain.outbound import Button, Buttons, Reply
from app.domain.ports import Clock
from app.language.catalogue import Language, say

KIND: Final = "trust"


class Trust:
    """Asks admins, and lets their answers take effect. The question stays open after a "no", which may be taken
    back; a "yes" closes it for all of them."""

    def __init__(self, repository: Repository, asking: Asking, admins: frozenset[str], clock: Clock) -> None:
        self._repository = repository
        self._asking = asking
        self._admins = admins
        self._clock = clock
        asking.handle(KIND, Handler(self._answer, is_for_admins=True, is_for_home=True, recover=self._ask_again))

    async def ask(self, user: User, tx: Transaction) -> frozenset[UserId]:
        """Owe the admins the question, in place of an earlier one about the same person; returns who is asked.

        Asked are those who wrote at least once and are trusted themselves, and never the person in question.
        """
        now = self._clock.now()
        meant = await self._repository.directory.list_meant(self._admins, tx=tx)
        asked = [admin for admin in meant if admin.trust == "trusted" and admin.user_id != user.user_id]
        for admin in asked:
            button = await self._asking.open_in(tx, admin.user_id, KIND, user.user_id)
            question = _question(user, button, admin.language)
            await self._repository.outbox.add(admin.user_id, [question], now, turn_id=None, tx=tx)
        return frozenset(admin.user_id for admin in asked)

    async def _ask_again(self) -> None:
        """Ask about those whom no admin is asked about any more, as after an upgrade of an older version."""
        async with self._repository.transaction() as tx:
            for user in await self._repository.directory.list_unsettled(KIND, tx=tx):
                await self.ask(user, tx)

    async def _answer(self, press: Press) -> Answered | None:
        ctx, users = press.ctx, self._repository.users
        user = None if press.question is None else await users.find(UserId(press.question.bound_to))
        if user is None or user.user_id == ctx.user_id:
            return None
        async with self._repository.transaction() as tx:
            if press.key == "yes":
                is_moved = await users.move_trust(user.user_id, "trusted", leaving=("asked", "blocked"), tx=tx)
                await self._asking.cancel(KIND, user.user_id, tx=tx)
            else:
                is_moved = await users.move_trust(user.user_id, "blocked", leaving=("asked",), tx=tx)
        if not is_moved:
            return None
        sentence = ASKING.trust_granted if press.key == "yes" else ASKING.trust_denied
        reply = Reply(say(sentence, ctx.language, name=_name(user)))
        return Answered(KIND, reply, concerned=frozenset({user.user_id}))


def _question(user: User, button: ButtonId, language: Language) -> Buttons:
    yes = Button(button("yes"), say(ASKING.trust_yes, language))
    no = Button(button("no"), say(ASKING.trust_no, language))
    return Buttons(say(ASKING.trust_question, language, name=_name(user)), (yes, no))


def _name(user: User) -> str:
    return user.name or user.recipient.wa_id or "?"
