"""Fixtures that any test may need; nothing about one feature."""

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog

from tests.harness import AppUnderTest, running_app


@pytest.fixture(autouse=True)
def untouched_logging() -> Iterator[None]:
    """What a test sets up for logging, a command line under test included, ends with it."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    """A running application with an echoing model, a simulated Graph and a clock that stands still."""
    async with running_app(tmp_path) as running:
        yield running
