from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.abilities.reminders.test_reminders import world
from tests.harness import AppUnderTest


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    """The service with a model that takes every message for talk, so that wishes are known by their form."""
    async with world(tmp_path) as running:
        running.llm.category = "none"
        yield running
