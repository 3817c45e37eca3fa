"""What a person means among their items, tasks and notes, from the webhook to the database."""

import json
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder
from tests.e2e.test_words_kept import stored
from tests.harness import AppUnderTest

__all__ = ["encoder"]


async def open_items(app: AppUnderTest) -> list[str]:
    texts, done = await stored(app, "text", "list_items"), await stored(app, "is_done", "list_items")
    return [text for text, is_done in zip(texts, done, strict=True) if not is_done]


@pytest.mark.needs("lists")
async def test_the_reason_behind_a_description_removes_nothing(tmp_path: Path, encoder: LocalEmbedder) -> None:
    made = call("add_to_list", items=["detergente", "alimento canino", "bolsa de hielo"])
    async with small_app(tmp_path, encoder, made) as (app, llm):
        await app.say(ALICE, "agregá detergente, alimento canino y bolsa de hielo a la lista de compras")
        asked = len(llm.requests)
        await app.say(ALICE, "sacá lo del perro que mi vecina me dejó una bolsa llena")
        assert len(llm.requests) == asked
        assert await open_items(app) == ["detergente", "bolsa de hielo"]


@pytest.mark.needs("lists")
async def test_what_is_not_clear_is_asked_and_the_answer_is_enough(tmp_path: Path, encoder: LocalEmbedder) -> None:
    made = call("add_to_list", items=["crema de enjuague", "pilas AA", "arroz"])
    async with small_app(tmp_path, encoder, made) as (app, llm):
        await app.say(ALICE, "agrega crema de enjuague, pilas AA y arroz a la lista de compras")
        asked = len(llm.requests)
        await app.say(ALICE, "quita eso que lleva el despertador, tenía en un cajón")
        assert len(await open_items(app)) == 3
        assert "2. pilas AA" in app.replies_to(ALICE)[-1]
        assert "?" in app.replies_to(ALICE)[-1]
        await app.say(ALICE, "las pilas")
        assert await open_items(app) == ["crema de enjuague", "arroz"]
        assert len(llm.requests) == asked


@pytest.mark.needs("lists")
async def test_of_two_that_are_described_both_are_checked_and_no_other(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    made = call("add_to_list", items=["cargador", "protector solar", "novela"], list_name="valija")
    async with small_app(tmp_path, encoder, made) as (app, llm):
        await app.say(ALICE, "agregá a la lista valija: cargador, protector solar y novela")
        asked = len(llm.requests)
        await app.say(ALICE, "ya guardé lo de enchufar el teléfono y lo de leer")
        assert len(llm.requests) == asked
        assert await open_items(app) == ["protector solar"]
        await app.say(ALICE, "listo, ya puse todo")
        assert await open_items(app) == []


@pytest.mark.needs("lists")
async def test_what_was_done_is_checked_and_no_other(tmp_path: Path, encoder: LocalEmbedder) -> None:
    made = call("add_to_list", items=["water the roses", "pay the milkman", "iron shirts"], list_name="chores")
    async with small_app(tmp_path, encoder, made) as (app, _):
        await app.say(ALICE, "put water the roses, pay the milkman and iron shirts on the chores list")
        await app.say(ALICE, "done the thing with the flowers, tick it off")
        assert await open_items(app) == ["pay the milkman", "iron shirts"]


@pytest.mark.needs("lists")
async def test_items_are_meant_by_their_place(tmp_path: Path, encoder: LocalEmbedder) -> None:
    made = call("add_to_list", items=["oats", "jam", "tea", "salt"], list_name="shopping")
    async with small_app(tmp_path, encoder, made) as (app, llm):
        await app.say(ALICE, "add oats, jam, tea and salt to the shopping list")
        asked = len(llm.requests)
        await app.say(ALICE, "tick off the 2nd one")
        assert await open_items(app) == ["oats", "tea", "salt"]
        await app.say(ALICE, "the first one, change it to barley flakes. cheaper this week")
        assert await open_items(app) == ["barley flakes", "tea", "salt"]
        await app.say(ALICE, "delete number 3")
        assert await open_items(app) == ["barley flakes", "tea"]
        await app.say(ALICE, "remove the last one, gran has some")
        assert await stored(app, "text", "list_items") == ["barley flakes", "jam"]
        assert len(llm.requests) == asked


@pytest.mark.needs("notes")
@pytest.mark.parametrize(
    "said",
    [
        "mejor no cambio la moto, borra esa nota, la del seguro déjala",
        "delete the moto note but leave the seguro one",
        "no borres la del seguro, elimina la otra",
        "borra la primera",
        "borrá la nota número 1",
    ],
)
async def test_the_note_that_is_to_stay_stays(tmp_path: Path, encoder: LocalEmbedder, said: str) -> None:
    first, second = "cambiar la moto por una más chica", "el seguro de casa vence en junio"
    async with small_app(tmp_path, encoder, call("save_note", content=second)) as (app, llm):
        await app.say(ALICE, f"anotá que {first}")
        await app.say(ALICE, f"anotá que {second}")
        asked = len(llm.requests)
        await app.say(ALICE, said)
        assert len(llm.requests) == asked
        assert await stored(app, "content", "notes") == [second]


@pytest.mark.needs("notes")
async def test_a_model_cannot_delete_the_note_that_is_to_stay(tmp_path: Path, encoder: LocalEmbedder) -> None:
    kept = "cambiar la moto", "el seguro vence en junio", "clave del portón 2231"
    lines = [call("save_note", content=one) for one in kept]
    async with small_app(tmp_path, encoder, *lines, call("delete_note", note="seguro")) as (app, _):
        for one in kept:
            await app.say(ALICE, f"anotá que {one}")
        await app.say(ALICE, "borra la nota que no sirve, la del seguro déjala")
        assert "el seguro vence en junio" in await stored(app, "content", "notes")


@pytest.mark.needs("projects")
async def test_tasks_are_meant_by_their_place_or_described(tmp_path: Path, encoder: LocalEmbedder) -> None:
    made = {"name": "Coop", "tasks": ["buy wire mesh", "paint the door", "order straw"]}
    async with small_app(tmp_path, encoder, json.dumps({"create_project": made})) as (app, llm):
        await app.say(ALICE, "start a project Coop with the tasks buy wire mesh, paint the door, order straw")
        asked = len(llm.requests)
        await app.say(ALICE, "the first task, change it to borrow mesh off Declan; it costs a fortune")
        assert await stored(app, "title", "project_tasks") == [
            "borrow mesh off Declan",
            "paint the door",
            "order straw",
        ]
        await app.say(ALICE, "the 2nd one is done")
        assert await stored(app, "status", "project_tasks") == ["pending", "done", "pending"]
        await app.say(ALICE, "delete the last task, we have plenty")
        assert await stored(app, "title", "project_tasks") == ["borrow mesh off Declan", "paint the door"]
        assert len(llm.requests) == asked


@pytest.mark.needs("lists")
async def test_how_many_are_left_is_answered_with_the_number(tmp_path: Path, encoder: LocalEmbedder) -> None:
    made = call("add_to_list", items=["oats", "jam", "tea"], list_name="shopping")
    async with small_app(tmp_path, encoder, made) as (app, llm):
        await app.say(ALICE, "add oats, jam and tea to the shopping list")
        asked = len(llm.requests)
        for said in ("how many left?", "cuántas me faltan comprar? dime nada más el número"):
            await app.say(ALICE, said)
            assert "3" in app.replies_to(ALICE)[-1]
            assert "oats" not in app.replies_to(ALICE)[-1]
        assert len(llm.requests) == asked


@pytest.mark.needs("lists", "notes")
@pytest.mark.parametrize(
    ("said", "items", "kept"),
    [
        (
            "nappies and wipes on the shopping list + make a note that the nurse said 3 drops a day",
            ["nappies", "wipes"],
            "the nurse said 3 drops a day",
        ),
        (
            "pañales y toallitas a la lista + anotá que la enfermera dijo 3 gotas por día",
            ["pañales", "toallitas"],
            "la enfermera dijo 3 gotas por día",
        ),
    ],
)
async def test_a_list_and_a_note_in_one_message_each_go_to_their_room(
    tmp_path: Path, encoder: LocalEmbedder, said: str, items: list[str], kept: str
) -> None:
    lines = call("add_to_list", items=items), call("save_note", content=kept)
    async with small_app(tmp_path, encoder, *lines) as (app, _):
        await app.say(ALICE, said)
        assert await open_items(app) == items
        assert await stored(app, "content", "notes") == [kept]


@pytest.mark.needs("notes")
@pytest.mark.parametrize(
    "said", ["¿quién era y qué día llegaba?", "¿y cuánto cobraba?", "dime otra vez el nombre y la hora"]
)
async def test_a_question_that_names_nothing_is_answered_with_the_note_just_kept(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    kept = "el afinador es Fermín, llega el jueves a las 16 y pide 25000"
    async with small_app(tmp_path, encoder, call("save_note", content=kept)) as (app, llm):
        await app.say(ALICE, f"anotá que {kept}")
        asked = len(llm.requests)
        await app.say(ALICE, said)
        assert len(llm.requests) == asked
        assert "Fermín" in app.replies_to(ALICE)[-1]
        assert "25000" in app.replies_to(ALICE)[-1]


@pytest.mark.needs("lists")
async def test_what_was_dictated_before_a_change_of_mind_is_kept(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(
            ALICE,
            "anota en la lista del súper tomates, cilantro, crema, ay no, quita la crema y pon yogur, "
            "y tortillas, que hoy cocino yo, eso es todo",
        )
        assert await open_items(app) == ["tomates", "cilantro", "yogur", "tortillas"]


@pytest.mark.needs("lists", "calculator")
async def test_what_names_nothing_on_a_list_is_no_wish_for_it(tmp_path: Path, encoder: LocalEmbedder) -> None:
    made = call("add_to_list", items=["velas", "hielo"], list_name="compras")
    async with small_app(tmp_path, encoder, made, call("calculate", expression="sqrt(2116)")) as (app, _):
        await app.say(ALICE, "agregá velas y hielo a la lista de compras")
        await app.say(ALICE, "sacame la raíz cuadrada de 2116")
        assert await open_items(app) == ["velas", "hielo"]
        assert "46" in app.replies_to(ALICE)[-1]
