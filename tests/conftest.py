"""Fixtures that any test may need; nothing about one feature."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.harness import AppUnderTest, running_app


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    """A running application with an echoing model, a simulated Graph and a clock that stands still."""
    async with running_app(tmp_path) as running:
        yield running
