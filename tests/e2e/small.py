"""The service with a small model beside the encoder: messages are sorted without the model."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, AppUnderTest, running_app


def open_encoder() -> LocalEmbedder:
    """Return the encoder, loaded; the test is skipped where the extra `local` is not installed."""
    opened = LocalEmbedder.open()
    if opened is None:
        pytest.skip("the optional extra `local` is not installed")
    asyncio.run(opened.embed(["loaded before anybody waits"], purpose="query"))
    return opened


@asynccontextmanager
async def small_app(
    directory: Path, encoder: LocalEmbedder, *lines: str, **more: Any
) -> AsyncIterator[tuple[AppUnderTest, ScriptedChatModel]]:
    """Run it over a model that says these lines, and nothing that was not expected is asked of it."""
    llm = ScriptedChatModel(*lines)
    async with running_app(directory, llm=llm, profile=CONSTRAINED, embedder=encoder, **more) as app:
        yield app, llm
        assert llm.unexpected == []
