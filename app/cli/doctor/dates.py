"""Two clocks: this machine's, and the one by which versions of the Graph API end."""

from collections.abc import Mapping
from datetime import date, timedelta
from types import MappingProxyType
from typing import Final

from app.cli.doctor.graph import GraphReader
from app.cli.doctor.outcome import Outcome, failed, ok, skipped

NEWEST: Final = "v26.0"
_MAX_SKEW_S: Final = 60.0
_SOON: Final = timedelta(days=90)
# Changelog of the Graph API, as of 2026 (`whatsapp-cloud-api.md` §3.1); the newest has no end yet.
_ENDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "v20.0": "2026-09-24",
        "v21.0": "2027-01-21",
        "v22.0": "2027-05-20",
        "v23.0": "2027-10-08",
        "v24.0": "2028-02-18",
        "v25.0": "2028-07-29",
    }
)


async def check_clock(graph: GraphReader) -> Outcome:
    """This machine's clock agrees with the Date header of Meta's answers."""
    if graph.skew_s is None:
        return skipped("Meta's answers carried no time")
    if abs(graph.skew_s) > _MAX_SKEW_S:
        way = "ahead" if graph.skew_s > 0 else "behind"
        return failed(
            f"this machine's clock is {abs(graph.skew_s):.0f} s {way}: times and the 24-hour window are wrong",
            "let the system set its clock: sudo timedatectl set-ntp true (macOS: Settings > Date & Time)",
        )
    return ok(f"within {max(abs(graph.skew_s), 1):.0f} s of Meta's")


async def check_version(version: str, today: date) -> Outcome:
    """The version of the Graph API is one that Meta still answers, and for a while."""
    fix = f"set WHATSAPP_API_VERSION={NEWEST} in .env"
    known = _ENDS.get(version)
    if known is None:
        number, oldest = _number(version), min(map(_number, _ENDS))
        if number < oldest:
            return failed(f"{version} has ended", fix)
        return ok(
            f"{version} has no end yet" if version == NEWEST else f"{version} is newer than this program knows"
        )
    end = date.fromisoformat(known)
    if end <= today:
        return failed(f"{version} ended on {end}", fix)
    return ok(f"{version} lasts until {end}", f"that is soon: {fix}" if end - today < _SOON else "")


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.removeprefix("v").split("."))
