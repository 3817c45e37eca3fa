"""Answers that leave as a picture or a document, drawn and written by the real libraries in a real child."""

import io
import zipfile
from pathlib import Path

import pytest

from app.charts.charts import is_able
from app.language.catalogue import say
from app.media.faults import is_installed
from app.media.texts import MEDIA
from app.simulator.payloads import JsonObject
from tests.abilities.media.sending import settle
from tests.builders import ALICE
from tests.e2e.asking import calls
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AppUnderTest, running_app

CHARTS = pytest.mark.skipif(not is_able(), reason="the extra `charts` is not installed")
DOCUMENTS = pytest.mark.skipif(not is_installed("documents"), reason="the extra `documents` is not installed")
LONG = """# Historia de la paella

La paella nació en los campos de Valencia, **junto a la Albufera**. Quienes labraban la tierra cocinaban al
mediodía con lo que tenían a mano: arroz, verdura de la huerta, caracoles, a veces pato o conejo. Comían en corro,
cada uno con su cuchara. Con los años llegó a las casas de la ciudad y después a los restaurantes de la playa.

- arroz
- azafrán
"""


def sent_file(app: AppUnderTest, kind: str) -> tuple[JsonObject, bytes]:
    content = app.graph.sends[-1].payload[kind]
    assert isinstance(content, dict)
    file = app.graph.media.find(str(content["id"]))
    assert file is not None
    return content, file.data


async def project(app: AppUnderTest, llm: ScriptedChatModel, question: str) -> None:
    llm.category = "projects"
    llm.add(calls(("create_project", {"name": "Kitchen", "tasks": ["paint", "floor", "lamp"]})), "Created.")
    await app.receive(ALICE, "create the project Kitchen with the tasks paint, floor, lamp")
    await settle(app)
    llm.add(calls(("project_progress", {"project": "Kitchen"})), "Three are open.")
    await app.receive(ALICE, question)
    await settle(app)


@CHARTS
@pytest.mark.needs("projects")
async def test_a_chart_leaves_with_the_answer_of_who_asks_for_one(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    async with running_app(tmp_path, llm=llm) as app:
        await project(app, llm, "show me a chart of the project Kitchen")
        content, data = sent_file(app, "image")
        assert content["caption"] == "Three are open."
        assert data.startswith(b"\x89PNG")
        assert len(data) > 5000
        assert not [path for path in (tmp_path / "children").rglob("*") if path.is_file()]


@pytest.mark.needs("projects")
async def test_who_asks_for_no_chart_gets_none(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    async with running_app(tmp_path, llm=llm) as app:
        await project(app, llm, "how is the project Kitchen going?")
        assert app.graph.sends[-1].text == "Three are open."


@DOCUMENTS
async def test_a_long_answer_leaves_as_a_document_for_who_asks_for_one(tmp_path: Path) -> None:
    llm = ScriptedChatModel(LONG, LONG, "No sé nada de eso.")
    async with running_app(tmp_path, llm=llm) as app:
        await app.receive(ALICE, "cuenta la historia de la paella en un documento")
        await settle(app)
        content, data = sent_file(app, "document")
        assert content["filename"] == "Historia de la paella.docx"
        assert content["caption"] == say(MEDIA.as_document, "es", title="Historia de la paella")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            written = archive.read("word/document.xml").decode()
        assert all(
            word in written for word in ("Heading1", "junto a la Albufera", "<w:b/>", "azafrán", "ListBullet")
        )
        await app.receive(ALICE, "cuenta la historia de la paella")
        await settle(app)
        assert app.graph.sends[-1].type == "text"
        await app.receive(ALICE, "cuenta algo breve en un documento")
        await settle(app)
        assert app.graph.sends[-1].text == "No sé nada de eso."
