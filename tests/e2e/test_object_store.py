"""People's files in an object store: two machines that share no folder, kills, and what is left of a person."""

import asyncio
import zipfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.cli.doctor.files import check_files
from app.domain.errors import Permanent
from app.domain.ports import FileEntry, PeoplesFiles
from app.domain.roles import Role
from app.files.bucket import Bucket
from app.files.opening import opened_files
from app.language.catalogue import say
from app.privacy.texts import PRIVACY
from app.simulator import payloads
from app.skills.tools.files.texts import FILES
from tests.abilities.media.sending import send, settle
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls
from tests.e2e.crash_world import USERS, open_world, serving
from tests.e2e.test_media_crash import restart_and_settle, show
from tests.e2e.test_roles import running
from tests.e2e.visiting import ADDRESS, at_home, words
from tests.fakes import files
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import PEOPLE, AppUnderTest, make_settings, running_app
from tests.object_store import SECRET, ObjectStore, settings_for
from tests.postgresql import Server

TABLE = b"Concepto;Importe\nLuz;1234\n"
ALL = 1000
MANY_TIMES = 20
"""More requests than the attempts after which a turn is given up."""


class Readers:
    """`Children` that read what they are given, where it lies: `seen` is what they found there."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, bytes]] = []

    async def run(self, task: str, arguments: Mapping[str, object], *, timeout_s: float) -> Mapping[str, object]:
        data = await asyncio.to_thread(Path(str(arguments["path"])).read_bytes)
        self.seen.append((task, data))
        if task == "query_table":
            return {"columns": ["total"], "rows": [[1234]], "more": False}
        if task == "read_document":
            return {
                "title": "",
                "pieces": [{"page": 1, "text": data.decode()}],
                "tables": [{"name": "data", "columns": ["Concepto", "Importe"], "rows": 1}],
                "page_count": 1,
                "read_pages": 1,
                "is_paged": False,
                "chars": len(data),
            }
        raise Permanent("damaged")


@pytest.fixture
def bucket(object_store: ObjectStore) -> Bucket:
    return object_store.create()


@pytest.fixture
def stored(bucket: Bucket, tmp_path: Path) -> Iterator[PeoplesFiles]:
    with opened_files(tmp_path, bucket, data_dir=tmp_path / "looking") as found:
        yield found


def machine(tmp_path: Path, name: str, bucket: Bucket, **others: Any) -> AbstractAsyncContextManager[AppUnderTest]:
    """The service on a disk of its own, with the database and the store that all have."""
    shared = {"database_path": tmp_path / "shared.db", **settings_for(bucket)}
    return running_app(tmp_path / name, **shared, **others)


async def everything(stored: PeoplesFiles) -> list[FileEntry]:
    owners = await stored.list_owners()
    found = [one for user in owners for one in await stored.list_files(user, limit=ALL)]
    return [one for one in found if not one.is_folder]


def on_disk(folder: Path) -> list[Path]:
    """The files of people on a machine, whichever way they came there."""
    ours = {"users", "copies", "children"}
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".lock" and not ours.isdisjoint(path.parts)
    ]


def sent_file(app: AppUnderTest) -> bytes:
    """What the newest document that was sent holds."""
    document: Any = next(one.payload["document"] for one in reversed(app.graph.sends) if one.type == "document")
    file = app.graph.media.find(document["id"])
    assert file is not None
    return file.data


def archive_in(app: AppUnderTest) -> zipfile.ZipFile:
    return zipfile.ZipFile(BytesIO(sent_file(app)))


async def forget(app: AppUnderTest, person: str) -> None:
    await app.say(person, "/forget-me")
    buttons: Any = app.graph.sends[-1].payload["interactive"]
    yes = buttons["action"]["buttons"][0]["reply"]["id"]
    await app.graph.receive(PEOPLE[person], payloads.button_reply(yes, "yes"))
    await settle(app)
    await app.say(person, say(PRIVACY.forget_word, "es"))
    await settle(app)


async def test_what_came_in_at_one_machine_is_read_and_exported_by_another(tmp_path: Path, bucket: Bucket) -> None:
    async with machine(tmp_path, "one", bucket, children=Readers()) as app:
        await send(app, ALICE, "document", TABLE, filename="gastos.csv")
        await settle(app)
        assert on_disk(tmp_path / "one") == []
    llm, readers = ScriptedChatModel(), Readers()
    async with machine(tmp_path, "two", bucket, children=readers, llm=llm) as app:
        llm.category = "documents"
        llm.add(calls(("query_table", {"query": "SELECT sum(Importe) AS total FROM data"})), "It is 1234.")
        await app.say(ALICE, "what is the total?")
        assert app.replies_to(ALICE)[-1] == "It is 1234."
        assert readers.seen == [("query_table", TABLE)]
        await app.say(ALICE, "/export")
        with archive_in(app) as archive:
            [name] = [one for one in archive.namelist() if one.startswith("files/media/")]
            assert archive.read(name) == TABLE
        await app.say(BOB, "/export")
        with archive_in(app) as archive:
            assert not any(one.startswith("files/media/") for one in archive.namelist())
        assert on_disk(tmp_path / "two") == []


async def test_a_file_that_a_tool_wrote_is_read_changed_and_sent_by_another_machine(
    tmp_path: Path, bucket: Bucket, stored: PeoplesFiles
) -> None:
    yes = {"agent_write_enabled": True, "agent_delete_enabled": True, "tool_confirmation": "yolo"}
    llm = ScriptedChatModel()
    llm.category = "files"
    async with machine(tmp_path, "one", bucket, llm=llm, **yes) as app:
        llm.add(calls(("write_file", {"path": "lists/compra.txt", "content": "pan"})), "Done.")
        await app.say(ALICE, "write pan into lists/compra.txt")
    async with machine(tmp_path, "two", bucket, llm=llm, **yes) as app:
        more = {"path": "lists/compra.txt", "content": "\nleche", "mode": "append"}
        llm.add(calls(("write_file", more)), calls(("list_files", {})), "Done.")
        await app.say(ALICE, "add leche to lists/compra.txt and list my files")
        assert "lists" in llm.requests[-1].messages[-1].content
        llm.add(calls(("send_file", {"path": "compra"})), "Here.")
        await app.say(ALICE, "send me compra")
        assert sent_file(app) == b"pan\nleche"
        llm.add(calls(("delete_file", {"path": "lists/compra.txt"})), "Gone.")
        await app.say(ALICE, "delete lists/compra.txt")
    assert [one.path for one in await everything(stored)] == []
    assert on_disk(tmp_path) == []


async def test_facts_are_in_the_store_as_they_are(tmp_path: Path, bucket: Bucket, stored: PeoplesFiles) -> None:
    async with machine(tmp_path, "one", bucket) as app:
        await app.say(ALICE, "/remember my cat is called Luna")
        await memory_file(stored, "Luna")
    async with machine(tmp_path, "two", bucket) as app:
        await app.say(ALICE, "/remember my dog is called Rex")
        text = await memory_file(stored, "Rex")
    assert "Luna" in text
    assert on_disk(tmp_path) == []


async def memory_file(stored: PeoplesFiles, word: str) -> str:
    """Wait until somebody's MEMORY.md has a word in it."""
    async with asyncio.timeout(20):
        while True:
            for user_id in await stored.list_owners():
                text = (await stored.read(user_id, "MEMORY.md", max_bytes=10_000))[0].decode()
                if word in text:
                    return text
            await asyncio.sleep(0.05)


async def test_nothing_of_somebody_who_is_forgotten_stays_in_the_store(
    tmp_path: Path, bucket: Bucket, stored: PeoplesFiles
) -> None:
    async with machine(tmp_path, "one", bucket, children=Readers()) as app:
        for person in (ALICE, BOB):
            await send(app, person, "document", TABLE, filename="gastos.csv")
            await settle(app)
    async with machine(tmp_path, "two", bucket) as app:
        before = await stored.list_owners()
        await forget(app, ALICE)
        after = await stored.list_owners()
    assert len(before) == 2
    assert len(after) == 1
    assert [one.path.rpartition(".")[2] for one in await everything(stored)] == ["csv"]
    assert on_disk(tmp_path) == []


async def test_what_is_taken_back_leaves_the_store(tmp_path: Path, bucket: Bucket, stored: PeoplesFiles) -> None:
    async with machine(tmp_path, "one", bucket, children=Readers()) as app:
        await send(app, ALICE, "document", TABLE, filename="gastos.csv")
        await settle(app)
        llm = app.llm
        llm.category = "documents"
        llm.add(calls(("delete_document", {"document": "1"})), "Gone.")
        await app.say(ALICE, "/mode yolo")
        await app.say(ALICE, "delete document 1")
    assert await everything(stored) == []


async def test_a_file_that_no_row_tells_of_goes_after_an_hour(
    tmp_path: Path, bucket: Bucket, stored: PeoplesFiles
) -> None:
    """As when the process was killed between the store and the database, and its message was taken back."""
    async with machine(tmp_path, "one", bucket, children=Readers()) as app:
        await send(app, ALICE, "document", TABLE, filename="gastos.csv")
        await settle(app)
    [alice] = await stored.list_owners()
    async with stored.draft(alice, "media", "x") as draft:
        draft.file.write(b"left")
        await draft.keep("2026-01-01-left.csv")
    assert len(await everything(stored)) == 2

    clock = FrozenClock(datetime.now(UTC) + timedelta(hours=2))
    async with machine(tmp_path, "two", bucket, clock=clock) as app:
        await app.idle()
        [kept] = await everything(stored)
    assert kept.path.endswith("gastos.csv")


async def test_while_the_store_is_away_a_file_waits_and_nothing_is_lost(
    tmp_path: Path, bucket: Bucket, stored: PeoplesFiles
) -> None:
    async with gate_before(bucket) as (gate, behind):
        gate.is_away = True
        async with machine(tmp_path, "one", behind, children=Readers()) as app:
            await send(app, ALICE, "document", TABLE, filename="gastos.csv")
            async with asyncio.timeout(30):
                while gate.refused < MANY_TIMES:
                    await app.clock.advance(1)
                    await asyncio.sleep(0.05)
            assert app.replies_to(ALICE) == []
            gate.is_away = False
            await app.let_time_pass()
            await settle(app)
            assert len(app.replies_to(ALICE)) == 1
            assert "gastos" in app.replies_to(ALICE)[0]
    assert len(await everything(stored)) == 1


async def test_workers_that_share_no_folder_add_to_one_file_in_turn(
    tmp_path: Path, bucket: Bucket, stored: PeoplesFiles, postgresql: Server
) -> None:
    model = ScriptedChatModel()
    model.category = "files"
    shared = {"tool_confirmation": "yolo", **settings_for(bucket)}
    url = postgresql.clean()
    roles: tuple[Role, ...] = ("web", "worker", "worker")
    async with running(tmp_path, url, *roles, model=model, is_apart=True, **shared) as parts:
        for number in range(6):
            line = {"path": "flour.txt", "content": f"{number}\n", "mode": "append"}
            model.add(calls(("write_file", line)), f"Written {number}.")
            await parts.receive(ALICE, f"add {number} to flour.txt, please")
            await parts.told(ALICE, number + 1)
    [alice] = await stored.list_owners()
    assert (await stored.read(alice, "flour.txt", max_bytes=ALL))[0] == b"0\n1\n2\n3\n4\n5\n"
    assert on_disk(tmp_path) == []


async def test_doctor_proves_that_the_store_can_be_used_and_names_what_to_correct(
    tmp_path: Path, bucket: Bucket, stored: PeoplesFiles
) -> None:
    found = await check_files(make_settings(tmp_path, **settings_for(bucket)))
    assert found.status == "ok"
    assert await stored.list_owners() == []

    found = await check_files(make_settings(tmp_path, **settings_for(replace(bucket, name="another"))))
    assert found.status == "failed"
    assert "AWS_" in found.next_step
    assert SECRET not in found.sentence


async def test_the_home_opens_while_the_store_is_away_and_deletes_what_it_can(
    tmp_path: Path, bucket: Bucket, stored: PeoplesFiles
) -> None:
    async with (
        gate_before(bucket) as (gate, behind),
        machine(tmp_path, "one", behind, children=Readers(), public_url=ADDRESS) as app,
    ):
        await send(app, ALICE, "document", TABLE, filename="gastos.csv")
        await settle(app)
        home = await at_home(app, ALICE)
        assert "gastos" in words(await home.get("/home/files"))
        gate.is_away = True
        for page in ("/", "/home/files"):
            assert say(FILES.home_away, "es") in words(await home.get(page))
        for page, act, number in (
            ("/home/documents", "download", "1"),
            ("/home/privacy", "export", ""),
            ("/home/documents", "delete", "1"),
        ):
            assert (await home.submit(page, act, number=number)).status_code == 200
        gate.is_away = False
        assert "gastos" not in words(await home.get("/home/documents"))
        assert len(await everything(stored)) == 1  # goes within two hours, with what no row knows


class Gate:
    """Stands before the store. It may be away, or stop the next upload, before or after the store has it."""

    def __init__(self, endpoint: str) -> None:
        self.is_away = False
        self.refused = 0
        self.stops_at = ""
        self.held, self._open = asyncio.Event(), asyncio.Event()
        self._open.set()
        self._http = httpx.AsyncClient(base_url=endpoint)
        self.app = Starlette(routes=[Route("/{path:path}", self._pass, methods=["GET", "PUT", "POST", "DELETE"])])

    def stop_upload(self, moment: str) -> None:
        self.stops_at = moment
        self._open.clear()

    def let_go(self) -> None:
        self.stops_at = ""
        self._open.set()

    async def aclose(self) -> None:
        self.let_go()
        await self._http.aclose()

    async def _pass(self, request: Request) -> Response:
        if self.is_away:
            self.refused += 1
            return Response(status_code=503)
        body, moment = await request.body(), self.stops_at if request.method == "PUT" else ""
        if moment == "before":
            await self._stop()
            return Response(status_code=503)
        url = httpx.URL(path=request.url.path, query=request.url.query.encode())
        answer = await self._http.request(request.method, url, content=body, headers=request.headers.raw)
        if moment == "after":
            await self._stop()
        headers = {name: value for name, value in answer.headers.items() if name != "content-encoding"}
        return Response(answer.content, answer.status_code, headers)

    async def _stop(self) -> None:
        self.held.set()
        await self._open.wait()


@asynccontextmanager
async def gate_before(bucket: Bucket) -> AsyncIterator[tuple[Gate, Bucket]]:
    gate = Gate(bucket.endpoint)
    try:
        async with serving(gate.app) as url:
            yield gate, Bucket(bucket.name, bucket.prefix, url, bucket.region, bucket.key_id, bucket.secret)
    finally:
        await gate.aclose()


@pytest.mark.long
@pytest.mark.timeout(310)
@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_kill_while_a_file_goes_to_the_store_loses_nothing_and_answers_once(
    tmp_path: Path, bucket: Bucket, stored: PeoplesFiles, moment: str
) -> None:
    async with gate_before(bucket) as (gate, behind):
        env = {name.upper(): value for name, value in settings_for(behind).items()}
        async with asyncio.timeout(300), open_world(tmp_path, 1, **env) as world:
            gate.stop_upload(moment)
            await show(world, "image", files.png(40, 30))
            await gate.held.wait()
            await world.service.kill()
            assert len(await everything(stored)) == (1 if moment == "after" else 0)
            gate.let_go()
            await restart_and_settle(world)
            assert len(world.replies_to(USERS[0])) == 1
            [kept] = await everything(stored)
            assert kept.path.endswith(".png")
            assert SECRET not in world.service.log.read_text()
    assert on_disk(tmp_path / "data") == []
