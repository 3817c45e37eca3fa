"""How large measures are, by their international definitions, and which of them differ between countries."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# By name: of what it is, and how much of the smallest of that; "" where that differs between countries.
SIZES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "gram": ("mass", "1"),
        "kilo": ("mass", "1000"),
        "tonne": ("mass", "1000000"),
        "pound": ("mass", "453.59237"),
        "stone": ("mass", "6350.29318"),
        "ounce": ("mass", "28.349523125"),
        "millilitre": ("volume", "1"),
        "litre": ("volume", "1000"),
        "cup": ("volume", "236.5882365"),
        "tablespoon": ("volume", "14.78676478125"),
        "teaspoon": ("volume", "4.92892159375"),
        "gallon": ("volume", "3785.411784"),
        "millimetre": ("length", "1"),
        "centimetre": ("length", "10"),
        "metre": ("length", "1000"),
        "kilometre": ("length", "1000000"),
        "acre": ("area", "4046.8564224"),
        "hectare": ("area", "10000"),
        "square_centimetre": ("area", "0.0001"),
        "square_metre": ("area", "1"),
        "square_kilometre": ("area", "1000000"),
        "square_inch": ("area", "0.00064516"),
        "square_foot": ("area", "0.09290304"),
        "square_yard": ("area", "0.83612736"),
        "square_mile": ("area", "2589988.110336"),
        "inch": ("length", "25.4"),
        "foot": ("length", "304.8"),
        "yard": ("length", "914.4"),
        "mile": ("length", "1609344"),
        "piece": ("count", "1"),
        "dozen": ("count", "12"),
        "pair": ("pair", "1"),
        "hour": ("hour", "1"),
        "day": ("day", "1"),
        "night": ("night", "1"),
        "celsius": ("heat", "1"),
        "fahrenheit": ("heat", "1"),
        "nautical_mile": ("length", "1852000"),
        "us_gallon": ("volume", "3785.411784"),
        "imperial_gallon": ("volume", "4546.09"),
        "us_quart": ("volume", "946.352946"),
        "imperial_quart": ("volume", "1136.5225"),
        "us_pint": ("volume", "473.176473"),
        "imperial_pint": ("volume", "568.26125"),
        "us_fluid_ounce": ("volume", "29.5735295625"),
        "imperial_fluid_ounce": ("volume", "28.4130625"),
        "short_ton": ("mass", "907184.74"),
        "long_ton": ("mass", "1016046.9088"),
        "metric_ton": ("mass", "1000000"),
        "troy_ounce": ("mass", "31.1034768"),
        "carat": ("mass", "0.2"),
        "cubic_metre": ("volume", "1000000"),
        "cubic_centimetre": ("volume", "1"),
        "cubic_inch": ("volume", "16.387064"),
        "cubic_foot": ("volume", "28316.846592"),
        "cubic_yard": ("volume", "764554.857984"),
        "kilometre_per_hour": ("speed", "1000"),
        "mile_per_hour": ("speed", "1609.344"),
        "metre_per_second": ("speed", "3600"),
        "knot": ("speed", "1852"),
        "calorie": ("energy", "4184"),
        "kilocalorie": ("energy", "4184"),
        "kilojoule": ("energy", "1000"),
        "kilowatt_hour": ("energy", "3600000"),
        "therm": ("energy", "105505585.262"),
        "kilowatt": ("power", "1000"),
        "horsepower": ("power", "745.69987158"),
        "metric_horsepower": ("power", "735.49875"),
        "psi": ("pressure", "6894.757293168"),
        "bar": ("pressure", "100000"),
        "kilopascal": ("pressure", "1000"),
        "atmosphere": ("pressure", "101325"),
        "per_hundred": ("fuel", "1"),
        "us_miles_per_gallon": ("fuel", "378.5411784 / 1.609344"),
        "imperial_miles_per_gallon": ("fuel", "454.609 / 1.609344"),
        **dict.fromkeys(("ton", "arroba", "quintal"), ("mass", "")),
        **dict.fromkeys(("league", "vara"), ("length", "")),
        **dict.fromkeys(("cuerda", "fanega", "manzana"), ("area", "")),
        **dict.fromkeys(("pint", "quart", "fluid_ounce"), ("volume", "")),
        "miles_per_gallon": ("fuel", ""),
    }
)
# These have one size in Britain, and another one in America, and so on.
OF_A_COUNTRY: Final = frozenset({"gallon", "pint", "quart", "fluid_ounce", "miles_per_gallon"})
# Of one size each where it is asked for; for a cup or a spoon only the American one is known.
KITCHEN: Final = frozenset({"cup", "tablespoon", "teaspoon"})


def of_country(unit: str, *, is_british: bool) -> str:
    """Return the measure of Britain or America that such a name is for."""
    return f"{'imperial' if is_british else 'us'}_{unit}" if unit in OF_A_COUNTRY else unit
