"""A worker whose leases the server has taken back, while it can still read and write: others take its people."""

import asyncio
from pathlib import Path

import pytest

from app.domain.roles import Role
from tests.builders import ALICE
from tests.databases import rows_in
from tests.e2e.asking import calls
from tests.e2e.test_roles import FLOUR, running, written
from tests.fakes.llm import ScriptedChatModel
from tests.harness import WAIT_S
from tests.postgresql import Server

SUGAR = ("write_file", {"path": "flour.txt", "content": "sugar\n", "mode": "append"})
USERS = ("one", "two")
END_LEASES = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE application_name LIKE 'wasap: worker%' AND usename = ?"
)


@pytest.fixture
def url(postgresql: Server) -> str:
    for user in USERS:
        postgresql.sql(f"DROP ROLE IF EXISTS {user}")
        postgresql.sql(f"CREATE ROLE {user} SUPERUSER LOGIN")
    return postgresql.clean()


async def begun(*models: ScriptedChatModel) -> int:
    """Wait until one of them was asked; returns its place."""
    async with asyncio.timeout(WAIT_S):
        while not any(model.started.is_set() for model in models):
            await asyncio.sleep(0)
    return next(place for place, model in enumerate(models) if model.started.is_set())


@pytest.mark.needs("files")
@pytest.mark.parametrize("is_over", [False, True], ids=["while the other works", "when the other is done"])
async def test_what_a_worker_still_does_for_a_person_that_another_one_took_has_no_effect(
    tmp_path: Path, url: str, postgresql: Server, is_over: bool
) -> None:
    models = [ScriptedChatModel(echo=True) for _ in USERS]
    for model in models:
        model.category = "files"
        model.block()
    roles: tuple[Role, ...] = ("web", "worker", "worker")
    users = ("postgres", *USERS)
    async with running(tmp_path, url, *roles, model=models, users=users, tool_confirmation="yolo") as parts:
        await parts.receive(ALICE, "write flour into a file, please")
        place = await begun(*models)
        late, other = models[place], models[1 - place]
        late.add(calls(SUGAR), "Sugar is written.")
        other.add(calls(FLOUR), "Flour is written.")
        await asyncio.to_thread(postgresql.sql, f"ALTER ROLE {USERS[place]} NOLOGIN")
        await rows_in(url, END_LEASES, USERS[place])
        await begun(other)
        await parts.receive(ALICE, "good evening")
        if is_over:
            other.release()
            await parts.told(ALICE, 2)
        late.release()
        async with asyncio.timeout(WAIT_S):
            while late.lines_left:
                await asyncio.sleep(0)
        other.release()
        assert await parts.told(ALICE, 2) == ["Flour is written.", "echo: good evening"]
        await asyncio.to_thread(postgresql.sql, f"ALTER ROLE {USERS[place]} LOGIN")
        await parts.receive(ALICE, "good night")
        assert await parts.told(ALICE, 3) == ["Flour is written.", "echo: good evening", "echo: good night"]
    assert written(tmp_path) == ["flour\n"]


async def test_a_worker_that_has_its_leases_back_at_once_goes_on_with_its_turns(tmp_path: Path, url: str) -> None:
    model = ScriptedChatModel(echo=True)
    model.category = "none"
    async with running(tmp_path, url, "web", "worker", model=model) as parts:
        model.block()
        await parts.receive(ALICE, "good morning")
        await begun(model)
        await rows_in(url, END_LEASES, "postgres")
        async with asyncio.timeout(WAIT_S):
            while (
                len(await rows_in(url, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1")) < 3
            ):
                await asyncio.sleep(0)
        model.release()
        assert await parts.told(ALICE, 1) == ["echo: good morning"]
    assert model.cancelled == 0
    assert len(model.requests) == 1
