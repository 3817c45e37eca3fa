"""Wires what runs and finds tools; the tools themselves come from the abilities."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from app.asking.approvals import ApprovalBroker
from app.config import Settings
from app.database.repository import Repository
from app.domain.ports import Clock, Embedder
from app.jobs import Job, beside, follow_files
from app.security.audit import AuditTrail
from app.security.oversight import Oversight
from app.security.policy import PolicyEngine
from app.skills.engine import ExecutionEngine
from app.skills.examples import EXAMPLES
from app.skills.kit import Kit
from app.skills.loader import SKILL_FILE
from app.skills.search.choose import is_large
from app.skills.search.documents import load_background
from app.skills.search.embeddings import ToolEmbeddings
from app.skills.search.index import ToolIndex

log = structlog.get_logger(__name__)


def build_oversight(settings: Settings, repository: Repository, clock: Clock) -> Oversight:
    """Read the rules, of which broken ones block every tool, and open the audit trail."""
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
    return Oversight(policy, repository.tool_rules, audit, clock, is_dry_run=settings.tool_dry_run)


def build_engine(kit: Kit) -> ExecutionEngine:
    """Build what runs a tool: guarded by the rules, asked about, recorded."""
    return ExecutionEngine(kit.oversight, ApprovalBroker(kit.asking), kit.clock)


def build_tool_index(kit: Kit, embedder: Embedder | None) -> ToolIndex:
    """Build the search among tools, and have their descriptions read once there are many."""
    embedders = [] if embedder is None else [embedder]
    embeddings = ToolEmbeddings(kit.repository.tool_index, embedders, load_background())
    index = ToolIndex(kit.repository.tool_index, embeddings, words=EXAMPLES.words)

    async def read() -> int:
        offered = kit.catalog.snapshot()
        if not is_large(offered):
            return 0
        await index.update(offered)
        return await index.embed_tool_descriptions()

    kit.jobs.add(Job("tool_vectors", read))
    return index


def load_skills(kit: Kit) -> None:
    """Read the skills, once every tool is there; the log names what cannot be used, or that there are none."""
    if not any(kit.settings.skills_dir.glob(f"*/{SKILL_FILE}")):
        log.warning("skill.none_of_your_own", folder=str(kit.settings.skills_dir), fix="SKILLS_DIR")
    for problem in kit.tools.load_skills(kit.settings.skills_dir).problems:
        log.warning("skill.skipped", folder=problem.folder, reason=problem.reason)
    for rule in kit.oversight.policy.list_idle_rules(kit.tools.list_tools()):
        log.debug("policy.idle_rule", rule=rule)
    if kit.process.list_all is not None:
        kit.everywhere.append(_following_skills(kit))


@asynccontextmanager
async def _following_skills(kit: Kit) -> AsyncIterator[None]:
    """Read the skills again whenever another process, or somebody by hand, changed one."""

    async def read() -> bool:
        summary = await asyncio.to_thread(kit.tools.reload)
        if summary.added or summary.removed or summary.changed:
            log.info("skill.followed", added=summary.added, removed=summary.removed, changed=summary.changed)
        return True

    async with beside(follow_files(kit.tools.list_files, read, kit.clock), "skills_following"):
        yield
