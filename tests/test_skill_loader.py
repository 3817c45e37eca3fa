"""SKILL.md files: what is read, what is skipped and why, what a reload changes."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from app.skills.loader import SkillFormatError, load_builtin, load_folder, parse_skill
from app.skills.models import SkillProblem
from app.skills.registry import SkillRegistry
from tests.harness import running_app

NO_PARAMETERS = {"type": "object", "properties": {}}


async def nothing() -> str:
    return ""


def write(root: Path, folder: str, text: str) -> None:
    (root / folder).mkdir(exist_ok=True)
    (root / folder / "SKILL.md").write_text(text, "utf-8")


def skill(name: str, body: str = "Do it well.") -> str:
    return f"---\nname: {name}\ndescription: about {name}\n---\n{body}\n"


# --- one file


def test_quoted_folded_and_literal_yaml_is_read() -> None:
    read = parse_skill(
        "---\n"
        'name: "notes: mine"\n'
        "description: >\n  keeps\n  things\n"
        "version: 1.5\n"
        "license: MIT\n"
        "metadata:\n  author: ana\n"
        "steps: |\n  one\n  two\n"
        "---\n\n# Title\n\nText with ---\n---\nand more.\n"
    )
    assert (read.name, read.description, read.version) == ("notes: mine", "keeps things", "1.5")
    assert read.metadata == {"license": "MIT", "metadata": {"author": "ana"}, "steps": "one\ntwo\n"}
    assert read.instructions == "# Title\n\nText with ---\n---\nand more."


def test_windows_line_ends_and_a_byte_order_mark_are_tolerated() -> None:
    read = parse_skill("\ufeff" + skill("notes").replace("\n", "\r\n"))
    assert (read.name, read.instructions) == ("notes", "Do it well.")


def test_instructions_may_be_missing() -> None:
    assert parse_skill("---\nname: a\ndescription: b\n---").instructions == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# no front matter", "front matter"),
        ("---\nname: a\ndescription: b\n", "front matter"),
        ("---\ndescription: b\n---\n", "no name"),
        ("---\nname: a\n---\n", "no description"),
        ("---\nname: a\ndescription: ''\n---\n", "no description"),
        ("---\nname: [a]\ndescription: b\n---\n", "no name"),
        ("---\n- a\n- b\n---\n", "keys and values"),
        ("---\nname: a\ndescription: use it: always\n---\n", "not YAML: mapping values are not allowed"),
        ("---\nname: a\ndescription: use it: always\n---\n", "(line 3)"),
        (f"---\nname: a\ndescription: b\nx: {'[' * 7_000}{']' * 7_000}\n---\n", "nested more than 20 deep"),
        ("---\nname: a\ndescription: b\nwhen: 2024-13-45\n---\n", "not YAML"),
        ("---\nname: a\ndescription: b\nx: !!python/object:os.system {}\n---\n", "not YAML"),
        ("---\nname: a\nx: &x [1]\ndescription: *x\n---\n", "aliases are not allowed"),
        (f"---\nname: a\ndescription: {'d' * 20_000}\n---\n", "longer than"),
        (f"---\nname: {'n' * 65}\ndescription: b\n---\n", "64 characters"),
        ("---\nname: a\ndescription: b\nx: " + "[" * 1_000 + "\n---\n", "not YAML"),
    ],
)
def test_a_broken_skill_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(SkillFormatError) as caught:
        parse_skill(text)
    assert reason in caught.value.detail


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@\n\t 0159.~?,", max_size=60))
def test_no_front_matter_raises_anything_else(yaml: str) -> None:
    with suppress(SkillFormatError):
        parse_skill(f"---\nname: a\ndescription: b\n{yaml}\n---\n")


# --- a folder of them


def test_broken_skills_are_skipped_and_the_others_work(tmp_path: Path) -> None:
    write(tmp_path, "good", skill("good"))
    write(tmp_path, "no_name", "---\ndescription: b\n---\n")
    write(tmp_path, "second", skill("good"))
    (tmp_path / "empty_folder").mkdir()
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary" / "SKILL.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "huge").mkdir()
    (tmp_path / "huge" / "SKILL.md").write_text("x" * 300_000)
    (tmp_path / "a_folder" / "SKILL.md").mkdir(parents=True)
    registry = SkillRegistry()
    registry.load_skills(tmp_path)
    assert [each.name for each in registry.list_skills()] == ["good"]
    reasons = {problem.folder: problem.reason for problem in registry.problems}
    assert reasons.keys() == {"no_name", "second", "binary", "huge", "a_folder"}
    assert "another skill named 'good'" in reasons["second"]
    assert "UTF-8" in reasons["binary"]
    assert str(tmp_path) not in str(registry.problems)


def test_a_missing_folder_has_no_skills(tmp_path: Path) -> None:
    registry = SkillRegistry()
    registry.load_skills(tmp_path / "nowhere")
    assert registry.list_skills() == []
    assert registry.reload().problems == ()


@pytest.mark.parametrize("is_there", [True, False])
async def test_a_start_without_skills_of_ones_own_says_so(tmp_path: Path, is_there: bool) -> None:
    if is_there:
        (tmp_path / "mine" / "cooking").mkdir(parents=True)
        (tmp_path / "mine" / "cooking" / "SKILL.md").write_text("---\nname: cooking\ndescription: food\n---\n")
    with capture_logs() as logs:
        async with running_app(tmp_path / "data", skills_dir=tmp_path / "mine"):
            pass
    told = [entry for entry in logs if entry["event"] == "skill.none_of_your_own"]
    assert [entry["log_level"] for entry in told] == ([] if is_there else ["warning"])


def test_a_reload_tells_what_changed_and_keeps_the_tools(tmp_path: Path) -> None:
    registry = SkillRegistry()
    registry.register_tool("save_note", "", NO_PARAMETERS, nothing, "notes")
    for name in ("notes", "gone", "same"):
        write(tmp_path, name, skill(name))
    assert registry.load_skills(tmp_path).added == ("gone", "notes", "same")
    (tmp_path / "gone" / "SKILL.md").unlink()
    write(tmp_path, "notes", skill("notes", "Do it better."))
    write(tmp_path, "new", skill("new"))
    write(tmp_path, "broken", "?")
    version = registry.version
    summary = registry.reload()
    assert (summary.added, summary.removed, summary.changed) == (("new",), ("gone",), ("notes",))
    assert [problem.folder for problem in summary.problems] == ["broken"]
    assert isinstance(summary.problems[0], SkillProblem)
    assert registry.find_skill("gone") is None
    assert registry.tools.has_tool("save_note")
    assert registry.version == version


def test_a_reload_before_any_load_changes_nothing() -> None:
    assert SkillRegistry().reload().added == ()


# --- instructions


def test_instructions_come_once_for_each_skill_and_not_again(tmp_path: Path) -> None:
    registry = SkillRegistry()
    for name, owner in (("save_note", "notes"), ("list_notes", "notes"), ("calculate", "math"), ("now", "time")):
        registry.register_tool(name, "", NO_PARAMETERS, nothing, owner)
    write(tmp_path, "notes", skill("notes", "Short titles."))
    write(tmp_path, "math", skill("math", "Always calculate."))
    write(tmp_path, "time", skill("time", ""))
    registry.load_skills(tmp_path)
    used = ["calculate", "save_note", "list_notes", "now", "unknown"]
    assert registry.instructions_for(used) == [("math", "Always calculate."), ("notes", "Short titles.")]
    again = registry.instructions_for(["save_note"], ["math"])
    assert again == [("math", "Always calculate."), ("notes", "Short titles.")]


@pytest.mark.needs("notes")
def test_our_own_skills_lie_with_their_abilities_and_all_of_them_can_be_read() -> None:
    skills, problems = load_builtin()
    assert not problems
    assert {"notes", "memory", "history", "expand"} <= {skill.name for skill in skills}


def test_a_skill_of_the_directory_takes_the_place_of_our_own(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "SKILL.md").write_text("---\nname: notes\ndescription: mine\n---\nIn rhyme, please.\n")
    registry = SkillRegistry(load_builtin)
    registry.load_skills(tmp_path)
    [mine] = [skill for skill in registry.list_skills() if skill.name == "notes"]
    assert mine.instructions == "In rhyme, please."


def test_the_example_skill_can_be_read() -> None:
    skills, problems = load_folder(Path(__file__).resolve().parents[1] / "skills")
    assert ([skill.name for skill in skills], problems) == (["github"], ())
