"""Sorting by evidence: the words, the clauses, the examples as they are kept, and the whole with the encoder."""

import re
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.local_embedder import LocalEmbedder
from app.skills.router import TOOL_CATEGORIES
from app.skills.sorting import Sorter
from app.skills.sorting.augment import augment
from app.skills.sorting.clauses import MAX_CLAUSES, shortened, split_clauses
from app.skills.sorting.evidence import evidence, evidence_names
from app.skills.sorting.examples import FOLLOWUP, fill_in, load_examples, read_label
from app.skills.sorting.fit import digest_of
from app.skills.sorting.head import load_head
from app.skills.sorting.lexicon import load_lexicon
from app.skills.sorting.sorter import data_folder
from app.skills.sorting.spelling import Spelling
from app.skills.sorting.words import plain, words_of
from tests.bench.sorting import load_messages

LEXICON = load_lexicon(data_folder() / "lexicon")
EXAMPLES = tuple(load_examples(data_folder()))


def holding(message: str) -> set[str]:
    numbers = evidence(message, LEXICON)
    return {name for name, number in zip(evidence_names(LEXICON), numbers, strict=True) if number}


def test_words_are_found_without_accents_capitals_and_marks() -> None:
    assert [word.text for word in words_of("¡Anotá, José: 3 kg!")] == ["anota", "jose", "3", "kg"]


@pytest.mark.parametrize(
    ("message", "clauses"),
    [
        ("hola", ["hola"]),
        ("", [""]),
        (
            "apuntá pagar la luz y decime cuánto es 12*8",
            ["apuntá pagar la luz", "y decime cuánto es 12*8"],
        ),
        (
            "write down the gate code, and remind me at five",
            ["write down the gate code,", "and remind me at five"],
        ),
        ("el plomero cobra mil anotalo por favor", ["el plomero cobra mil", "anotalo por favor"]),
        ("pan, leche y huevos", ["pan, leche y huevos"]),
        ("vino mi tía. qué hora es?", ["vino mi tía.", "qué hora es?"]),
    ],
)
def test_a_message_is_split_where_another_wish_begins(message: str, clauses: list[str]) -> None:
    assert split_clauses(message, LEXICON) == clauses


def test_a_message_of_many_sentences_has_a_bounded_number_of_clauses_and_loses_nothing() -> None:
    message = " ".join(f"tercera frase número {number}." for number in range(30))

    clauses = split_clauses(message, LEXICON)

    assert len(clauses) == MAX_CLAUSES
    assert " ".join(clauses) == message


def test_a_wish_in_the_middle_opens_a_clause() -> None:
    assert "note_verb opens clause" in holding("qué calor hace, anotame que el filtro es de media")
    assert "note_verb opens message" in holding("hola che, anotame que el filtro es de media")
    assert "note_verb opens clause" not in holding("mi equipo no anota nunca")


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("27*31", "sum"),
        ("12% de 80", "sum"),
        ("mirá https://ejemplo.org", "link"),
        ("leeme datos.csv", "file"),
        ("a las 18:30", "clock"),
        ("nota: comprar pilas", "label"),
        ("y qué más?", "asks"),
        ("/nota algo", "command"),
    ],
)
def test_shapes_are_evidence(message: str, name: str) -> None:
    assert name in holding(message)
    assert name not in holding("buenas tardes a todos")


@pytest.mark.parametrize(
    "piece", ["a", "y ", "and ", ", y ", "recordame ", "1+", "((", ".txt", "https:/", "¿", "é", "a:", "\n", "no "]
)
def test_the_time_for_a_hostile_message_grows_with_its_length_only(piece: str) -> None:
    message = shortened(piece * 100_000)

    begun = time.process_time()
    evidence(message, LEXICON)
    split_clauses(message, LEXICON)

    assert len(message) <= 1201
    assert time.process_time() - begun < 2


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    message = "primero " + "x" * 5000 + " último"

    assert shortened(message).startswith("primero")
    assert shortened(message).endswith("último")


@pytest.mark.needs(
    "calculator", "conversation", "datetime", "files", "notes", "oversight", "projects", "selfcode", "weather"
)
def test_every_example_has_a_category_that_exists() -> None:
    named = {name for example in EXAMPLES for name in example.label.categories}
    assert named == {*TOOL_CATEGORIES, FOLLOWUP}


def test_every_category_has_examples_in_both_languages() -> None:
    languages = defaultdict(set)
    for example in EXAMPLES:
        for name in example.label.categories or ("none",):
            languages[name].add(example.language)
    assert {name for name, found in languages.items() if found != {"es", "en"}} == set()


def test_there_are_thousands_of_examples_and_much_plain_talk() -> None:
    talk = sum(not example.label.categories for example in EXAMPLES)
    assert len(EXAMPLES) > 5000
    assert talk / len(EXAMPLES) >= 0.4


def test_no_place_is_left_unfilled() -> None:
    assert [example.text for example in EXAMPLES if re.search(r"<\w+>|[{}|]", example.text)] == []


def test_filling_in_gives_the_same_sentences_each_time() -> None:
    slots = {"food": ["pan", "té", "sal"]}
    first = fill_in("{poné|sumá} <food> a la lista", slots, 4)
    assert first == fill_in("{poné|sumá} <food> a la lista", slots, 4)
    assert len(set(first)) == len(first) > 1


def test_no_held_out_message_is_among_the_examples() -> None:
    def key(text: str) -> str:
        return " ".join(word.text for word in words_of(text)) or text

    known = {key(example.text) for example in EXAMPLES}
    assert [one.text for one in load_messages() if len(words_of(one.text)) > 2 and key(one.text) in known] == []


def test_no_held_out_message_stands_twice() -> None:
    texts = [plain(one.text) for one in load_messages()]
    assert len(texts) == len(set(texts)) >= 300


@pytest.mark.parametrize("text", ["notes", "notes/perhaps", "notes/act/joke"])
def test_a_label_that_says_something_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"label|unpack"):
        read_label(text)


def test_augmenting_is_the_same_for_the_same_seed_and_keeps_the_labels() -> None:
    slots = tomllib.loads((data_folder() / "slots.toml").read_text("utf-8"))
    some = EXAMPLES[::40]

    made = augment(some, slots, 5)

    assert made == augment(some, slots, 5)
    assert len(made) > 3 * len(some)
    assert {name for one in made for name in one.label.categories} <= {
        name for one in some for name in one.label.categories
    }


def test_the_fitted_head_belongs_to_the_examples() -> None:
    head = load_head(data_folder() / "head.npz")
    assert head.digest == digest_of(data_folder()), "run `python -m app.skills.sorting.fit`"
    assert 0.5 < head.sure_from < 1


@pytest.fixture(scope="module")
def sorter() -> Iterator[Sorter]:
    embedder = LocalEmbedder.open()
    if embedder is None:
        pytest.skip("the optional extra `local` is not installed")
    with closing(embedder):
        opened = Sorter.open(embedder)
        assert opened is not None
        yield opened


@pytest.mark.parametrize(
    ("message", "categories", "wish"),
    [
        ("anotá que el medidor marca 2290", {"notes"}, "act"),
        ("anotá comprar velas y decime cuánto es 14*52", {"notes", "math"}, "act"),
        ("what's the weather like in Porto", {"weather"}, "look"),
        ("tell me a joke about cats", {"none"}, "talk"),
        ("call my cousin", {"none"}, "act"),
        ("remind me tomorrow at 9 to water the plants", {"reminders"}, "act"),
        ("sumá fideos y arroz a la lista del súper", {"lists"}, "act"),
    ],
)
async def test_a_plain_message_is_sorted(sorter: Sorter, message: str, categories: set[str], wish: str) -> None:
    said = await sorter.sort(message)
    assert set(said.categories) == categories
    assert said.wish == wish
    assert all(0 <= number <= 1 for number in said.probabilities.values())


@pytest.mark.parametrize(
    "message",
    [
        "what's the difference between UTC and GMT?",
        "¿de dónde viene la palabra agenda?",
        "¿qué diferencia hay entre gasto fijo y variable?",
        "en qué se diferencia el cemento del hormigón",
    ],
)
async def test_what_wants_an_explanation_is_talk_whatever_it_is_about(sorter: Sorter, message: str) -> None:
    said = await sorter.sort(message, previous=("time",))

    assert said.categories == ("none",)
    assert said.wish == "talk"
    assert said.is_sure


@pytest.mark.parametrize(
    ("message", "category"),
    [
        ("what does my note about the car mean?", "notes"),
        ("¿qué diferencia horaria hay entre Quito y Roma?", "time"),
        ("what's the difference between the time in Lima and in Rome?", "time"),
    ],
)
async def test_what_one_has_is_looked_up_though_it_is_to_be_explained(
    sorter: Sorter, message: str, category: str
) -> None:
    assert category in (await sorter.sort(message)).categories


async def test_what_refers_back_takes_the_categories_of_the_turn_before(sorter: Sorter) -> None:
    alone = await sorter.sort("¿y en Caracas?")
    after = await sorter.sort("¿y en Caracas?", previous=("time",))

    assert alone.refers_back
    assert not alone.is_sure
    assert after.categories == ("time",)


@pytest.mark.parametrize(
    ("message", "previous", "categories", "wish"),
    [
        ("and two desk lamps", "lists", ("lists",), "act"),
        ("y una docena de facturas", "lists", ("lists",), "act"),
        ("and turn off the heating", "lists", ("none",), "act"),
        ("y nada, acá estamos", "lists", ("none",), "talk"),
        ("qué falta?", "lists", ("lists",), "look"),
        ("add to it the task buy four hinges", "projects", ("projects",), "act"),
        ("sumale una tarea: medir la ventana", "projects", ("projects",), "act"),
        ("resumime esto en dos líneas: la cooperadora junta fondos para el techo", "notes", ("none",), "talk"),
    ],
)
async def test_the_wording_tells_what_goes_on_and_what_is_meant_by_it(
    sorter: Sorter, message: str, previous: str, categories: tuple[str, ...], wish: str
) -> None:
    said = await sorter.sort(message, previous=(previous,))

    assert said.categories == categories
    assert said.wish == wish


async def test_a_fact_told_in_passing_is_marked(sorter: Sorter) -> None:
    said = await sorter.sort("mi hermano es alérgico a la penicilina")
    assert said.tells_fact
    assert said.categories == ("none",)


async def test_a_sorter_is_not_opened_for_the_vectors_of_another_model() -> None:
    class Other:
        model = "another"

        async def embed(self, texts: object, *, purpose: object) -> list[bytes]:
            raise AssertionError("nothing is embedded")

    assert Sorter.open(Other()) is None


async def test_an_empty_or_hostile_message_is_sorted_too(sorter: Sorter) -> None:
    for message in ("", " ", "?", "x" * 100_000, "\n" * 50, "recordame " * 5000):
        said = await sorter.sort(message)
        assert said.categories


SPELLING = Spelling(
    {"anota": 9, "nota": 8, "notas": 4, "lista": 7, "proyecto": 5, "shopping": 3, "lima": 2}
    | {"quiero": 3, "hacer": 4, "the": 60, "cat": 2}
    | {"time": 300, "tme": 8, "hola": 70, "remind": 200, "pues": 90, "pez": 1, "mints": 1, "minutes": 70}
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("anoat esto", "anota esto"),
        ("un proyetco", "un proyecto"),
        ("my shoping, ok?", "my shopping, ok?"),
        ("Proyecto Limaa", "Proyecto Limaa"),
        ("lsita del 5530x", "lista del 5530x"),
        ("zzzzzz", "zzzzzz"),
        ("noto", "nota"),
        ("kiero aser", "quiero hacer"),
        ("teh list", "the lista"),
        ("act", "act"),
        ("hla, rmnd me", "hola, remind me"),
        ("tme", "time"),
        ("un pez", "un pez"),
        ("5 mints", "5 mints"),
    ],
)
def test_words_typed_in_haste_are_put_right_and_names_stay(typed: str, meant: str) -> None:
    assert SPELLING.corrected(typed) == meant


@given(st.text(max_size=60))
def test_only_letters_of_words_are_ever_changed(message: str) -> None:
    better = SPELLING.corrected(message)
    assert len(words_of(better)) == len(words_of(message))
    assert SPELLING.corrected(better) == better


@pytest.mark.parametrize(
    ("message", "is_story"),
    [
        ("ando con la cabeza en cualquier lado, el jueves a las 10 de la mañana dame un toque para el gas", False),
        (
            "the bins go out on thursday and I always miss them, so poke me wednesday at 8 in the evening on it",
            False,
        ),
        ("el jueves a las 10 vino el del gas, tres horas arrodillado en la cocina y la olla sin lavar", True),
        ("quarter to six and the roast was black, the whole kitchen full of smoke and mum laughing at me", True),
    ],
)
async def test_a_story_that_plainly_wants_to_be_told_of_something_is_none(
    sorter: Sorter, message: str, *, is_story: bool
) -> None:
    found = await sorter.sort(message)

    assert found.is_story is is_story
    assert is_story or (found.categories, found.wish) == (("reminders",), "act")


async def test_what_is_dictated_behind_a_colon_is_one_note(sorter: Sorter) -> None:
    found = await sorter.sort("anotá en una nota: cofre 2214#A, alarma 33-0190, camión ABJ 551")
    assert (found.categories, len(found.parts)) == (("notes",), 1)
    both = await sorter.sort("anotá esto: el cofre es 2214#A, y recordame mañana a las 9 llamar al banco")
    assert len(both.parts) == 2
