"""Every point of the simulator's page, clicked on narrow phones and on a desktop, by day and by night."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.async_api", reason="playwright is not installed: make browser")

from playwright.async_api import Locator

from tests.browser.stage import CHROMIUM, Stage, chromium, stage, violations
from tests.browser.world import ANA, BrowserWorld, browser_world

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="there is no `chromium` on this machine"),
]
AXE = Path(__file__).parents[2] / ".cache" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
IMPACTS = ("moderate", "serious", "critical")
HEIGHT = 780
WAIT_S = 400
LONG = "W" * 300


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[BrowserWorld]:
    async with browser_world(tmp_path) as world:
        yield world


@pytest.mark.timeout(WAIT_S)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1440])
async def test_every_point_of_the_page_works_and_fits(world: BrowserWorld, width: int, theme: str) -> None:
    options: dict[str, Any] = {"viewport": {"width": width, "height": HEIGHT}, "color_scheme": theme}
    async with asyncio.timeout(WAIT_S), chromium() as browser, stage(browser, world, **options) as shown:
        await shown.open()
        hand = Hand(shown, width)
        await hand.check("the empty chat")
        await hand.try_an_example()
        await hand.look_elsewhere_while_messages_come()
        await hand.answer_by_a_button()
        await hand.attach()
        await hand.stop_what_takes_long()
        await hand.give_thumbs()
        await hand.look_behind_the_scenes()
        await hand.add_rename_and_remove_somebody()
    assert not hand.found, "\n".join(hand.found)


class Hand:
    """Somebody who clicks, and notes what does not fit or speaks to no screen reader."""

    def __init__(self, shown: Stage, width: int) -> None:
        self.shown = shown
        self.page = shown.page
        self.width = width
        self.found: list[str] = []

    async def check(self, where: str) -> None:
        too_wide = await self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        self.found += [f"{where}: {too_wide} px too wide"] if too_wide > 0 else []
        if AXE.exists():
            axe = AXE.read_text("utf-8")
            self.found += [f"{where}: {one}" for one in await violations(self.page, axe, IMPACTS)]

    async def is_inside(self, inner: Locator, outer: Locator) -> bool:
        one, other = await inner.bounding_box(), await outer.bounding_box()
        assert one is not None
        assert other is not None
        return bool(
            one["x"] >= other["x"] - 1
            and one["y"] >= other["y"] - 1
            and one["x"] + one["width"] <= other["x"] + other["width"] + 1
            and one["y"] + one["height"] <= other["y"] + other["height"] + 1
        )

    async def try_an_example(self) -> None:
        await self.shown.press("Suggest three dinners with rice and eggs")
        reply = await self.shown.expect("You said: Suggest three dinners")
        assert await self.is_inside(reply, self.shown.chat().locator(".scroll")), "the newest message is in view"

    async def look_elsewhere_while_messages_come(self) -> None:
        await self.shown.write(LONG)
        await self.shown.expect("You said: WWW")
        await self.shown.write("Show me the formats")
        last = await self.shown.expect("Formatting")
        scroll, down = self.shown.chat().locator(".scroll"), self.shown.chat().locator(".down")
        await last.locator(".meta").wait_for()
        assert await self.is_inside(last.locator(".meta"), scroll), "the newest message is in view"
        await self.check("long words")
        await scroll.evaluate("one => { one.scrollTop = 0; }")
        await down.wait_for()
        await self.shown.world.send(ANA.wa_id, type="text", text={"body": "meanwhile"})
        await down.locator(".count", has_text="1").wait_for()
        await down.click()
        await down.wait_for(state="hidden")

    async def answer_by_a_button(self) -> None:
        await self.shown.write("Put milk on my shopping list")
        await self.shown.chat().get_by_role("button", name="Run").click()
        await self.shown.expect("Saved as shopping.txt")
        await self.shown.chat().locator(".choices [aria-pressed=true]", has_text="Run").wait_for()
        pressed = self.shown.chat().locator(".row.mine").last
        await pressed.locator("svg.read").wait_for()
        await self.shown.write("/status")
        command = self.shown.chat().locator(".row.mine", has_text="/status")
        await command.locator("svg.read").wait_for()

    async def attach(self) -> None:
        clip, menu = self.shown.chat().locator(".attach"), self.page.locator("#menu")
        await clip.click()
        await menu.wait_for()
        assert await self.is_inside(menu, self.page.locator("body")), "the menu stays on the page"
        at, above = await clip.bounding_box(), await menu.bounding_box()
        assert at is not None
        assert above is not None
        assert above["y"] + above["height"] <= at["y"], "the menu opens above its button"
        await self.check("the menu of attachments")
        await self.page.get_by_role("menuitem", name="Location").click()
        await self.check("places")
        await self.page.locator("#list .option", has_text="Madrid").click()
        await self.shown.expect("Puerta del Sol")
        await clip.click()
        await self.page.get_by_role("menuitem", name="Contact").click()
        await self.page.locator("#list .option", has_text="Ben").click()
        await self.shown.chat().locator(".row.mine .place", has_text="+15550000002").wait_for()
        await clip.click()
        async with self.page.expect_file_chooser() as picking:
            await self.page.get_by_role("menuitem", name="Document").click()
        file: Any = {"name": f"{LONG[:200]}.xyz", "mimeType": "application/x-own", "buffer": b"anything"}
        await (await picking.value).set_files(file)
        await self.check("the preview of a file")
        await self.page.locator("#preview .send").click()
        await self.shown.chat().locator(".row.mine .document").wait_for()
        await self.check("attachments")

    async def stop_what_takes_long(self) -> None:
        self.shown.world.llm.block()
        await self.shown.write("write a novel")
        row = self.shown.chat().locator(".typing-row")
        await row.locator(".seconds", has_text="s").wait_for()
        await self.check("while it works")
        await row.get_by_role("button", name="Stop").click()
        await row.wait_for(state="hidden")
        self.shown.world.llm.release()

    async def give_thumbs(self) -> None:
        await self.shown.write("tell me something")
        reply = await self.shown.expect("You said: tell me something")
        await reply.get_by_role("button", name="Good answer").click()
        await reply.locator(".reactions", has_text="👍").wait_for()
        assert await reply.get_by_role("button", name="Good answer").get_attribute("aria-pressed") == "true"

    async def look_behind_the_scenes(self) -> None:
        lab = self.page.locator("#lab")
        for tab in ("wire", "turns", "clock", "faults"):
            panel = await self.shown.drawer(tab)
            await panel.wait_for()
            if tab == "wire":
                await panel.locator(".exchanges > li").first.locator("summary").click()
            assert await self.is_inside(lab, self.page.locator("html")), f"{tab}: the drawer is within the page"
            over = await lab.evaluate("one => one.scrollWidth - one.clientWidth")
            assert over <= 0, f"{tab}: nothing sticks out of the drawer"
            await self.check(f"the drawer, {tab}")
        await self.page.keyboard.press("Escape")
        await lab.wait_for(state="hidden")

    async def add_rename_and_remove_somebody(self) -> None:
        await self.page.get_by_role("button", name="Add a person").click()
        await self.page.locator("#person-name").fill("Carla")
        await self.check("naming somebody")
        await self.shown.press("Save")
        await self.shown.chat("Carla").wait_for()
        await self.shown.write("it is me", "Carla")
        await self.shown.expect("You said: it is me", "Carla")
        await self.shown.chat("Carla").get_by_role("button", name="Rename Carla").click()
        await self.page.locator("#person-name").fill("Clara B")
        await self.shown.press("Save")
        await self.page.locator("label.person", has_text="Clara B").wait_for()
        await self.check("a third person")
        await self.shown.chat("Clara B").get_by_role("button", name="Rename Clara B").click()
        await self.check("renaming somebody who may go")
        await self.shown.press("Remove this phone")
        await self.page.locator("label.person", has_text="Clara B").wait_for(state="detached")
        await self.shown.chat("Ana").wait_for()
        await self.shown.chat("Ana").get_by_role("button", name="Rename Ana").click()
        assert await self.page.locator("#person-remove").is_hidden(), "the two from the start stay"
        await self.page.locator("#person .close").click()
