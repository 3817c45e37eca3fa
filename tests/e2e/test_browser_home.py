"""The home in a real browser: clicked through, at every width, by day and by night."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import pytest

pytest.importorskip("playwright.async_api", reason="playwright is not installed: make browser")

from playwright.async_api import Browser, Page

from app.simulator.payloads import text
from tests.browser.stage import CHROMIUM, Stage, chromium, stage, violations
from tests.browser.world import ANA, BrowserWorld, browser_world

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="there is no `chromium` on this machine"),
]
ROOT = Path(__file__).parents[2]
AXE = ROOT / ".cache" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
SCREENSHOTS = ROOT / "docs" / "screenshots"
WAIT_S = 600
ANSWER_S = 30
IMPACTS = ("moderate", "serious", "critical")
SHOWN = {"/": "home", "/home/lists": "home-lists"}
"""The pages whose pictures are in the documentation."""


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[BrowserWorld]:
    async with browser_world(tmp_path) as world:
        yield world


async def write(world: BrowserWorld, *messages: str) -> None:
    """Let Ana write, and wait for each answer."""
    for message in messages:
        before = len(world.graph.sends)
        await world.graph.receive(ANA, text(message))
        async with asyncio.timeout(ANSWER_S):
            while len(world.graph.sends) == before:
                await asyncio.sleep(0.05)


async def enter(shown: Stage, data_dir: Path) -> Page:
    """Open Ana's home as whoever runs the service does."""
    token = (data_dir / "simulator-token").read_text("ascii").strip()
    await shown.page.goto(f"{shown.world.url}/?token={token}")
    await shown.page.get_by_role("button", name="Ana").click()
    await shown.page.get_by_role("heading", name="Hello, Ana").wait_for()
    return shown.page


async def fill(page: Page, opener: str, **fields: str) -> None:
    """Open a form, fill it by its labels, and save."""
    await page.locator("summary", has_text=opener).first.click()
    sheet = page.locator("details[open]")
    for label, value in fields.items():
        await sheet.get_by_label(label.replace("_", " "), exact=False).fill(value)
    await sheet.get_by_role("button").click()
    await page.locator(".notice").wait_for()


async def furnish(page: Page, url: str) -> None:
    """Put something on every page of one's own, by hand."""
    await page.goto(f"{url}/home/lists")
    await fill(page, "New list", Name="Groceries", Things="oat milk\nbread\nsix eggs\nolive oil")
    await page.get_by_role("button", name="Check off").first.click()
    await page.locator(".notice", has_text="Checked off: oat milk").wait_for()
    await page.goto(f"{url}/home/notes")
    await fill(page, "Add", Title="Wi-Fi", Note="guest network: fern-and-tea")
    await fill(page, "Add", Title="Car", Note="Oil: 10W40\nTyres: 2.3 bar in front, 2.5 behind")
    await page.goto(f"{url}/home/projects")
    await fill(page, "New project", Name="Balcony")
    await page.get_by_role("link", name="Balcony").click()
    await fill(page, "New task", Task="buy soil")
    await fill(page, "New note", note="the fern likes shade")


async def answer_by_hand(world: BrowserWorld, page: Page) -> None:
    """Let the assistant ask, and say yes in the home."""
    await world.graph.receive(ANA, text("Put rice, eggs and tomatoes on my shopping list"))
    async with asyncio.timeout(ANSWER_S):
        await page.goto(f"{world.url}/home/questions")
        while not await page.get_by_role("button", name="Run").count():
            await page.reload()
    await page.get_by_role("button", name="Run").click()
    await page.locator(".notice", has_text="You answered in your home: “Run”").wait_for()
    await page.get_by_text("No question is waiting for you.").wait_for()


async def test_the_home_is_used_by_hand(world: BrowserWorld, tmp_path: Path) -> None:
    await write(world, "From now on please answer in English", "/remember I am allergic to peanuts")
    async with asyncio.timeout(WAIT_S), chromium() as browser, stage(browser, world) as shown:
        page = await enter(shown, tmp_path)
        await furnish(page, world.url)
        await page.get_by_role("button", name="Mark as done").click()
        await page.get_by_text("1 of 1 tasks done").wait_for()
        await page.get_by_role("navigation").get_by_role("link", name="Notes").click()
        await page.get_by_role("searchbox").fill("tyres")
        await page.get_by_role("searchbox").press("Enter")
        assert await page.locator(".entry").count() == 1
        await fill(page, "Edit", Note="Tyres: 2.4 bar all around")
        await page.locator(".entry .text", has_text="2.4 bar").wait_for()
        await page.locator("summary", has_text="Delete").click()
        await page.get_by_role("button", name="Yes, do it").click()
        await page.get_by_text("Nothing was found.").wait_for()
        await write(world, "/undo")
        await page.reload()
        await page.locator(".entry .text", has_text="2.4 bar").wait_for()
        await answer_by_hand(world, page)
        await page.goto(f"{world.url}/home/privacy")
        async with page.expect_download() as downloading:
            await page.get_by_role("button", name="Download everything").click()
        assert (await downloading.value).suggested_filename.endswith(".docx")
        await page.get_by_role("button", name="Close this session").click()
        await page.get_by_role("button", name="Ana").wait_for()


async def test_a_person_without_javascript_loses_nothing(world: BrowserWorld, tmp_path: Path) -> None:
    await write(world, "From now on please answer in English")
    async with (
        asyncio.timeout(WAIT_S),
        chromium() as browser,
        stage(browser, world, java_script_enabled=False) as shown,
    ):
        page = await enter(shown, tmp_path)
        await furnish(page, world.url)
        await page.goto(f"{world.url}/home/lists")
        assert await page.locator(".entry").count() == 4


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_every_page_fits_speaks_to_screen_readers_and_complains_about_nothing(
    world: BrowserWorld, tmp_path: Path, theme: Literal["light", "dark"]
) -> None:
    long_word = "W" * 300
    await write(world, "From now on please answer in English", "/remember I am allergic to peanuts")
    async with asyncio.timeout(WAIT_S), chromium() as browser:
        found = await _look_around(browser, world, tmp_path, theme, long_word)
    assert found == []


async def _look_around(
    browser: Browser, world: BrowserWorld, data_dir: Path, theme: Literal["light", "dark"], long_word: str
) -> list[str]:
    axe = AXE.read_text("utf-8") if AXE.exists() else ""
    found: list[str] = []
    options: dict[str, Any] = {"color_scheme": theme}
    async with stage(browser, world, **options) as shown:
        page = await enter(shown, data_dir)
        await furnish(page, world.url)
        await page.goto(world.url)
        paths = ["/", *[str(await one.get_attribute("href")) for one in await page.locator("a.tile").all()]]
        assert len(paths) > 14
        for device, width, height in (("phone", 390, 800), ("desktop", 1440, 900)):
            await page.set_viewport_size({"width": width, "height": height})
            for path, name in SHOWN.items():
                await page.goto(f"{world.url}{path}")
                await page.screenshot(path=SCREENSHOTS / f"{device}-{name}-{theme}.png", animations="disabled")
        await page.goto(f"{world.url}/home/notes")
        await fill(page, "Add", Title="long", Note=long_word)
        for width in (320, 390, 1440):
            await page.set_viewport_size({"width": width, "height": 800})
            for path in (*paths, "/home/projects?item=1", "/home/setup"):
                await page.goto(f"{world.url}{path}")
                # Opened as a press would, one by one: more on one line than there ever is.
                await page.eval_on_selector_all("main details", "all => all.forEach(one => { one.open = true; })")
                too_wide = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                found += [f"{path} at {width}: {too_wide} px too wide"] if too_wide > 0 else []
                found += (
                    [f"{path} at {width}: {one}" for one in await violations(page, axe, IMPACTS)] if axe else []
                )
    return found
