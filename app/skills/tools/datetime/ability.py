"""The time here and anywhere."""

from app.skills.kit import Kit
from app.skills.tools.datetime import asked_now, datetime_tools
from app.skills.tools.datetime.going_on import OtherClock
from app.skills.tools.datetime.of_places import ClockOfPlace
from app.skills.tools.datetime.on_the_calendar import OnTheCalendar
from app.skills.tools.datetime.two_clocks import TwoClocks
from app.skills.whereabouts.whereabouts import Whereabouts


def register(kit: Kit) -> None:
    datetime_tools.register(kit.tools, kit.clock, kit.places)
    conversations = kit.repository.conversations
    whereabouts = Whereabouts(kit.remembering, conversations, kit.places)
    other = OtherClock(kit.places, whereabouts, conversations)
    kit.certain.append(asked_now.call)
    kit.certain.append(other.call)
    kit.certain.append(ClockOfPlace(kit.places).call)
    if kit.is_small_model:
        kit.tellings.append(TwoClocks(kit.places, whereabouts, kit.clock, conversations).tell)
        kit.tellings.append(other.tell)
        kit.tellings.append(OnTheCalendar(conversations, kit.clock).tell)
