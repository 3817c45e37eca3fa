"""The weather anywhere, from Open-Meteo."""

from app.skills.kit import Kit
from app.skills.tools.weather import weather_tools
from app.skills.tools.weather.going_on import OtherWeather
from app.skills.tools.weather.open_meteo import OpenMeteo


def register(kit: Kit) -> None:
    weather_tools.register(kit.tools, OpenMeteo(kit.web), kit.places, kit.charts.draw_if_asked)
    kit.certain.append(OtherWeather(kit.places).call)
