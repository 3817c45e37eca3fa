"""A text that was just written goes on without loss: a name, a sentence, another tone."""

from pathlib import Path

import pytest

from app.language.catalogue import say
from app.llm.local_embedder import LocalEmbedder
from app.skills.drafted import WantedText
from app.skills.texts import SKILLS
from app.skills.writing.going_on import read_going_on
from app.skills.writing.told import read_draft_wish
from tests.builders import ALICE
from tests.e2e.small import open_encoder, small_app

OVEN_WISH = "write a message to my landlady that the oven has been broken since Sunday and the rent of 640 is paid"
OVEN = "Dear landlady,\n\nThe oven has been broken since Sunday. The rent of 640 is paid.\n\nKind regards,\nPat"
GATE_WISH = "escribime un mensaje para el portero avisando que el viernes 12 llega un sillón"
GATE = "Estimado portero: le aviso que el viernes 12 llega un sillón. ¡Saludos!"


@pytest.fixture(scope="module")
def encoder() -> LocalEmbedder:
    return open_encoder()


@pytest.mark.parametrize(
    ("wish", "draft", "said", "right"),
    [
        (OVEN_WISH, OVEN, ["her name is Mrs Quill"], [OVEN.replace("landlady", "Mrs Quill")]),
        (OVEN_WISH, OVEN, ["it's for Mrs Quill"], [OVEN.replace("landlady", "Mrs Quill")]),
        (
            OVEN_WISH,
            OVEN,
            ["say that we're back by 7 please", "her name's Quill"],
            [
                OVEN.replace("paid.", "paid. We're back by 7."),
                OVEN.replace("paid.", "paid. We're back by 7.").replace("landlady", "Quill"),
            ],
        ),
        (
            OVEN_WISH,
            OVEN,
            ["ask her to bring her tools"],
            [OVEN.replace("paid.", "paid. Please bring your tools.")],
        ),
        (
            "escribime un mensaje para mi mamá que ya salí",
            "Mamá, ya salí.",
            ["ponele que llevo el postre"],
            ["Mamá, ya salí. Llevo el postre."],
        ),
        (GATE_WISH, GATE, ["se llama Raúl"], [GATE.replace("portero", "Raúl")]),
        (GATE_WISH, GATE, ["es para la señora Elba"], [GATE.replace("Estimado portero", "Estimada señora Elba")]),
        (
            GATE_WISH,
            GATE,
            ["el portero se llama don Raúl, decile también que pesa 80 kilos"],
            [GATE.replace("portero", "don Raúl").replace("sillón.", "sillón. Pesa 80 kilos.")],
        ),
        (
            GATE_WISH,
            GATE,
            ["se llama Raúl", "ponele que yo no estoy a esa hora"],
            [
                GATE.replace("portero", "Raúl"),
                GATE.replace("portero", "Raúl").replace("sillón.", "sillón. Yo no estoy a esa hora."),
            ],
        ),
    ],
)
async def test_a_name_and_a_sentence_are_put_into_the_text_by_code(
    tmp_path: Path, encoder: LocalEmbedder, wish: str, draft: str, said: list[str], right: list[str]
) -> None:
    async with small_app(tmp_path, encoder, draft) as (app, _):
        for one in (wish, *said):
            await app.say(ALICE, one)

        assert app.replies_to(ALICE) == [draft, *right]


@pytest.mark.parametrize(
    "said",
    [
        "my dog is called Biscuit",
        "her name is on the list",
        "it's for the kids",
        "it's for tomorrow",
        "say that again",
        "say that he owes me 40",
        "say hi to my mum",
        "what is her name?",
        "mi gata se llama Luna",
        "se llama igual que vos",
        "es para mañana",
        "es para el vecino",
        "dile que le debo 30",
        "que la quiero mucho",
        "se llama mal eso",
    ],
)
def test_what_only_sounds_alike_goes_into_no_text(said: str) -> None:
    assert read_going_on(said) is None


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ("Hi Rosa, the choir meets on Monday at 8. See you!", "my sister is called Ana"),
        ("Hi Rosa, the choir meets on Monday at 8. See you!", "her name is Ana"),
        ("Hi Rosa, the choir meets on Monday at 8. See you!", "decile que el coro es gratis"),
    ],
)
def test_a_text_that_greets_somebody_by_name_or_in_another_language_stays(draft: str, said: str) -> None:
    read = read_going_on(said)
    assert read is not None
    assert read.put_into(draft) == ""


def test_signs_go_by_code() -> None:
    read = read_going_on("sin emojis porfa")
    assert read is not None
    assert (
        read.put_into("¡Hola, Inés! \U0001f60a Nos vemos el martes \u2764") == "¡Hola, Inés! Nos vemos el martes"
    )


@pytest.mark.parametrize(
    ("change", "after", "is_right"),
    [
        ("shorter", "Dear landlady, thank you!", False),
        ("shorter", "Dear landlady, the oven is broken. The rent of 640 is paid. Pat", False),
        ("shorter", "Dear landlady, the oven is broken since Sunday. The rent of 640 is paid. Pat", True),
        ("addition", "Dear landlady, there is mould in the kitchen.", False),
    ],
)
def test_a_text_that_lost_what_it_told_is_no_change_of_it(change: str, after: str, is_right: bool) -> None:
    wanted = WantedText(change, OVEN, change)  # type: ignore[arg-type] # A kind of the table.

    assert (wanted.objection_to(after) is None) == is_right


async def test_a_text_whose_change_loses_a_day_twice_stays_and_that_is_said(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    lost = "Estimado portero, buen día, le aviso con gusto que llega un sillón. ¡Gracias!"
    async with small_app(tmp_path, encoder, GATE, lost, lost) as (app, _):
        await app.say(ALICE, GATE_WISH)
        await app.say(ALICE, "más amable")
        await app.say(ALICE, "se llama Raúl")

        assert app.replies_to(ALICE)[1:] == [
            say(SKILLS.text_unchanged, "es"),
            GATE.replace("portero", "Raúl"),
        ]


@pytest.mark.parametrize(
    ("wish", "whom", "said"),
    [
        ("como le digo a la suegra sin que suene feo que no venga tan seguido", "suegra", "no venga tan seguido"),
        (
            "como le digo a la profe de yoga que no llego el lunes sin que suene a excusa",
            "profe de yoga",
            "no llego el lunes",
        ),
        ("como le escribo al cliente sin sonar pesado que me debe 3000", "cliente", "me debe 3000"),
        ("escribime un mensaje pidiendole al vecino que baje la musica", "vecino", "baje la musica"),
        ("how do I tell my coach without sounding rude that I quit on Friday", "coach", "I quit on Friday"),
        ("how do I tell the client without sounding greedy?", "client", ""),
        ("write a message to my brother asking him to bring the ladder", "brother", "bring the ladder"),
        ("write a text asking my sister to pick up Leo at 3", "sister", "pick up Leo at 3"),
        ("write a text to my boss that I can finish the wall without sounding the alarm", "boss", None),
        ("escribime un mensaje para mi tia que llego sin llaves", "tia", "llego sin llaves"),
    ],
)
def test_whom_a_text_is_for_how_it_sounds_and_what_it_tells_are_parted(
    wish: str, whom: str, said: str | None
) -> None:
    read = read_draft_wish(wish)
    assert read is not None
    assert read.whom == whom
    assert said is None or read.said == said


def test_what_a_reader_is_asked_to_do_is_told_as_a_request() -> None:
    read = read_draft_wish("write a message to my brother asking him to bring the ladder")
    assert read is not None
    assert read.told("en") == "Hi brother, Please bring the ladder."


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("sign it from me, Wanjiru", "Wanjiru"),
        ("no, sign it from both of us, Ines and Tom", "Ines and Tom"),
        ("fírmalo como Yolanda Paz", "Yolanda Paz"),
        ("y firmala de parte de los dos, Beto y Lupe", "Beto y Lupe"),
    ],
)
def test_a_name_comes_below_a_text_in_the_place_of_the_one_there(said: str, name: str) -> None:
    goes_on = read_going_on(said)

    assert goes_on is not None
    for below in ("", "\n\nOla"):
        assert goes_on.put_into(f"The kiln is free on Monday.{below}") == f"The kiln is free on Monday.\n\n{name}"


@pytest.mark.parametrize(
    "said",
    [
        "sign it tomorrow",
        "sign it from both of us",
        "fírmalo con cariño",
        "sign for the parcel",
        "sign the card from Ola",
    ],
)
def test_other_words_of_signing_name_nobody(said: str) -> None:
    assert read_going_on(said) is None


def test_what_is_added_stands_above_the_name() -> None:
    goes_on = read_going_on("add that it is still warm")

    assert goes_on is not None
    assert goes_on.put_into("The kiln is free.\n\nOla") == "The kiln is free. It is still warm.\n\nOla"
