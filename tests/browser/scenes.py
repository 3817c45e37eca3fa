"""Conversations as people have them, for the screenshots and for what has to be seen at once."""

from tests.browser.play import picture
from tests.browser.stage import Stage
from tests.browser.world import ANA

MENU = {
    "type": "interactive",
    "interactive": {
        "type": "list",
        "header": {"type": "text", "text": "Dinner"},
        "body": {"text": "What shall it be tonight?"},
        "footer": {"text": "All of them take half an hour"},
        "action": {
            "button": "See the dishes",
            "sections": [
                {
                    "title": "Rice",
                    "rows": [
                        {"id": "fried", "title": "Fried rice", "description": "Rice, eggs, spring onions"},
                        {"id": "paella", "title": "Paella"},
                    ],
                },
                {
                    "title": "Eggs",
                    "rows": [{"id": "tortilla", "title": "Tortilla", "description": "With potatoes"}],
                },
            ],
        },
    },
}


async def send_picture(stage: Stage, caption: str = "") -> None:
    """Pick a picture from the disk, as a person does, and send it."""
    await stage.chat().locator(".attach").click()
    async with stage.page.expect_file_chooser() as picking:
        await stage.page.get_by_role("menuitem", name="Photo or video").click()
    chooser = await picking.value
    await chooser.set_files({"name": "hills.png", "mimeType": "image/png", "buffer": picture()})
    await stage.page.locator("#preview-caption").fill(caption)
    await stage.page.locator("#preview .send").click()
    await stage.chat().locator(".photo img").last.wait_for()


async def talk(stage: Stage) -> None:
    """A quotation, a reaction, a tool with its buttons, a block of code, a picture and a message that failed."""
    await send_picture(stage, "The view from here")
    seen = stage.chat().locator(".row.mine", has_text="The view from here")
    await stage.world.send(
        ANA.wa_id, type="reaction", reaction={"message_id": await seen_id(stage), "emoji": "😮"}
    )
    await seen.locator(".reactions").wait_for()
    await stage.write("How much is 17 × 24?")
    result = await stage.expect("17 × 24 = 408")
    await stage.react(result, "👍")
    await result.locator(".reactions").wait_for()
    await stage.menu(result, "Reply")
    await stage.write("And how do I post that with curl?")
    await stage.expect("It prints 200")
    await fail(stage)
    await stage.write("Put rice, eggs and tomatoes on my shopping list")
    await stage.chat().locator(".choices button").first.wait_for()


async def fail(stage: Stage) -> None:
    """Let a reply be accepted and then not delivered."""
    panel = await stage.drawer("faults")
    switch = panel.locator("[data-switch=undeliverable]")
    await switch.click()
    await stage.page.locator("#panel-faults [data-switch=undeliverable][aria-checked=true]").wait_for()
    await stage.write("Are you there?")
    await stage.chat().locator(".failure").wait_for()
    await switch.click()
    await stage.page.locator("#panel-faults [data-switch=undeliverable][aria-checked=false]").wait_for()


async def seen_id(stage: Stage) -> str:
    """The id of the newest message that the person wrote."""
    return str(await stage.chat().locator(".row.mine").last.get_attribute("data-id"))
