"""What an ability finds when it registers, and where it puts what it brings."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from app.commands.registry import CommandRegistry
from app.config import Settings
from app.database.db import Database
from app.database.repository import Repository
from app.domain.places import Places
from app.domain.ports import ChatModel, Clock, TurnControl
from app.jobs import Job
from app.skills.catalog import ToolCatalog
from app.skills.registry import SkillRegistry
from app.skills.tools.selfcode.runtime import LogRing


@dataclass(frozen=True, slots=True)
class Process:
    """The running program, for whoever is asked about it.

    `health` gives one line for each part; `pause_reason` says why nothing is sent at the moment, if so.
    `root` is the folder of the program's own source.
    """

    root: Path
    logs: LogRing
    health: Callable[[], Awaitable[Mapping[str, str]]]
    pause_reason: Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class Kit:
    """The core as an ability sees it; `register(kit)` of each ability is called once, before any message is read.

    `repository` has the tables of the core; an ability opens its own over `db`. `control` stops turns.
    """

    settings: Settings
    db: Database
    repository: Repository
    clock: Clock
    model: ChatModel
    web: httpx.AsyncClient
    control: TurnControl
    process: Process
    places: Places
    tools: SkillRegistry
    catalog: ToolCatalog
    commands: CommandRegistry
    jobs: list[Job] = field(default_factory=list)
