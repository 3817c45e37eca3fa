"""A browser in front of the page, and what is watched while somebody clicks."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.async_api import Browser, Locator, Page, async_playwright

from tests.browser.world import TOKEN, BrowserWorld

CHROMIUM: Final = shutil.which("chromium") or ""
DESKTOP: Final = {"width": 1440, "height": 900}
PHONE: Final = {"width": 360, "height": 740}
WAIT_MS: Final = 30_000
ARGUMENTS: Final = (
    "--no-sandbox",  # it only ever loads our own page, and containers have no user namespaces
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            await browser.close()


@dataclass
class Stage:
    """A page that is open, with the errors it complained about and the foreign addresses it asked."""

    page: Page
    world: BrowserWorld
    complaints: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith((self.world.url, "data:", "blob:")):
            self.foreign.append(url)

    async def open(self) -> None:
        await self.page.goto(f"{self.world.url}/simulator?token={TOKEN}")

    def chat(self, person: str = "Ana") -> Locator:
        """The chat of a person."""
        return self.page.locator(".chat", has=self.page.locator(".owner", has_text=person))

    async def write(self, text: str, person: str = "Ana") -> None:
        await self.chat(person).locator("textarea").fill(text)
        await self.chat(person).locator("textarea").press("Enter")

    def bubble(self, text: str, person: str = "Ana") -> Locator:
        """The newest message with that text; a bubble is its row's child."""
        return self.chat(person).locator(".row", has_text=text).last

    async def expect(self, text: str, person: str = "Ana") -> Locator:
        bubble = self.bubble(text, person)
        await bubble.wait_for(timeout=WAIT_MS)
        return bubble

    async def menu(self, row: Locator, entry: str) -> None:
        """Open a message's menu as a mouse does, and choose."""
        await row.hover()
        await row.locator(".more").click()
        await self.page.locator("#menu").get_by_role("menuitem", name=entry).click()

    async def react(self, row: Locator, emoji: str) -> None:
        await row.hover()
        await row.locator(".more").click()
        await self.page.locator(f'#menu [role=menuitemradio][aria-label*="{emoji}"]').click()

    async def press(self, name: str) -> None:
        await self.page.get_by_role("button", name=name, exact=True).click()

    async def drawer(self, tab: str) -> Locator:
        """Open the drawer at a tab; returns its panel."""
        if await self.page.locator("#lab").is_hidden():
            await self.page.locator("#lab-open").click()
        await self.page.locator(f"#tab-{tab}").click()
        return self.page.locator(f"#panel-{tab}")


@asynccontextmanager
async def stage(browser: Browser, world: BrowserWorld, **options: Any) -> AsyncIterator[Stage]:
    """Open a fresh browser profile on the page; at the end, nothing was complained about or asked of others."""
    settings: dict[str, Any] = {"viewport": DESKTOP, "locale": "en-US", "timezone_id": "UTC", **options}
    context = await browser.new_context(**settings)
    context.set_default_timeout(WAIT_MS)
    try:
        shown = Stage(await context.new_page(), world)
        shown.watch()
        yield shown
        assert shown.complaints == []
        assert shown.foreign == []
    finally:
        await context.close()


async def violations(page: Page, axe: str, impacts: tuple[str, ...] = ("serious", "critical")) -> list[str]:
    """What axe-core (its source) finds of these impacts, one line each."""
    # Evaluated by the debugger, which the page's policy does not bind: axe is never a part of the page.
    await page.evaluate(axe)
    result = await page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{found['id']}: {node['html'][:200]} {node['failureSummary'][:400]}"
        for found in result["violations"]
        if found["impact"] in impacts
        for node in found["nodes"]
    ]
