"""The weather in words."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class WeatherPhrase(PhraseKey):
    """Parts of a forecast; `SKY_…` is what a weather code stands for."""

    NOW = "weather_now"
    TODAY = "weather_today"
    DEGREES_FELT = "weather_degrees_felt"
    RANGE = "weather_range"
    HUMIDITY = "weather_humidity"
    RAIN_CHANCE = "weather_rain_chance"
    WIND = "weather_wind"
    NO_DATA = "weather_no_data"
    SKY_CLEAR = "weather_sky_clear"
    SKY_MAINLY_CLEAR = "weather_sky_mainly_clear"
    SKY_PARTLY_CLOUDY = "weather_sky_partly_cloudy"
    SKY_OVERCAST = "weather_sky_overcast"
    SKY_FOG = "weather_sky_fog"
    SKY_FREEZING_FOG = "weather_sky_freezing_fog"
    SKY_LIGHT_DRIZZLE = "weather_sky_light_drizzle"
    SKY_DRIZZLE = "weather_sky_drizzle"
    SKY_HEAVY_DRIZZLE = "weather_sky_heavy_drizzle"
    SKY_LIGHT_FREEZING_DRIZZLE = "weather_sky_light_freezing_drizzle"
    SKY_FREEZING_DRIZZLE = "weather_sky_freezing_drizzle"
    SKY_LIGHT_RAIN = "weather_sky_light_rain"
    SKY_RAIN = "weather_sky_rain"
    SKY_HEAVY_RAIN = "weather_sky_heavy_rain"
    SKY_LIGHT_FREEZING_RAIN = "weather_sky_light_freezing_rain"
    SKY_FREEZING_RAIN = "weather_sky_freezing_rain"
    SKY_LIGHT_SNOW = "weather_sky_light_snow"
    SKY_SNOW = "weather_sky_snow"
    SKY_HEAVY_SNOW = "weather_sky_heavy_snow"
    SKY_SNOW_GRAINS = "weather_sky_snow_grains"
    SKY_LIGHT_SHOWERS = "weather_sky_light_showers"
    SKY_SHOWERS = "weather_sky_showers"
    SKY_VIOLENT_SHOWERS = "weather_sky_violent_showers"
    SKY_LIGHT_SNOW_SHOWERS = "weather_sky_light_snow_showers"
    SKY_HEAVY_SNOW_SHOWERS = "weather_sky_heavy_snow_showers"
    SKY_THUNDERSTORM = "weather_sky_thunderstorm"
    SKY_HAIL = "weather_sky_hail"
    SKY_HEAVY_HAIL = "weather_sky_heavy_hail"


ES: Final[Mapping[WeatherPhrase, str]] = MappingProxyType(
    {
        WeatherPhrase.NOW: "{place}, ahora ({time} allá): {now}",
        WeatherPhrase.TODAY: "Hoy",
        WeatherPhrase.DEGREES_FELT: "{degrees} °C (sensación de {felt} °C)",
        WeatherPhrase.RANGE: "{low} a {high} °C",
        WeatherPhrase.HUMIDITY: "humedad {percent} %",
        WeatherPhrase.RAIN_CHANCE: "lluvia {percent} %",
        WeatherPhrase.WIND: "viento {speed} km/h",
        WeatherPhrase.NO_DATA: "sin datos",
        WeatherPhrase.SKY_CLEAR: "cielo despejado",
        WeatherPhrase.SKY_MAINLY_CLEAR: "mayormente despejado",
        WeatherPhrase.SKY_PARTLY_CLOUDY: "parcialmente nublado",
        WeatherPhrase.SKY_OVERCAST: "nublado",
        WeatherPhrase.SKY_FOG: "niebla",
        WeatherPhrase.SKY_FREEZING_FOG: "niebla helada",
        WeatherPhrase.SKY_LIGHT_DRIZZLE: "llovizna débil",
        WeatherPhrase.SKY_DRIZZLE: "llovizna",
        WeatherPhrase.SKY_HEAVY_DRIZZLE: "llovizna intensa",
        WeatherPhrase.SKY_LIGHT_FREEZING_DRIZZLE: "llovizna helada débil",
        WeatherPhrase.SKY_FREEZING_DRIZZLE: "llovizna helada",
        WeatherPhrase.SKY_LIGHT_RAIN: "lluvia débil",
        WeatherPhrase.SKY_RAIN: "lluvia",
        WeatherPhrase.SKY_HEAVY_RAIN: "lluvia intensa",
        WeatherPhrase.SKY_LIGHT_FREEZING_RAIN: "lluvia helada débil",
        WeatherPhrase.SKY_FREEZING_RAIN: "lluvia helada",
        WeatherPhrase.SKY_LIGHT_SNOW: "nevada débil",
        WeatherPhrase.SKY_SNOW: "nieve",
        WeatherPhrase.SKY_HEAVY_SNOW: "nevada intensa",
        WeatherPhrase.SKY_SNOW_GRAINS: "cinarra",
        WeatherPhrase.SKY_LIGHT_SHOWERS: "chubascos débiles",
        WeatherPhrase.SKY_SHOWERS: "chubascos",
        WeatherPhrase.SKY_VIOLENT_SHOWERS: "chubascos violentos",
        WeatherPhrase.SKY_LIGHT_SNOW_SHOWERS: "chubascos débiles de nieve",
        WeatherPhrase.SKY_HEAVY_SNOW_SHOWERS: "chubascos intensos de nieve",
        WeatherPhrase.SKY_THUNDERSTORM: "tormenta",
        WeatherPhrase.SKY_HAIL: "tormenta con granizo",
        WeatherPhrase.SKY_HEAVY_HAIL: "tormenta con granizo intenso",
    }
)

EN: Final[Mapping[WeatherPhrase, str]] = MappingProxyType(
    {
        WeatherPhrase.NOW: "{place}, now ({time} there): {now}",
        WeatherPhrase.TODAY: "Today",
        WeatherPhrase.DEGREES_FELT: "{degrees} °C (feels like {felt} °C)",
        WeatherPhrase.RANGE: "{low} to {high} °C",
        WeatherPhrase.HUMIDITY: "humidity {percent}%",
        WeatherPhrase.RAIN_CHANCE: "rain {percent}%",
        WeatherPhrase.WIND: "wind {speed} km/h",
        WeatherPhrase.NO_DATA: "no data",
        WeatherPhrase.SKY_CLEAR: "clear sky",
        WeatherPhrase.SKY_MAINLY_CLEAR: "mainly clear",
        WeatherPhrase.SKY_PARTLY_CLOUDY: "partly cloudy",
        WeatherPhrase.SKY_OVERCAST: "overcast",
        WeatherPhrase.SKY_FOG: "fog",
        WeatherPhrase.SKY_FREEZING_FOG: "freezing fog",
        WeatherPhrase.SKY_LIGHT_DRIZZLE: "light drizzle",
        WeatherPhrase.SKY_DRIZZLE: "drizzle",
        WeatherPhrase.SKY_HEAVY_DRIZZLE: "heavy drizzle",
        WeatherPhrase.SKY_LIGHT_FREEZING_DRIZZLE: "light freezing drizzle",
        WeatherPhrase.SKY_FREEZING_DRIZZLE: "freezing drizzle",
        WeatherPhrase.SKY_LIGHT_RAIN: "light rain",
        WeatherPhrase.SKY_RAIN: "rain",
        WeatherPhrase.SKY_HEAVY_RAIN: "heavy rain",
        WeatherPhrase.SKY_LIGHT_FREEZING_RAIN: "light freezing rain",
        WeatherPhrase.SKY_FREEZING_RAIN: "freezing rain",
        WeatherPhrase.SKY_LIGHT_SNOW: "light snow",
        WeatherPhrase.SKY_SNOW: "snow",
        WeatherPhrase.SKY_HEAVY_SNOW: "heavy snow",
        WeatherPhrase.SKY_SNOW_GRAINS: "snow grains",
        WeatherPhrase.SKY_LIGHT_SHOWERS: "light showers",
        WeatherPhrase.SKY_SHOWERS: "showers",
        WeatherPhrase.SKY_VIOLENT_SHOWERS: "violent showers",
        WeatherPhrase.SKY_LIGHT_SNOW_SHOWERS: "light snow showers",
        WeatherPhrase.SKY_HEAVY_SNOW_SHOWERS: "heavy snow showers",
        WeatherPhrase.SKY_THUNDERSTORM: "thunderstorm",
        WeatherPhrase.SKY_HAIL: "thunderstorm with hail",
        WeatherPhrase.SKY_HEAVY_HAIL: "thunderstorm with heavy hail",
    }
)
