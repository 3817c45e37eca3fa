"""/templates."""

from app.commands.registry import CommandRegistry, CommandSpec
from app.domain.errors import AccessRevoked, Permanent, Transient
from app.domain.outbound import Reply
from app.domain.ports import TemplateState
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import LANGUAGES, say
from app.skills.tools.reminders.lexicon import CREATE
from app.skills.tools.reminders.templates import MISSING, NAME, TemplateKeeper, describe
from app.skills.tools.reminders.texts import REMINDERS


def register(registry: CommandRegistry, keeper: TemplateKeeper) -> None:
    """Add /templates."""

    async def templates(args: str, ctx: TurnContext) -> Reply:
        """Show the templates, or submit what is missing: for admins."""
        if not ctx.is_admin:
            return Reply(say(REMINDERS.templates_admins, ctx.language))
        if not keeper.is_available:
            return Reply(say(REMINDERS.templates_unknown, ctx.language))
        if CREATE.intersection(fold(args).split()):
            try:
                await keeper.create()
            except (Transient, Permanent, AccessRevoked) as exc:
                return Reply(literal=say(REMINDERS.templates_failed, ctx.language, reason=exc.detail or exc.code))
            return Reply(say(REMINDERS.templates_made, ctx.language))
        known = await keeper.states()
        states = [known.get(language, TemplateState(NAME, language, MISSING)) for language in LANGUAGES]
        lines = [f"- {one.language}: {describe(one, ctx.language)}" for one in states]
        told = say(REMINDERS.templates, ctx.language, list="\n".join(lines))
        if any(one.status == MISSING for one in states):
            told = f"{told}\n{say(REMINDERS.templates_create, ctx.language)}"
        return Reply(told)

    registry.add(CommandSpec("templates", REMINDERS.help_templates, templates, also=REMINDERS.name_templates))
