"""What a turn is about: a change of history, a command, an answer to a question, or a conversation."""

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

import structlog

from app.asking.asking import Asking
from app.commands.registry import CommandRegistry, ParsedCommand
from app.commands.texts import COMMANDS
from app.database.repositories.conversations import NewMessage
from app.database.repositories.inbox import Claim, InboxRow
from app.domain.inbound import Choice, Content, Edit, InboundMessage, Purpose, Text
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.language.detection import read_wish
from app.pipeline.answering.assistant import Assistant
from app.pipeline.answering.outcome import Outcome, joined
from app.pipeline.answering.parting import question_beside
from app.pipeline.answering.perceiving import Question, Senses
from app.pipeline.answering.rewriting import Rewriter
from app.pipeline.lexicon import asks_who
from app.pipeline.receiving.classify import classify
from app.pipeline.texts import PIPELINE

log = structlog.get_logger(__name__)


class TurnRouter:
    """Turns a claimed row, or several merged ones, into an outcome."""

    def __init__(
        self,
        rewriter: Rewriter,
        commands: CommandRegistry,
        asking: Asking,
        assistant: Assistant,
        *,
        senses: Senses,
    ) -> None:
        self._rewriter = rewriter
        self._commands = commands
        self._asking = asking
        self._assistant = assistant
        self._senses = senses

    async def route(self, claim: Claim, ctx: TurnContext) -> Outcome:
        """Do what the turn asks for; everything but the commit.

        Raises:
            NotReady: the model is being fetched or loaded; the turn should wait.
        """
        row = claim.rows[0]
        purpose = row.purpose or self._purpose_now(row)
        match purpose:
            case "change":
                await self._rewriter.change(row.message, ctx)
                return Outcome(row.message.content.type)
            case "rewrite" if isinstance(row.message.content, Edit):
                return await self._rewrite(row.message, row.message.content, ctx)
            case "system":
                return Outcome("system")  # applied when it was stored
            case "command" if (command := await self._command_in(row.message.content, ctx)) is not None:
                return await self._run_command(command, ctx)
            case "answer":
                return await self._take_answer(row, ctx)
            case "clock":
                return _by_clock(await self._converse([row.message], ctx), ctx)
            case "conversation" | "command" | "rewrite":
                return await self._converse([row.message for row in claim.rows], ctx)
            case _:
                assert_never(purpose)

    async def _rewrite(self, message: InboundMessage, edit: Edit, ctx: TurnContext) -> Outcome:
        rewritten = await self._rewriter.begin(message, edit, ctx)
        if rewritten.notice:
            told = (NewMessage("assistant", rewritten.notice),)
            return Outcome("notice", Reply(literal=rewritten.notice), told)
        match rewritten.messages:
            case []:
                return Outcome(edit.type)
            case [only] if (command := await self._command_in(only.content, ctx)) is not None:
                outcome = await self._run_command(command, ctx)
            case messages:
                outcome = await self._converse(messages, ctx)
        lead = "\n\n".join(filter(None, (rewritten.lead, outcome.reply.lead)))
        return replace(outcome, reply=replace(outcome.reply, lead=lead))

    async def _converse(self, messages: Sequence[InboundMessage], ctx: TurnContext) -> Outcome:
        question = await self._senses.perceive(messages, ctx)
        if not question.asked:
            told = question.notice.markdown or question.notice.literal
            answer = (NewMessage("assistant", told),) if question.said and told else ()
            return Outcome("notice", question.notice, (*question.said, *answer))
        if (wish := read_wish(question.asked)) is not None:
            sentence = PIPELINE.language_free if wish.language is None else PIPELINE.language_settled
            granted = say(sentence, ctx.language)
            return Outcome("notice", Reply(granted), (*question.said, NewMessage("assistant", granted)))
        if asks_who(question.asked):
            told = say(PIPELINE.who_i_am, ctx.language)
            return Outcome("notice", Reply(told), (*question.said, NewMessage("assistant", told)))
        return await self._senses.voice(await self._answer(messages, question), question)

    async def _answer(self, messages: Sequence[InboundMessage], question: Question) -> Outcome:
        """Answer a message; where it asks something beside a wish, neither is lost."""
        if question.shown != question.asked or (beside := question_beside(question.asked)) is None:
            told = await self._senses.tell(messages, question)
            return told or await self._assistant.answer(messages, question)
        part, rest = beside
        # One without a number of its own asks about those before it.
        order = (part.text, part.beside) if any(map(str.isdigit, part.text)) else (part.beside, part.text)
        for asked in filter(None, order):
            told = await self._senses.tell(messages, replace(question, asked=asked, shown=asked))
            if told is not None:
                done = await self._assistant.answer(messages, replace(question, asked=rest, shown=rest))
                both = joined([done, told])
                return replace(both, said=(*question.said, *both.said), usage=done.usage)
        return await self._assistant.answer(messages, question)

    def _purpose_now(self, row: InboxRow) -> Purpose:
        """Decide again: the message was edited meanwhile, or an older version stored it.

        What went to the control lane as text was an answer: its question is closed, and it is not for the model.
        """
        purpose = classify(row.message.content, None, commands=self._commands).purpose
        return "answer" if purpose == "conversation" and row.lane == "control" else purpose

    async def _take_answer(self, row: InboxRow, ctx: TurnContext) -> Outcome:
        answered = await self._asking.answer(row.answers or "", row.message, ctx)
        return Outcome(answered.kind, answered.reply, concerned=answered.concerned, is_secret=answered.is_secret)

    async def _command_in(self, content: Content, ctx: TurnContext) -> ParsedCommand | None:
        match content:
            case Text(body=written) | Choice(id=written):
                command = self._commands.parse(written)
                return command if command is not None and await self._commands.applies(command, ctx) else None
            case _:
                return None

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


def _by_clock(outcome: Outcome, ctx: TurnContext) -> Outcome:
    """Say why this comes; in history nobody wrote it now."""
    said = tuple(one for one in outcome.said if one.role != "user")
    return replace(outcome, said=said, reply=replace(outcome.reply, lead=say(PIPELINE.by_clock, ctx.language)))
