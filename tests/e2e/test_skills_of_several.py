"""A skill that one process installs is known to the others, and gone from all once its folder is."""

import shutil
from pathlib import Path
from typing import Final

from structlog.testing import capture_logs

from app.domain.roles import Role
from app.mcp.installing.remote_skills import RemoteSkills
from tests.builders import ALICE
from tests.e2e.test_roles import Parts, running
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.fakes.mcp import until
from tests.postgresql import Server
from tests.test_remote_skills import URL, Web

PROCESSES: Final[tuple[Role, ...]] = ("web", "worker", "worker")


async def skills(parts: Parts, name: str = "") -> str:
    """What the worker that takes Alice's message tells of the skills, or of one of them."""
    count = len(parts.graph.sends)
    await parts.receive(ALICE, f"/skills {name}")
    said = await parts.told(ALICE, count + 1)
    await parts.graph.idle()
    return said[-1]


async def install(folder: Path) -> None:
    remote = RemoteSkills(Web(), folder, FrozenClock(), skills_now=list)
    remote.install(URL, (await remote.preview(URL)).digest)


async def test_all_processes_have_a_skill_that_one_installs_and_none_after_its_removal(
    tmp_path: Path, postgresql: Server
) -> None:
    installed, by_hand = tmp_path / "skills", tmp_path / "ours"
    (by_hand / "garden").mkdir(parents=True)
    url, model = postgresql.clean(), ScriptedChatModel()
    async with running(tmp_path, url, *PROCESSES, model=model, skills_dir=by_hand) as parts:
        assert "cooking" not in await skills(parts)
        with capture_logs() as logs:

            async def followed(times: int) -> None:
                await until(lambda: [one["event"] for one in logs].count("skill.followed") == times)

            await install(installed)
            await followed(len(PROCESSES))
            assert "cooking" in await skills(parts)
            (by_hand / "garden" / "SKILL.md").write_text(
                "---\nname: garden\ndescription: Water it.\n---\nAt dusk."
            )
            await followed(2 * len(PROCESSES))
            assert "At dusk." in await skills(parts, "garden")
            shutil.rmtree(installed / "cooking")
            await followed(3 * len(PROCESSES))
            assert "cooking" not in await skills(parts)
