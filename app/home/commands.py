"""/home: a link that opens the asker's home once; `/home off` closes it everywhere."""

from datetime import timedelta

from app.asking.lexicon import says
from app.commands.registry import CommandRegistry, CommandSpec
from app.domain.outbound import Reply
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.home.repository import LINK_LIFE, Doors
from app.home.texts import AT_HOME
from app.language.catalogue import say


def register(registry: CommandRegistry, doors: Doors, clock: Clock, *, address: str) -> None:
    """Add the command; `address` is where people reach the home, "" if nowhere."""

    async def home(args: str, ctx: TurnContext) -> Reply:
        if says(args, AT_HOME.off_word):
            return Reply(say(AT_HOME.closed, ctx.language, count=await doors.close_all(ctx.user_id)))
        if not address:
            return Reply(say(AT_HOME.no_address, ctx.language))
        link = f"{address.rstrip('/')}/home/in/{await doors.add_link(ctx.user_id, clock.now())}"
        minutes = LINK_LIFE // timedelta(minutes=1)
        return Reply(literal=say(AT_HOME.link, ctx.language, link=link, minutes=minutes))

    registry.add(CommandSpec("home", AT_HOME.help_home, home, also=AT_HOME.name_home, is_control=True))
