"""The weather anywhere, from Open-Meteo."""

from app.domain.turn import TurnContext
from app.skills.kit import Kit
from app.skills.selection import Need
from app.skills.tools.weather import weather_tools
from app.skills.tools.weather.asked import asks_outside
from app.skills.tools.weather.going_on import OtherWeather
from app.skills.tools.weather.open_meteo import OpenMeteo
from app.skills.whereabouts.whereabouts import Whereabouts


def register(kit: Kit) -> None:
    weather_tools.register(kit.tools, OpenMeteo(kit.web), kit.places, kit.charts.draw_if_asked)
    conversations = kit.repository.conversations
    other = OtherWeather(kit.places, Whereabouts(kit.remembering, conversations, kit.places), conversations)
    kit.needs.append(Need(_needs, asks_outside))
    kit.certain.append(other.call)
    if kit.is_small_model:
        kit.tellings.append(other.tell)


async def _needs(text: str, ctx: TurnContext) -> tuple[str, ...]:
    return ("get_weather",)
