"""Words that the comparison of facts knows, Spanish and English, folded: lower case, no accents."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# fmt: off
NEGATIONS: Final = frozenset((
    "no", "not", "nunca", "never", "tampoco", "jamas", "ningun", "ninguna", "without", "sin",
))
FILLER: Final = frozenset((
    "a", "al", "an", "and", "are", "am", "anymore", "any", "as", "at", "be", "by", "con", "de", "del", "do",
    "does", "e", "el", "en", "es", "esta", "estoy", "for", "from", "have", "has", "i", "in", "is", "it", "la",
    "las", "lo", "los", "longer", "me", "mi", "mis", "my", "o", "of", "on", "or", "para", "por", "que", "se",
    "soy", "su", "sus", "the", "than", "that", "to", "un", "una", "unas", "unos", "user", "usuaria", "usuario",
    "was", "with", "y", "ya", "yo", "ahora", "actualmente", "now", "currently", "actually", "remember",
    "recuerda", "recorda", "really", "much", "mucho", "s",
))
"""They say nothing about what a fact is about."""
SHIFTS: Final = frozenset((
    "antes", "solia", "before", "used", "former", "ex", "quiero", "quisiera", "want", "would", "gustaria", "si",
    "if", "hasta", "until", "excepto", "except", "pero", "but", "solo", "only", "menos", "casi", "almost",
    "quizas", "maybe", "perhaps", "planeo", "plan", "pienso", "salvo", "unless", "era", "was", "when", "cuando",
    "dejo", "dejar", "stop", "stopped",
))
"""Added to a sentence, they turn its meaning."""
STATES: Final = frozenset((
    "es", "son", "is", "are", "mide", "pesa", "cuesta", "tiene", "tengo", "cumple", "cumplo", "sale", "vence",
    "llega", "empieza", "termina", "weighs", "costs", "has", "have", "leaves", "expires", "arrives", "starts",
    "ends", "gana", "gano", "calzo", "uso", "use", "uses", "abre", "cierra", "opens", "closes",
))
"""Verbs that tell how something is, not what happened once."""
MONTHS: Final = frozenset((
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "setiembre",
    "octubre", "noviembre", "diciembre", "january", "february", "march", "april", "may", "june", "july",
    "august", "september", "october", "november", "december",
))
CATEGORY_WORDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "health": (
        "alergia", "alergias", "alergico", "alergica", "alergicos", "celiaco", "celiaca", "diabetes",
        "diabetico", "diabetica", "hipertension", "asma", "medicamento", "medicamentos", "medicina", "pastilla",
        "pastillas", "dosis", "doctor", "doctora", "medico", "operacion", "dolor", "salud", "sangre",
        "sanguineo", "vacuna", "vacunas", "dieta", "intolerante", "allergy", "allergies", "allergic", "celiac",
        "coeliac", "diabetic", "asthma", "medication", "medicine", "pill", "pills", "dose", "surgery", "pain",
        "health", "blood", "vaccine", "diet", "intolerant", "hypertension", "hospital",
    ),
    "work": (
        "trabajo", "trabaja", "trabajar", "empresa", "oficina", "jefe", "jefa", "sueldo", "reunion",
        "reuniones", "proyecto", "cliente", "clientes", "profesion", "empleo", "colega", "colegas", "carrera",
        "universidad", "estudio", "work", "works", "job", "office", "boss", "salary", "meeting", "company",
        "client", "clients", "profession", "colleague", "colleagues", "career", "university", "study",
    ),
    "tastes": (
        "gusta", "gustan", "gustaban", "encanta", "encantan", "odio", "detesto", "prefiero", "favorito",
        "favorita", "adoro", "amo", "aburre", "hobby", "aficion", "aficiones", "like", "likes", "love", "loves",
        "hate", "hates", "dislike", "enjoy", "prefer", "favorite", "favourite", "hobbies", "fan",
    ),
    "home": (
        "vivo", "vivimos", "casa", "piso", "departamento", "apartamento", "direccion", "alquiler", "vecino",
        "vecina", "vecinos", "barrio", "wifi", "router", "garaje", "cocina", "jardin", "alarma", "porton",
        "live", "house", "flat", "apartment", "address", "rent", "neighbour", "neighbor", "neighbourhood",
        "neighborhood", "kitchen", "garden", "garage", "door", "alarm",
    ),
    "plans": (
        "viaje", "viajo", "viajar", "vuelo", "vuelos", "vacaciones", "cita", "turno", "reserva", "boda",
        "fiesta", "mudanza", "quiero", "planeo", "meta", "objetivo", "trip", "travel", "flight", "holiday",
        "holidays", "vacation", "appointment", "booking", "wedding", "party", "plan", "goal", "want",
    ),
    "personal": (
        "llamo", "nombre", "cumpleanos", "cumplo", "naci", "anos", "edad", "telefono", "correo", "email",
        "idioma", "nacionalidad", "documento", "dni", "pasaporte", "talla", "altura", "peso", "name",
        "birthday", "born", "age", "phone", "language", "nationality", "passport", "size", "height", "weight",
    ),
})
"""Words that put a fact in a category; the first category that has one of them wins."""
# fmt: on
