"""Notes: kept as they were said, found by the words that matter, never somebody else's."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.db import Database
from app.database.repositories.acts import Acts
from app.database.repositories.matching import match_expressions
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.tools import ToolResult
from app.domain.turn import Said, TurnContext
from app.domain.wording import clean, first_words, fold, one_line, points_back, said_number, stem, words
from app.skills.loader import load_builtin
from app.skills.registry import SkillRegistry
from app.skills.tools.notes import notes_tools
from app.skills.tools.notes.repository import Notes
from tests.fakes.clock import FrozenClock
from tests.raw import assert_index_is_whole, indexed
from tests.test_search_plans import assert_words_come_first

ANN = UserId("ann")
BOB = UserId("bob")
NOW = datetime(2026, 8, 4, 12, tzinfo=UTC)


class Desk:
    """The notes tools over a real database, called as the engine does."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.notes = Notes(db)
        self.registry = SkillRegistry()
        notes_tools.register(self.registry, self.notes, FrozenClock(NOW), Acts(db))

    async def call(self, user_id: UserId, tool_name: str, **arguments: object) -> ToolResult:
        tool = self.registry.tools.get(tool_name)
        return await tool.execute(tool.validate_args(arguments), ctx=turn_of(user_id))

    async def says(self, user_id: UserId, tool_name: str, **arguments: object) -> str:
        result = await self.call(user_id, tool_name, **arguments)
        assert result.success, result.error
        return result.output

    async def refuses(self, user_id: UserId, tool_name: str, **arguments: object) -> str:
        result = await self.call(user_id, tool_name, **arguments)
        assert not result.success, result.output
        return result.error or ""


def turn_of(user_id: UserId) -> TurnContext:
    return TurnContext(TurnId(1), user_id, ConversationId(1), 1, NOW, "en", is_admin=False)


@pytest.fixture
async def desk(database: str) -> AsyncIterator[Desk]:
    async with Database.open(database) as db:
        async with db.transaction() as tx:
            for user_id in (ANN, BOB):
                await tx.execute(
                    "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'en', 0, 0)",
                    user_id,
                )
        yield Desk(db)


async def test_a_note_with_a_title_is_saved_and_listed(desk: Desk) -> None:
    said = await desk.says(ANN, "save_note", title="Tyres", content="change to winter tyres in week 48")
    assert said == "Saved note 1: Tyres."
    assert await desk.says(ANN, "list_notes") == "1. Tyres: change to winter tyres in week 48"


async def test_a_missing_title_is_made_from_the_first_words(desk: Desk) -> None:
    long = "la clave del portón de la casa de la abuela en la costa es 7719"
    assert await desk.says(ANN, "save_note", content=long) == (
        "Saved note 1: la clave del portón de la casa de la abuela en."
    )
    assert await desk.says(ANN, "list_notes") == f"1. {long}"


async def test_a_title_alone_is_a_note(desk: Desk) -> None:
    await desk.says(ANN, "save_note", title="buy milk", content="")
    assert await desk.says(ANN, "list_notes") == "1. buy milk"


async def test_a_title_that_is_too_long_loses_nothing(desk: Desk) -> None:
    title = "word " * 30
    await desk.says(ANN, "save_note", title=title, content="and the rest")
    read = await desk.says(ANN, "get_note", note="1")
    assert title.strip() in read
    assert read.endswith("and the rest")


@pytest.mark.parametrize("nothing", ["", "   ", "\n\t", "\x00", "\ud83d"])
async def test_an_empty_note_is_refused_with_the_field(desk: Desk, nothing: str) -> None:
    assert "content is empty" in await desk.refuses(ANN, "save_note", content=nothing)
    assert await desk.notes.count(ANN) == 0


async def test_a_note_that_is_too_long_is_refused_with_the_limit(desk: Desk) -> None:
    most = notes_tools.MAX_CONTENT_CHARS
    said = await desk.refuses(ANN, "save_note", content="x" * (most + 1))
    assert str(most) in said
    assert str(most + 1) in said
    await desk.says(ANN, "save_note", content="x" * most)


async def test_text_that_no_database_takes_is_cleaned(desk: Desk) -> None:
    await desk.says(ANN, "save_note", title="a\x00b", content="half \ud83d pair\x07 and café")
    assert await desk.says(ANN, "get_note", note="1") == "Note 1, ab:\nhalf  pair and café"


async def test_a_list_shows_the_newest_twenty_and_how_many_more(desk: Desk) -> None:
    for count in range(1, 24):
        await desk.notes.add(ANN, f"t{count}", "word " * 60, NOW)
    lines = (await desk.says(ANN, "list_notes")).splitlines()
    assert [line.split(".")[0] for line in lines[:-1]] == [str(number) for number in range(23, 3, -1)]
    assert lines[-1].startswith("… 3 more")
    assert all(100 < len(line) < 140 for line in lines[:-1])
    found = (await desk.says(ANN, "search_notes", query="word")).splitlines()
    assert len(found) == len(lines)
    assert found[-1].startswith("… more")


@pytest.mark.parametrize(
    ("said", "made", "kept"),
    [
        ("che guardá la clave del galpón: Tero.Gris-31", "Tero.Gris-31", "la clave del galpón: Tero.Gris-31"),
        ("note the plumber's number 555-0143.", "555-0143", "the plumber's number 555-0143."),
        ("anotá pan. La clave es 4417", "4417", "4417"),
        ("guardá Tero.Gris-31 y decime la hora", "Tero.Gris-31", "Tero.Gris-31"),
    ],
)
async def test_what_a_note_is_about_stays_in_it(desk: Desk, said: str, made: str, kept: str) -> None:
    tool = desk.registry.tools.get("save_note")
    await tool.execute(tool.validate_args({"content": made}), ctx=replace(turn_of(ANN), said=Said(now=(said,))))
    assert (await desk.says(ANN, "get_note", note="1")).endswith(kept)


async def test_no_notes_is_said(desk: Desk) -> None:
    assert await desk.says(ANN, "list_notes") == "There are no notes yet."
    assert await desk.says(ANN, "search_notes", query="x") == 'No note matches "x"; 0 notes were searched.'
    assert await desk.refuses(ANN, "delete_note", note="x") == 'No note matches "x".'


@pytest.mark.parametrize(
    "query",
    ["Lucía", "lucia", "LUCIA", "Luci", "Luci\u0301a", "notas sobre Lucía", "¿cuánto debe Lucía?", "euro", "debe"],
)
async def test_search_minds_neither_case_nor_accents_nor_endings(desk: Desk, query: str) -> None:
    await desk.says(ANN, "save_note", content="Lucía debe 45 euros")
    await desk.says(ANN, "save_note", content="the router is in the hall cupboard")
    assert await desk.says(ANN, "search_notes", query=query) == "1. Lucía debe 45 euros"


@pytest.mark.parametrize(("kept", "query"), [("walk 30 minutes", "walking"), ("caminar los martes", "caminando")])
async def test_search_finds_other_forms_of_a_verb_where_nothing_else_is_found(
    desk: Desk, kept: str, query: str
) -> None:
    await desk.says(ANN, "save_note", content=kept)
    assert await desk.says(ANN, "search_notes", query=query) == f"1. {kept}"


async def test_search_prefers_notes_with_all_the_words(desk: Desk) -> None:
    await desk.says(ANN, "save_note", content="winter boots")
    await desk.says(ANN, "save_note", content="winter tyre in the cellar")
    assert await desk.says(ANN, "search_notes", query="winter tyres") == "2. winter tyre in the cellar"
    assert len((await desk.says(ANN, "search_notes", query="winter holidays")).splitlines()) == 2


@pytest.mark.parametrize(("said", "is_pointing"), [("🎉", False), ("5 €", False), ("that one", True), ("", True)])
def test_a_symbol_names_a_note_and_does_not_point_to_the_last_one(said: str, is_pointing: bool) -> None:
    assert points_back(said) is is_pointing


async def test_what_is_no_word_is_found_as_it_stands(desk: Desk) -> None:
    await desk.says(ANN, "save_note", content="party 🎉 at nine")
    await desk.says(ANN, "save_note", content="100% cotton")
    assert await desk.says(ANN, "search_notes", query="🎉") == "1. party 🎉 at nine"
    assert await desk.says(ANN, "search_notes", query="%") == "2. 100% cotton"
    assert "Deleted note 1" in await desk.says(ANN, "delete_note", note="🎉")


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "a OR",
        "NEAR(a b)",
        "title:x",
        "-x",
        "x*",
        "^x",
        "(",
        "notes_fts MATCH",
        "' OR 1=1 --",
        "AND",
        "{a b}: c",
    ],
)
async def test_a_query_is_words_and_never_syntax(desk: Desk, query: str) -> None:
    await desk.notes.add(BOB, "x", "title x a b or near and or 1=1 c", NOW)
    assert (await desk.says(ANN, "search_notes", query=query)).startswith("No note matches")


async def test_no_query_makes_search_fail_or_show_what_is_not_ones_own(desk: Desk) -> None:
    await desk.notes.add(BOB, "secret", "a b c 1 2 3 á é 🎉 % _", NOW)
    await desk.notes.add(ANN, "open", "a b c 1 2 3 á é 🎉 % _", NOW)

    @given(st.text(st.characters(), max_size=60) | st.text("\"*^():-+{}AND ORNEAT%_\\'\x00", max_size=20))
    def check(query: str) -> None:
        searched.append(query)

    searched: list[str] = []
    check()
    for query in searched:
        found = await desk.notes.search(ANN, query, limit=5)
        assert [note.title for note in found] in ([], ["open"]), repr(query)
        result = await desk.call(ANN, "delete_note", note=query + "zzz")
        assert not result.success, repr(query)
    assert await desk.notes.count(BOB) == 1


@given(st.text(st.characters(), max_size=80))
def test_every_term_of_an_expression_is_quoted(query: str) -> None:
    for expression in match_expressions(query):
        terms = expression.replace(" AND ", " ").replace(" OR ", " ").split(" ")
        assert all(term[0] == '"' and term.endswith('"*') and '"' not in term[1:-2] for term in terms)


@pytest.mark.parametrize(
    "wanted", ["1", 1, "#1", "note 1", "la nota 1", "Rayuela", "la nota de rayuela", "devolver"]
)
async def test_a_note_is_deleted_by_what_people_call_it(desk: Desk, wanted: object) -> None:
    await desk.says(ANN, "save_note", content="devolver libro 'Rayuela'")
    await desk.says(ANN, "save_note", content="comprar harina")
    assert await desk.says(ANN, "delete_note", note=wanted) == "Deleted note 1. devolver libro 'Rayuela'"
    assert await desk.says(ANN, "list_notes") == "2. comprar harina"


async def test_a_number_that_no_note_has_may_be_words_of_one(desk: Desk) -> None:
    await desk.says(ANN, "save_note", content="la clave es 7719")
    assert "7719" in await desk.says(ANN, "get_note", note="7719")


async def test_several_matches_are_listed_and_none_is_deleted(desk: Desk) -> None:
    await desk.says(ANN, "save_note", content="libro de cocina")
    await desk.says(ANN, "save_note", content="libro de poemas")
    said = await desk.refuses(ANN, "delete_note", note="libro")
    assert said.splitlines()[0] == '2 notes match "libro". Ask which one:'
    assert sorted(said.splitlines()[1:]) == ["1. libro de cocina", "2. libro de poemas"]
    assert await desk.notes.count(ANN) == 2


async def test_an_exact_title_wins_over_words_elsewhere(desk: Desk) -> None:
    await desk.says(ANN, "save_note", title="Rayuela", content="de Cortázar")
    await desk.says(ANN, "save_note", title="Books", content="return Rayuela")
    assert (await desk.says(ANN, "get_note", note="rayuela")).startswith("Note 1, Rayuela:")


async def test_a_loose_match_is_shown_and_not_deleted(desk: Desk) -> None:
    await desk.says(ANN, "save_note", content="luna llena el viernes")
    said = await desk.refuses(ANN, "delete_note", note="lunes")
    assert said == 'No note matches "lunes". The nearest:\n1. luna llena el viernes'
    assert await desk.notes.count(ANN) == 1


async def test_a_number_is_never_given_twice(desk: Desk) -> None:
    await desk.says(ANN, "save_note", content="one")
    await desk.says(ANN, "save_note", content="two")
    await desk.says(ANN, "delete_note", note="2")
    assert await desk.says(ANN, "save_note", content="three") == "Saved note 3: three."


async def test_a_deleted_note_is_in_no_search(desk: Desk) -> None:
    await desk.says(ANN, "save_note", content="devolver Rayuela")
    await desk.says(ANN, "delete_note", note="1")
    assert (await desk.says(ANN, "search_notes", query="Rayuela")).startswith("No note matches")
    assert "1" in await desk.refuses(ANN, "get_note", note="1")


async def test_two_people_count_find_and_delete_only_their_own(desk: Desk) -> None:
    for count in range(3):
        for user_id in (ANN, BOB):
            said = await desk.says(user_id, "save_note", content=f"{user_id} key {count}")
            assert said.startswith(f"Saved note {count + 1}:")
    assert "bob" not in await desk.says(ANN, "list_notes")
    assert "bob" not in await desk.says(ANN, "search_notes", query="key bob")
    await desk.says(BOB, "save_note", content="only bob's")
    for tool_name in ("get_note", "delete_note"):
        for wanted in ("4", "only bob's"):
            assert "only" not in (await desk.refuses(ANN, tool_name, note=wanted)).partition("nearest")[2]
    assert await desk.says(ANN, "delete_note", note="1") == "Deleted note 1. ann key 0"
    assert await desk.notes.count(BOB) == 4


async def test_a_person_who_is_forgotten_leaves_no_words_in_the_index(desk: Desk) -> None:
    await desk.says(ANN, "save_note", content="Rayuela")
    await desk.says(BOB, "save_note", content="Rayuela")
    async with desk.db.transaction() as tx:
        await tx.execute("DELETE FROM users WHERE user_id = ?", ANN)
    await assert_index_is_whole(desk.db, "notes")
    assert await indexed(desk.db, "notes", "rayuela") == 1


async def test_the_index_follows_a_changed_note(desk: Desk) -> None:
    await desk.says(ANN, "save_note", content="Rayuela")
    async with desk.db.transaction() as tx:
        await tx.execute("UPDATE notes SET title = 'Faust', content = 'Faust' WHERE user_id = ?", ANN)
    await assert_index_is_whole(desk.db, "notes")
    assert await desk.says(ANN, "search_notes", query="faust") == "1. Faust"


async def test_the_texts_of_the_tools_are_short_and_say_what_changes_something(desk: Desk) -> None:
    tools = desk.registry.tools_of("notes")
    assert [tool.name for tool in tools] == [
        "save_note",
        "list_notes",
        "search_notes",
        "get_note",
        "correct_note",
        "delete_note",
    ]
    assert {tool.name for tool in tools if not tool.read_only} == {"save_note", "correct_note", "delete_note"}
    assert not any(tool.sensitive for tool in tools)
    for tool in tools:
        assert "\n" not in tool.description
        properties = tool.get_schema().parameters["properties"]
        assert isinstance(properties, dict)
        assert all(len(field.get("description", "")) <= 40 for field in properties.values())


def test_both_skills_of_this_kind_are_readable_and_short() -> None:
    found = {skill.name: skill for skill in load_builtin()[0]}
    for name in ("notes", "projects"):
        assert found[name].description
        assert 0 < len(found[name].instructions.splitlines()) <= 12


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("3", 3),
        (" 3. ", 3),
        ("Nº 3", 3),
        ("nota número 12", 12),
        ("the note 3", 3),
        ("#" * 50, None),
        ("3 tyres", None),
    ],
)
def test_a_number_is_understood_only_when_there_is_nothing_else(said: str, number: int | None) -> None:
    assert said_number(said) == number


def test_words_are_folded_and_filler_is_left_out_unless_it_is_all() -> None:
    assert words("La nota de Rayuela") == ["rayuela"]
    assert words("the note") == ["the", "note"]
    assert fold("  JARDÍN   Ñandú ") == "jardin nandu"
    assert [stem(word) for word in ("tyres", "llaves", "tareas", "mes", "bus", "hall")] == [
        "tyr",
        "llav",
        "tarea",
        "mes",
        "bus",
        "hall",
    ]


@given(st.text(st.characters(), max_size=200), st.integers(2, 60))
def test_shortened_text_fits_and_can_be_stored(text: str, limit: int) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    cleaned.encode()
    assert len(one_line(cleaned, limit)) <= limit
    assert len(first_words(cleaned, limit)) <= limit


async def test_what_a_person_wrote_is_marked_as_their_words(desk: Desk) -> None:
    marked = {tool.name: tool.word_parameters for tool in desk.registry.list_tools() if tool.word_parameters}
    assert marked == {
        "save_note": ("content", "title"),
        "search_notes": ("query",),
        "correct_note": ("new", "old"),
    }


async def test_words_are_looked_up_once_and_their_rows_by_number() -> None:
    await assert_words_come_first(lambda db: Notes(db).search(ANN, "fern", limit=5))


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Guardá que el timbre es 4B", "el timbre es 4B"),
        ("agendá en una nota el mail de Noé: noe@example.org", "el mail de Noé: noe@example.org"),
        ("write down the gate code 55", "the gate code 55"),
        ("save this please: shelf 9", "shelf 9"),
        ("guarda la llave en el cajón", "guarda la llave en el cajón"),
        ("make soup on Friday", "make soup on Friday"),
        ("bueno che, anotame que el plomero viene el 3", "el plomero viene el 3"),
        ("ok please note that bin day is Friday", "bin day is Friday"),
        ("bueno y barato: el bar de la esquina", "bueno y barato: el bar de la esquina"),
        ("make a note there for me, the farrier charges 65", "the farrier charges 65"),
        ("y anotá también que Pilar me debe 12 huevos", "Pilar me debe 12 huevos"),
        ("anotá que me olvidé, la llave quedó en lo de Ana", "me olvidé, la llave quedó en lo de Ana"),
    ],
)
async def test_the_wish_to_keep_something_is_no_part_of_the_note(desk: Desk, said: str, kept: str) -> None:
    await desk.says(ANN, "save_note", content=said)

    assert (await desk.says(ANN, "get_note", note="1")).partition("\n")[2] == kept


@pytest.mark.parametrize(
    ("said", "content", "kept"),
    [
        (
            "anotá la dirección del sastre: Colón 312, fondo",
            "Colón 312, fondo",
            "la dirección del sastre: Colón 312, fondo",
        ),
        (
            "note the sizes of my boots: left 41, right 42",
            "left 41, right 42",
            "the sizes of my boots: left 41, right 42",
        ),
        ("guardá esta nota: Colón 312, fondo", "Colón 312, fondo", "Colón 312, fondo"),
        ("save this exactly: left 41, right 42", "left 41, right 42", "left 41, right 42"),
    ],
)
async def test_what_a_note_is_about_is_kept_with_it(desk: Desk, said: str, content: str, kept: str) -> None:
    tool = desk.registry.tools.get("save_note")
    ctx = replace(turn_of(ANN), said=Said(now=(said,)))
    await tool.execute(tool.validate_args({"content": content}), ctx=ctx)
    [note] = await desk.notes.list_recent(ANN, limit=2)
    assert note.content == kept
