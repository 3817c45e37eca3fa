"""Phone numbers as WhatsApp uses them: one canonical form for the spellings of one subscriber."""

import re
from typing import Final

from app.language.catalogue import Language

_NOT_DIGITS: Final = re.compile(r"\D")
_NUMBER: Final = re.compile(r"[0-9+() ./\-]+")
# A country, a dot, and up to 128 letters and digits: Meta's documentation of business-scoped user ids.
_BSUID: Final = re.compile(r"[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}")
_MIN_DIGITS: Final = 7
_MAX_DIGITS: Final = 15
_MAX_ODD_CHARS: Final = 40
# Countries (ITU-T E.164 codes) in which we greet a person in Spanish until we know better.
# fmt: off
_SPANISH_PREFIXES: Final = (
    "34", "51", "52", "53", "54", "56", "57", "58", "240", "502", "503", "504", "505", "506", "507",
    "591", "593", "595", "598", "1787", "1809", "1829", "1849", "1939",
)
# fmt: on


def digits_of(text: str) -> str:
    """Return the digits of a text, in order: "+54 9 11" is "54911"."""
    return _NOT_DIGITS.sub("", text)


def canonical_number(text: str) -> str:
    """Reduce a number to digits, without the mobile digit that some countries put in or leave out.

    WhatsApp ids of Argentina carry a 9 after 54 and old ones of Mexico a 1 after 52, which people leave out;
    ids of Brazil may lack the ninth digit that people write. The subscriber is the same either way.
    """
    digits = digits_of(text)
    if digits.startswith("549") and len(digits) == 13:
        return "54" + digits[3:]
    if digits.startswith("521") and len(digits) == 13:
        return "52" + digits[3:]
    if digits.startswith("55") and len(digits) == 13 and digits[4] == "9":
        return digits[:4] + digits[5:]
    return digits


def phone_alias(wa_id: str) -> str:
    """The identity under which a phone number is stored; an id without digits stands for itself."""
    return f"tel:{canonical_number(wa_id) or wa_id[:_MAX_ODD_CHARS]}"


def bsuid_alias(bsuid: str) -> str:
    """The identity under which a business-scoped user id is stored."""
    return f"bsuid:{bsuid}"


def is_business_scoped(alias: str) -> bool:
    """Tell whether an identity is a business-scoped user id."""
    return alias.startswith("bsuid:")


def is_number_or_bsuid(entry: str) -> bool:
    """Tell whether an entry of ALLOWED_PHONE_NUMBERS can mean somebody.

    A number has 7 to 15 digits (ITU-T E.164 sets the upper bound) and may be written with `+`, brackets,
    spaces, dots, dashes and slashes.
    """
    digits = len(digits_of(entry))
    is_number = _NUMBER.fullmatch(entry) is not None and _MIN_DIGITS <= digits <= _MAX_DIGITS
    return is_number or _BSUID.fullmatch(entry) is not None


def setting_alias(entry: str) -> str:
    """The identity that an entry of ALLOWED_PHONE_NUMBERS means: a BSUID, or else a number."""
    return bsuid_alias(entry) if _BSUID.fullmatch(entry) else phone_alias(entry)


def likely_language(wa_id: str | None) -> Language:
    """Guess a newcomer's language from the country of the number."""
    return "es" if wa_id is not None and wa_id.startswith(_SPANISH_PREFIXES) else "en"
