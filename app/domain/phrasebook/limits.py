"""What is said about the limits of an answer to a server's question."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class LimitPhrase(PhraseKey):
    """The limits, as told before an answer and again after one that broke them."""

    BROKEN = "limits_broken"
    NUMBER = "limits_number"
    LENGTH = "limits_length"
    COUNT = "limits_count"
    EXACTLY = "limits_exactly"
    AT_LEAST = "limits_at_least"
    AT_MOST = "limits_at_most"
    BETWEEN = "limits_between"
    EMAIL = "limits_email"
    URI = "limits_uri"
    DATE = "limits_date"
    DATE_TIME = "limits_date_time"


ES: Final[Mapping[LimitPhrase, str]] = MappingProxyType(
    {
        LimitPhrase.BROKEN: "Eso no vale. {rule}",
        LimitPhrase.NUMBER: "Valor permitido: {range}.",
        LimitPhrase.LENGTH: "Largo permitido, en caracteres: {range}.",
        LimitPhrase.COUNT: "Cuántas se pueden elegir: {range}.",
        LimitPhrase.EXACTLY: "exactamente {least}",
        LimitPhrase.AT_LEAST: "{least} como mínimo",
        LimitPhrase.AT_MOST: "{most} como máximo",
        LimitPhrase.BETWEEN: "de {least} a {most}",
        LimitPhrase.EMAIL: "Tiene que ser una dirección de correo, como ana@example.com.",
        LimitPhrase.URI: "Tiene que ser una dirección completa, como https://example.com/pagina.",
        LimitPhrase.DATE: "Tiene que ser una fecha escrita así: 2026-01-31 (año-mes-día).",
        LimitPhrase.DATE_TIME: (
            "Tiene que ser una fecha con hora y zona horaria, escrita así: 2026-01-31 18:30-03:00."
        ),
    }
)

EN: Final[Mapping[LimitPhrase, str]] = MappingProxyType(
    {
        LimitPhrase.BROKEN: "That cannot be used. {rule}",
        LimitPhrase.NUMBER: "Value allowed: {range}.",
        LimitPhrase.LENGTH: "Length allowed, in characters: {range}.",
        LimitPhrase.COUNT: "How many may be chosen: {range}.",
        LimitPhrase.EXACTLY: "exactly {least}",
        LimitPhrase.AT_LEAST: "at least {least}",
        LimitPhrase.AT_MOST: "at most {most}",
        LimitPhrase.BETWEEN: "from {least} to {most}",
        LimitPhrase.EMAIL: "It has to be an email address, such as ana@example.com.",
        LimitPhrase.URI: "It has to be a whole address, such as https://example.com/page.",
        LimitPhrase.DATE: "It has to be a date written like this: 2026-01-31 (year-month-day).",
        LimitPhrase.DATE_TIME: (
            "It has to be a date with the time and its zone, written like this: 2026-01-31 18:30-03:00."
        ),
    }
)
