"""What a model is shown of the builtin tools: small models are tuned on it, so it changes only on purpose."""

import json
from pathlib import Path

import pytest

from app.skills.router import REQUEST_MORE_TOOLS_NAME, TOOL_CATEGORIES
from tests.builders import ALICE
from tests.harness import running_app

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "tool_schemas.json"


@pytest.mark.needs(
    "calculator",
    "conversation",
    "datetime",
    "files",
    "lists",
    "notes",
    "oversight",
    "projects",
    "reminders",
    "selfcode",
    "weather",
)
async def test_a_model_is_shown_the_builtin_tools_as_ever(tmp_path: Path) -> None:
    async with running_app(
        tmp_path, max_tools_per_call=64, agent_write_enabled=True, agent_delete_enabled=True
    ) as app:
        for category in TOOL_CATEGORIES:
            app.llm.category = category
            await app.say(ALICE, f"a message about {category}")
    shown = {
        tool.name: {"description": tool.description, "parameters": tool.parameters}
        for request in app.llm.requests
        for tool in request.tools
        if tool.name != REQUEST_MORE_TOOLS_NAME
    }
    assert shown.keys() == {name for names in TOOL_CATEGORIES.values() for name in names}
    text = json.dumps(dict(sorted(shown.items())), indent=2, ensure_ascii=False) + "\n"
    (tmp_path / GOLDEN.name).write_text(text, "utf-8")
    assert text == GOLDEN.read_text("utf-8"), f"if this is meant, keep {tmp_path / GOLDEN.name}"
