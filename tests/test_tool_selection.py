"""What a turn is offered, and what the prompt says about it."""

from datetime import UTC, datetime

import pytest

from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.turn import TurnContext
from app.llm.profiles import ModelProfile
from app.llm.small_models import ModelPolicy
from app.skills.catalog import ToolCatalog
from app.skills.registry import SkillRegistry
from app.skills.router import REQUEST_MORE_TOOLS_NAME, Intent
from app.skills.selection import ToolSelection

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CTX = TurnContext(TurnId(1), UserId("ana"), ConversationId(1), 1, NOW, "es", is_admin=False)
TALK, SUMS = Intent(("none",)), Intent(("math",))


def selection(profile: ModelProfile) -> ToolSelection:
    skills = SkillRegistry()
    parameters = {"type": "object", "properties": {"expression": {"type": "string"}}}
    skills.register_tool("calculate", "Compute", parameters, lambda expression="": expression, "math")
    return ToolSelection(ToolCatalog([skills]), ModelPolicy.of(profile), skills.instructions_for)


@pytest.mark.parametrize(
    ("profile", "in_talk", "in_sums"),
    [
        (ModelProfile("small"), False, False),
        (ModelProfile("native", tool_protocol="native"), False, True),
        (ModelProfile("calm", tool_protocol="native", leaves_meta_tool_alone=True), True, True),
    ],
)
async def test_the_capabilities_name_the_meta_tool_only_where_it_is_offered(
    profile: ModelProfile, in_talk: bool, in_sums: bool
) -> None:
    chooses = selection(profile)
    for intent, is_named in ((TALK, in_talk), (SUMS, in_sums)):
        offered = (await chooses.offer(intent, "2+2", "", (), CTX)).schemas()
        assert (REQUEST_MORE_TOOLS_NAME in chooses.capabilities(intent, CTX)) is is_named
        assert not is_named or offered[0].name == REQUEST_MORE_TOOLS_NAME
        assert "math" in chooses.capabilities(intent, CTX)
