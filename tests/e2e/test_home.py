"""The home: who gets in and who does not, and that everybody finds only what is theirs."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.database.db import Database
from app.domain.health import Checked
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls
from tests.e2e.visiting import ADDRESS, HOST, NEAR, Browser, at_home, link_for, use, words
from tests.harness import AppUnderTest, running_app
from tests.owned_rows import RowMaker

STRANGE = ("/", "/home/notes", "/home/in/guessed", "/home/static/home.css", "/home/nothing", "/home/people")


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with running_app(tmp_path, public_url=ADDRESS) as running:
        for person in (ALICE, BOB):
            await running.say(person, "From now on please answer in English")
        yield running


def token_of(app: AppUnderTest) -> str:
    return (app.data_dir / "simulator-token").read_text("ascii").strip()


async def is_stranger(browser: Browser, path: str = "/") -> bool:
    """Whether a browser is told what everybody is told, to the last byte."""
    return (await browser.get(path)).content == (await Browser(browser.app, host="app.test").get("/")).content


async def test_a_stranger_learns_that_this_is_wasap_and_nothing_else(app: AppUnderTest) -> None:
    await app.say(ALICE, "/remember my plant is a fern")
    for host in (HOST, "app.test", "203.0.113.7"):
        browser = Browser(app, host=host)
        assert [path for path in STRANGE if not await is_stranger(browser, path)] == []
        posted = [
            await browser.post(path, key="guessed", user="x") for path in ("/home/in", "/home/as", "/home/x/y")
        ]
        assert {answer.status_code for answer in posted} == {404}
        assert len({answer.content for answer in posted}) == 1
    page = await Browser(app).get("/")
    assert words(page).split() == ["WasAP", "This", "is", "WasAP.", "Esto", "es", "WasAP."]


async def test_a_link_opens_the_home_of_who_asked_and_works_once(app: AppUnderTest) -> None:
    link = await link_for(app, ALICE)
    browser = Browser(app)
    answer = await use(browser, link)
    cookie = answer.headers["set-cookie"].lower()
    assert set(cookie.split("; ")) >= {"httponly", "samesite=strict", "path=/", "secure"}
    assert "Hello, Alice" in words(await browser.get("/"))
    again = Browser(app)
    assert (await use(again, link)).status_code == 404
    assert again.cookies == {}
    assert await is_stranger(Browser(app), link)


async def test_a_link_has_no_mark_that_whatsapp_would_read(app: AppUnderTest) -> None:
    for _ in range(3):
        assert re.fullmatch(r"/home/in/[0-9a-f]{64}", await link_for(app, ALICE))


async def test_who_only_looks_at_a_link_does_not_use_it_up(app: AppUnderTest) -> None:
    link = await link_for(app, ALICE)
    preview = Browser(app)
    for _ in range(3):
        assert "once" in words(await preview.get(link))
    assert preview.cookies == {}
    assert (await use(Browser(app), link)).status_code == 303


async def test_a_link_is_good_for_ten_minutes_and_until_the_next_one(app: AppUnderTest) -> None:
    first = await link_for(app, ALICE)
    second = await link_for(app, ALICE)
    assert (await use(Browser(app), first)).status_code == 404, "the next one has taken its place"
    await app.clock.advance(601)
    assert await is_stranger(Browser(app), second)
    assert (await use(Browser(app), second)).status_code == 404


@pytest.mark.parametrize(
    ("host", "headers"),
    [
        ("evil.example", {}),
        ("evil.example:8000", {}),
        (NEAR, {"X-Forwarded-For": "203.0.113.9"}),
        (NEAR, {"Forwarded": f"host={HOST}"}),
        ("", {}),
    ],
    ids=["rebinding", "rebinding with a port", "proxy that rewrites the host", "forwarded", "no name"],
)
async def test_under_a_foreign_name_no_link_session_or_token_counts(
    app: AppUnderTest, host: str, headers: dict[str, str]
) -> None:
    link = await link_for(app, ALICE)
    foreign = Browser(app, host=host, headers=headers)
    assert await is_stranger(foreign, link)
    assert (await use(foreign, link)).status_code == 404
    assert await is_stranger(foreign, f"/?token={token_of(app)}")
    home = await at_home(app, ALICE)
    stolen = Browser(app, host=host, headers=headers, cookies=dict(home.cookies))
    assert await is_stranger(stolen)
    assert await is_stranger(stolen, "/home/notes")
    assert "Alice" in words(await home.get("/"))


async def test_the_token_of_this_machine_opens_the_homes_of_admins_only_and_here_only(app: AppUnderTest) -> None:
    for person in (ALICE, BOB):
        await app.say(person, "hello")
    near = Browser(app, host=NEAR)
    assert "simulator-token" in words(await near.get("/")), "on this machine it says where the token is"
    answer = await near.get(f"/?token={token_of(app)}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/"), "the token leaves the address"
    choice = await near.get("/")
    assert "Alice" in words(choice)
    assert "Bob" not in choice.text
    async with Database.open(app.database) as db:
        ids = {row["name"]: row["user_id"] for row in await db.fetch_all("SELECT name, user_id FROM users")}
    assert (await near.post("/home/as", user=ids["Bob"])).status_code == 404
    assert (await near.post("/home/as", user=ids["Alice"])).status_code == 303
    assert "Hello, Alice" in words(await near.get("/"))
    assert await is_stranger(Browser(app, cookies=dict(near.cookies))), "not from outside"
    forwarded = Browser(app, host=NEAR, headers={"Via": "1.1 proxy"}, cookies=dict(near.cookies))
    assert await is_stranger(forwarded)


async def test_without_an_address_the_command_says_what_is_missing(tmp_path: Path) -> None:
    async with running_app(tmp_path) as app:
        await app.say(ALICE, "/home")
        assert "PUBLIC_URL" in app.replies_to(ALICE)[-1]
        assert "/home/in/" not in app.replies_to(ALICE)[-1]


async def test_a_session_ends_by_a_button_and_all_of_them_by_message(app: AppUnderTest) -> None:
    one, other, bobs = await at_home(app, ALICE), await at_home(app, ALICE), await at_home(app, BOB)
    kept = dict(one.cookies)
    assert (await one.post("/home/leave", proof=await one.proof())).status_code == 303
    assert await is_stranger(Browser(app, cookies=kept)), "a cookie that somebody kept opens nothing"
    assert "Alice" in words(await other.get("/"))
    link = await link_for(app, ALICE)
    await app.say(ALICE, "/home off")
    assert "1 session" in app.replies_to(ALICE)[-1]
    assert await is_stranger(other)
    assert (await use(Browser(app), link)).status_code == 404
    assert "Bob" in words(await bobs.get("/"))


async def test_a_session_ends_after_a_week(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    await app.clock.advance(7 * 86_400 + 1)
    assert await is_stranger(home)


async def test_who_is_not_allowed_any_more_is_out_at_once(tmp_path: Path) -> None:
    async with running_app(tmp_path, public_url=ADDRESS) as app:
        cookies = (await at_home(app, BOB)).cookies
    async with running_app(tmp_path, public_url=ADDRESS, allowed_phone_numbers=(ALICE,)) as app:
        assert await is_stranger(Browser(app, cookies=cookies))


async def test_who_is_not_trusted_any_more_is_out_at_once(app: AppUnderTest) -> None:
    home = await at_home(app, BOB)
    async with Database.open(app.database) as db, db.transaction() as tx:
        await tx.execute("UPDATE users SET trust = 'blocked' WHERE name = 'Bob'")
    assert await is_stranger(home)


async def test_no_model_reads_a_link(app: AppUnderTest) -> None:
    await link_for(app, ALICE)
    await app.say(ALICE, "what did you just send me?")
    prompts = "".join(message.content for request in app.llm.requests for message in request.messages)
    assert "just send me" in prompts
    assert "/home/in/" not in prompts
    async with Database.open(app.database) as db:
        assert await db.fetch_all("SELECT 1 FROM messages WHERE text LIKE '%/home/in/%'") == []


async def test_with_a_number_the_simulators_open_door_opens_no_home(tmp_path: Path) -> None:
    async with running_app(tmp_path, public_url=ADDRESS, simulator_remote=True) as app:
        await app.say(ALICE, "hello")
        far = Browser(app, host="evil.example", headers={"X-Forwarded-For": "203.0.113.9"})
        assert await is_stranger(far, f"/?token={token_of(app)}")
        assert far.cookies == {}


async def test_neither_links_nor_sessions_can_be_read_from_the_database(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    link = await link_for(app, BOB)
    async with Database.open(app.database) as db:
        rows = [
            str(tuple(row))
            for table in ("home_links", "home_sessions")
            for row in await db.fetch_all(f"SELECT * FROM {table}")
        ]
    assert len(rows) == 2
    keys = (*home.cookies.values(), link.rpartition("/")[2])
    assert [key for key in keys for row in rows if key in row] == []


@pytest.mark.needs("notes")
async def test_what_another_site_could_post_changes_nothing(app: AppUnderTest) -> None:
    home, bobs = await at_home(app, ALICE), await at_home(app, BOB)
    proof = await home.proof()
    evil = {"Origin": "https://evil.example"}
    tries = [
        await home.post("/home/notes/add", content="forged"),
        await home.post("/home/notes/add", content="forged", proof="0" * 64),
        await home.post("/home/notes/add", content="forged", proof=await bobs.proof()),
        await Browser(app, headers=evil, cookies=home.cookies).post(
            "/home/notes/add", content="forged", proof=proof
        ),
        await Browser(app, headers={"Sec-Fetch-Site": "cross-site"}, cookies=home.cookies).post(
            "/home/leave", proof=proof
        ),
        await Browser(app, headers=evil).post("/home/in", key=(await link_for(app, BOB)).rpartition("/")[2]),
    ]
    assert [answer.status_code for answer in tries] == [403] * 6
    assert "forged" not in (await home.get("/home/notes")).text
    own = Browser(app, headers={"Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}, cookies=home.cookies)
    assert "bread" in words(await own.submit("/home/notes", "add", content="bread"))


async def test_what_is_no_form_or_too_much_of_one_is_refused(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    cookie = "; ".join(f"{name}={value}" for name, value in home.cookies.items())
    headers = {"host": HOST, "cookie": cookie, "content-type": "application/x-www-form-urlencoded"}
    proof = await home.proof()
    for body, status in (
        (f"proof={proof}&content={'x' * 1024 * 1024}", 413),
        ("&".join(f"f{n}=1" for n in range(100)), 400),
        ("proof=ñ", 400),
    ):
        answer = await app.http.post("/home/notes/add", content=body.encode(), headers=headers)
        assert answer.status_code == status
    plain = await app.http.post("/home/notes/add", json={"proof": proof}, headers={"host": HOST, "cookie": cookie})
    assert plain.status_code == 400


async def test_what_one_person_finds_holds_nothing_of_another(app: AppUnderTest) -> None:
    """Every table that says whose its rows are, filled for a third and a fourth person."""
    home = await at_home(app, BOB)
    await app.say(BOB, "/remember my plant is a fern")
    async with Database.open(app.database) as db:
        maker = RowMaker(db)
        for phone, word in (("34600000001", "carolsword"), ("34600000002", "davesword")):
            await maker.add_person(phone, word, app.clock.now())
    seen = ""
    for path in ("/", *await home.parts()):
        for query in ("", "?page=2", "?words=carolsword", "?item=1", "?item=1000"):
            page = (await home.get(path + query)).text
            # What was searched for stands in the page because she wrote it.
            seen += re.sub(r'value="(words=)?carolsword"', "", page)
    assert "fern" in seen
    assert "carolsword" not in seen
    assert "davesword" not in seen


@pytest.mark.needs("oversight", "selfcode", "status")
async def test_admins_see_the_service_and_nobody_else_does(tmp_path: Path) -> None:
    found = [
        Checked("disk", "ok", {"en": "120 GB are free", "es": "hay 120 GB"}, title={"en": "disk", "es": "disco"}),
        Checked(
            "public address",
            "failed",
            {"en": "no answer", "es": "sin respuesta"},
            {"en": "start it", "es": "inícialo"},
            {"en": "public address", "es": "dirección pública"},
        ),
    ]

    async def examine() -> list[Checked]:
        return found

    async with running_app(
        tmp_path, public_url=ADDRESS, examine=examine, audit_hmac_key="a-long-secret-key"
    ) as app:
        for person in (ALICE, BOB):
            await app.say(person, "From now on please answer in English")
        await app.say(BOB, "what is a fern, and who has a cactus?")
        alice, bob = await at_home(app, ALICE), await at_home(app, BOB)
        hers, his = await alice.parts(), await bob.parts()
        only_hers = set(hers) - set(his)
        assert only_hers == {
            f"/home/{name}" for name in ("service", "people", "turns", "skills", "rules", "settings", "log")
        }
        for path in only_hers:
            assert "There is nothing here" in words(await bob.get(path)), path
        page = words(await alice.submit("/home/service", "check"))
        assert "1 hop does not work" in page
        assert "public address no answer → start it" in page
        assert "120 GB are free" in page
        assert re.search(r"\d tokens per second over the last answers, reading included", page)
        await app.say(ALICE, "De ahora en adelante respondé en español")
        assert "dirección pública sin respuesta → inícialo" in words(await alice.get("/home/service"))
        await app.say(ALICE, "From now on please answer in English")
        assert "Bob" in words(await alice.get("/home/people"))
        assert BOB in words(await alice.get("/home/people"))
        settings = words(await alice.get("/home/settings"))
        assert "a-long-secret-key" not in settings
        assert ALICE not in settings
        assert "PUBLIC_URL" in settings
        every = "".join([(await alice.get(path)).text for path in hers])
        assert "cactus" not in every, "an admin reads nobody's words"


@pytest.mark.needs("status")
async def test_an_admin_sees_the_path_of_a_turn_and_not_what_was_said(app: AppUnderTest) -> None:
    await app.say(BOB, "what is a fern, and who has a cactus?")
    home = await at_home(app, ALICE)
    listed = await home.get("/home/turns")
    assert "Bob" in words(listed)
    number = re.search(r'href="(/home/turns\?item=\d+)"', listed.text)
    assert number is not None
    page = words(await home.get(number[1]))
    assert "text · done" in page
    assert "model calls" in page
    assert "Its log" in page
    assert "cactus" not in page
    for wrong in ("0", "x", "9" * 30, "-1", "²"):
        assert (await home.get(f"/home/turns?item={wrong}")).status_code == 404


@pytest.mark.needs("notes")
async def test_nobody_changes_what_is_anothers(app: AppUnderTest) -> None:
    alice, bob = await at_home(app, ALICE), await at_home(app, BOB)
    await alice.submit("/home/notes", "add", title="plan", content="a surprise for Bob")
    await alice.submit("/home/memory", "add", fact="my plant is a fern")
    for part, act, form in (
        ("notes", "change", {"number": "1", "content": "stolen"}),
        ("notes", "delete", {"number": "1"}),
        ("memory", "change", {"number": "1", "fact": "stolen"}),
        ("memory", "forget", {"number": "1"}),
    ):
        assert "That didn't work" in words(await bob.submit(f"/home/{part}", act, **form))
    assert "a surprise for Bob" in words(await alice.get("/home/notes"))
    assert "my plant is a fern" in words(await alice.get("/home/memory"))


@pytest.mark.needs("notes", "undo")
async def test_notes_are_written_changed_deleted_and_brought_back(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    added = await home.submit("/home/notes", "add", content="oil: 10W40\n<b>five litres</b>")
    assert "Note 1 is saved." in words(added)
    assert "&lt;b&gt;five litres&lt;/b&gt;" in added.text
    assert "Note 1 is saved." not in words(await home.get("/home/notes")), "it is said once"
    await home.submit("/home/notes", "change", number="1", title="oil", content="oil: 5W30")
    assert "5W30" in words(await home.get("/home/notes?words=oil"))
    assert "Note 1 is deleted" in words(await home.submit("/home/notes", "delete", number="1"))
    assert "5W30" not in words(await home.get("/home/notes"))
    await app.say(ALICE, "/undo")
    assert "5W30" in words(await home.get("/home/notes"))


async def test_facts_are_shown_with_the_message_that_they_came_from(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    await app.say(ALICE, "hello there, my dentist is called Vera")
    async with Database.open(app.database) as db:
        row = await db.fetch_one("SELECT turn_id, user_id FROM messages WHERE text LIKE '%Vera' AND role = 'user'")
        assert row is not None
        async with db.transaction() as tx:
            await tx.execute(
                "INSERT INTO memories(user_id, number, text, text_key, category, state, source_turn_id,"
                " created_at, updated_at) VALUES (?, 1, 'My dentist is Vera', 'k', 'health', 'active', ?, 1, 1)",
                row["user_id"],
                row["turn_id"],
            )
    page = words(await home.get("/home/memory"))
    assert "My dentist is Vera" in page
    assert "You wrote hello there, my dentist is called Vera" in page
    await home.submit("/home/memory", "change", number="1", fact="My dentist is Otto")
    assert "Otto" in words(await home.get("/home/memory"))
    assert "Forgotten" in words(await home.submit("/home/memory", "forget", number="1"))
    assert "Otto" not in words(await home.get("/home/memory"))


@pytest.mark.needs("lists", "undo")
async def test_lists_are_filled_checked_off_and_tidied(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    page = await home.submit("/home/lists", "add", list="Groceries", things="milk\n\nbread")
    assert "Groceries" in words(page)
    ids = re.findall(r'action="/home/lists/check".*?name="id" value="(\d+)"', page.text, re.DOTALL)
    assert len(ids) == 2
    page = await home.submit("/home/lists", "check", id=ids[0])
    assert "Checked off: milk" in words(page)
    await home.submit("/home/lists", "change", id=ids[1], thing="rye bread")
    await home.submit("/home/lists", "remove", id=ids[0])
    page = await home.get("/home/lists")
    assert "rye bread" in words(page)
    assert "milk" not in words(page)
    await app.say(ALICE, "/undo")
    assert "milk" in words(await home.get("/home/lists"))
    assert "2 things left" not in words(await home.get("/"))
    assert "1 thing left" in words(await home.get("/"))


@pytest.mark.needs("projects")
async def test_a_project_has_its_tasks_and_notes(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    await home.submit("/home/projects", "create", name="Garden")
    one = "/home/projects?item=1"
    proof = await home.proof(one)
    for act, form in (
        ("task", {"title": "plant the fern"}),
        ("due", {"number": "1", "when": "31 December 2030 at 3pm"}),
        ("task", {"title": "water it"}),
        ("mark", {"number": "2", "status": "done"}),
        ("note", {"content": "it likes shade"}),
        ("rename", {"name": "Balcony"}),
    ):
        answer = await home.post(f"/home/projects/{act}", proof=proof, back="item=1", **form)
        assert answer.headers["location"] == one
    refused = await home.post("/home/projects/due", proof=proof, back="item=1", number="1", when="someday")
    assert "I don't understand that date" in words(refused)
    page = words(await home.get(one))
    assert "Balcony" in page
    assert "1 of 2 tasks done" in page
    assert "due: Tuesday, December 31, 2030, 15:00" in page
    await home.post("/home/projects/due", proof=proof, back="item=1", number="1", when="")
    assert "due: Tuesday" not in words(await home.get(one))
    assert "it likes shade" in page
    assert "There is nothing here" in words(await (await at_home(app, BOB)).get(one))


@pytest.mark.needs("files")
async def test_files_are_downloaded_and_never_shown_as_a_page(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    async with Database.open(app.database) as db:
        row = await db.fetch_one("SELECT user_id FROM users WHERE name = 'Alice'")
    assert row is not None
    folder = app.data_dir / "users" / row["user_id"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "page.html").write_text("<script>alert(1)</script>")
    (folder / "out").symlink_to("/etc")
    page = await home.get("/home/files")
    assert "page.html" in words(page)
    proof = await home.proof("/home/files")
    file = await home.post("/home/files/download", proof=proof, path="page.html")
    assert file.content == b"<script>alert(1)</script>"
    assert file.headers["content-disposition"].startswith("attachment")
    assert file.headers["content-type"] == "application/octet-stream"
    for path in ("../../app.lock", "out/passwd", "/etc/passwd", "missing.txt", ""):
        answer = await home.post("/home/files/download", proof=proof, path=path)
        assert answer.status_code == 303, path
        assert "That didn't work" in words(await home.get("/home/files"))


@pytest.mark.needs("reminders")
async def test_a_reminder_is_cancelled(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    async with Database.open(app.database) as db, db.transaction() as tx:
        await tx.execute(
            "INSERT INTO reminders(user_id, number, text, zone, first_local, due_local, due_at, is_exact,"
            " created_at)"
            " SELECT user_id, 1, 'water the fern', 'UTC', '2030-01-01T09:00:00', '2030-01-01T09:00:00',"
            " 1893488400000, 1, 1 FROM users WHERE name = 'Alice'"
        )
    page = words(await home.get("/home/reminders"))
    assert "water the fern" in page
    assert "Tuesday, January 1, 2030, 9:00" in page
    assert "Cancelled: water the fern" in words(await home.submit("/home/reminders", "cancel", number="1"))
    assert "0 yet to come" in words(await home.get("/"))
    await app.say(ALICE, "/undo")
    assert "water the fern" in words(await home.get("/home/reminders"))


async def test_everything_is_taken_along_and_erased_from_the_home(app: AppUnderTest) -> None:
    home, bobs = await at_home(app, ALICE), await at_home(app, BOB)
    await app.say(ALICE, "/remember my plant is a fern")
    await home.submit("/home/memory", "add", fact="I live in Lisbon")
    archive = await home.post("/home/privacy/export", proof=await home.proof())
    assert archive.content.startswith(b"PK")
    assert "Nothing" not in words(await home.submit("/home/privacy", "erase", word="yes"))
    assert "Lisbon" in words(await home.get("/home/memory")), "any other word erases nothing"
    gone = await home.post("/home/privacy/erase", proof=await home.proof(), word="erase everything")
    assert "I've erased everything" in words(gone)
    assert await is_stranger(home)
    await app.idle()
    assert app.replies_to(ALICE)[-1].startswith("I've erased everything")
    async with Database.open(app.database) as db:
        for table in ("home_sessions", "home_links", "memories"):
            rows = await db.fetch_all(f"SELECT 1 FROM {table} JOIN users USING (user_id) WHERE name IS NULL")
            assert rows == [], table
    assert "Hello, Bob" in words(await bobs.get("/"))


@pytest.mark.needs("oversight", "notes")
async def test_what_was_done_is_told_with_how_it_was_decided(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    app.llm.category = "notes"
    app.llm.add(calls(("save_note", {"content": "oil: 10W40"})), "Saved.")
    await app.say(ALICE, "note that oil: 10W40")
    page = words(await home.get("/home/done"))
    assert "Save note content: oil: 10W40" in page
    assert "done without asking" in page
    assert "10W40" not in words(await (await at_home(app, BOB)).get("/home/done"))


@pytest.mark.needs("notes", "lists", "projects")
@pytest.mark.parametrize(
    ("page", "act", "form", "limit"),
    [
        ("/home/notes", "add", {"title": "é" * 81, "content": "bread"}, 80),
        ("/home/notes", "add", {"title": "", "content": "é" * 4001}, 4000),
        ("/home/memory", "add", {"fact": "é" * 1001}, 1000),
        ("/home/lists", "add", {"list": "é" * 61, "things": "bread"}, 60),
        ("/home/lists", "add", {"list": "Groceries", "things": "bread\n" + "é" * 201}, 200),
        ("/home/lists", "add", {"list": "Groceries", "things": "\n".join(map(str, range(201)))}, 200),
        ("/home/projects", "create", {"name": "é" * 81}, 80),
    ],
    ids=["title", "note", "fact", "name of a list", "thing", "things", "name of a project"],
)
async def test_what_is_too_long_is_refused_with_its_limit_and_stays_in_the_form(
    app: AppUnderTest, page: str, act: str, form: dict[str, str], limit: int
) -> None:
    home = await at_home(app, ALICE)
    answer = await home.post(f"{page}/{act}", proof=await home.proof(page), **form)
    assert answer.status_code == 422
    problem = re.search(r'<p class="problem" role="alert">(.+?)</p>', answer.text)
    assert problem is not None
    assert f"up to {limit} " in problem[1]
    assert "<details open>" in answer.text
    assert [value for value in form.values() if value not in answer.text] == []
    assert "é" not in (await home.get(page)).text, "nothing of it was kept"


@pytest.mark.needs("notes", "lists", "projects")
async def test_what_just_fits_is_kept_whole(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    title, content, fact = "t" * 80, "c" * 4000, "f" * 1000
    assert title in (await home.submit("/home/notes", "add", title=title, content=content)).text
    assert content in (await home.get("/home/notes")).text
    assert fact in (await home.submit("/home/memory", "add", fact=fact)).text
    name, thing = "n" * 60, "h" * 200
    things = "\n".join([thing, *map(str, range(199))])
    assert thing in (await home.submit("/home/lists", "add", list=name, things=things)).text
    proof = await home.proof("/home/lists")
    full = await home.post("/home/lists/add", proof=proof, list=name, things="one more")
    assert (full.status_code, "up to 200 things" in words(full)) == (422, True)
    called = "p" * 80
    assert called in (await home.submit("/home/projects", "create", name=called)).text
    again = await home.post("/home/projects/create", proof=proof, name=called)
    assert "Choose another name" in words(again)


async def test_every_field_tells_the_browser_how_much_fits(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    for path in await home.parts():
        page = (await home.get(path)).text
        written = re.findall(r"<(?:textarea|input)(?![^>]*hidden)[^>]*>", page)
        assert [one for one in written if "maxlength=" not in one] == [], path


async def test_a_search_that_is_too_long_says_so(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    assert "up to 200 characters" in words(await home.get("/home/memory?words=" + "x" * 201))
    assert "Nothing was found" in words(await home.get("/home/memory?words=" + "x" * 200))


async def test_a_visitor_whose_form_is_refused_learns_why(app: AppUnderTest) -> None:
    home = await at_home(app, ALICE)
    old = words(await home.post("/home/memory/add", fact="x", proof="0" * 64))
    assert "Open your home again" in old
    large = await home.post("/home/memory/add", fact="x" * 1024 * 1024, proof=await home.proof())
    assert (large.status_code, "1 MB" in words(large)) == (413, True)
