"""/mode."""

from types import MappingProxyType
from typing import Final

from app.commands.registry import CommandRegistry, CommandSpec
from app.commands.texts import COMMANDS
from app.database.repository import Repository
from app.domain.outbound import Reply
from app.domain.turn import ConfirmationMode, TurnContext
from app.language.catalogue import Sentence, say
from app.skills.tools.catalog.texts import CATALOG

_MEANINGS: Final[MappingProxyType[ConfirmationMode, Sentence]] = MappingProxyType(
    {
        "confirm-all": CATALOG.mode_confirm_all,
        "confirm-sensitive": CATALOG.mode_confirm_sensitive,
        "yolo": CATALOG.mode_yolo,
    }
)


def register(registry: CommandRegistry, repository: Repository) -> None:
    async def mode(args: str, ctx: TurnContext) -> Reply:
        choices = ", ".join(_MEANINGS)
        if not args:
            meaning = say(_MEANINGS[ctx.mode], ctx.language)
            return Reply(say(CATALOG.mode_now, ctx.language, mode=ctx.mode, meaning=meaning, choices=choices))
        wanted = next((name for name in _MEANINGS if name == args.lower()), None)
        if wanted is None:
            return Reply(say(CATALOG.mode_unknown, ctx.language, mode=args, choices=choices))
        if wanted == "yolo" and not ctx.is_admin:
            return Reply(say(COMMANDS.admin_only, ctx.language))
        async with repository.transaction() as tx:
            await repository.users.set_mode(ctx.user_id, wanted, tx=tx)
        return Reply(
            say(CATALOG.mode_set, ctx.language, mode=wanted, meaning=say(_MEANINGS[wanted], ctx.language))
        )

    registry.add(CommandSpec("mode", CATALOG.help_mode, mode))
