"""/mode."""

from types import MappingProxyType
from typing import Final

from app.commands.registry import CommandRegistry, CommandSpec
from app.database.repository import Repository
from app.domain.outbound import Reply
from app.domain.phrases import Phrase, say
from app.domain.turn import ConfirmationMode, TurnContext

_MEANINGS: Final[MappingProxyType[ConfirmationMode, Phrase]] = MappingProxyType(
    {
        "confirm-all": Phrase.MODE_CONFIRM_ALL,
        "confirm-sensitive": Phrase.MODE_CONFIRM_SENSITIVE,
        "yolo": Phrase.MODE_YOLO,
    }
)


def register(registry: CommandRegistry, repository: Repository) -> None:
    async def mode(args: str, ctx: TurnContext) -> Reply:
        choices = ", ".join(_MEANINGS)
        if not args:
            meaning = say(_MEANINGS[ctx.mode], ctx.language)
            return Reply(say(Phrase.MODE_NOW, ctx.language, mode=ctx.mode, meaning=meaning, choices=choices))
        wanted = next((name for name in _MEANINGS if name == args.lower()), None)
        if wanted is None:
            return Reply(say(Phrase.MODE_UNKNOWN, ctx.language, mode=args, choices=choices))
        if wanted == "yolo" and not ctx.is_admin:
            return Reply(say(Phrase.ADMIN_ONLY, ctx.language))
        async with repository.transaction() as tx:
            await repository.users.set_mode(ctx.user_id, wanted, tx=tx)
        return Reply(say(Phrase.MODE_SET, ctx.language, mode=wanted, meaning=say(_MEANINGS[wanted], ctx.language)))

    registry.add(CommandSpec("mode", Phrase.HELP_MODE, mode))
