"""What the assistant can do: one line for each ability."""

from typing import Final, Protocol

from app.home import ability as home
from app.mcp import ability as mcp
from app.media import ability as media
from app.memory import ability as memory
from app.privacy import ability as privacy
from app.skills.kit import Kit
from app.skills.tools.calculator import ability as calculator
from app.skills.tools.conversation import ability as conversation
from app.skills.tools.countries import ability as countries
from app.skills.tools.datetime import ability as datetime
from app.skills.tools.files import ability as files
from app.skills.tools.lists import ability as lists
from app.skills.tools.notes import ability as notes
from app.skills.tools.oversight import ability as oversight
from app.skills.tools.projects import ability as projects
from app.skills.tools.reminders import ability as reminders
from app.skills.tools.selfcode import ability as selfcode
from app.skills.tools.spending import ability as spending
from app.skills.tools.status import ability as status
from app.skills.tools.undo import ability as undo
from app.skills.tools.weather import ability as weather


class Ability(Protocol):
    """A module that adds one ability to the kit."""

    def register(self, kit: Kit) -> None: ...


# `/help` lists their commands in this order.
ABILITIES: Final[tuple[Ability, ...]] = (
    datetime,
    calculator,
    weather,
    countries,
    notes,
    lists,
    reminders,
    projects,
    undo,
    files,
    conversation,
    oversight,
    selfcode,
    status,
    spending,
    media,
    memory,
    mcp,
    home,
    privacy,
)
