"""What was done, in the home: the audit trail in words."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.database.repositories.audit import AuditedCall, AuditEvents
from app.domain.clock import from_ms
from app.domain.wording import cut
from app.language.catalogue import Sentence
from app.skills.pages import ENTRIES_PER_PAGE, Entry, Page, Part, Section, Tone, Visit
from app.skills.registry import SkillRegistry
from app.skills.tools.oversight.texts import OVERSIGHT

_ICON: Final = "M4 12a8 8 0 1 0 2.3-5.6M4 4v4h4M12 8v4l3 2"
_SPARK: Final = "M12 3l2 6 6 2-6 2-2 6-2-6-6-2 6-2z"
_VALUE_CHARS: Final = 160
_KINDS: Final[Mapping[str, tuple[Sentence, Tone]]] = MappingProxyType(
    {
        "refused": (OVERSIGHT.home_asked_no, "off"),
        "aborted": (OVERSIGHT.home_asked_no, "off"),
        "expired": (OVERSIGHT.home_asked_expired, "off"),
        "no_channel": (OVERSIGHT.home_asked_expired, "off"),
        "blocked": (OVERSIGHT.home_blocked, "bad"),
        "dry_run": (OVERSIGHT.home_dry_run, "off"),
        "uncertain": (OVERSIGHT.home_cut_off, "bad"),
        "cancelled": (OVERSIGHT.home_cut_off, "bad"),
        "invalid": (OVERSIGHT.home_not_run, "off"),
        "unknown": (OVERSIGHT.home_not_run, "off"),
        "unsaid": (OVERSIGHT.home_not_run, "off"),
    }
)


def part(events: AuditEvents) -> Part:
    """Return the part, which changes nothing."""

    async def show(visit: Visit) -> Page:
        calls = await events.list_calls(visit.user_id, limit=ENTRIES_PER_PAGE, offset=visit.offset)
        entries = [_entry(one, visit) for one in calls]
        sections = [Section(entries=entries, empty=visit.say(OVERSIGHT.home_empty))]
        return Page(sections, visit.say(OVERSIGHT.home_intro), count=await events.count_calls(visit.user_id))

    return Part("done", OVERSIGHT.home_title, _ICON, show)


def skills_part(skills: SkillRegistry) -> Part:
    """Return the skills with their tools."""

    async def show(visit: Visit) -> Page:
        entries = [_skill(one.name, one.description, skills, visit) for one in skills.list_skills()]
        return Page([Section(entries=entries)])

    async def summary(visit: Visit) -> str:
        return visit.say(OVERSIGHT.home_skills_count, count=len(skills.list_skills()))

    return Part("skills", OVERSIGHT.home_skills, _SPARK, show, summary=summary, for_admins=True)


def _skill(name: str, description: str, skills: SkillRegistry, visit: Visit) -> Entry:
    may_see = [tool.name for tool in skills.tools_of(name) if visit.is_admin or not tool.admin_only]
    return Entry(name, description, notes=tuple(may_see))


def _entry(call: AuditedCall, visit: Visit) -> Entry:
    how, tone = _how(call)
    notes = (
        visit.told(from_ms(call.at)),
        visit.say(how),
        visit.say(OVERSIGHT.home_seconds, seconds=_seconds(call)),
    )
    text = visit.say(OVERSIGHT.home_erased) if call.content is None else _spelled(call.content)
    name = call.tool.replace("_", " ")
    return Entry(name.capitalize(), text, notes=notes, tone=tone)


def _how(call: AuditedCall) -> tuple[Sentence, Tone]:
    if call.kind in _KINDS:
        return _KINDS[call.kind]
    if call.kind != "ok":
        return OVERSIGHT.home_failed, "bad"
    return (OVERSIGHT.home_asked_yes if call.decision.startswith("ask") else OVERSIGHT.home_alone), ""


def _seconds(call: AuditedCall) -> str:
    return f"{call.duration_ms / 1000:.1f}"


def _spelled(content: str) -> str:
    try:
        arguments = json.loads(content).get("arguments", {})
    except ValueError:
        return ""
    if not isinstance(arguments, dict):
        return ""
    given = (
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in arguments.items()
    )
    return "\n".join(f"{name}: {cut(value, _VALUE_CHARS)}" for name, value in given)
