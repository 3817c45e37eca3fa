"""Whether the last reply of a task shows that the thing was really done."""

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from app.language.folding import fold
from app.language.lexicon import COMMON_WORDS

_MACHINERY: Final = re.compile(
    r"tool_call|</?think|\"(?:tool|args|arguments|calls|reply)\"\s*:|request_more_tools|<tool|Traceback|"
    r"\b(?:save_note|list_notes|search_notes|get_note|delete_note|calculate|get_current_datetime|convert_timezone|"
    r"create_project|list_projects|get_project|add_task|update_task|project_progress)\b|For you, not part",
)
_MONTHS: Final = {
    1: ("enero", "january"),
    2: ("febrero", "february"),
    3: ("marzo", "march"),
    4: ("abril", "april"),
    5: ("mayo", "may"),
    6: ("junio", "june"),
    7: ("julio", "july"),
    8: ("agosto", "august"),
    9: ("septiembre", "september"),
    10: ("octubre", "october"),
    11: ("noviembre", "november"),
    12: ("diciembre", "december"),
}


def shows_machinery(reply: str) -> bool:
    """Tell whether a person would see a tool call, thinking or an internal name."""
    return _MACHINERY.search(reply) is not None


def unmet(reply: str, expect: Mapping[str, Any], now: datetime) -> list[str]:
    """Return what the reply lacks, in words; empty when the task was done."""
    missing = [f"matches {p}" for p in expect.get("matches", ()) if not re.search(p, reply, re.IGNORECASE)]
    missing += [f"absent {p}" for p in expect.get("absent", ()) if re.search(p, reply, re.IGNORECASE)]
    if "number" in expect and not has_number(reply, expect["number"]):
        missing.append(f"number {expect['number']}")
    if "clock" in expect and not has_clock(reply, expect["clock"], now):
        missing.append(f"clock {expect['clock']}")
    if "convert" in expect:
        time, source, target = expect["convert"]
        hour, minute = map(int, time.split(":"))
        moment = now.astimezone(ZoneInfo(source)).replace(hour=hour, minute=minute)
        if not _shows_time(reply, moment.astimezone(ZoneInfo(target)), minutes=0):
            missing.append(f"convert {expect['convert']}")
    if expect.get("today") and not _has_date(reply, now.astimezone().date()):
        missing.append("today")
    return missing


def has_number(reply: str, wanted: float) -> bool:
    """Tell whether the reply has that number, in any usual writing, in words, too."""
    names = COMMON_WORDS.table("numbers").get(f"{wanted:g}", frozenset())
    if not names.isdisjoint(re.findall(r"[\w-]+", fold(reply))):
        return True
    for text in re.findall(r"\d[\d.,'\u00a0\u202f ]*", reply):
        compact = re.sub(r"[\s'\u00a0\u202f]", "", text).rstrip(".,")
        for candidate in (
            compact.replace(",", ""),
            compact.replace(".", "").replace(",", "."),
            compact.replace(",", "."),
        ):
            try:
                if abs(float(candidate) - wanted) < 1e-6 * max(1.0, abs(wanted)):
                    return True
            except ValueError:
                continue
    return False


def has_clock(reply: str, zone: str, now: datetime, *, minutes: int = 4) -> bool:
    """Tell whether the reply shows the time of that zone, a few minutes either way."""
    return _shows_time(reply, now.astimezone(ZoneInfo(zone)), minutes=minutes)


def _shows_time(reply: str, moment: datetime, *, minutes: int) -> bool:
    said = set()
    for hour, minute, half in re.findall(r"(\d{1,2})[:.h](\d{2})(?:\s*([ap])\.?\s*m)?", reply, re.IGNORECASE):
        value = int(hour) % 12 + (12 if half.lower() == "p" else 0) if half else int(hour)
        said.add((value, int(minute)))
    wanted = [moment + timedelta(minutes=delta) for delta in range(-minutes, minutes + 1)]
    return any((m.hour, m.minute) in said or (m.hour % 12 or 12, m.minute) in said for m in wanted)


def _has_date(reply: str, today: date) -> bool:
    lowered = reply.lower()
    in_figures = (f"{today:%Y-%m-%d}", f"{today:%d/%m/%Y}", f"{today:%m/%d/%Y}", f"{today:%d-%m-%Y}")
    in_words = any(month in lowered for month in _MONTHS[today.month]) and re.search(rf"\b{today.day}\b", lowered)
    return any(form in lowered for form in in_figures) or bool(in_words)
