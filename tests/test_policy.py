"""Which calls run, which are asked about and which never happen: rules, modes and the files they come from."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from app.domain.chat import ToolSchema
from app.domain.tools import BaseTool, ToolResult
from app.domain.turn import ConfirmationMode, TurnContext
from app.security.confirmation import ConfirmationPolicy
from app.security.policy import MAX_PATTERN_CHARS, PolicyEngine, PolicyError, Rule, RuleAction, read_rules

MODES: tuple[ConfirmationMode, ...] = ("yolo", "confirm-sensitive", "confirm-all")


class PathTool(BaseTool):
    """A tool with one argument, `path`."""

    description = "Does something with a file."
    args_model = BaseModel

    def __init__(self, name: str, *, sensitive: bool = False) -> None:
        self.name = name
        self.sensitive = sensitive

    async def execute(self, arguments: Mapping[str, object], *, ctx: TurnContext) -> ToolResult:
        return ToolResult.ok("done")

    def get_schema(self) -> ToolSchema:
        return ToolSchema(self.name, self.description, {"type": "object", "properties": {"path": {}}})

    def validate_args(self, arguments: object) -> Mapping[str, object]:
        assert isinstance(arguments, Mapping)
        return arguments


def rule(action: RuleAction, *, id: str = "r", tools: tuple[str, ...] = ("tool",), **patterns: str) -> Rule:  # noqa: A002 - the key in the file
    return Rule(id, tools, action, f"{action} it is", {name: re.compile(text) for name, text in patterns.items()})


def action_of(engine: PolicyEngine, *, mode: ConfirmationMode, sensitive: bool = False, path: str = "a") -> str:
    return engine.decide(PathTool("tool", sensitive=sensitive), {"path": path}, mode).action


@pytest.mark.parametrize("sensitive", [False, True])
@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("block", ("block", "block", "block")),
        ("flag", ("ask", "ask", "ask")),
        ("allow", ("run", "run", "ask")),
    ],
)
def test_a_rule_and_a_mode_make_the_decision_of_the_table(
    action: RuleAction, expected: tuple[str, ...], sensitive: bool
) -> None:
    engine = PolicyEngine([rule(action)])
    assert tuple(action_of(engine, mode=mode, sensitive=sensitive) for mode in MODES) == expected


@pytest.mark.parametrize(
    ("sensitive", "expected"), [(False, ("run", "run", "ask")), (True, ("run", "ask", "ask"))]
)
def test_without_a_rule_the_mode_decides(sensitive: bool, expected: tuple[str, ...]) -> None:
    assert tuple(action_of(PolicyEngine([]), mode=mode, sensitive=sensitive) for mode in MODES) == expected


@pytest.mark.parametrize("mode", MODES)
def test_a_broken_policy_blocks_in_every_mode(mode: ConfirmationMode) -> None:
    engine = PolicyEngine([rule("allow")], problem="line 3")
    decision = engine.decide(PathTool("tool"), {}, mode)
    assert decision.action == "block"
    assert "policy file" in decision.reason


def test_the_modes_are_those_of_the_execution_engine_document() -> None:
    calm, sharp = PathTool("calm"), PathTool("sharp", sensitive=True)
    asked = {
        mode: (ConfirmationPolicy(mode).should_confirm(calm), ConfirmationPolicy(mode).should_confirm(sharp))
        for mode in get_args(ConfirmationMode)
    }
    assert asked == {
        "yolo": (False, False),
        "confirm-all": (True, True),
        "confirm-sensitive": (False, True),
    }


@pytest.mark.parametrize("mode", ["", "YOLO", "never"])
def test_an_unknown_mode_is_a_value_error(mode: ConfirmationMode) -> None:
    with pytest.raises(ValueError, match="unknown confirmation mode"):
        ConfirmationPolicy(mode)


def test_a_decision_names_its_rule_and_reason() -> None:
    decision = PolicyEngine([rule("block", id="no-way")]).decide(PathTool("tool"), {}, "yolo")
    assert (decision.rule_id, decision.reason) == ("no-way", "block it is")


@pytest.mark.parametrize(
    ("globs", "is_named"),
    [(("tool",), True), (("to*",), True), (("other", "*l"), True), (("TOOL",), False), (("too",), False)],
)
def test_a_rule_names_tools_by_globs(globs: tuple[str, ...], is_named: bool) -> None:
    assert (action_of(PolicyEngine([rule("block", tools=globs)]), mode="yolo") == "block") is is_named


def test_an_expression_must_match_the_whole_json_text_of_its_argument() -> None:
    engine = PolicyEngine([rule("block", path=r'"secret/.*"')])
    assert action_of(engine, mode="yolo", path="secret/a") == "block"
    assert action_of(engine, mode="yolo", path="not/secret/a") == "run"


def test_a_line_break_does_not_slip_past_an_expression() -> None:
    engine = PolicyEngine([rule("block", path='"rm .*"')])
    assert action_of(engine, mode="yolo", path="rm x\ny") == "block"


def test_all_expressions_of_a_rule_must_match_and_a_missing_argument_does_not() -> None:
    engine = PolicyEngine([rule("block", path='"a"', other=".*")])
    assert engine.decide(PathTool("tool"), {"path": "a"}, "yolo").action == "run"
    assert engine.decide(PathTool("tool"), {"path": "a", "other": 1}, "yolo").action == "block"


@given(st.permutations([rule("allow"), rule("flag"), rule("block")]), st.integers(1, 3))
def test_the_strictest_matching_rule_wins_in_any_order(rules: list[Rule], count: int) -> None:
    chosen = rules[:count]
    strictest = max((one.action for one in chosen), key=["allow", "flag", "block"].index)
    decided = action_of(PolicyEngine(chosen), mode="yolo", sensitive=True)
    assert decided == {"allow": "run", "flag": "ask", "block": "block"}[strictest]


def test_on_a_fresh_install_ordinary_tools_run_and_sensitive_ones_are_asked_about(tmp_path: Path) -> None:
    engine = PolicyEngine.load(tmp_path / "absent.toml")
    assert engine.problem is None
    assert engine.decide(PathTool("calculate"), {"expression": "2+2"}, "confirm-sensitive").action == "run"
    write = PathTool("write_file", sensitive=True)
    assert engine.decide(write, {"path": "a.txt"}, "confirm-sensitive").action == "ask"


@pytest.mark.parametrize("path", [".env", "sub/.ENV", ".env.local", "x/../.env", "certs/a.pem", "id_rsa", "a.key"])
def test_the_shipped_rules_keep_secret_files_of_the_source_tree_unread(path: str) -> None:
    decision = PolicyEngine.load().decide(PathTool("read_source_file"), {"path": path}, "yolo")
    assert decision.action == "block"


@pytest.mark.parametrize("path", [".env.example", "app/config.py", "docs/environment.md", "app/keys.py"])
def test_the_shipped_rules_let_ordinary_source_files_be_read(path: str) -> None:
    assert PolicyEngine.load().decide(PathTool("read_source_file"), {"path": path}, "yolo").action == "run"


def test_installing_is_asked_about_even_in_yolo() -> None:
    assert PolicyEngine.load().decide(PathTool("install_mcp_server"), {}, "yolo").action == "ask"


def test_the_owners_file_adds_rules_to_the_shipped_ones(tmp_path: Path) -> None:
    file = tmp_path / "security_policies.toml"
    file.write_text('[[rule]]\nid = "mine"\ntools = ["tool"]\naction = "block"\nreason = "I said so"\n')
    engine = PolicyEngine.load(file)
    assert engine.problem is None
    assert engine.decide(PathTool("tool"), {}, "yolo").rule_id == "mine"
    assert engine.decide(PathTool("install_x"), {}, "yolo").action == "ask"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[rule]", "not valid TOML"),
        ('[[rule]]\nid = "a"\ntools = ["x"]\naction = "allow"\nreason = "r"\n', "may only flag or block"),
        ('[[rule]]\nid = "a"\ntools = ["x"]\naction = "forbid"\nreason = "r"\n', "action"),
        ('[[rule]]\nid = "a"\ntool = ["x"]\naction = "block"\nreason = "r"\n', "tools"),
        ('[[rules]]\nid = "a"\n', "rules"),
        (
            '[[rule]]\nid = "a"\ntools = ["x"]\naction = "block"\nreason = "r"\narguments = { p = "(" }\n',
            "argument 'p'",
        ),
        (
            '[[rule]]\nid = "a"\ntools = ["x"]\naction = "block"\nreason = "r"\n' * 2,
            "two rules have the id",
        ),
        (
            '[[rule]]\nid = "a"\ntools = ["x"]\naction = "block"\nreason = "r"\n'
            f'arguments = {{ p = "{"a" * (MAX_PATTERN_CHARS + 1)}" }}\n',
            "arguments.p",
        ),
    ],
)
def test_a_broken_owners_file_blocks_everything_and_says_why(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "security_policies.toml"
    file.write_text(text)
    engine = PolicyEngine.load(file)
    assert complaint in (engine.problem or "")
    assert engine.decide(PathTool("calculate"), {}, "yolo").action == "block"


def test_an_owners_file_that_cannot_be_read_blocks_everything(tmp_path: Path) -> None:
    file = tmp_path / "security_policies.toml"
    file.write_bytes(b"\xff\xfe")
    assert PolicyEngine.load(file).problem is not None
    file.unlink()
    file.mkdir()
    assert PolicyEngine.load(file).problem is not None


def test_reading_rules_names_what_is_wrong() -> None:
    with pytest.raises(PolicyError, match="reason"):
        read_rules('[[rule]]\nid = "a"\ntools = ["x"]\naction = "block"\n')


def test_rules_that_can_never_apply_are_named() -> None:
    rules = [
        rule("block", id="good", path=".*"),
        rule("block", id="misspelt", tools=("tol",)),
        rule("flag", id="a", x="y"),
    ]
    assert PolicyEngine(rules).list_idle_rules([PathTool("tool")]) == ["misspelt", "a"]
