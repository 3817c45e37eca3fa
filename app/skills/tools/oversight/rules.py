"""Rules for single tools: an admin trusts, asks or blocks one, by /rules or in the home."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from app.commands.registry import CommandRegistry, CommandSpec
from app.commands.texts import COMMANDS
from app.database.repositories.tool_rules import ChosenAction, ChosenRule
from app.database.repository import Repository
from app.domain.errors import NotFound, ToolFault
from app.domain.outbound import Reply
from app.domain.ports import Clock
from app.domain.tools import BaseTool
from app.domain.turn import TurnContext
from app.domain.wording import fold, one_line
from app.language.catalogue import LANGUAGES, Sentence, say
from app.security.oversight import BLOCKED, Oversight
from app.security.policy import counts, seal_of, stricter
from app.skills.catalog import ToolCatalog
from app.skills.pages import ENTRIES_PER_PAGE, Choice, Entry, Form, Page, Part, Section, Tone, Visit, told
from app.skills.tools.oversight.texts import OVERSIGHT

DEED: Final = "set_tool_rule"
_ICON: Final = "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z"
_DESCRIPTION_CHARS: Final = 140
_NEAREST: Final = 3
_WORDS: Final[Mapping[str, tuple[Sentence, ChosenAction | None]]] = MappingProxyType(
    {
        "trust": (OVERSIGHT.rules_word_trust, "allow"),
        "ask": (OVERSIGHT.rules_word_ask, "flag"),
        "block": (OVERSIGHT.rules_word_block, "block"),
        "remove": (OVERSIGHT.rules_word_remove, None),
    }
)
_MEANT: Final[Mapping[str, ChosenAction | None]] = MappingProxyType(
    {
        fold(spoken): action
        for word, (sentence, action) in _WORDS.items()
        for spoken in (word, *(say(sentence, language) for language in LANGUAGES))
    }
)
_STATES: Final[Mapping[ChosenAction, tuple[Sentence, Tone]]] = MappingProxyType(
    {
        "allow": (OVERSIGHT.rules_allowed, "good"),
        "flag": (OVERSIGHT.rules_flagged, "good"),
        "block": (OVERSIGHT.rules_blocked, "bad"),
    }
)
_LABELS: Final[Sequence[tuple[str, Sentence, ChosenAction | None]]] = (
    ("trust", OVERSIGHT.rules_trust, "allow"),
    ("ask", OVERSIGHT.rules_ask, "flag"),
    ("block", OVERSIGHT.rules_block, "block"),
    ("remove", OVERSIGHT.rules_remove, None),
)


class SingleRules:
    """The command, and the part of the home that goes its way: the same checks, record and words."""

    def __init__(self, repository: Repository, catalog: ToolCatalog, oversight: Oversight, clock: Clock) -> None:
        self._repository = repository
        self._catalog = catalog
        self._oversight = oversight
        self._clock = clock

    def register(self, registry: CommandRegistry) -> None:
        registry.add(CommandSpec("rules", OVERSIGHT.help_rules, self.run, also=OVERSIGHT.name_rules))

    def part(self) -> Part:
        acts = MappingProxyType({"set": self._set_by_hand})
        return Part("rules", OVERSIGHT.rules_home, _ICON, self._show, acts, self._summary, for_admins=True)

    async def run(self, args: str, ctx: TurnContext) -> Reply:
        if not ctx.is_admin:
            return Reply(say(COMMANDS.admin_only, ctx.language))
        if not args:
            return Reply(await self._told(ctx))
        name, _, word = args.strip("`").partition(" ")
        name, word = name.strip("`").lower(), fold(word.strip())
        tool = self._tools(ctx).get(name)
        if tool is None and await self._repository.tool_rules.find(name) is None:
            return Reply(self._unknown(name, ctx))
        if word not in _MEANT:
            words = " · ".join(say(sentence, ctx.language) for sentence, _ in _WORDS.values())
            return Reply(say(OVERSIGHT.rules_how, ctx.language, name=name, words=words))
        return Reply(await self._put(name, tool, _MEANT[word], ctx))

    async def _put(self, name: str, tool: BaseTool | None, action: ChosenAction | None, ctx: TurnContext) -> str:
        language = ctx.language
        fixed = self._oversight.policy.find_fixed(name)
        if fixed is not None and action is not None and stricter(fixed.action, action):
            return say(OVERSIGHT.rules_fixed, language, name=name, rule=fixed.id)
        if tool is None and action is not None:
            return self._unknown(name, ctx)

        async def change() -> None:
            rules = self._repository.tool_rules
            async with self._repository.transaction() as tx:
                if tool is None or action is None:
                    await rules.remove(name, tx=tx)
                else:
                    await rules.put(ChosenRule(name, action, seal_of(tool)), self._clock.now(), tx=tx)

        try:
            await self._oversight.run(ctx, DEED, {"tool": name, "rule": action or "none"}, change)
        except ToolFault as exc:
            if exc.code == BLOCKED:
                return say(OVERSIGHT.rules_refused, language, name=name, reason=exc.detail)
            return say(OVERSIGHT.mode_dry_run, language)
        if action is None:
            return say(OVERSIGHT.rules_removed, language, name=name)
        return say(OVERSIGHT.rules_set, language, name=name, state=say(_STATES[action][0], language))

    async def _told(self, ctx: TurnContext) -> str:
        rules, tools = await self._repository.tool_rules.list_all(), self._tools(ctx)
        lines = [f"- `{one.tool}`: {say(_state(one, tools.get(one.tool))[0], ctx.language)}" for one in rules]
        title = say(OVERSIGHT.rules_title if rules else OVERSIGHT.rules_none, ctx.language)
        words = " · ".join(say(sentence, ctx.language) for sentence, _ in _WORDS.values())
        name = rules[0].tool if rules else next(iter(sorted(tools)), "")
        return "\n".join([title, "", *lines, "", say(OVERSIGHT.rules_how, ctx.language, name=name, words=words)])

    def _unknown(self, name: str, ctx: TurnContext) -> str:
        near = get_close_matches(name, self._tools(ctx), _NEAREST)
        if near:
            return say(OVERSIGHT.rules_near, ctx.language, name=name, near=", ".join(f"`{one}`" for one in near))
        return say(OVERSIGHT.rules_unknown, ctx.language, name=name)

    def _tools(self, ctx: TurnContext) -> Mapping[str, BaseTool]:
        return self._catalog.snapshot().visible_to(ctx.user_id, is_admin=ctx.is_admin).tools

    # ---- In the home

    async def _show(self, visit: Visit) -> Page:
        rules = {one.tool: one for one in await self._repository.tool_rules.list_all()}
        tools = self._tools(visit.ctx())
        found = [name for name in {*rules, *tools} if _fits(name, tools.get(name), visit.words)]
        found.sort(key=lambda name: (name not in rules, name))
        shown = found[visit.offset : visit.offset + ENTRIES_PER_PAGE]
        entries = [self._entry(name, tools.get(name), rules.get(name), visit) for name in shown]
        sections = [Section(entries=entries, empty=visit.say(OVERSIGHT.rules_no_tools))]
        return Page(sections, visit.say(OVERSIGHT.rules_intro), count=len(found), is_searchable=True)

    async def _summary(self, visit: Visit) -> str:
        return visit.say(OVERSIGHT.rules_count, count=len(await self._repository.tool_rules.list_all()))

    async def _set_by_hand(self, visit: Visit, form: Form) -> str:
        if form.get("rule") not in _WORDS or " " in form.get("tool", ""):
            raise NotFound("rule_unknown")
        return told(await self.run(f"{form.get('tool', '')} {form['rule']}", visit.ctx()))

    def _entry(self, name: str, tool: BaseTool | None, rule: ChosenRule | None, visit: Visit) -> Entry:
        state, tone = _state(rule, tool) if rule is not None else self._unruled(tool, visit)
        fixed = self._oversight.policy.find_fixed(name)
        choices = tuple(
            _choice(name, word, visit.say(label), visit)
            for word, label, action in _LABELS
            if action != (None if rule is None else rule.action)
            and (tool is not None or action is None)
            and (fixed is None or action is None or not stricter(fixed.action, action))
        )
        text = "" if tool is None else one_line(tool.description, _DESCRIPTION_CHARS)
        return Entry(name, text, notes=(visit.say(state),), tone=tone, choices=choices)

    def _unruled(self, tool: BaseTool | None, visit: Visit) -> tuple[Sentence, Tone]:
        if tool is None:
            return OVERSIGHT.rules_gone, "off"
        match self._oversight.policy.decide(tool, {}, visit.mode).action:
            case "run":
                return OVERSIGHT.rules_mode_runs, ""
            case "ask":
                return OVERSIGHT.rules_mode_asks, ""
            case "block":
                return OVERSIGHT.rules_file_blocks, "bad"


def _state(rule: ChosenRule, tool: BaseTool | None) -> tuple[Sentence, Tone]:
    if tool is None:
        return OVERSIGHT.rules_gone, "off"
    return _STATES[rule.action] if counts(rule, tool) else (OVERSIGHT.rules_stale, "off")


def _choice(name: str, word: str, label: str, visit: Visit) -> Choice:
    values = MappingProxyType({"tool": name, "rule": word})
    return Choice("set", label, values, asks=visit.say(OVERSIGHT.rules_trust_asks) if word == "trust" else "")


def _fits(name: str, tool: BaseTool | None, words: str) -> bool:
    text = fold(f"{name} {name.replace('_', ' ')} {'' if tool is None else tool.description}")
    return all(word in text for word in fold(words).split())
