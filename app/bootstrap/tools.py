"""Wires what the assistant can do: tools, their skills, and everything that guards them."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
from pydantic import SecretStr

from app.asking.approvals import ApprovalBroker
from app.bootstrap.ground import Ground
from app.bootstrap.memory import Memory
from app.bootstrap.servers import Servers
from app.config import Settings
from app.domain.places import Places
from app.jobs import Job
from app.mcp.installing import expand_tools
from app.mcp.installing.remote_skills import RemoteSkills
from app.memory import history_tools, memory_tools
from app.security.audit import AuditTrail
from app.security.policy import PolicyEngine
from app.skills.catalog import ToolCatalog
from app.skills.engine import ExecutionEngine
from app.skills.registry import SkillRegistry
from app.skills.search.choose import SMALL_CATALOG
from app.skills.search.documents import load_background, load_builtin_words
from app.skills.search.embeddings import ToolEmbeddings
from app.skills.search.index import ToolIndex
from app.skills.tools.calculator import calculator_tools
from app.skills.tools.catalog import catalog_tools
from app.skills.tools.conversation import conversation_tools
from app.skills.tools.datetime import datetime_tools
from app.skills.tools.files import filesystem_tools
from app.skills.tools.notes import notes_tools
from app.skills.tools.projects import project_tools
from app.skills.tools.selfcode import selfcode_tools
from app.skills.tools.selfcode.runtime import LogRing, Runtime
from app.skills.tools.selfcode.source import SourceReader
from app.skills.tools.weather import weather_tools
from app.skills.tools.weather.forecast import WeatherSource

log = structlog.get_logger(__name__)

PROJECT_ROOT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools, and what stands between a model's wish and a deed."""

    skills: SkillRegistry
    catalog: ToolCatalog
    engine: ExecutionEngine
    broker: ApprovalBroker
    index: ToolIndex


def build_tools(
    ground: Ground,
    *,
    memory: Memory,
    servers: Servers,
    weather: WeatherSource,
    runtime: Runtime,
    broker: ApprovalBroker,
) -> Tools:
    """Build the registry with every builtin tool, and the engine that runs them."""
    settings, repository, clock = ground.settings, ground.repository, ground.clock
    policy = PolicyEngine.load(settings.data_dir / "security_policies.toml")
    if policy.problem is not None:
        log.error("policy.broken", problem=policy.problem, effect="every tool is blocked")
    key = settings.audit_hmac_key
    audit = AuditTrail(
        repository,
        clock,
        head_file=settings.data_dir / "audit.head",
        key=key.get_secret_value().encode() if key is not None else None,
        known_secrets=known_secrets(settings),
    )
    skills = SkillRegistry()
    places = Places()
    datetime_tools.register(skills, clock, places)
    calculator_tools.register(skills)
    weather_tools.register(skills, weather, places)
    notes_tools.register(skills, repository.notes, clock)
    project_tools.register(skills, repository.projects, clock)
    memory_tools.register(skills, memory.facts)
    history_tools.register(skills, repository.snapshots, repository.days, clock)
    conversation_tools.register(skills, repository.conversations)
    filesystem_tools.register(
        skills, is_write_enabled=settings.agent_write_enabled, is_delete_enabled=settings.agent_delete_enabled
    )
    catalog = ToolCatalog([skills, servers.manager])
    remote = RemoteSkills(
        servers.fetcher,
        settings.data_dir / "skills",
        clock,
        skills_now=skills.list_skills,
        tools_of=lambda name: [tool.name for tool in catalog.snapshot().tools.values() if tool.skill == name],
    )
    expand_tools.register(skills, servers.installer, servers.manager.list_servers, remote)
    skills.use_outside(remote.load)
    catalog_tools.register(skills, catalog.snapshot)
    selfcode_tools.register(skills, SourceReader(PROJECT_ROOT), runtime)
    summary = skills.load_skills(settings.skills_dir)
    for problem in summary.problems:
        log.warning("skill.skipped", folder=problem.folder, reason=problem.reason)
    engine = ExecutionEngine(policy, broker, audit, clock, is_dry_run=settings.tool_dry_run)
    for rule in policy.list_idle_rules(skills.list_tools()):
        log.debug("policy.idle_rule", rule=rule)
    embedders = [] if memory.embedder is None else [memory.embedder]
    embeddings = ToolEmbeddings(repository.tool_index, embedders, load_background())
    index = ToolIndex(repository.tool_index, embeddings, words=load_builtin_words())
    return Tools(skills, catalog, engine, broker, index)


def tool_vectors(tools: Tools) -> Job:
    """Have the descriptions of tools read, once there are so many that they are searched."""

    async def run() -> int:
        offered = tools.catalog.snapshot()
        if len(offered.tools) <= SMALL_CATALOG:
            return 0
        await tools.index.update(offered)
        return await tools.index.embed_tool_descriptions()

    return Job("tool_vectors", run)


def known_secrets(settings: Settings) -> tuple[str, ...]:
    """Return the settings that may appear nowhere."""
    fields = (
        settings.whatsapp_access_token,
        settings.whatsapp_app_secret,
        settings.whatsapp_verify_token,
        settings.audit_hmac_key,
    )
    return tuple(field.get_secret_value() for field in fields if field is not None)


def build_runtime(
    settings: Settings, health: Callable[[], Awaitable[Mapping[str, str]]], logs: LogRing
) -> Runtime:
    """Build what the assistant may know about its own process."""
    shown = {
        name: str(value)
        for name, value in settings.model_dump().items()
        if not isinstance(getattr(settings, name), SecretStr) and "number" not in name
    }
    return Runtime(PROJECT_ROOT, lambda: shown, health, logs, secrets=known_secrets(settings))
