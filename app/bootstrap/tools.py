"""Wires what the assistant can do: tools, their skills, and everything that guards them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from app.asking.approvals import ApprovalBroker
from app.bootstrap.ground import Ground
from app.domain.ports import Embedder
from app.jobs import Job
from app.security.audit import AuditTrail
from app.security.policy import PolicyEngine
from app.skills.catalog import ToolCatalog
from app.skills.engine import ExecutionEngine
from app.skills.examples import EXAMPLES
from app.skills.loader import load_builtin
from app.skills.registry import SkillRegistry
from app.skills.search.choose import SMALL_CATALOG
from app.skills.search.documents import load_background
from app.skills.search.embeddings import ToolEmbeddings
from app.skills.search.index import ToolIndex

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
    policy: PolicyEngine


def build_tools(ground: Ground, *, embedder: Embedder | None, broker: ApprovalBroker) -> Tools:
    """Build the registry, to which abilities add their tools, and the engine that runs them."""
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
        known_secrets=settings.secrets,
    )
    skills = SkillRegistry(load_builtin)
    catalog = ToolCatalog([skills])
    engine = ExecutionEngine(policy, broker, audit, clock, is_dry_run=settings.tool_dry_run)
    embedders = [] if embedder is None else [embedder]
    embeddings = ToolEmbeddings(repository.tool_index, embedders, load_background())
    index = ToolIndex(repository.tool_index, embeddings, words=EXAMPLES.words)
    return Tools(skills, catalog, engine, broker, index, policy)


def load_skills(tools: Tools, directory: Path) -> None:
    """Read the skills, once every tool is there; what cannot be used is named in the log."""
    for problem in tools.skills.load_skills(directory).problems:
        log.warning("skill.skipped", folder=problem.folder, reason=problem.reason)
    for rule in tools.policy.list_idle_rules(tools.skills.list_tools()):
        log.debug("policy.idle_rule", rule=rule)


def tool_vectors(tools: Tools) -> Job:
    """Have the descriptions of tools read, once there are so many that they are searched."""

    async def run() -> int:
        offered = tools.catalog.snapshot()
        if len(offered.tools) <= SMALL_CATALOG:
            return 0
        await tools.index.update(offered)
        return await tools.index.embed_tool_descriptions()

    return Job("tool_vectors", run)
