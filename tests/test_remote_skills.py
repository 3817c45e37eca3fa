"""A skill from an address is shown, approved, kept as it was, and never taken for one of ours."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.domain.errors import ToolFault
from app.mcp.installing.remote_skills import MAX_SKILL_BYTES, RemoteSkills, raw_url
from app.skills.models import SkillMetadata
from tests.fakes.clock import FrozenClock

URL = "https://skills.example/cooking/SKILL.md"
COOKING = b"---\nname: cooking\ndescription: Cook well.\n---\nTaste before you salt."


@dataclass
class Page:
    url: str
    body: bytes


@dataclass
class Web:
    """What stands at addresses."""

    pages: dict[str, bytes] = field(default_factory=lambda: {URL: COOKING})
    asked: list[tuple[str, int]] = field(default_factory=list)

    async def get(self, url: str, max_bytes: int) -> Page:
        self.asked.append((url, max_bytes))
        if url not in self.pages:
            raise ToolFault("url_refused", "The address is refused.")
        return Page(url, self.pages[url])


@dataclass
class World:
    root: Path
    web: Web = field(default_factory=Web)
    builtin: list[SkillMetadata] = field(default_factory=lambda: [SkillMetadata("notes", "Notes.")])
    tools: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.skills = RemoteSkills(
            self.web,
            self.root,
            FrozenClock(),
            skills_now=lambda: [*self.builtin, *self.skills.load()[0]],
            tools_of=lambda name: self.tools.get(name, ()),
        )

    async def install(self, url: str = URL) -> None:
        preview = await self.skills.preview(url)
        self.skills.install(url, preview.digest)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "skills")


async def test_a_preview_tells_what_would_be_added_and_keeps_nothing(world: World) -> None:
    world.tools["cooking"] = ("mcp_cooking_bake",)
    facts = (await world.skills.preview(URL)).facts()
    assert facts == {
        "url": URL,
        "skill": "cooking",
        "about": "Cook well.",
        "begins": "Taste before you salt.",
        "characters": 22,
        "joins": ["mcp_cooking_bake"],
        "sha256": facts["sha256"],
    }
    assert world.web.asked == [(URL, MAX_SKILL_BYTES)]
    assert not world.root.exists()


async def test_an_installed_skill_is_marked_as_coming_from_outside_with_source_and_hash_on_record(
    world: World,
) -> None:
    await world.install()
    (skill,), problems = world.skills.load()
    assert problems == ()
    assert "strangers (skills.example)" in skill.instructions
    assert skill.instructions.endswith("Taste before you salt.")
    folder = world.root / "cooking"
    assert (folder / "SKILL.md").read_bytes() == COOKING
    record = json.loads((folder / "source.json").read_text("utf-8"))
    assert (record["url"], len(record["sha256"])) == (URL, 64)
    assert [path.name for path in world.root.iterdir()] == ["cooking"]


async def test_what_is_installed_is_what_was_previewed_whatever_the_address_says_by_then(world: World) -> None:
    preview = await world.skills.preview(URL)
    world.web.pages[URL] = COOKING.replace(b"Taste", b"Obey")
    world.skills.install(URL, preview.digest)
    assert b"Taste" in (world.root / "cooking" / "SKILL.md").read_bytes()


async def test_another_text_than_the_approved_one_is_refused(world: World) -> None:
    approved = await world.skills.preview(URL)
    world.web.pages[URL] = COOKING.replace(b"Taste", b"Obey")
    await world.skills.preview(URL)
    with pytest.raises(ToolFault, match="not what was approved"):
        world.skills.install(URL, approved.digest)
    with pytest.raises(ToolFault, match="not previewed"):
        world.skills.install("https://skills.example/other", approved.digest)
    assert not world.root.exists()


@pytest.mark.parametrize("name", ["notes", "NOTES", '"Notes"'])
async def test_a_builtin_skill_is_never_replaced(world: World, name: str) -> None:
    world.web.pages[URL] = COOKING.replace(b"name: cooking", f"name: {name}".encode())
    with pytest.raises(ToolFault, match="already"):
        await world.skills.preview(URL)


async def test_an_installed_skill_is_not_replaced_either(world: World) -> None:
    first = await world.skills.preview(URL)
    other = "https://skills.example/second"
    world.web.pages[other] = COOKING.replace(b"Taste", b"Obey")
    second = await world.skills.preview(other)
    world.skills.install(URL, first.digest)
    with pytest.raises(ToolFault, match="already"):
        world.skills.install(other, second.digest)
    assert (world.root / "cooking" / "SKILL.md").read_bytes() == COOKING


@pytest.mark.parametrize("name", ["../../evil", "/etc/cron.d/x", ".hidden", "a/b", "COOK ing"])
async def test_a_name_cannot_lead_out_of_the_folder(world: World, name: str) -> None:
    world.web.pages[URL] = COOKING.replace(b"name: cooking", f"name: '{name}'".encode())
    await world.install()
    (folder,) = world.root.iterdir()
    assert folder.name.replace("-", "").isalnum()
    assert [path.name for path in world.root.parent.iterdir()] == ["skills"]


async def test_a_root_that_is_a_link_in_disguise_is_not_written_through(world: World, tmp_path: Path) -> None:
    await world.install()
    outside = tmp_path / "outside"
    outside.mkdir()
    (world.root / "baking").symlink_to(outside)
    world.web.pages[URL] = COOKING.replace(b"name: cooking", b"name: baking")
    with pytest.raises(ToolFault):
        await world.install()
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "body", [b"<html>", b"", b"---\nname: x\n---\n", b"\xff\xfe", b"---\nname: '!'\ndescription: d\n---"]
)
async def test_what_is_no_skill_is_refused_with_the_reason(world: World, body: bytes) -> None:
    world.web.pages[URL] = body
    with pytest.raises(ToolFault) as caught:
        await world.skills.preview(URL)
    assert caught.value.code == "skill_unfit"


async def test_an_address_that_is_refused_previews_nothing(world: World) -> None:
    with pytest.raises(ToolFault, match="refused"):
        await world.skills.preview("http://127.0.0.1/SKILL.md")
    with pytest.raises(ToolFault, match="not previewed"):
        world.skills.pending("http://127.0.0.1/SKILL.md")


@pytest.mark.parametrize("damage", ["text", "record", "gone", "large"])
async def test_a_skill_that_is_not_what_was_approved_is_left_out_and_named(world: World, damage: str) -> None:
    await world.install()
    file, record = world.root / "cooking" / "SKILL.md", world.root / "cooking" / "source.json"
    match damage:
        case "text":
            file.write_bytes(COOKING + b" Obey.")
        case "record":
            record.write_text("{}", "utf-8")
        case "gone":
            file.unlink()
        case _:
            file.write_bytes(COOKING + b" " * MAX_SKILL_BYTES)
    found, (problem,) = world.skills.load()
    assert found == []
    assert problem.folder == "cooking"
    assert str(world.root) not in problem.reason


async def test_a_folder_that_was_not_finished_is_not_looked_at(world: World) -> None:
    await world.install()
    (world.root / "cooking").rename(world.root / ".wasap-tmp-1234")
    assert world.skills.load() == ([], ())


@pytest.mark.parametrize(
    ("url", "raw"),
    [
        ("https://github.com/o/r/blob/main/a/SKILL.md", "https://raw.githubusercontent.com/o/r/main/a/SKILL.md"),
        ("https://github.com/o/r/tree/main/a/", "https://raw.githubusercontent.com/o/r/main/a/SKILL.md"),
        ("https://github.com/o/r/raw/v1/SKILL.md", "https://raw.githubusercontent.com/o/r/v1/SKILL.md"),
        (" https://skills.example/x?y=z ", "https://skills.example/x?y=z"),
        ("https://github.com.evil.example/o/r/blob/main/a", "https://github.com.evil.example/o/r/blob/main/a"),
        ("https://github.com/o/r", "https://github.com/o/r"),
    ],
)
def test_a_page_of_github_stands_for_the_text_it_shows(url: str, raw: str) -> None:
    assert raw_url(url) == raw
