"""What a turn is about: a change of history, a command, an answer to a question, or a conversation."""

from typing import assert_never

import structlog

from app.asking.approvals import APPROVAL_PREFIX, Answered, ApprovalBroker, neutralise
from app.asking.texts import ASKING
from app.commands.registry import CommandRegistry, ParsedCommand, parse_command
from app.commands.texts import COMMANDS
from app.database.repositories.conversations import NewMessage
from app.database.repositories.inbox import Claim, InboxRow
from app.domain.inbound import Choice, Edit, InboundMessage, Reaction, Revoke, System, Text
from app.domain.outbound import OutText, Reply
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.mcp.question_form import QUESTION_PREFIX
from app.mcp.questions import ChatAsker
from app.pipeline.answering.assistant import Assistant
from app.pipeline.answering.history import HistoryKeeper
from app.pipeline.answering.normalize import describe, describe_all
from app.pipeline.answering.outcome import Outcome
from app.pipeline.receiving.admission import TRUST_PREFIX
from app.pipeline.receiving.identity import IdentityKeeper
from app.privacy.commands import read_last_word

log = structlog.get_logger(__name__)


class TurnRouter:
    """Turns a claimed row, or several merged ones, into an outcome."""

    def __init__(
        self,
        history: HistoryKeeper,
        commands: CommandRegistry,
        identity: IdentityKeeper,
        assistant: Assistant,
        approvals: ApprovalBroker,
        questions: ChatAsker,
    ) -> None:
        self._history = history
        self._commands = commands
        self._identity = identity
        self._assistant = assistant
        self._approvals = approvals
        self._questions = questions

    async def route(self, claim: Claim, ctx: TurnContext) -> Outcome:
        """Do what the turn asks for; everything but the commit.

        Raises:
            NotReady: the model is being fetched or loaded; the turn should wait.
        """
        message = claim.rows[0].message
        match message.content:
            case Reaction() | Edit() | Revoke():
                await self._history.change(message, ctx)
                return Outcome(message.content.type)
            case System():
                return Outcome("system")  # applied when it was stored
            case Choice(id=choice_id) if choice_id.startswith((APPROVAL_PREFIX, QUESTION_PREFIX)):
                return await self._take_choice(choice_id, ctx)
            case Choice(id=choice_id) if choice_id.startswith(TRUST_PREFIX):
                reply, concerned = await self._identity.answer(choice_id, ctx)
                return Outcome("choice", reply, concerned=frozenset({concerned} if concerned else ()))
            case Choice(id=choice_id) if (command := parse_command(choice_id)) is not None:
                return await self._run_command(command, ctx)
            case Text(body=body) if (command := parse_command(body) or read_last_word(body)) is not None:
                return await self._run_command(command, ctx)
            case Text(body=body) if await self._approvals.answer_text(ctx.user_id, body, message.quoted_id):
                return Outcome("approval")
            case Text(body=body) if (outcome := await self._take_text(body, claim.rows[0], ctx)) is not None:
                return outcome
            case Text() if claim.rows[0].lane == "control":
                # Meant as an answer to a question that a restart has closed: not for the model.
                return Outcome("question", Reply(say(ASKING.stale_question, ctx.language)), is_secret=True)
            case _:
                return await self._converse([row.message for row in claim.rows], ctx)

    async def _take_choice(self, choice_id: str, ctx: TurnContext) -> Outcome:
        kind = "approval" if choice_id.startswith(APPROVAL_PREFIX) else "question"
        if kind == "approval":
            is_taken = isinstance(await self._approvals.answer(ctx.user_id, choice_id), Answered)
        else:
            is_taken = await self._questions.answer_choice(ctx.user_id, choice_id)
        return Outcome(kind, Reply() if is_taken else Reply(say(ASKING.stale_question, ctx.language)))

    async def _take_text(self, body: str, row: InboxRow, ctx: TurnContext) -> Outcome | None:
        """Hand a text to the server that asked for it. History keeps none of it, whatever becomes of it."""
        fate = await self._questions.answer_text(
            ctx.user_id, body, quoted_id=row.message.quoted_id, received_at=row.received_at
        )
        match fate:
            case None:
                return None
            case "taken":
                return Outcome("question", is_secret=True)
            case "late":
                return Outcome("question", Reply(say(ASKING.stale_question, ctx.language)), is_secret=True)
            case "elsewhere":
                server = neutralise(self._questions.asking_server(ctx.user_id) or "")
                text = say(ASKING.question_answer_first, ctx.language, server=server)
                return Outcome("question", Reply(messages=(OutText(text),)))
            case _:
                assert_never(fate)

    async def _run_command(self, command: ParsedCommand, ctx: TurnContext) -> Outcome:
        spec = self._commands.find(command.name)
        if spec is not None:
            return Outcome(f"command_{spec.name}", await spec.run(command.args, ctx))
        closest = self._commands.find_closest(command.name)
        name = f"/{command.name}"
        if closest is None:
            reply = say(COMMANDS.unknown_command, ctx.language, command=name)
        else:
            reply = say(COMMANDS.unknown_command_closest, ctx.language, command=name, closest=f"/{closest.name}")
        return Outcome("command_unknown", Reply(reply))

    async def _converse(self, messages: list[InboundMessage], ctx: TurnContext) -> Outcome:
        text, notices = describe_all([message.content for message in messages])
        if not text:
            return Outcome("notice", Reply("\n".join(say(notice, ctx.language) for notice in notices)))
        quoted_id = next((message.quoted_id for message in reversed(messages) if message.quoted_id), None)
        answer = await self._assistant.answer(text, quoted_id, ctx)
        said = tuple(
            NewMessage("user", described.text, message.id)
            for message in messages
            if (described := describe(message.content)).text
        )
        if not answer.is_excuse:
            said = (*said, NewMessage("assistant", answer.text))
        return Outcome(
            "excuse" if answer.is_excuse else "answer",
            Reply(literal=answer.text) if answer.is_literal else Reply(answer.text),
            said,
            answer.usage,
            trace=answer.trace,
            tool_state=answer.tool_state,
        )
