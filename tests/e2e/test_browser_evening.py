"""A first evening on the bundled model, in the browser; makes the picture of the README.

`.venv/bin/pytest -m "browser and live" tests/e2e/test_browser_evening.py`, with the model in `data/models`.
"""

import asyncio
from pathlib import Path
from typing import Final

import pytest
from rich.console import Console

pytest.importorskip("playwright.async_api", reason="playwright is not installed: make browser")

from app.domain.clock import SystemClock
from app.language.catalogue import Language
from app.llm.providers import ModelChoice, open_model
from tests.bench_model.chips import problems_of
from tests.browser.stage import CHROMIUM, Stage, chromium, stage
from tests.browser.world import BrowserWorld, browser_world

MODELS: Final = Path(__file__).parents[2] / "data" / "models"
PICTURE: Final = Path(__file__).parents[2] / "docs" / "screenshots" / "first-evening.png"
LONGEST_S: Final = 1500
ANSWER_S: Final = 200
TALKS: Final[dict[str, tuple[Language, tuple[str, ...]]]] = {
    "Ana": (
        "en",
        (
            "Hello! Who are you?",
            "Remember that my daughter Lola is allergic to nuts",
            "Add rice, eggs and tomatoes to the shopping list",
            "Remind me tomorrow at 9 to call the dentist",
            "What is 15% of 80?",
            "What is on my shopping list?",
        ),
    ),
    "Ben": (
        "es",
        (
            "¡Hola! ¿Quién eres?",
            "anota que la clave del wifi es helecho-y-te",
            "recuerdame mañana a las 9 llamar al dentista",
            "cuanto es el 15% de 80?",
            "¿cuál es la clave del wifi?",
        ),
    ),
}

pytestmark = [
    pytest.mark.browser,
    pytest.mark.live,
    pytest.mark.timeout(LONGEST_S),
    pytest.mark.skipif(not CHROMIUM, reason="there is no `chromium` on this machine"),
    pytest.mark.skipif(not list(MODELS.glob("*.gguf")), reason="the bundled model is not there: make run"),
]


async def test_a_family_has_its_first_evening(tmp_path: Path) -> None:
    [file, *_] = sorted(MODELS.glob("*.gguf"))
    choice = ModelChoice(
        provider="embedded",
        ollama_base_urls=(),
        ollama_model="",
        model_path=file,
        models_dir=MODELS,
        context_tokens=8192,
        threads=0,
        log_path=tmp_path / "model.log",
    )
    found: list[str] = []
    async with (
        asyncio.timeout(LONGEST_S),
        open_model(choice, SystemClock()) as opened,
        chromium() as browser,
        browser_world(tmp_path, opened) as world,
        stage(browser, world, viewport={"width": 1100, "height": 1000}, color_scheme="light") as shown,
    ):
        while (await opened.model.state()).state != "ready":
            await asyncio.sleep(0.2)
        await shown.open()
        for person, (language, texts) in TALKS.items():
            await shown.page.locator("label.person", has_text=person).click()
            for text in texts:
                answer = await _say(shown, world, person, text)
                Console().print(f"[{person}] {text}\n    {answer}", markup=False, highlight=False)
                found += [f"{text}: {problem}" for problem in problems_of(text, answer, language)]
            if person == "Ana":
                await shown.page.screenshot(path=PICTURE, animations="disabled")
    assert found == []


async def _say(shown: Stage, world: BrowserWorld, person: str, text: str) -> str:
    """Write, and return the answer once nothing is being typed any more."""
    before = len(world.graph.sends)
    await shown.write(text, person)
    async with asyncio.timeout(ANSWER_S):
        while len(world.graph.sends) == before:
            await asyncio.sleep(0.2)
    await shown.chat(person).locator(".typing-row").wait_for(state="hidden", timeout=ANSWER_S * 1000)
    return "\n".join(send.text for send in world.graph.sends[before:])
