"""Files of the person's folder, sent to them: from the webhook to Graph."""

from pathlib import Path

import pytest

from app.domain.errors import Permanent
from tests.abilities.media.sending import ScriptedChildren, send, settle
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls
from tests.fakes import files
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AppUnderTest, running_app


def unread() -> ScriptedChildren:
    """Nobody looks into the files of these tests."""
    return ScriptedChildren({task: [Permanent("damaged")] for task in ("read_document", "read_picture")})


def found(folder: Path, pattern: str) -> list[Path]:
    return list(folder.rglob(pattern))


async def ask(app: AppUnderTest, person: str, path: str, answer: str = "Here you are.") -> str:
    """Let a person ask for a file; returns what the tool told the model."""
    app.llm.category = "files"
    app.llm.add(calls(("send_file", {"path": path})), answer)
    await app.say(person, f"send me {path}")
    return next(one.content for one in reversed(app.llm.requests[-1].messages) if one.role == "tool")


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("compra.md", "# Añada\nleche".encode(), "document"),
        ("plan.pdf", files.pdf(["plan"]), "document"),
        ("tejado.png", files.png(20, 20), "image"),
    ],
)
async def test_a_file_leaves_with_the_answer_in_one_bubble(
    tmp_path: Path, name: str, data: bytes, kind: str
) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel(), children=unread()) as app:
        await send(app, ALICE, "document", data, filename=name)
        await settle(app)
        before = len(app.graph.sends)
        await ask(app, ALICE, name.partition(".")[0] if kind == "document" else "media")
        [sent] = app.graph.sends[before:]
        assert sent.type == kind
        content = sent.payload[kind]
        assert isinstance(content, dict)
        assert content["caption"] == "Here you are."
        file = app.graph.media.find(str(content["id"]))
        assert file is not None
        assert file.data == data


async def test_nobody_is_sent_what_is_somebody_elses(tmp_path: Path) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel(), children=unread()) as app:
        await send(app, ALICE, "document", b"her diary", filename="diario.txt")
        await send(app, BOB, "document", b"his list", filename="lista.txt")
        await settle(app)
        [hers] = found(tmp_path, "media/*diario.txt")
        before = len(app.graph.sends)
        for path in ("diario", f"../{hers.parents[1].name}/media/{hers.name}", str(hers), "../../wasap.db"):
            assert "goes to the user" not in await ask(app, BOB, path)
        assert all(one.type == "text" for one in app.graph.sends[before:])


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("leeme.bin", bytes(range(256)), "takes no files of the kind"),
        ("grande.jpg", b"\xff\xd8\xff" + bytes(5 * 1024 * 1024), "larger than the 5 MB"),
        ("falta", b"", "no file"),
    ],
)
async def test_what_cannot_be_sent_is_said_to_the_model(
    tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel(), children=unread()) as app:
        await send(app, ALICE, "document", data or b"another", filename=name if data else "otra.txt")
        await settle(app)
        assert reason in await ask(app, ALICE, "media" if data else name, "I cannot.")
        assert app.graph.sends[-1].type == "text"


async def test_several_files_of_a_name_are_listed_and_none_is_sent(tmp_path: Path) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel(), children=unread()) as app:
        for number in (1, 2):
            await send(app, ALICE, "document", b"x" * number, filename=f"recibo {number}.txt")
            await settle(app)
        assert "2 files match" in await ask(app, ALICE, "recibo", "Which one?")
        assert app.graph.sends[-1].text == "Which one?"
