"""Can every skill be read."""

import asyncio
from pathlib import Path

from app.cli.doctor.outcome import Outcome, failed, ok
from app.skills.loader import load_folder


async def check_skills(directory: Path) -> Outcome:
    """Every SKILL.md below the folder is one that the service can use."""
    if not await asyncio.to_thread(directory.is_dir):
        return failed(
            f"SKILLS_DIR {directory} is not a folder: tools work, without their instructions",
            "run this in the project's folder, or set SKILLS_DIR in .env to where the skills are",
        )
    skills, problems = await asyncio.to_thread(load_folder, directory)
    if problems:
        first = problems[0]
        more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
        return failed(
            f"the skill in {directory / first.folder} is left out: {first.reason}{more}",
            f"correct {directory / first.folder / 'SKILL.md'}, or remove that folder",
        )
    return ok(f"{len(skills)} skills in {directory}")
