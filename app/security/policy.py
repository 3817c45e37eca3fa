"""What a tool call may do by the operator's rules: run, run after a question, or not at all.

Rules are TOML: `[[rule]]` with `id`, `tools` (globs), `action` (allow, flag, block), `reason`, and optionally
`[rule.arguments]`, regular expressions that must each match the whole JSON text of that argument (a string
has its quotes, a line break is the two characters backslash and n). Of the rules that match, the strictest wins.
What an admin decided about a tool as a whole is one more of them, which is looked up for each call.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.database.repositories.tool_rules import ChosenRule
from app.domain.tools import BaseTool
from app.domain.turn import ConfirmationMode
from app.security.confirmation import ConfirmationPolicy

RuleAction = Literal["allow", "flag", "block"]
Action = Literal["run", "ask", "block"]

MAX_PATTERN_CHARS: Final = 500
_STRICTNESS: Final[tuple[RuleAction, ...]] = ("allow", "flag", "block")
CHOSEN_ID: Final = "chosen"
"""The id under which an admin's decision about a tool stands in the audit trail."""
_CHOSEN: Final[Mapping[RuleAction, str]] = MappingProxyType(
    {
        "allow": "an admin trusts this tool",
        "flag": "an admin wants to be asked about this tool",
        "block": "an admin has blocked this tool",
    }
)
_WILD: Final = frozenset("*?[")
_UNREADABLE: Final = "the operator's policy file cannot be read, so nothing may run until it is mended"


@dataclass(frozen=True, slots=True)
class Rule:
    """`tools` are globs over tool names; every pattern of `arguments` must match for the rule to apply."""

    id: str
    tools: tuple[str, ...]
    action: RuleAction
    reason: str
    arguments: Mapping[str, re.Pattern[str]] = field(default_factory=dict)

    def names(self, tool: str) -> bool:
        return any(fnmatchcase(tool, glob) for glob in self.tools)

    def list_named(self, tools: Collection[str]) -> list[str]:
        """Return which of these tools the rule names; most rules name one as it is called, without a pattern."""
        patterns = [glob for glob in self.tools if not _WILD.isdisjoint(glob)]
        found = [tool for tool in tools if any(fnmatchcase(tool, glob) for glob in patterns)] if patterns else []
        return [*found, *(glob for glob in self.tools if glob in tools and glob not in patterns)]

    def applies_to(self, tool: str, arguments: Mapping[str, object]) -> bool:
        return self.names(tool) and all(
            name in arguments and pattern.fullmatch(_json_text(arguments[name]))
            for name, pattern in self.arguments.items()
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """`reason` is a clause for the model; `rule_id` is empty when no rule applied."""

    action: Action
    reason: str = ""
    rule_id: str = ""


class PolicyError(ValueError):
    """A policy file is broken; the message says where, for the operator."""


class PolicyEngine:
    """Decides from rules and mode; pure once it is loaded."""

    def __init__(self, rules: Sequence[Rule], *, problem: str | None = None) -> None:
        self._rules = tuple(rules)
        self.problem = problem
        """Why everything is blocked, for the operator's log; None when all is well."""

    @classmethod
    def load(cls, owner_file: Path | None = None) -> "PolicyEngine":
        """Read the shipped rules and, where the file exists, the owner's, which may only be stricter.

        A broken owner's file makes an engine that blocks everything and names the `problem`.
        """
        shipped = resources.files("app.security").joinpath("default_policy.toml").read_text("utf-8")
        rules = read_rules(shipped)
        if owner_file is None or not owner_file.exists():
            return cls(rules)
        try:
            own = read_rules(owner_file.read_text("utf-8"))
            _check_stricter(own)
        except (OSError, UnicodeDecodeError, PolicyError) as exc:
            return cls(rules, problem=f"{owner_file.name}: {exc}")
        return cls([*rules, *own])

    def decide(
        self,
        tool: BaseTool,
        arguments: Mapping[str, object],
        mode: ConfirmationMode,
        *,
        chosen: ChosenRule | None = None,
    ) -> Decision:
        """Combine rule and mode; `arguments` are validated ones, `chosen` is what an admin decided about the tool.

        A block or a flag is the operator's word in every mode; an explicit allow pre-approves, except in
        `confirm-all`; without a rule the mode decides.
        """
        if self.problem is not None:
            return Decision("block", _UNREADABLE, "policy-file")
        found = [rule for rule in self._rules if rule.applies_to(tool.name, arguments)]
        if chosen is not None and counts(chosen, tool):
            found.append(_as_rule(chosen))
        if not found:
            must_ask = ConfirmationPolicy(mode).should_confirm(tool)
            return Decision("ask" if must_ask else "run")
        rule = max(found, key=lambda rule: _STRICTNESS.index(rule.action))
        match rule.action:
            case "block":
                return Decision("block", rule.reason, rule.id)
            case "flag":
                return Decision("ask", rule.reason, rule.id)
            case "allow":
                return Decision("ask" if mode == "confirm-all" else "run", rule.reason, rule.id)

    def judge(self, name: str, arguments: Mapping[str, object], *, chosen: ChosenRule | None = None) -> Decision:
        """Tell whether a rule blocks what a person does themselves; their doing it answers a flag."""
        if self.problem is not None:
            return Decision("block", _UNREADABLE, "policy-file")
        found = [rule for rule in self._rules if rule.applies_to(name, arguments)]
        found += [_as_rule(chosen)] if chosen is not None else []
        rule = max(found, key=lambda rule: _STRICTNESS.index(rule.action), default=None)
        if rule is None:
            return Decision("run")
        return Decision("block" if rule.action == "block" else "run", rule.reason, rule.id)

    def find_fixed(self, tool: str) -> Rule | None:
        """Return the strictest rule of the files that is about a tool whatever its arguments."""
        found = [rule for rule in self._rules if rule.names(tool) and not rule.arguments]
        return max(found, key=lambda rule: _STRICTNESS.index(rule.action), default=None)

    def list_idle_rules(self, tools: Iterable[BaseTool]) -> list[str]:
        """Name the rules that can never apply to these tools: a misspelt tool or argument protects nobody."""
        known = {tool.name: tool for tool in tools}
        return [
            rule.id
            for rule in self._rules
            if not any(_has_arguments(known[name], rule.arguments) for name in rule.list_named(known))
        ]


def stricter(one: RuleAction, other: RuleAction) -> bool:
    """Tell whether one action leaves less to the model than the other."""
    return _STRICTNESS.index(one) > _STRICTNESS.index(other)


def seal_of(tool: BaseTool) -> str:
    """Return what tells a tool from every other one, also from a later one of the same name."""
    schema = tool.get_schema()
    whole = [tool.kind, tool.name, tool.owner, schema.description, schema.parameters]
    return hashlib.sha256(_json_text(whole).encode()).hexdigest()


def counts(chosen: ChosenRule, tool: BaseTool) -> bool:
    """Tell whether what an admin decided is about this tool: one that changed since is not allowed."""
    return chosen.tool == tool.name and (chosen.action != "allow" or chosen.seal == seal_of(tool))


def _as_rule(chosen: ChosenRule) -> Rule:
    return Rule(CHOSEN_ID, (chosen.tool,), chosen.action, _CHOSEN[chosen.action])


def read_rules(text: str) -> tuple[Rule, ...]:
    """Read a policy file.

    Raises:
        PolicyError: it is no TOML, or a rule is not well formed.
    """
    try:
        entries = _File.model_validate(tomllib.loads(text)).rule
    except tomllib.TOMLDecodeError as exc:
        raise PolicyError(f"not valid TOML: {exc}") from exc
    except ValidationError as exc:
        first = exc.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise PolicyError(f"{place}: {first['msg']}") from exc
    ids = [entry.id for entry in entries]
    for rule_id in ids:
        if ids.count(rule_id) > 1:
            raise PolicyError(f"two rules have the id {rule_id!r}")
    return tuple(
        Rule(entry.id, tuple(entry.tools), entry.action, entry.reason, _compile(entry)) for entry in entries
    )


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: Annotated[str, Field(min_length=1)]
    tools: Annotated[list[str], Field(min_length=1)]
    action: RuleAction
    reason: Annotated[str, Field(min_length=1, max_length=200)]
    arguments: dict[str, Annotated[str, Field(max_length=MAX_PATTERN_CHARS)]] = Field(default_factory=dict)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    rule: list[_Entry] = Field(default_factory=list)


def _compile(entry: _Entry) -> dict[str, re.Pattern[str]]:
    compiled = {}
    for name, pattern in entry.arguments.items():
        try:
            compiled[name] = re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as exc:
            raise PolicyError(f"rule {entry.id!r}, argument {name!r}: {exc}") from exc
    return compiled


def _check_stricter(rules: Iterable[Rule]) -> None:
    for rule in rules:
        if rule.action == "allow":
            raise PolicyError(f"rule {rule.id!r}: this file may only flag or block, not allow")


def _has_arguments(tool: BaseTool, wanted: Mapping[str, object]) -> bool:
    if not wanted:
        return True
    properties = tool.get_schema().parameters.get("properties")
    return not isinstance(properties, Mapping) or wanted.keys() <= properties.keys()


def _json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
