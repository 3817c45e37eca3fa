"""Real servers, installed, used and removed by writing to the assistant; only the list of servers is a fake.

What `npx` and `uvx` start comes from npm and PyPI, in the version that is the newest there today.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.asking import calls
from tests.e2e.installing import chatting, check_gone, find, install, use, what_it_said
from tests.e2e.launching import LAUNCH_S, launcher_variables, newest_on_npm, newest_on_pypi
from tests.fakes.mcp import children
from tests.fakes.registries import entry, package

pytestmark = pytest.mark.live_servers

OURS: Final = "hush-this-is-our-own"
EVERYTHING: Final = "@modelcontextprotocol/server-everything"
FILESYSTEM: Final = "@modelcontextprotocol/server-filesystem"
TIME: Final = "mcp-server-time"
NOTE: Final = "flour, salt, and a surprise"


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """What the owner of this machine would pass on: where launchers fetch from, and nothing that is ours."""
    variables: Mapping[str, str] = launcher_variables()
    for name, value in {**variables, "OWNERS_PASSPHRASE": OURS}.items():
        monkeypatch.setenv(name, value)
    return tuple(variables)


def check_environment(before: set[int], passed: tuple[str, ...]) -> None:
    """Whatever was started since has nothing of ours; what we started ourselves has exactly what it is given."""
    started = children() - before
    [launcher] = [pid for pid in started if parent_of(pid) not in started]
    assert {line.partition("=")[0] for line in environment_of(launcher)} == {
        "PATH",
        "HOME",
        "TMPDIR",
        "LANG",
        *passed,
    }
    assert [pid for pid in started if OURS in str(environment_of(pid))] == []


def environment_of(pid: int) -> list[str]:
    lines = Path(f"/proc/{pid}/environ").read_text("utf-8", "replace").split("\0")
    return [line for line in lines if line]


def parent_of(pid: int) -> int | None:
    """Return the parent of a process; None when it is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


async def test_the_server_of_everything_by_npx(tmp_path: Path, passed: tuple[str, ...]) -> None:
    version = newest_on_npm(EVERYTHING)
    listed = entry("io.test/everything", packages=[package("npm", EVERYTHING, version)])
    runs = f"npx -y {EVERYTHING}@{version}"
    async with chatting(tmp_path, listed, patience_s=LAUNCH_S, mcp_passed_env=passed) as chat:
        before = children()
        await find(chat, "io.test/everything", runs)
        category = await install(chat, "everything", runs)
        check_environment(before, passed)
        words = {"message": "bread and circuses"}
        echoed = await use(chat, category, "echo my words: bread and circuses", "mcp_everything_echo", words)
        assert "Echo: bread and circuses" in echoed
        assert "everything" in await chat.says("/mcp remove everything")
        await check_gone(chat, category, before)


async def test_the_server_of_files_by_npx_with_the_folder_that_its_admin_names(
    tmp_path: Path, passed: tuple[str, ...]
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "note.txt").write_text(NOTE, "utf-8")
    version = newest_on_npm(FILESYSTEM)
    wants = {"type": "positional", "valueHint": "folder", "isRequired": True}
    listed = entry("io.test/disk", packages=[package("npm", FILESYSTEM, version, packageArguments=[wants])])
    runs = f"npx -y {FILESYSTEM}@{version}"
    reading = "mcp_disk_read_text_file"
    async with chatting(tmp_path / "data", listed, patience_s=LAUNCH_S, mcp_passed_env=passed) as chat:
        before = children()
        assert "/mcp set folder VALUE" in await find(chat, "io.test/disk", runs)
        assert "disk" in await chat.says(f"/mcp set folder {folder}")
        category = await install(chat, "disk", runs)
        check_environment(before, passed)
        inside, outside = {"path": str(folder / "note.txt")}, {"path": "/etc/hostname"}
        assert NOTE in await use(chat, category, "read the text of the file note.txt", reading, inside)
        assert "It did not work" in await use(chat, category, "read the text file hostname", reading, outside)
        chat.app.llm.category = "expand"
        await chat.says("remove it", calls(("remove_mcp_server", {"name": "disk"})), what_it_said)
        assert "Removed disk" in await chat.presses("y")
        await check_gone(chat, category, before)


async def test_the_server_of_time_by_uvx(tmp_path: Path, passed: tuple[str, ...]) -> None:
    version = newest_on_pypi(TIME, "mcp>=2")
    listed = entry("io.test/time", packages=[package("pypi", TIME, version)])
    runs = f"uvx --from {TIME}=={version} {TIME}"
    async with chatting(tmp_path, listed, patience_s=LAUNCH_S, mcp_passed_env=passed) as chat:
        before = children()
        await find(chat, "io.test/time", runs)
        category = await install(chat, "time", runs)
        check_environment(before, passed)
        place = {"timezone": "Europe/Madrid"}
        told = await use(chat, category, "what time is it in Madrid?", "mcp_time_get_current_time", place)
        assert '"timezone": "Europe/Madrid"' in told
        assert "time" in await chat.says("/mcp undo")
        await check_gone(chat, category, before)
