"""Where a phone number is from: its country and its time zone."""

from functools import lru_cache
from typing import Final

import phonenumbers
from phonenumbers import timezone

from app.domain.place_names import PRINCIPAL_ZONES

_UNKNOWN: Final = "Etc/Unknown"
_NO_COUNTRY: Final = "ZZ"


def country_of(wa_id: str | None, bsuid: str | None = None) -> str:
    """Return the ISO 3166 code of a number's country, or of a business-scoped id's; "" where neither tells one."""
    if wa_id is None or "." in wa_id:
        return (bsuid or wa_id or "").partition(".")[0]
    try:
        number = phonenumbers.parse(f"+{wa_id}")
    except phonenumbers.NumberParseException:
        return ""
    code = phonenumbers.region_code_for_country_code(number.country_code or 0)
    return phonenumbers.region_code_for_number(number) or ("" if code == _NO_COUNTRY else code)


@lru_cache(maxsize=1024)
def zone_of_number(wa_id: str | None, default: str) -> str:
    """Return the IANA zone of a number's prefix; `default` where it tells none, or is one of its several.

    Of several, the one in which most of the country lives.
    """
    try:
        number = phonenumbers.parse(f"+{wa_id}")
    except phonenumbers.NumberParseException:
        return default
    zones = [zone for zone in timezone.time_zones_for_number(number) if zone != _UNKNOWN]
    if not zones or default in zones:
        return default
    principal = PRINCIPAL_ZONES.get(phonenumbers.region_code_for_number(number) or "")
    return principal if principal in zones else zones[0]
