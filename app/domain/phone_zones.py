"""The time zone that a phone number tells."""

from typing import Final

import phonenumbers
from phonenumbers import timezone

from app.domain.place_names import PRINCIPAL_ZONES

_UNKNOWN: Final = "Etc/Unknown"


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
