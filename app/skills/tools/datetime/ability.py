"""The time here and anywhere."""

from app.skills.kit import Kit
from app.skills.tools.datetime import datetime_tools
from app.skills.tools.datetime.going_on import OtherClock


def register(kit: Kit) -> None:
    datetime_tools.register(kit.tools, kit.clock, kit.places)
    kit.certain.append(OtherClock(kit.places).call)
