"""The simulator's page in a real browser, in front of the real application."""

import asyncio
import base64
import os
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

pytest.importorskip("playwright.async_api", reason="playwright is not installed: make browser")

from tests.browser.play import picture
from tests.browser.scenes import MENU, fail, send_picture, talk
from tests.browser.stage import CHROMIUM, PHONE, Stage, chromium, stage, violations
from tests.browser.world import ANA, BEN, BrowserWorld, browser_world

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="there is no `chromium` on this machine"),
]
ROOT = Path(__file__).parents[2]
AXE = ROOT / ".cache" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
SCREENSHOTS = ROOT / "docs" / "screenshots"
MAX_SCREENSHOT_BYTES = 250_000
FIRST_REPLY_S = 3.0
WAIT_S = 180


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[BrowserWorld]:
    async with browser_world(tmp_path) as world:
        yield world


@pytest.fixture
async def shown(world: BrowserWorld) -> AsyncIterator[Stage]:
    async with asyncio.timeout(WAIT_S), chromium() as browser, stage(browser, world) as shown:
        await shown.open()
        yield shown


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.exists():
        pytest.skip("axe-core is not there: `make browser` fetches it with npm")
    return AXE.read_text("utf-8")


async def test_the_first_reply_is_there_within_three_seconds_of_the_first_visit(world: BrowserWorld) -> None:
    async with asyncio.timeout(WAIT_S), chromium() as browser, stage(browser, world) as shown:
        began = monotonic()
        await shown.open()
        await shown.press("Suggest three dinners with rice and eggs")
        await shown.expect("You said: Suggest three dinners")
        took_s = monotonic() - began
    assert took_s < FIRST_REPLY_S


async def test_ticks_and_formatting_look_as_on_a_phone(shown: Stage) -> None:
    await shown.write("Show me the formats")
    reply = await shown.expect("Formatting")
    for tag, words in (("strong", "bold"), ("em", "italic"), ("s", "struck"), ("code", "code")):
        assert await reply.locator(f".text {tag}", has_text=words).count() >= 1, tag
    assert await reply.locator("li").count() == 4
    assert await reply.locator("blockquote").inner_text() == "quoted words"
    await shown.bubble("Show me the formats").locator("svg.read").wait_for()
    await shown.write("the curl one")
    code = (await shown.expect("It prints 200")).locator("pre")
    assert "localhost:8000" in await code.inner_text()
    await shown.chat().locator(".day", has_text="Today").wait_for()


async def test_while_the_model_thinks_three_dots_are_shown(shown: Stage) -> None:
    shown.world.llm.block()
    await shown.write("think about it")
    await shown.chat().locator(".typing-row").wait_for()
    assert await shown.chat().locator(".presence").inner_text() == "typing…"
    shown.world.llm.release()
    await shown.expect("You said: think about it")
    await shown.chat().locator(".typing-row").wait_for(state="hidden")


async def test_a_message_is_quoted_reacted_to_edited_and_deleted_from_its_menu(shown: Stage) -> None:
    await shown.write("first")
    reply = await shown.expect("You said: first")
    await shown.react(reply, "❤️")
    assert await reply.locator(".reactions").inner_text() == "❤️"
    await shown.react(reply, "❤️")
    await reply.locator(".reactions").wait_for(state="detached")
    await shown.menu(reply, "Copy")
    await shown.menu(reply, "Reply")
    await shown.write("second")
    await shown.chat().locator(".row.mine", has_text="second").locator(".quote").click()
    await shown.page.locator(".flash").wait_for()
    mine = shown.chat().locator(".row.mine", has_text="first").first
    await shown.menu(mine, "Edit")
    await shown.write("corrected")
    await shown.chat().locator(".row.mine", has_text="Edited").wait_for()
    await shown.menu(shown.chat().locator(".row.mine", has_text="corrected"), "Delete for everyone")
    await shown.chat().locator(".gone", has_text="You deleted this message").wait_for()
    await shown.menu(reply, "Reply")
    await shown.chat().locator(".context-close").click()
    assert await shown.chat().locator(".context").is_hidden()


async def test_buttons_and_lists_answer_with_what_was_chosen(shown: Stage) -> None:
    await shown.write("Put milk on my shopping list")
    await shown.chat().get_by_role("button", name="Run").click()
    await shown.expect("Saved as shopping.txt")
    await shown.chat().locator(".choices [aria-pressed=true]", has_text="Run").wait_for()
    await shown.world.send(ANA.wa_id, **MENU)
    await shown.press("See the dishes")
    await shown.page.locator("#list").get_by_role("button", name="Close").click()
    await shown.press("See the dishes")
    await shown.page.locator("#list .option", has_text="Tortilla").click()
    answer = await shown.expect("Tortilla")
    assert "Dinner" not in await answer.inner_text()
    chosen = [event.data["message"] for event in shown.world.graph.transcript.events if event.kind == "inbound"]
    assert "list_reply" in str(chosen[-1])


async def test_a_picture_is_sent_opened_and_received(shown: Stage) -> None:
    await send_picture(shown, "look")
    await shown.press("Open the photo")
    assert await shown.page.locator("#viewer-image").evaluate("image => image.naturalWidth") == 330
    await shown.page.locator("#viewer .close").click()
    media_id = shown.world.graph.add_media(picture(64, 48), "image/png")
    await shown.world.send(ANA.wa_id, type="image", image={"id": media_id, "caption": "from the assistant"})
    received = await shown.expect("from the assistant")
    await shown.page.wait_for_function(
        "image => image.naturalWidth === 64", arg=await received.locator("img").element_handle()
    )


async def test_a_document_goes_both_ways_and_a_place_is_sent(shown: Stage) -> None:
    await shown.chat().locator(".attach").click()
    async with shown.page.expect_file_chooser() as picking:
        await shown.page.get_by_role("menuitem", name="Document").click()
    file: Any = {"name": "bill.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4 a bill"}
    await (await picking.value).set_files(file)
    await shown.page.locator("#preview .send").click()
    sent = await shown.expect("bill.pdf")
    async with shown.page.expect_download() as downloading:
        await sent.locator("a.document").click()
    download = await downloading.value
    assert download.suggested_filename == "bill.pdf"
    assert _bytes_of(await download.path()) == b"%PDF-1.4 a bill"
    await shown.chat().locator(".attach").click()
    await shown.page.get_by_role("menuitem", name="Location").click()
    await shown.page.locator("#list .option", has_text="Obelisco").click()
    await shown.expect("Obelisco")


_HAND_OVER = """([selector, event, files]) => {
  const transfer = new DataTransfer();
  for (const [name, type, base64] of files) {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    transfer.items.add(new File([bytes], name, { type }));
  }
  const facts = { bubbles: true, cancelable: true, clipboardData: transfer, dataTransfer: transfer };
  const made = event === "paste" ? new ClipboardEvent("paste", facts) : new DragEvent("drop", facts);
  document.querySelector(selector).dispatchEvent(made);
}"""


async def test_a_picture_is_pasted_and_several_files_are_dropped(shown: Stage) -> None:
    photo = ("photo.png", "image/png", base64.b64encode(picture(64, 48)).decode())
    bill = ("bill.pdf", "application/pdf", base64.b64encode(b"%PDF-1.4 a bill").decode())
    await shown.chat().locator("textarea").wait_for()
    await shown.page.evaluate(_HAND_OVER, [".chat textarea", "paste", [photo]])
    await shown.page.locator("#preview-caption").fill("pasted")
    await shown.page.locator("#preview .send").click()
    await shown.expect("pasted")
    await shown.page.evaluate(_HAND_OVER, [".chat", "drop", [photo, photo, bill]])
    await shown.page.locator("#preview .more-files", has_text="+2").wait_for()
    await shown.page.locator("#preview-caption").fill("dropped")
    await shown.page.locator("#preview .send").click()
    await shown.expect("dropped")
    await shown.expect("bill.pdf")
    inbound = [e.data["message"] for e in shown.world.graph.transcript.events if e.kind == "inbound"]
    assert [one["type"] for one in inbound[-4:]] == ["image", "image", "image", "document"]  # type: ignore[index,call-overload]  # JSON
    assert ["caption" in str(one) for one in inbound[-4:]] == [True, True, False, False]


def _bytes_of(path: Path) -> bytes:
    return path.read_bytes()


async def test_a_voice_message_is_recorded_sent_and_played(shown: Stage) -> None:
    await shown.chat().locator(".record").click()
    await shown.chat().locator(".discard").click()
    await shown.chat().locator(".record").click()
    await shown.chat().locator(".recording [role=timer]", has_text="0:01").wait_for()
    await shown.chat().locator(".record-send").click()
    voice = shown.chat().locator(".voice")
    await voice.locator(".length", has_text="0:01").wait_for()
    await voice.get_by_role("button", name="Play").click()
    await voice.locator(".heard").first.wait_for()
    await voice.get_by_role("slider").fill("900")
    [sent] = [
        e.data["message"] for e in shown.world.graph.transcript.events if "audio" in str(e.data.get("message"))
    ]
    assert isinstance(sent, dict)
    assert sent["audio"]["voice"] is True  # type: ignore[index,call-overload]  # JSON


async def test_two_people_write_side_by_side_and_see_only_their_own(shown: Stage) -> None:
    await shown.page.locator("label.both").click()
    await shown.write("from Ana")
    await shown.write("from Ben", "Ben")
    await shown.expect("You said: from Ana")
    await shown.expect("You said: from Ben", "Ben")
    assert await shown.bubble("from Ben").count() == 0
    await shown.page.locator(f"input[value='{BEN.wa_id}']").check(force=True)
    await shown.world.send(ANA.wa_id, type="text", text={"body": "are you there"})
    await shown.page.locator(".person", has_text="Ana").locator(".unread").wait_for()
    assert {send.recipient for send in shown.world.graph.sends} == {ANA.wa_id, BEN.wa_id}


async def test_a_reload_brings_everything_back(shown: Stage) -> None:
    await shown.write("remember me")
    await shown.expect("You said: remember me")
    await shown.chat().locator("textarea").fill("a draft")
    await shown.page.locator("#theme").click()
    panel = await shown.drawer("faults")
    await panel.locator("[data-switch=slow]").click()
    await panel.locator("[data-switch=slow][aria-checked=true]").wait_for()
    await shown.page.reload()
    await shown.expect("You said: remember me")
    assert await shown.chat().locator("textarea").input_value() == "a draft"
    assert await shown.page.locator("html").get_attribute("data-theme") == "dark"
    await shown.page.locator("#panel-faults [data-switch=slow][aria-checked=true]").wait_for()
    await shown.page.locator("#unusual", has_text="1 fault on").click()
    await shown.press("All off")
    await shown.page.locator("#unusual").wait_for(state="hidden")


async def test_the_page_speaks_spanish_to_those_who_do(world: BrowserWorld) -> None:
    async with asyncio.timeout(WAIT_S), chromium() as browser, stage(browser, world, locale="es-AR") as shown:
        await shown.open()
        await shown.page.get_by_text("Habla con tu asistente").first.wait_for()
        assert await shown.page.locator("html").get_attribute("lang") == "es"
        await shown.page.locator("#language").click()
        await shown.page.get_by_text("Talk to your assistant").first.wait_for()


async def test_the_drawer_shows_the_wire_with_its_secrets_masked(shown: Stage) -> None:
    await shown.write("what is 17 × 24?")
    await shown.expect("17 × 24 = 408")
    panel = await shown.drawer("wire")
    inbound = panel.locator(".exchanges > li", has_text="message · text").first
    await inbound.locator("summary").click()
    await inbound.locator("dl").wait_for()
    assert "sha256=" in await inbound.inner_text()
    send = panel.locator(".exchanges > li", has_text="send · text").first
    await send.locator("summary").click()
    await send.locator("dl").wait_for()
    text = await send.inner_text()
    assert "Bearer ••••••" in text
    assert "17 × 24" in text
    await panel.get_by_role("button", name="Graph calls").click()
    assert await inbound.is_hidden()


@pytest.mark.needs("calculator")
async def test_the_drawer_shows_the_path_of_a_turn(shown: Stage) -> None:
    await shown.write("what is 17 × 24?")
    await shown.expect("17 × 24 = 408")
    panel = await shown.drawer("turns")
    path = panel.locator(".path").first
    await path.get_by_text("calculate").first.wait_for()
    text = await path.inner_text()
    for words in ("done", "math", "files", "3 calls", "tokens read", "calculate"):
        assert words in text, words
    await path.locator("b.ok", has_text="read").wait_for()


async def test_a_thumb_is_given_by_a_click_and_kept_with_the_turn(shown: Stage) -> None:
    await shown.write("tell me something")
    reply = await shown.expect("You said: tell me something")
    good = reply.get_by_role("button", name="Good answer")
    await good.click()
    assert await reply.locator(".reactions", has_text="👍").inner_text() == "👍"
    assert await good.get_attribute("aria-pressed") == "true"
    panel = await shown.drawer("turns")
    await panel.locator(".path").first.locator("[role=img]", has_text="👍").wait_for()
    await reply.get_by_role("button", name="Bad answer").click()
    await panel.locator(".path").first.locator("[role=img]", has_text="👎").wait_for()


async def test_a_turn_that_takes_long_counts_its_seconds_and_is_stopped_by_a_button(shown: Stage) -> None:
    shown.world.llm.block()
    await shown.write("write a novel")
    row = shown.chat().locator(".typing-row")
    await row.locator(".seconds", has_text="s").wait_for()
    await row.get_by_role("button", name="Stop").click()
    await shown.bubble("/cancel").locator("svg.wide").wait_for()
    await row.wait_for(state="hidden")
    shown.world.llm.release()
    await shown.write("are you there?")
    await shown.expect("You said: are you there?")
    assert await shown.chat().locator(".row", has_text="You said: write a novel").count() == 0


async def test_somebody_is_added_and_renamed_and_is_answered(shown: Stage) -> None:
    await shown.press("Add a person")
    await shown.page.locator("#person-name").fill("Carla")
    await shown.press("Save")
    await shown.chat("Carla").wait_for()
    await shown.write("it is me", "Carla")
    await shown.expect("You said: it is me", "Carla")
    await shown.chat("Carla").get_by_role("button", name="Rename Carla").click()
    await shown.page.locator("#person-name").fill("Clara")
    await shown.page.locator("#person-name").press("Enter")
    await shown.page.locator("label.person", has_text="Clara").wait_for()
    await shown.page.reload()
    await shown.bubble("You said: it is me", "Clara").wait_for()
    assert await shown.page.locator("label.person").count() == 4


async def test_a_jump_past_the_window_closes_it_until_the_person_writes_again(shown: Stage) -> None:
    await shown.write("hello")
    await shown.expect("You said: hello")
    panel = await shown.drawer("clock")
    await panel.locator(".is-open", has_text="Ana").wait_for()
    await shown.press("+ 25 h, past the window")
    await panel.locator(".is-closed", has_text="Ana").wait_for()
    refused = await shown.world.try_send(ANA.wa_id)
    assert refused == 131047
    await shown.write("here I am")
    await shown.expect("You said: here I am")
    await panel.locator(".is-open", has_text="Ana").wait_for()
    assert await shown.chat().locator(".day").count() == 2
    await shown.page.locator("#unusual", has_text="Clock 1 d 1 h ahead").wait_for()


@pytest.mark.parametrize(
    ("switch", "code"),
    [("token_expired", 190), ("pair_rate", 131056), ("window_closed", 131047), ("down", 0)],
)
async def test_a_fault_is_switched_on_and_off_by_hand(shown: Stage, switch: str, code: int) -> None:
    panel = await shown.drawer("faults")
    await panel.locator(f"[data-switch={switch}]").click()
    await panel.locator(f"[data-switch={switch}][aria-checked=true]").wait_for()
    assert await shown.world.try_send(ANA.wa_id) == code
    await panel.locator(f"[data-switch={switch}]").click()
    await panel.locator(f"[data-switch={switch}][aria-checked=false]").wait_for()
    assert await shown.world.try_send(ANA.wa_id) == 200


async def test_faults_that_change_the_conversation_show_in_it(shown: Stage) -> None:
    await fail(shown)
    assert "131026" in await shown.chat().locator(".failure").inner_text()
    panel = await shown.drawer("faults")
    await panel.locator("[data-switch=repeated_webhooks]").click()
    await panel.locator("[data-switch=repeated_webhooks][aria-checked=true]").wait_for()
    await shown.write("once only")
    await shown.expect("You said: once only")
    panel = await shown.drawer("wire")
    assert await panel.locator(".exchanges > li", has_text="message · text").count() == 3
    assert await shown.chat().get_by_text("You said: once only").count() == 1
    panel = await shown.drawer("faults")
    await panel.locator("[data-switch=late_webhooks]").click()
    await panel.locator("[data-switch=late_webhooks][aria-checked=true]").wait_for()
    await shown.write("by snail mail")
    await (await shown.expect("by snail mail")).locator("svg.sent").wait_for()


async def test_everything_can_be_done_with_the_keyboard_alone(shown: Stage) -> None:
    keyboard = shown.page.keyboard
    await shown.chat().locator("textarea").wait_for()
    await keyboard.type("by hand")
    await keyboard.press("Enter")
    await shown.expect("You said: by hand")
    await keyboard.press("ArrowUp")
    assert "You said" in await shown.page.evaluate("document.activeElement.innerText")
    await keyboard.press("Enter")
    await shown.page.locator("#menu").wait_for()
    await keyboard.press("ArrowRight")
    await keyboard.press("Enter")
    await shown.bubble("You said: by hand").locator(".reactions", has_text="❤️").wait_for()
    await shown.bubble("You said: by hand").focus()
    await keyboard.press("Enter")
    await keyboard.press("Escape")
    await shown.page.locator("#menu").wait_for(state="hidden")
    await shown.page.locator("#lab-open").focus()
    await keyboard.press("Enter")
    await shown.page.locator("#tab-wire").focus()
    await keyboard.press("ArrowRight")
    await shown.page.locator("#panel-turns").wait_for()
    await keyboard.press("Escape")
    await shown.page.locator("#lab").wait_for(state="hidden")
    assert await shown.page.evaluate("document.activeElement.id") == "lab-open"


async def test_a_long_press_opens_the_menu_on_a_phone(world: BrowserWorld) -> None:
    options = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    async with asyncio.timeout(WAIT_S), chromium() as browser, stage(browser, world, **options) as shown:
        await shown.open()
        await shown.write("touch me")
        box = await (await shown.expect("You said: touch me")).locator(".bubble").bounding_box()
        assert box is not None
        touch = await shown.page.context.new_cdp_session(shown.page)
        point = {"x": box["x"] + 20, "y": box["y"] + 15}
        await touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
        await shown.page.locator("#menu").wait_for()
        await touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        width = await shown.page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"]


async def test_a_lost_connection_is_told_and_mended(world: BrowserWorld) -> None:
    async with asyncio.timeout(WAIT_S), chromium() as browser, stage(browser, world) as shown:
        await shown.open()
        await shown.write("before")
        await shown.expect("You said: before")
        await shown.page.context.set_offline(True)
        world.graph.transcript.wake()
        await shown.write("lost?")
        retry = shown.chat().locator(".failure button")
        await retry.wait_for()
        await shown.page.context.set_offline(False)
        await retry.click()
        await shown.expect("You said: lost?")
        # The browser itself complains about what could not be fetched meanwhile.
        assert all("ERR_INTERNET_DISCONNECTED" in text for text in shown.complaints)
        shown.complaints.clear()


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_no_serious_violation_on_a_desktop(world: BrowserWorld, axe: str, theme: str) -> None:
    async with asyncio.timeout(WAIT_S), chromium() as browser, stage(browser, world, color_scheme=theme) as shown:
        await shown.open()
        assert await violations(shown.page, axe) == []
        await talk(shown)
        await shown.world.send(ANA.wa_id, **MENU)
        for tab in ("wire", "turns", "clock", "faults"):
            await (await shown.drawer(tab)).wait_for()
            assert await violations(shown.page, axe) == []
        await shown.press("See the dishes")
        assert await violations(shown.page, axe) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_no_serious_violation_on_a_phone(world: BrowserWorld, axe: str, theme: str) -> None:
    options = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "color_scheme": theme}
    async with asyncio.timeout(WAIT_S), chromium() as browser, stage(browser, world, **options) as shown:
        await shown.open()
        await shown.write("what is 17 × 24?")
        await shown.expect("17 × 24 = 408")
        assert await violations(shown.page, axe) == []
        await shown.drawer("turns")
        await shown.page.locator(".path .is-used").first.wait_for()
        assert await violations(shown.page, axe) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_the_screenshots_of_the_documentation_are_made(world: BrowserWorld, theme: str) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    desktop = {"viewport": {"width": 1440, "height": 1180}, "color_scheme": theme}
    phone = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "color_scheme": theme}
    made: list[Path] = []

    async def shoot(shown: Stage, name: str) -> None:
        await asyncio.wait_for(shown.page.evaluate(STILL), WAIT_S)
        made.append(SCREENSHOTS / f"{name}-{theme}.png")
        await shown.page.screenshot(path=made[-1], animations="disabled")

    async with asyncio.timeout(WAIT_S), chromium() as browser:
        async with stage(browser, world, **desktop) as shown:
            await shown.open()
            await talk(shown)
            await shown.page.locator("#lab .close, #lab .icon").first.click()
            await shoot(shown, "desktop-chat")
            await (await shown.drawer("turns")).locator("details").nth(3).locator("summary").click()
            await shown.page.locator(".path .is-used").first.wait_for()
            await shoot(shown, "desktop-turns")
            panel = await shown.drawer("wire")
            await panel.locator("summary", has_text="send · button").first.click()
            await shoot(shown, "desktop-wire")
        async with stage(browser, world, **phone) as shown:
            await shown.open()
            await shown.chat().locator(".choices").first.wait_for()
            await shoot(shown, "phone-chat")
            await shown.bubble("The view from here").first.scroll_into_view_if_needed()
            await shoot(shown, "phone-picture")
            await shown.drawer("faults")
            await shoot(shown, "phone-faults")
    assert [path.name for path in made if not 5_000 < os.stat(path).st_size < MAX_SCREENSHOT_BYTES] == []


STILL = """async () => {
  await document.fonts.ready;
  await Promise.all([...document.images].filter((one) => one.src).map((one) => one.decode().catch(() => null)));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}"""
