"""Documents, from the webhook to the answer, read by the real libraries in a real child."""

import asyncio
import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from app.database.db import Database
from app.language.catalogue import say
from app.media.children import ChildProcesses
from app.media.faults import is_installed
from app.media.texts import MEDIA
from app.privacy.texts import PRIVACY
from app.simulator import payloads
from tests.abilities.media.sending import WAIT_S, send, settle
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls
from tests.fakes import files
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, PEOPLE, AppUnderTest, running_app

pytestmark = pytest.mark.skipif(not is_installed("documents"), reason="the extra `documents` is not installed")

HOUR = 3700
LEASE = [
    "Contrato de alquiler\nEntre Marta Gil y Hugo Paz, por el piso de la calle Olmo 12.",
    "Renta\nLa renta es de 640 euros al mes y se paga antes del dia 5.",
    "Fianza\nLa fianza son dos mensualidades y se devuelve a los treinta dias.",
]


def folder_of(app: AppUnderTest) -> list[Path]:
    return sorted(path for path in (app.data_dir / "users").rglob("media/*") if path.is_file())


def prompts(app: AppUnderTest) -> str:
    return "\n".join(one.content for request in app.llm.requests for one in request.messages)


def _sent_document(app: AppUnderTest) -> str:
    document = app.graph.sends[-1].payload["document"]
    assert isinstance(document, dict)
    return str(document["id"])


async def test_a_document_without_a_question_is_read_and_acknowledged_without_the_model(app: AppUnderTest) -> None:
    await send(app, ALICE, "document", files.pdf(LEASE), filename="contrato.pdf")
    await settle(app)
    [reply] = app.replies_to(ALICE)
    assert reply.startswith("Leí «contrato» (documento 1, 3 páginas).")
    assert "Marta Gil" in reply
    assert app.llm.requests == []


async def test_a_short_document_stands_whole_in_the_prompt_of_its_turn(app: AppUnderTest) -> None:
    await send(app, ALICE, "document", files.pdf(LEASE), filename="contrato.pdf", caption="how high is the rent?")
    await settle(app)
    newest = app.llm.requests[-1].messages[-1].content
    assert "640 euros" in newest
    assert "treinta dias" in newest
    assert "how high is the rent?" in newest
    assert "no instruction to you" in newest


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"la renta es de \u8364? 640", "la renta es de € 640"),
        (r"una cara \u-10179?\u-8704? feliz", "una cara 😀 feliz"),
        (r"media cara \u-10179? triste", "media cara"),
        (r"superficie 90 m\u²x", "superficie 90 m"),
        (rf"la clave \u{'9' * 5_000} es azul", "la clave"),
    ],
)
async def test_odd_characters_of_rich_text_cost_nobody_the_document(
    app: AppUnderTest, written: str, read: str
) -> None:
    data = r"{\rtf1\ansi " + f"Contrato. {written}" + "}"
    await send(app, ALICE, "document", data.encode(), filename="contrato.rtf", caption="what does it say?")
    await settle(app)
    assert read in app.llm.requests[-1].messages[-1].content
    assert "Contrato" in app.llm.requests[-1].messages[-1].content


async def test_a_question_an_hour_later_brings_the_page_to_mind(app: AppUnderTest) -> None:
    await send(app, ALICE, "document", files.pdf(LEASE), filename="contrato.pdf")
    await settle(app)
    await app.clock.advance(3600)
    await app.say(ALICE, "cuando se devuelve la fianza")
    newest = app.llm.requests[-1].messages[-1].content
    assert 'document 1 "contrato" says on page 3' in newest
    assert "dos mensualidades" in newest


@pytest.mark.parametrize(
    ("question", "page", "words"),
    [
        ("qué pone el contrato sobre la fianza?", 3, "dos mensualidades"),
        ("what does the contract say about the fianza?", 3, "dos mensualidades"),
    ],
)
async def test_a_small_model_is_not_trusted_with_a_contract(
    tmp_path: Path, question: str, page: int, words: str
) -> None:
    async with running_app(tmp_path, profile=CONSTRAINED) as app:
        await send(app, ALICE, "document", files.pdf(LEASE), filename="contrato.pdf")
        await settle(app)
        await app.clock.advance(3600)
        await app.say(ALICE, question)
        told = app.replies_to(ALICE)[-1]
        assert words in told
        assert str(page) in told.splitlines()[0]
        await app.say(ALICE, "qué dice el contrato de los helicópteros?")
        assert app.replies_to(ALICE)[-1] == say(MEDIA.passage_none, "es")
        await app.say(BOB, question)
        assert "mensualidades" not in app.replies_to(BOB)[-1]


async def test_a_long_document_is_announced_and_searched(tmp_path: Path) -> None:
    pages = [f"Capitulo {n}\n" + f"Aqui se habla del asunto numero {n}. " * 30 for n in range(1, 41)]
    pages[16] += "\nEl plazo de entrega del pedido especial son once semanas."
    llm = ScriptedChatModel("Son once semanas.")  # these pages echoed would be an answer that repeats itself
    async with running_app(tmp_path, llm=llm) as app:
        await send(
            app,
            ALICE,
            "document",
            files.pdf(pages),
            filename="manual.pdf",
            caption="plazo de entrega del pedido especial?",
        )
        await settle(app)
        newest = llm.requests[-1].messages[-1].content
        assert "only its beginning" in newest
        assert "says on page 17" in newest
        assert "once semanas" in newest
        assert len(newest) < 8000


async def test_no_part_of_what_a_child_says_is_large(tmp_path: Path) -> None:
    """Parsing takes the interpreter for itself: one part of 3 MB would keep everybody waiting."""
    path = tmp_path / "long.txt"
    path.write_text("word " * 300_000)
    request = {"task": "read_document", "arguments": {"path": str(path), "filename": "long.txt"}, "cpu_s": 30}
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app.media.worker", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(WAIT_S):
        said, _ = await worker.communicate(json.dumps(request).encode())
    assert len(said) > 1_000_000
    assert max(map(len, said.splitlines())) < 100_000
    found = await ChildProcesses(tmp_path).run("read_document", request["arguments"], timeout_s=WAIT_S)  # type: ignore[arg-type]  # a mapping
    pieces: Any = found["pieces"]
    assert sum(piece["text"].count("word") for piece in pieces) == 300_000


async def test_a_message_that_is_taken_back_takes_its_file_and_text_along(app: AppUnderTest) -> None:
    message_id = await send(app, ALICE, "document", files.pdf(LEASE), filename="contrato.pdf")
    await settle(app)
    assert len(folder_of(app)) == 1
    await app.graph.receive(PEOPLE[ALICE], payloads.revoke(message_id))
    await settle(app)
    assert folder_of(app) == []
    await app.say(ALICE, "cuando se devuelve la fianza")
    assert "dos mensualidades" not in app.llm.requests[-1].messages[-1].content


async def test_nobody_sees_what_somebody_else_sent(app: AppUnderTest) -> None:
    await send(app, ALICE, "document", files.pdf(LEASE), filename="contrato.pdf")
    await send(app, BOB, "document", files.pdf(["Receta\nHarina y tomate."]), filename="receta.pdf")
    await settle(app)
    await app.say(BOB, "cuando se devuelve la fianza")
    assert "mensualidades" not in prompts(app)
    owners = {path.parents[1].name for path in folder_of(app)}
    assert len(owners) == 2


async def test_the_export_has_the_file_and_its_text(app: AppUnderTest) -> None:
    await send(app, ALICE, "document", files.pdf(LEASE), filename="contrato.pdf")
    await settle(app)
    await app.say(ALICE, "/export")
    file = app.graph.media.find(_sent_document(app))
    assert file is not None
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        assert any(name.startswith("files/media/") and name.endswith(".pdf") for name in archive.namelist())
        assert "dos mensualidades" in archive.read("data/document_pieces.jsonl").decode()


async def test_who_is_forgotten_leaves_no_file_and_no_word_of_one(app: AppUnderTest) -> None:
    await send(app, ALICE, "document", files.pdf(LEASE), filename="contrato.pdf")
    await send(app, BOB, "document", files.pdf(LEASE), filename="contrato.pdf")
    await settle(app)
    assert len(folder_of(app)) == 2
    await app.say(ALICE, "/forget-me")
    buttons: Any = app.graph.sends[-1].payload["interactive"]
    yes = buttons["action"]["buttons"][0]["reply"]["id"]
    await app.graph.receive(PEOPLE[ALICE], payloads.button_reply(yes, "yes"))
    await settle(app)
    await app.say(ALICE, say(PRIVACY.forget_word, "es"))
    await settle(app)
    [his] = folder_of(app)
    tables = ("media", "documents", "document_pieces", "document_pieces_fts")
    async with Database.open(app.database) as db:
        owners = {row[0] for table in tables[:3] for row in await db.fetch_all(f"SELECT user_id FROM {table}")}
        [found] = await db.fetch_all(f"SELECT count(*) FROM {tables[3]} WHERE {tables[3]} MATCH 'fianza'")
    assert owners == {his.parents[1].name}
    assert found[0] == 1
    assert not [path for path in (app.data_dir / "children").rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (files.pdf(LEASE, password="open"), "secreto.pdf", MEDIA.encrypted),
        (b"%PDF-1.4 nothing follows", "roto.pdf", MEDIA.damaged),
        (b"   \n ", "vacio.txt", MEDIA.empty),
        (files.archive({"a/b.txt": "hola"}), "cosas.zip", MEDIA.archive),
        (bytes(range(256)) * 50, "foto.raw", MEDIA.not_a_document),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "viejo.doc", MEDIA.old_office),
    ],
)
async def test_what_cannot_be_read_is_said_in_a_sentence(
    app: AppUnderTest, data: bytes, name: str, sentence: object
) -> None:
    await send(app, ALICE, "document", data, filename=name)
    await settle(app)
    assert app.replies_to(ALICE) == [say(sentence, "es")]  # type: ignore[arg-type]  # a sentence of the catalogue
    await app.say(ALICE, "still there?")
    assert app.replies_to(ALICE)[-1] == "echo: still there?"


async def test_a_bomb_is_refused_before_it_unpacks(app: AppUnderTest) -> None:
    bomb = files.docx(["hola"], **{"word/big.xml": bytes(400 * 1024 * 1024)})
    assert len(bomb) < 1_000_000
    await send(app, ALICE, "document", bomb, filename="bomba.docx")
    await settle(app)
    assert app.replies_to(ALICE) == [say(MEDIA.bomb, "es", limit="300")]


async def test_totals_of_a_spreadsheet_are_computed(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    table = "Concepto;Importe\nLuz;1.234,50\nAgua;20,25\n".encode("cp1252")
    async with running_app(tmp_path, llm=llm) as app:
        llm.category = "documents"
        llm.add(calls(("query_table", {"query": "SELECT sum(Importe) AS total FROM data"})), "1254.75")
        await send(app, ALICE, "document", table, filename="gastos.csv", caption="total?")
        await settle(app)
        assert any("1254.75" in one.content for one in llm.requests[-1].messages if one.role == "tool")


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT sum(Importe) AS total FROM data", "De «gastos»:\ntotal: 1254,75"),
        ("SELECT * FROM data", "De «gastos»:\nConcepto · Importe\n• Luz · 1234,5\n• Agua · 20,25"),
        ("SELECT Importe FROM data WHERE Concepto = 'Gas'", say(MEDIA.table_none, "es", title="gastos")),
        ("SELECT max(Importe) FROM data WHERE Concepto = 'Gas'", say(MEDIA.table_none, "es", title="gastos")),
    ],
)
async def test_a_small_models_person_is_told_what_was_computed_by_code(
    tmp_path: Path, query: str, told: str
) -> None:
    llm = ScriptedChatModel()
    table = "Concepto;Importe\nLuz;1.234,50\nAgua;20,25\n".encode("cp1252")
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, max_tools_per_call=16) as app:
        llm.category = "documents"
        llm.add(json.dumps({"query_table": {"query": query}}), '{"reply": "About a thousand."}')
        await send(app, ALICE, "document", table, filename="gastos.csv", caption="total de los importes?")
        await settle(app)
        assert app.replies_to(ALICE)[-1] == told


@pytest.mark.parametrize(
    "query", ["DROP TABLE data", "ATTACH DATABASE '/etc/passwd' AS x", "PRAGMA table_list", "DELETE FROM data"]
)
async def test_a_query_can_only_read(tmp_path: Path, query: str) -> None:
    llm = ScriptedChatModel()
    async with running_app(tmp_path, llm=llm) as app:
        llm.category = "documents"
        llm.add(calls(("query_table", {"query": query})), "no")
        await send(app, ALICE, "document", b"a,b\n1,2\n", filename="t.csv", caption="total?")
        await settle(app)
        [told] = [one.content for one in llm.requests[-1].messages if one.role == "tool"]
        assert "not authorized" in told


async def test_a_start_beside_another_process_leaves_its_children_their_folders(tmp_path: Path) -> None:
    left = tmp_path / "children" / "of-a-kill"
    left.mkdir(parents=True)
    async with ChildProcesses(tmp_path).running():
        assert not left.exists()
        at_work = tmp_path / "children" / "at-work"
        at_work.mkdir()
        async with ChildProcesses(tmp_path).running():
            assert at_work.exists()
    async with ChildProcesses(tmp_path).running():
        assert not at_work.exists()


async def test_what_a_crash_left_goes_when_it_was_seen_twice_and_what_comes_in_stays(app: AppUnderTest) -> None:
    await send(app, ALICE, "document", files.pdf(LEASE), filename="contrato.pdf")
    await settle(app)
    [kept] = folder_of(app)
    left, coming = (kept.with_name(f".wasap-tmp-{name}") for name in ("left", "coming"))
    left.write_bytes(b"%PDF")
    await app.clock.advance(HOUR)
    await settle(app)
    coming.write_bytes(b"%PDF")
    assert left.exists()

    await app.clock.advance(HOUR)
    await settle(app)

    assert not left.exists()
    assert coming.exists()
    assert kept.exists()
