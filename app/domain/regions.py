"""States, provinces and counties, which people name behind a town: "Portland in Maine", "Mérida en Extremadura".

They are looked for behind a town only: alone, most of these names mean a town, or no place at all. Which zones a
region keeps follows the IANA time zone database.
"""

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

_REGIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Africa/Johannesburg": (
            "Western Cape, Eastern Cape, Northern Cape, Gauteng, KwaZulu Natal, Natal, Limpopo, Mpumalanga, "
            "Free State, North West Province, Transvaal"
        ),
        "America/Anchorage": "Alaska",
        "America/Argentina/Buenos_Aires": (
            "Buenos Aires, Provincia de Buenos Aires, Entre Ríos, Santa Fe, Corrientes, Misiones, Chaco, Formosa, "
            "Santiago del Estero, Córdoba, Mendoza, San Juan, San Luis, La Rioja, Catamarca, Tucumán, "
            "Salta, Jujuy, "
            "La Pampa, Neuquén, Río Negro, Chubut, Santa Cruz, Tierra del Fuego, Patagonia"
        ),
        "America/Asuncion": "Alto Paraná, Itapúa, Caaguazú, Guairá",
        "America/Bogota": (
            "Antioquia, Valle del Cauca, Cauca, Cundinamarca, Boyacá, Santander, Norte de Santander, "
            "Tolima, Huila, "
            "Nariño, Caldas, Risaralda, Quindío, Atlántico, Bolívar, Magdalena, Cesar, La Guajira, Guajira, "
            "Sucre, "
            "Córdoba, Meta, Casanare, Arauca, Putumayo, Caquetá, Chocó, Guaviare, Vichada"
        ),
        "America/Cancun": "Quintana Roo",
        "America/Caracas": (
            "Zulia, Táchira, Mérida, Trujillo, Lara, Carabobo, Aragua, Miranda, Bolívar, Anzoátegui, Monagas, "
            "Nueva Esparta, Barinas, Portuguesa, Falcón, Yaracuy, Guárico, Apure, Cojedes"
        ),
        "America/Chicago": (
            "Texas, Illinois, Minnesota, Wisconsin, Iowa, Missouri, Arkansas, Louisiana, Luisiana, Mississippi, "
            "Misisipi, Alabama, Oklahoma, Kansas, Nebraska, North Dakota, Dakota del Norte, South Dakota, "
            "Dakota del Sur, Tennessee, Kentucky, Florida, Indiana"
        ),
        "America/Chihuahua": "Chihuahua",
        "America/Costa_Rica": "Guanacaste, Puntarenas, Alajuela, Heredia, Cartago, Limón",
        "America/Denver": (
            "Colorado, Utah, New Mexico, Nuevo México, Montana, Wyoming, Idaho, Kansas, Nebraska, North Dakota, "
            "Dakota del Norte, South Dakota, Dakota del Sur, Texas, Oregon"
        ),
        "America/Edmonton": "Alberta",
        "America/Guatemala": "Petén, Quetzaltenango, Huehuetenango, Alta Verapaz, Escuintla, Izabal",
        "America/Guayaquil": (
            "Azuay, Guayas, Pichincha, Manabí, Loja, El Oro, Esmeraldas, Imbabura, Tungurahua, Chimborazo, "
            "Cotopaxi, "
            "Carchi, Napo"
        ),
        "America/Halifax": "Nova Scotia, Nueva Escocia, Prince Edward Island",
        "America/Hermosillo": "Sonora",
        "America/La_Paz": "Beni, Tarija, Potosí, Oruro, Chuquisaca, Pando, Santa Cruz",
        "America/Lima": (
            "Loreto, Cusco, Cuzco, Arequipa, Piura, Lambayeque, La Libertad, Áncash, Ancash, Junín, Puno, Tacna, "
            "Moquegua, Ucayali, San Martín, Cajamarca, Ayacucho, Huánuco, Ica, Tumbes, Madre de Dios"
        ),
        "America/Los_Angeles": "California, Oregon, Washington, Washington State, Nevada, Idaho",
        "America/Mazatlan": "Sinaloa, Baja California Sur, Nayarit",
        "America/Merida": "Yucatán, Campeche",
        "America/Mexico_City": (
            "Jalisco, Puebla, Oaxaca, Veracruz, Guanajuato, Michoacán, Guerrero, Chiapas, Tabasco, Hidalgo, "
            "Morelos, "
            "Querétaro, San Luis Potosí, Zacatecas, Aguascalientes, Colima, Tlaxcala, Estado de México, Edomex"
        ),
        "America/Moncton": "New Brunswick, Nuevo Brunswick",
        "America/Monterrey": "Nuevo León, Coahuila, Tamaulipas, Durango",
        "America/Montevideo": (
            "Canelones, Maldonado, Rocha, Colonia, Soriano, Salto, Rivera, Artigas, Tacuarembó, "
            "Cerro Largo, Durazno, "
            "Lavalleja, Río Negro"
        ),
        "America/New_York": (
            "New York, Nueva York, New York State, Maine, Vermont, New Hampshire, Massachusetts, Connecticut, "
            "Rhode Island, New Jersey, Nueva Jersey, Pennsylvania, Pensilvania, Delaware, Maryland, Virginia, "
            "West Virginia, Virginia Occidental, North Carolina, Carolina del Norte, South Carolina, "
            "Carolina del Sur, Georgia, Ohio, Michigan, Tennessee, Kentucky, Florida, Indiana"
        ),
        "America/Panama": "Chiriquí, Veraguas, Coclé, Bocas del Toro",
        "America/Phoenix": "Arizona",
        "America/Punta_Arenas": "Magallanes, Patagonia",
        "America/Regina": "Saskatchewan",
        "America/Santiago": (
            "Atacama, Coquimbo, Valparaíso, Maule, Ñuble, Biobío, Bío Bío, Araucanía, Los Ríos, Los Lagos, "
            "O'Higgins, "
            "Antofagasta, Tarapacá, Chiloé"
        ),
        "America/St_Johns": "Newfoundland, Terranova",
        "America/Tijuana": "Baja California",
        "America/Toronto": "Ontario, Quebec",
        "America/Vancouver": "British Columbia, Columbia Británica",
        "America/Winnipeg": "Manitoba",
        "Asia/Kolkata": "Kerala, Punjab, Gujarat, Goa, Tamil Nadu, Rajasthan, Karnataka, Maharashtra, Bihar",
        "Atlantic/Canary": "Canarias, Canary Islands, Islas Canarias, Tenerife, Gran Canaria, Lanzarote",
        "Australia/Adelaide": "South Australia",
        "Australia/Brisbane": "Queensland",
        "Australia/Darwin": "Northern Territory",
        "Australia/Hobart": "Tasmania",
        "Australia/Melbourne": "Victoria",
        "Australia/Perth": "Western Australia",
        "Australia/Sydney": "New South Wales, NSW",
        "Europe/Dublin": (
            "Munster, Connacht, Leinster, Kerry, Mayo, Cork, Galway, Donegal, Clare, Sligo, Leitrim, Roscommon, "
            "Longford, Westmeath, Meath, Louth, Cavan, Monaghan, Offaly, Laois, Kildare, Wicklow, Wexford, "
            "Carlow, "
            "Kilkenny, Waterford, Tipperary, Limerick, Dublin"
        ),
        "Europe/London": (
            "England, Inglaterra, Scotland, Escocia, Wales, Gales, Northern Ireland, Irlanda del Norte, Antrim, "
            "Armagh, Tyrone, Fermanagh, Cornwall, Devon, Dorset, Somerset, Kent, Sussex, Surrey, Essex, Suffolk, "
            "Norfolk, Yorkshire, Lancashire, Cumbria, Northumberland, Durham, Cheshire, Shropshire, Derbyshire, "
            "Lincolnshire, Fife, Tayside, Aberdeenshire, Ayrshire, Powys, Gwynedd, Pembrokeshire, Hampshire, "
            "Oxfordshire, Gloucestershire, Wiltshire, Berkshire, the Midlands"
        ),
        "Europe/Madrid": (
            "Andalucía, Extremadura, Galicia, Asturias, Cantabria, País Vasco, Euskadi, Navarra, La Rioja, "
            "Aragón, "
            "Cataluña, Catalunya, Castilla y León, Castilla la Mancha, Comunidad Valenciana, Murcia, Baleares, "
            "Mallorca, Jaén, Huelva, Cádiz, Almería, Badajoz, Cáceres, Toledo, Ciudad Real, Albacete, "
            "Teruel, Huesca, "
            "Lugo, Orense, Pontevedra, Burgos, Salamanca, Zamora, Segovia, Soria, Ávila"
        ),
        "Pacific/Auckland": (
            "Otago, Waikato, Canterbury, Southland, Northland, Taranaki, Hawke's Bay, Bay of Plenty, Marlborough, "
            "North Island, South Island"
        ),
        "Pacific/Honolulu": "Hawaii, Hawái",
    }
)
"""Zone -> the regions that keep it, at least in part."""

# Several of their towns keep the other zone, whatever the most do.
SPLIT: Final = frozenset({"florida", "indiana", "kentucky", "tennessee", "cordoba", "la rioja", "bolivar"})


@cache
def regions(fold: Callable[[str], str]) -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Return the folded name of a region -> (name, zones)."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for zone, names in _REGIONS.items():
        for name in (one.strip() for one in names.split(",")):
            _, zones = found.get(fold(name), ("", ()))
            found[fold(name)] = (name, (*zones, zone))
    return MappingProxyType(found)
