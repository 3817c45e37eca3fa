"""What people answer to the questions that they were asked: read at the door, taken in the control lane."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, assert_never

from app.asking.approvals import APPROVAL_PREFIX, Answered, ApprovalBroker, neutralise, read_answer
from app.asking.texts import ASKING
from app.database.repositories.inbox import InboxRow
from app.domain.ids import UserId
from app.domain.inbound import Choice, Content, Text
from app.domain.outbound import OutText, Reply
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.mcp.question_form import QUESTION_PREFIX
from app.mcp.questions import ChatAsker
from app.pipeline.answering.outcome import Outcome
from app.pipeline.receiving.identity import TRUST_PREFIX, IdentityKeeper

_Asker = Literal["approval", "question", "choice"]
_ASKERS: Final[Mapping[str, _Asker]] = MappingProxyType(
    {APPROVAL_PREFIX: "approval", QUESTION_PREFIX: "question", TRUST_PREFIX: "choice"}
)
"""How the ids of the buttons begin, by who shows them."""


class Answers:
    """Hands an answer to whoever asked: an approval, a server's question, or whether a person is trusted."""

    def __init__(self, approvals: ApprovalBroker, questions: ChatAsker, identity: IdentityKeeper) -> None:
        self._approvals = approvals
        self._questions = questions
        self._identity = identity

    def is_answer(self, user_id: UserId, content: Content) -> bool:
        """See `OpenQuestions`."""
        match content:
            case Choice(id=choice_id):
                return _asker_of(choice_id) is not None
            case Text(body=body):
                is_verdict = self._approvals.has_pending(user_id) and read_answer(body) is not None
                return is_verdict or self._questions.is_answer(user_id, body)
            case _:
                return False

    async def take(self, row: InboxRow, ctx: TurnContext) -> Outcome:
        """Give an answer to whoever asked; one that comes too late is told so, and goes to nobody else."""
        match row.message.content:
            case Choice(id=choice_id):
                return await self._take_choice(choice_id, ctx)
            case Text(body=body):
                if await self._approvals.answer_text(ctx.user_id, body, row.message.quoted_id):
                    return Outcome("approval")
                return await self._take_text(body, row, ctx)
            case _:
                return _stale("question", ctx)

    async def _take_choice(self, choice_id: str, ctx: TurnContext) -> Outcome:
        asker = _asker_of(choice_id)
        match asker:
            case "approval":
                is_taken = isinstance(await self._approvals.answer(ctx.user_id, choice_id), Answered)
            case "question":
                is_taken = await self._questions.answer_choice(ctx.user_id, choice_id)
            case "choice":
                reply, concerned = await self._identity.answer(choice_id, ctx)
                return Outcome(asker, reply, concerned=frozenset({concerned} if concerned else ()))
            case None:
                return _stale("question", ctx)
            case _:
                assert_never(asker)
        return Outcome(asker) if is_taken else _stale(asker, ctx)

    async def _take_text(self, body: str, row: InboxRow, ctx: TurnContext) -> Outcome:
        """Hand a text to the server that asked for it. History keeps none of it, whatever becomes of it."""
        fate = await self._questions.answer_text(
            ctx.user_id, body, quoted_id=row.message.quoted_id, received_at=row.received_at
        )
        match fate:
            case "taken":
                return Outcome("question", is_secret=True)
            case "late" | None:
                return _stale("question", ctx, is_secret=True)
            case "elsewhere":
                server = neutralise(self._questions.asking_server(ctx.user_id) or "")
                text = say(ASKING.question_answer_first, ctx.language, server=server)
                return Outcome("question", Reply(messages=(OutText(text),)))
            case _:
                assert_never(fate)


def _asker_of(choice_id: str) -> _Asker | None:
    return next((asker for prefix, asker in _ASKERS.items() if choice_id.startswith(prefix)), None)


def _stale(kind: str, ctx: TurnContext, *, is_secret: bool = False) -> Outcome:
    return Outcome(kind, Reply(say(ASKING.stale_question, ctx.language)), is_secret=is_secret)
