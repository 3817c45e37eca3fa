"""What a person wrote is what is stored, whatever a model makes of it: from the webhook to the database."""

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.db import Database
from app.domain.chat import ChatResponse
from app.domain.phones import phone_alias
from app.language.catalogue import say
from app.llm.profiles import ModelProfile
from app.skills.texts import SKILLS
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls, press, until_asked
from tests.examples import some
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, NATIVE, AppUnderTest, running_app

pytestmark = pytest.mark.lengthy

Wanted = tuple[str, Mapping[str, object]]


def small(*wanted: Wanted) -> ChatResponse:
    """What a small model answers when it makes these calls."""
    return ChatResponse(json.dumps({"calls": [{name: arguments} for name, arguments in wanted]}))


async def stored(app: AppUnderTest, column: str, table: str, person: str = ALICE) -> list[str]:
    """What the database holds of a person, oldest first."""
    async with Database.open(app.database) as db:
        rows = await db.fetch_all(
            f"SELECT {column} AS kept FROM {table} JOIN identities USING (user_id) WHERE alias = ? ORDER BY id",
            phone_alias(person),
        )
        return [row["kept"] for row in rows]


SAID: Final = (
    # message, what the model makes of it, what is stored
    (
        "anotá que la clave del wifi es roble4417",
        {"content": "La clave del wifi es roble4471"},
        "la clave del wifi es roble4417",
    ),
    (
        "guardá q la clave del portón es Jacaranda_77!",
        {"content": "guardá q la clave del portón es Jacaranda_77"},
        "la clave del portón es Jacaranda_77!",
    ),
    (
        "apuntá: cita con la dra. Ibáñez 14/11 a las 8:45",
        {"content": "Cita con la Dra. Ibañes el 14/11 a las 8:54"},
        "cita con la dra. Ibáñez 14/11 a las 8:45",
    ),
    (
        "note that the boiler code is 90-112-B please",
        {"content": "The boiler code is 90-112"},
        "the boiler code is 90-112-B",
    ),
    (
        "save this: 2,5 ml every 6 hours for Nia",
        {"content": "2.5 ml every 8 hours for Mia"},
        "2,5 ml every 6 hours for Nia",
    ),
    (
        "anotá comprar dos metros de cable y 12 tarugos",
        {"content": "Comprar 2 metros de cable"},
        "comprar dos metros de cable y 12 tarugos",
    ),
    ("anotá que el freezer está a -18 grados", {"content": "18 grados"}, "-18 grados"),
    (
        "anotá que la clave es pQ7&xR? del router 0042",
        {"content": "La clave es del router 42"},
        "la clave es pQ7&xR? del router 0042",
    ),
    ("apuntá: la clave es Kx9$mQ!2~", {"content": "la clave es Kx9$mQ2"}, "la clave es Kx9$mQ!2~"),
    (
        "note that the plumber is +54 (11) 4417-9032",
        {"content": "11) 4417-9032"},
        "the plumber is +54 (11) 4417-9032",
    ),
    (
        "anotá que las llaves las tiene Zoë Íñigo 🔑",
        {"content": "las llaves"},
        "las llaves las tiene Zoë Íñigo 🔑",
    ),
    ("I owe Dora 38.20, note it", {"content": "owe Dora", "title": "Debts"}, "owe Dora 38.20"),
)


@pytest.mark.needs("notes")
async def test_a_small_models_copy_is_replaced_by_the_persons_words(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "notes"
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for message, made, _ in SAID:
            llm.add(small(("save_note", made)), '{"reply": "Ok."}')
            await app.say(ALICE, message)
            llm.drop_lines()
        assert await stored(app, "content", "notes") == [kept for _, _, kept in SAID]
        assert "Debts" not in await stored(app, "title", "notes"), "a title that nobody gave"


@pytest.mark.needs("notes")
async def test_what_the_person_did_not_write_is_not_stored_and_they_are_asked(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "notes"
    made = {"content": "The dentist is on Friday at 9"}
    for profile, answer in ((CONSTRAINED, small(("save_note", made))), (NATIVE, calls(("save_note", made)))):
        async with running_app(tmp_path / profile.tool_protocol, llm=llm, profile=profile) as app:
            for person, message, language in (
                (ALICE, "anotá lo que hablamos ayer", "es"),
                (BOB, "please save what we agreed on", "en"),
            ):
                llm.add(answer)
                await app.say(person, message)
                assert app.replies_to(person) == [say(SKILLS.unsaid, language, value=made["content"])]
                assert await stored(app, "content", "notes", person) == []


@pytest.mark.needs("notes")
async def test_a_model_that_words_things_well_may_do_so_but_for_literals_and_names(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "notes"
    said = (
        (
            "could you jot down that my sister Marisa lands at 21:50?",
            "Marissa (sister) lands at 21:40.",
            "Marisa (sister) lands at 21:50.",
        ),
        (
            "anotá que el alquiler sube a 1.250,50 en marzo",
            "El alquiler sube a 1,250.50 en marzo",
            "el alquiler sube a 1.250,50 en marzo",
        ),
        ("what is 19*4? note it too", "19*4 = 76", "19*4 = 76"),
    )
    async with running_app(tmp_path, llm=llm) as app:
        for message, made, _ in said[:2]:
            llm.add(calls(("save_note", {"content": made})), "Saved.")
            await app.say(ALICE, message)
        llm.category = "notes, math"
        llm.add(
            calls(("calculate", {"expression": "19*4"})), calls(("save_note", {"content": said[2][1]})), "Saved."
        )
        await app.say(ALICE, said[2][0])
        assert await stored(app, "content", "notes") == [kept for _, _, kept in said], (
            "what a tool found may be stored, too"
        )


@pytest.mark.needs("notes")
async def test_words_of_the_quoted_message_and_of_those_before_count(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "none"
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        llm.add('{"reply": "Ok."}')
        first = await app.say(ALICE, "the locker is number 318")
        for _ in range(4):
            llm.add('{"reply": "Ok."}')
            await app.say(ALICE, "nice weather")
        llm.category = "notes"
        llm.add(small(("save_note", {"content": "the locker is number 381"})))
        await app.say(ALICE, "note that", quote=first)
        llm.add(small(("save_note", {"content": "nice weather"})))
        await app.say(ALICE, "and note that as well")
        assert await stored(app, "content", "notes") == ["the locker is number 318", "nice weather"]


@pytest.mark.needs("files")
async def test_what_is_approved_is_what_the_person_wrote(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "files"
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, agent_write_enabled=True) as app:
        llm.add(small(("write_file", {"path": "gate.txt", "content": "the code is 7791"})))
        await app.receive(ALICE, "write in gate.txt: the code is 7719")
        token = await until_asked(app, ALICE)
        assert "7719" in app.replies_to(ALICE)[-1]
        assert "7791" not in app.replies_to(ALICE)[-1]
        llm.add('{"reply": "Done."}')
        await press(app, ALICE, f"{token}:y")
        await app.idle()
        [written] = app.data_dir.glob("users/*/gate.txt")
        assert written.read_text() == "the code is 7719"
        async with Database.open(app.database) as db:
            # Only what people can read of it: times and hashes hold every number sooner or later.
            told = [str(row["content"]) for row in await db.fetch_all("SELECT content FROM audit_events")]
        assert any("7719" in row for row in told)
        assert not any("7791" in row for row in told)


# Whatever literals a message holds, and however a model distorts them.

LITERALS: Final = st.one_of(
    st.from_regex(r"[A-Z]{2,4}-?[0-9]{2,5}", fullmatch=True),
    st.from_regex(r"[0-9]{1,2}:[0-9]{2}", fullmatch=True),
    st.from_regex(r"[0-9]{1,2}[/.-][0-9]{1,2}([/.-][0-9]{4})?", fullmatch=True),
    st.from_regex(r"[0-9]{1,3}([.][0-9]{3})?,[0-9]{1,2}", fullmatch=True),
    st.from_regex(r"[0-9]{1,3}(,[0-9]{3})?[.][0-9]{1,2}", fullmatch=True),
    st.from_regex(r"[a-z]{3,8}[0-9]{2,4}", fullmatch=True),
    st.from_regex(r"[a-z]{3,6}[+._]?[a-z]{2,4}@[a-z]{4,8}[.](com|org|ar)", fullmatch=True),
    st.from_regex(r"[+][0-9]{2} [0-9]{2} [0-9]{4}-[0-9]{4}", fullmatch=True),
    st.sampled_from(["Íñigo-2", "Zulema_R", "Bob@Work", "Сергей4", "鍵123", "مفتاح9", "5️⃣", "2🔑"]),
    st.integers(10, 10**9).map(str),
    st.from_regex(r"-[0-9]{1,3}([.,][0-9])?", fullmatch=True),
    st.from_regex(r"[$€][0-9]{1,3}([.][0-9]{3})?(,[0-9]{2})?", fullmatch=True),
    st.from_regex(r"[0-9]{1,2}([.,][0-9])?%", fullmatch=True),
    st.from_regex(r"https://[a-z]{3,8}[.](com|org)/[a-z]{2,5}([?]id=[0-9]{1,4})?", fullmatch=True),
    st.from_regex(r"[+]54 [(]11[)] [0-9]{4}-[0-9]{4}", fullmatch=True),
    st.from_regex(r"192[.]168[.][0-9]{1,2}[.][0-9]{1,3}", fullmatch=True),
    st.from_regex(r"[a-zA-Z]{2,4}[0-9]{1,3}[!#$%^&*?~+][a-zA-Z0-9]{1,4}[!#$%^&*?~+_-]?", fullmatch=True),
)
PLAIN: Final = (
    "la",
    "llave",
    "del",
    "garaje",
    "está",
    "junto",
    "al",
    "reloj",
    "the",
    "spare",
    "key",
    "of",
    "aunt",
)
CONTENTS: Final = st.lists(st.one_of(st.sampled_from(PLAIN), LITERALS), min_size=2, max_size=9).filter(
    lambda words: any(word in PLAIN for word in words) and any(word not in PLAIN for word in words)
)
OPENINGS: Final = (
    "anotá que {}",
    "apuntá: {}",
    "note that {}",
    "hola! guardá esto: {} por favor",
    "{} <- save that pls",
)


def with_other_digit(text: str, at: int) -> str:
    places = [n for n, char in enumerate(text) if char.isdigit()]
    if not places:
        return text
    place = places[at % len(places)]
    return text[:place] + str((int(text[place]) + 1 + at % 8) % 10) + text[place + 1 :]


def without_word(text: str, at: int) -> str:
    words = text.split()
    return " ".join([*words[: at % len(words)], *words[at % len(words) + 1 :]]) or text


def with_last_cut(text: str, at: int) -> str:
    return text[: -1 - at % 3].strip() or text


WIDE: Final = str.maketrans("0123456789", "０１２３４５６７８９")
DISTORTIONS: Final[Mapping[str, Callable[[str, int], str]]] = {
    "other digit": with_other_digit,
    "decimals in the other writing": lambda text, at: text.translate(str.maketrans(",.", ".,")),
    "times in the other writing": lambda text, at: text.replace(":", "."),
    "one more": lambda text, at: f"{text} {at * 37 + 11}",
    "capitals": lambda text, at: text.upper(),
    "cut": with_last_cut,
    "word dropped": without_word,
    "all dropped": lambda text, at: " ".join(word for word in text.split() if word in PLAIN) or text,
    "other words": lambda text, at: f"the number {at + 1000} is what matters",
    "joined": lambda text, at: text.replace("-", "").replace(" ", "", 1),
    "small letters": lambda text, at: text.lower(),
    "signs dropped": lambda text, at: re.sub(r"[!#$%^&*?~+€-]", "", text),
    "digits turned round": lambda text, at: re.sub(r"([0-9])([0-9])", r"\2\1", text, count=1),
    "wide digits": lambda text, at: text.translate(WIDE),
    "digits spaced": lambda text, at: re.sub(r"([0-9]{3})([0-9])", r"\1 \2", text),
    "no accents": lambda text, at: unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode() or text,
    "end of a sentence": lambda text, at: f"{text.rstrip('!?')}.",
}
DROPS: Final = frozenset(
    {"word dropped", "all dropped", "cut", "other words", "joined", "signs dropped", "no accents"}
)
KEEPS_ALL: Final = frozenset(DISTORTIONS) - DROPS


Example = tuple[list[str], str, list[tuple[str, int]]]


def examples(names: Collection[str]) -> list[Example]:
    found: list[Example] = []
    distortions = st.lists(st.tuples(st.sampled_from(sorted(names)), st.integers(0, 40)), min_size=1, max_size=3)

    @some(1, by_day=0.4)
    @given(CONTENTS, st.sampled_from(OPENINGS), distortions)
    def collect(words: list[str], opening: str, done: list[tuple[str, int]]) -> None:
        found.append((words, opening, done))

    collect()
    return found


@pytest.mark.needs("notes")
@pytest.mark.parametrize("profile", [CONSTRAINED, NATIVE], ids=["small", "native"])
async def test_whatever_a_model_does_to_literals_they_are_stored_exactly_or_the_person_is_asked(
    tmp_path: Path, profile: ModelProfile
) -> None:
    llm = ScriptedChatModel()
    llm.category = "notes"
    is_small = profile is CONSTRAINED
    asked = (
        say(SKILLS.unsaid, "es", value="|").partition("|")[0],
        say(SKILLS.unsaid, "en", value="|").partition("|")[0],
    )
    outcomes = {"stored": 0, "asked": 0}
    async with running_app(tmp_path, llm=llm, profile=profile, rate_limit_max=10_000) as app:
        for words, opening, distortions in examples(DISTORTIONS.keys() if is_small else KEEPS_ALL):
            content = made = " ".join(words)
            for name, at in distortions:
                made = DISTORTIONS[name](made, at)
            before = await stored(app, "content", "notes")
            await app.say(ALICE, "/clear")
            told = len(app.replies_to(ALICE))
            llm.add(
                small(("save_note", {"content": made})) if is_small else calls(("save_note", {"content": made}))
            )
            llm.add("Done.")
            await app.say(ALICE, opening.format(content))
            new = (await stored(app, "content", "notes"))[len(before) :]
            if new:
                outcomes["stored"] += 1
                wanted = [one for one in content.split() if one not in PLAIN]
                lost = [one for one in wanted if not re.search(rf"(?<!\w){re.escape(one)}(?!\w)", new[0])]
                assert not lost, (opening.format(content), made, new)
            else:
                outcomes["asked"] += 1
                assert app.replies_to(ALICE)[told].startswith(asked), (opening.format(content), made)
                assert llm.lines_left == 1, "nothing more is asked of the model"
            llm.drop_lines()
    assert outcomes["stored"] > sum(outcomes.values()) / 5, outcomes
