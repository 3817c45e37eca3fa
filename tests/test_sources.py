"""Where answers come from: the head against a hand that it has not seen, and what is said for it."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.sorting.small_fit import digest_of
from app.skills.sorting.small_head import load_head
from app.skills.sources.fit import load_examples
from app.skills.sources.sources import ERRANDS, Source, SourceReader, data_folder
from tests.builders import ALICE
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app

CHECK: Final = Path(__file__).parent / "data" / "sources.toml"


@pytest.fixture(scope="module")
def embedder() -> Iterator[LocalEmbedder]:
    opened = LocalEmbedder.open()
    if opened is None:
        pytest.skip("the optional extra `local` is not installed")
    with closing(opened):
        yield opened


@pytest.fixture(scope="module")
def reader(embedder: LocalEmbedder) -> SourceReader:
    opened = SourceReader.open(embedder)
    assert opened is not None
    return opened


def test_the_fitted_head_belongs_to_the_examples() -> None:
    assert load_head(data_folder() / "head.npz").digest == digest_of(data_folder()), (
        "run `python -m app.skills.sources.fit`"
    )


def test_examples_and_held_out_messages_have_nothing_in_common() -> None:
    known = {one.text.casefold() for name in ("en.toml", "es.toml") for one in load_examples(data_folder() / name)}
    held_out = {one.text.casefold() for one in load_examples(CHECK)}
    assert len(held_out) == 520
    assert known.isdisjoint(held_out)


async def test_where_a_strangers_answer_comes_from_is_read_right(reader: SourceReader) -> None:
    right, book, live, errand = Counter[bool](), Counter[bool](), Counter[bool](), Counter[bool]()
    for one in load_examples(CHECK):
        found = await reader.read(one.text)
        errand[one.origin in ERRANDS] += found.asked_errand(1) is not None
        if one.origin != "no_errand":
            right[found.origin == one.origin] += 1
            book[one.origin == "timeless"] += found.is_book
            live[one.origin == "live"] += found.is_live

    assert right[True] / right.total() > 0.8
    assert book[True] > 65
    assert book[False] <= 5
    assert live[True] > 25
    assert live[False] <= 2
    assert errand[True] > 75
    assert errand[False] <= 12


async def test_what_is_too_long_is_not_read(reader: SourceReader) -> None:
    assert await reader.read("why is the sky blue " * 40) == Source()


async def replies(directory: Path, embedder: LocalEmbedder, llm: ScriptedChatModel, *messages: str) -> list[str]:
    """Write these messages to a service over a small model; returns what it said."""
    async with running_app(directory, llm=llm, profile=CONSTRAINED, embedder=embedder) as app:
        for message in messages:
            await app.say(ALICE, message)
        return app.replies_to(ALICE)


@pytest.mark.parametrize(
    "message",
    [
        "how long is a game of water polo",
        "cuánto dura un combate de boxeo",
        "anoche en la cena nadie se acordaba: ¿en qué año llegó el hombre a la luna?",
        "my two got into it over whether a tomato is a fruit, back me up, what is it",
    ],
)
async def test_what_a_book_could_tell_is_asked_of_the_model(
    tmp_path: Path, embedder: LocalEmbedder, message: str
) -> None:
    llm = ScriptedChatModel("what the model knows")
    assert (await replies(tmp_path, embedder, llm, message))[-1] == "what the model knows"


@pytest.mark.parametrize(
    ("message", "question"),
    [
        (
            "i was left wondering which metal is the heaviest, the kids wanted to know and i had no clue",
            "which metal is the heaviest",
        ),
        (
            "fuimos al zoo y me preguntaron cuántos años vive un elefante, no supe qué decir",
            "cuántos años vive un elefante",
        ),
        (
            "me quedé con la duda de cuál es el río más largo de europa, me lo pidieron",
            "cuál es el río más largo de europa",
        ),
    ],
)
async def test_what_a_story_asks_of_a_book_is_asked_without_the_story(
    tmp_path: Path, embedder: LocalEmbedder, message: str, question: str
) -> None:
    llm = ScriptedChatModel("what the model knows")
    await replies(tmp_path, embedder, llm, message)
    (asked,) = llm.requests
    assert asked.messages[-1].content.startswith(question)


@pytest.mark.parametrize(
    "message",
    [
        "we saw the pyramids today, which one is the biggest",
        "mi perra corre mucho, cuánto puede correr ella",
        # What stands around it may be a wish: it is not dropped.
        "quiero que sumes alpiste a lo que llevo al campo, y de paso cuántas patas tiene una araña",
        "sumale alpiste a lo del campo, cuántas patas tiene una araña",
        "add seed to the field stuff. how many legs has a spider",
    ],
)
async def test_a_question_is_asked_with_what_it_points_to_and_with_a_wish_beside_it(
    tmp_path: Path, embedder: LocalEmbedder, message: str
) -> None:
    llm = ScriptedChatModel("what the model knows")
    await replies(tmp_path, embedder, llm, message)
    (asked,) = llm.requests
    assert asked.messages[-1].content.startswith(message)


@pytest.mark.parametrize(
    "message", ["what was the score in the water polo last night", "quién va ganando la pelea de boxeo"]
)
async def test_what_only_a_look_at_the_world_could_tell_is_not_made_up(
    tmp_path: Path, embedder: LocalEmbedder, message: str
) -> None:
    llm = ScriptedChatModel("what the model makes up")
    assert (await replies(tmp_path, embedder, llm, message))[-1] != "what the model makes up"


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("hop on to the surgery for me and get nan in this week, their line is always engaged", "call or write"),
        ("put the forty quid i owe for the hall hire through would you", "pay, buy"),
        ("the greenhouse fan is still running, knock it off for me", "devices"),
        ("comunícate con la ferretería y reclámales el vidrio que vino rajado", "No puedo"),
        ("hazme el favor y cancélale al jardinero lo de este mes", "No puedo"),
        ("súbele tantito al minisplit de la sala que hace un calorón", "aparatos"),
    ],
)
async def test_an_errand_in_whatever_words_is_not_claimed_to_be_done(
    tmp_path: Path, embedder: LocalEmbedder, message: str, sentence: str
) -> None:
    llm = ScriptedChatModel("Sure, it is done.")
    (reply,) = await replies(tmp_path, embedder, llm, message)
    assert sentence in reply


@pytest.mark.parametrize(
    "message",
    [
        "the surgery finally rang back and nan is in this week, i could cry",
        "paid the hall hire off at last, forty quid lighter",
        "me dejó el jardinero con medio pasto cortado y se fue",
        "qué calorón hizo en la sala, ni el minisplit pudo",
        "should i ring the glazier again or leave it till monday",
        "u7m4",
        "de chica apagaba la luz y contaba hasta diez antes de dormirme",
    ],
)
async def test_what_sounds_like_an_errand_is_talked_about(
    tmp_path: Path, embedder: LocalEmbedder, message: str
) -> None:
    llm = ScriptedChatModel("what the model says", "what the model says")
    assert await replies(tmp_path, embedder, llm, message) == ["what the model says"]


@pytest.mark.needs("lists")
@pytest.mark.parametrize(
    ("message", "question"),
    [
        (
            "put twine on the list and settle a bet for us, how many legs has a lobster",
            "how many legs has a lobster",
        ),
        (
            "poné yerba en la lista y sacame de una duda, cuántas cuerdas tiene un violín",
            "cuántas cuerdas tiene un violín",
        ),
    ],
)
async def test_a_question_for_a_book_is_answered_beside_a_wish(
    tmp_path: Path, embedder: LocalEmbedder, message: str, question: str
) -> None:
    llm = ScriptedChatModel("what the model knows")
    told = "\n".join(await replies(tmp_path, embedder, llm, message))
    (asked,) = llm.requests
    assert question in asked.messages[-1].content
    assert "what the model knows" in told
    assert "twine" in told or "yerba" in told


@pytest.mark.needs("memory")
@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (
            "two punctures before lunch, and I drive an old green renault, I am done",
            "quiz for you then what car do i drive",
        ),
        ("mi cuñada se llama Eufemia y cumple en julio", "prueba para vos cómo se llama mi cuñada"),
    ],
)
async def test_what_was_told_is_found_behind_an_opening_without_marks(
    tmp_path: Path, embedder: LocalEmbedder, told: str, asked: str
) -> None:
    llm = ScriptedChatModel("oh dear", "what the model makes up")
    assert told[-20:] in (await replies(tmp_path, embedder, llm, told, asked))[-1]


@pytest.mark.needs("weather")
@pytest.mark.parametrize(
    "message",
    [
        "can you word a text to the roofer for me, the rain has come through again, keep it friendly",
        "word me a note for the neighbours, we are back late as rain held us up, keep it short",
    ],
)
async def test_weather_that_is_only_told_is_not_looked_up(
    tmp_path: Path, embedder: LocalEmbedder, message: str
) -> None:
    llm = ScriptedChatModel(*["The rain has come through again, could you come by?"] * 3)
    assert "eather" not in (await replies(tmp_path, embedder, llm, message))[-1]
