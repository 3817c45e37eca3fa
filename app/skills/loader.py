"""SKILL.md files, read as the Agent Skills format (agentskills.io) has them."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

import yaml

from app.domain.errors import AppError
from app.skills.models import SkillMetadata, SkillProblem

SKILL_FILE: Final = "SKILL.md"
_PLACES: Final = ("*", "*/*", "*/*/*")
_APP: Final = Path(__file__).resolve().parents[1]
MAX_FILE_BYTES: Final = 256_000
MAX_FRONT_MATTER_CHARS: Final = 16_000
MAX_NAME_CHARS: Final = 64
_MAX_DEPTH: Final = 20
# The one in C is ten times as fast; not every build of the library has it.
_LOADER: Final = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader

_FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


class SkillFormatError(AppError):
    """A SKILL.md cannot be used; `detail` says why."""

    def __init__(self, detail: str) -> None:
        super().__init__("broken_skill", detail)


def parse_skill(text: str) -> SkillMetadata:
    """Read the text of a SKILL.md: YAML between two lines of dashes, then the instructions.

    `name`, `description` and `version` may be any scalar; all other keys are kept in `metadata`.

    Raises:
        SkillFormatError: no front matter, broken YAML, or no name or description.
    """
    found = _FRONT_MATTER.match(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    if found is None:
        raise SkillFormatError("it does not begin with front matter between two lines of ---")
    if len(found["yaml"]) > MAX_FRONT_MATTER_CHARS:
        raise SkillFormatError(f"its front matter is longer than {MAX_FRONT_MATTER_CHARS} characters")
    fields = _read_yaml(found["yaml"])
    name = _text(fields, "name")
    if len(name) > MAX_NAME_CHARS or "\n" in name:
        raise SkillFormatError(f"its name is not one line of at most {MAX_NAME_CHARS} characters")
    own = {"name", "description", "version"}
    return SkillMetadata(
        name=name,
        description=_text(fields, "description"),
        instructions=found.string[found.end() :].strip(),
        version=_text(fields, "version") if "version" in fields else "",
        metadata=MappingProxyType({key: value for key, value in fields.items() if key not in own}),
    )


def load_folder(directory: Path) -> tuple[Sequence[SkillMetadata], tuple[SkillProblem, ...]]:
    """Read every `directory`/*/SKILL.md in the order of the folders' names.

    Of two skills with one name the first is kept. Never raises for what the files hold.
    """
    return _load(sorted(directory.glob(f"*/{SKILL_FILE}")))


@cache
def load_builtin() -> tuple[Sequence[SkillMetadata], tuple[SkillProblem, ...]]:
    """Read the skills that lie in the folders of our own abilities: once, for they are part of the program."""
    return _load(sorted(path for place in _PLACES for path in _APP.glob(f"{place}/{SKILL_FILE}")))


def _load(paths: Iterable[Path]) -> tuple[Sequence[SkillMetadata], tuple[SkillProblem, ...]]:
    skills: dict[str, SkillMetadata] = {}
    problems: list[SkillProblem] = []
    for path in paths:
        try:
            skill = parse_skill(_read(path))
        except SkillFormatError as exc:
            problems.append(SkillProblem(path.parent.name, exc.detail))
            continue
        if skill.name in skills:
            problems.append(SkillProblem(path.parent.name, f"there is another skill named {skill.name!r}"))
        else:
            skills[skill.name] = skill
    return tuple(skills.values()), tuple(problems)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except OSError as exc:
        raise SkillFormatError(f"it cannot be read: {exc.strerror}") from exc
    if len(raw) > MAX_FILE_BYTES:
        raise SkillFormatError(f"it is larger than {MAX_FILE_BYTES} bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise SkillFormatError("it is not UTF-8 text") from exc


def _read_yaml(text: str) -> dict[str, object]:
    try:
        _check_shape(text)
        fields = yaml.load(text, Loader=_LOADER)  # noqa: S506 - one of the two safe loaders
    except yaml.MarkedYAMLError as exc:
        line = exc.problem_mark.line + 2 if exc.problem_mark else "?"
        raise SkillFormatError(f"its front matter is not YAML: {exc.problem} (line {line})") from exc
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as exc:
        # The constructors raise ValueError themselves, for a date such as 2024-13-45.
        raise SkillFormatError(f"its front matter is not YAML: {exc}") from exc
    if not isinstance(fields, dict):
        raise SkillFormatError("its front matter is not a list of keys and values")
    return {str(key): value for key, value in fields.items()}


def _check_shape(text: str) -> None:
    """Raises yaml.YAMLError: an alias, which can blow a few lines up to gigabytes, or too deep for the stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise yaml.YAMLError(f"nested more than {_MAX_DEPTH} deep")


def _text(fields: dict[str, object], key: str) -> str:
    value = fields.get(key)
    if value is None or isinstance(value, bool | list | dict) or not str(value).strip():
        raise SkillFormatError(f"it has no {key}, or one that is not text")
    return str(value).strip()
