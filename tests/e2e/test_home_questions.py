"""Questions answered in the home: the one that was shown, once, by the person who was asked; the chat is told."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.builders import ALICE, BOB
from tests.e2e.asking import calls, press, until_asked
from tests.e2e.test_approvals import FLOUR, SALT, STALE, written
from tests.e2e.test_identity import happens, identity_change
from tests.e2e.visiting import ADDRESS, HOST, Browser, at_home, words
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AT_ONCE, WAIT_S, AppUnderTest, running_app

pytestmark = pytest.mark.needs("files", "oversight")
PAGE = "/home/questions"


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    llm = ScriptedChatModel()
    llm.category = "files"
    async with running_app(
        tmp_path, llm=llm, agent_write_enabled=True, public_url=ADDRESS, stop=AT_ONCE
    ) as running:
        for person in (ALICE, BOB):
            await running.say(person, "From now on please answer in English")
        yield running


async def ask(app: AppUnderTest, person: str, call: tuple[str, dict[str, str]], number: int = 1) -> str:
    """Let a person wish for something they are asked about; returns the id of its buttons, less the answer."""
    app.llm.add(calls(call))
    await app.receive(person, "write it into a file, please")
    return await until_asked(app, person, number)


def buttons(page: httpx.Response) -> dict[str, str]:
    """What can be pressed on the page, by its words."""
    found = re.findall(r'name="button" value="([^"]+)">.*?<button[^>]*>([^<]+)</button>', page.text, re.DOTALL)
    return {label: address for address, label in found}


async def test_an_answer_in_the_home_lets_the_call_run_and_both_places_tell_it(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    await ask(app, ALICE, FLOUR)
    page = await home.get(PAGE)
    assert "flour.txt" in words(page)
    assert "1 waits for your answer" in words(await home.get("/"))
    assert list(buttons(page)) == ["Run", "Cancel", "Stop everything"]
    app.llm.add("Written.")
    after = words(await home.submit(PAGE, "answer", button=buttons(page)["Run"]))
    await app.idle()
    assert "You answered in your home: “Run”" in after
    assert "No question is waiting" in after
    assert written(app.data_dir) == {"flour.txt": "flour\n"}
    assert "“Run”" in app.replies_to(ALICE)[-2]
    assert app.replies_to(ALICE)[-1] == "Written."
    assert "you said yes" in words(await home.get("/home/done"))


async def test_a_no_in_the_home_ends_it(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    await ask(app, ALICE, FLOUR)
    await home.submit(PAGE, "answer", button=buttons(await home.get(PAGE))["Cancel"])
    await app.idle()
    assert written(app.data_dir) == {}
    assert app.replies_to(ALICE)[-1] == "Cancelled: nothing was done."


async def test_of_an_answer_here_and_one_there_the_first_counts_and_the_second_is_told(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    token = await ask(app, ALICE, FLOUR)
    shown = buttons(await home.get(PAGE))
    proof = await home.proof(PAGE)
    await press(app, ALICE, f"{token}:n")
    await app.idle()
    late = await home.submit(PAGE, "answer", button=shown["Run"])
    assert "Nothing was done: that question is no longer open" in words(late)
    token = await ask(app, ALICE, SALT, 2)
    app.llm.add("Written.")
    shown = buttons(await home.get(PAGE))
    both = [home.post(f"{PAGE}/answer", proof=proof, button=shown["Run"]) for _ in range(2)]
    await asyncio.gather(*both)
    await press(app, ALICE, f"{token}:y")
    await app.idle()
    assert written(app.data_dir) == {"salt.txt": "salt\n"}, "once"
    assert app.replies_to(ALICE).count("Written.") == 1
    assert len([said for said in app.replies_to(ALICE) if said in STALE]) == 1


async def test_nobody_answers_for_another_in_the_home(app: AppUnderTest) -> None:
    hers, his = await at_home(app, ALICE), await at_home(app, BOB)
    token = await ask(app, ALICE, FLOUR)
    assert "flour" not in words(await his.get(PAGE))
    stolen = await his.submit(PAGE, "answer", button=f"{token}:y")
    assert "Nothing was done" in words(stolen)
    assert written(app.data_dir) == {}
    assert "flour.txt" in words(await hers.get(PAGE)), "it is still open for her"


async def test_what_is_no_button_of_the_shown_question_answers_nothing(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    token = await ask(app, ALICE, FLOUR)
    for button in (
        "",
        "y",
        "q:approval::y",
        f"{token}:",
        f"{token}:yes",
        f"{token}:y:y",
        "q:trust::yes",
        "/mode yolo",
    ):
        assert "Nothing was done" in words(await home.submit(PAGE, "answer", button=button)), button
    assert written(app.data_dir) == {}
    assert "flour.txt" in words(await home.get(PAGE))


async def test_an_answer_after_the_time_is_over_runs_nothing(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    await ask(app, ALICE, FLOUR)
    shown = buttons(await home.get(PAGE))
    async with asyncio.timeout(WAIT_S):
        while buttons(await home.get(PAGE)):
            await app.clock.advance(60)
    assert "Nothing was done" in words(await home.submit(PAGE, "answer", button=shown["Run"]))
    await app.idle()
    assert written(app.data_dir) == {}


async def test_no_other_site_or_name_answers_a_question(app: AppUnderTest) -> None:
    home, bobs = await at_home(app, ALICE), await at_home(app, BOB)
    button = f"{await ask(app, ALICE, FLOUR)}:y"
    proof = await home.proof(PAGE)
    cookies = dict(home.cookies)
    tries = [
        await home.post(f"{PAGE}/answer", button=button),
        await home.post(f"{PAGE}/answer", button=button, proof=await bobs.proof()),
        await Browser(app, headers={"Origin": "https://evil.example"}, cookies=cookies).post(
            f"{PAGE}/answer", button=button, proof=proof
        ),
        await Browser(app, host="evil.example", cookies=cookies).post(
            f"{PAGE}/answer", button=button, proof=proof
        ),
        await Browser(app, host=HOST).post(f"{PAGE}/answer", button=button, proof=proof),
    ]
    assert [answer.status_code for answer in tries] == [403, 403, 403, 404, 404]
    assert written(app.data_dir) == {}


async def test_an_admin_says_in_the_home_whether_somebody_is_still_the_same_person(app: AppUnderTest) -> None:
    alice = await at_home(app, ALICE)
    await happens(app, identity_change(BOB))
    page = await alice.get(PAGE)
    assert "Is it still the same person?" in words(page)
    await app.receive(BOB, "hello, it is me")
    await app.idle()
    before = len(app.replies_to(BOB))
    app.llm.add("Hello, Bob.")
    after = words(await alice.submit(PAGE, "answer", button=buttons(page)["Yes, the same"]))
    await app.idle()
    assert "Thanks, I'll keep answering Bob." in after
    assert "“Yes, the same”" in app.replies_to(ALICE)[-1]
    assert app.replies_to(BOB)[before:] != [], "what he wrote meanwhile is taken up"
    again = await alice.submit(PAGE, "answer", button=buttons(page)["No, block"])
    assert "Nothing was done" in words(again)
