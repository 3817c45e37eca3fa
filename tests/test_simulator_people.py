"""Whose phones the simulator shows: added and renamed, kept over a restart, and let in by the assistant."""

from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from app.domain.errors import Rejected
from app.simulator.graph import SimulatedGraph
from app.simulator.page import create_router
from app.simulator.people import MAX_NAME_CHARS, SPARE_USERS, Phones
from app.web.guard import Guard

TOKEN = "a-token-of-this-test"


def test_somebody_is_added_renamed_and_still_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    phones = Phones(path)
    assert [user.name for user in phones.list()] == ["Ana", "Ben"]
    carla = phones.add("  Carla \n Díaz ")
    assert (carla.name, carla.wa_id) == ("Carla Díaz", SPARE_USERS[0].wa_id)
    phones.rename(phones.list()[0].wa_id, "Anita")
    assert [user.name for user in Phones(path).list()] == ["Anita", "Ben", "Carla Díaz"]


def test_who_was_added_is_removed_again_and_the_two_from_the_start_are_not(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    phones = Phones(path)
    carla = phones.add("Carla")
    phones.remove(carla.wa_id)
    assert [user.name for user in Phones(path).list()] == ["Ana", "Ben"]
    for wa_id in (carla.wa_id, phones.list()[0].wa_id, "1"):
        with pytest.raises(Rejected):
            phones.remove(wa_id)
    assert phones.add("Dora").wa_id == carla.wa_id


@pytest.mark.parametrize("name", ["", "   ", "\x07", "x" * (MAX_NAME_CHARS + 1)])
def test_a_name_that_is_none_is_refused_and_changes_nothing(tmp_path: Path, name: str) -> None:
    phones = Phones(tmp_path / "people.json")
    with pytest.raises(Rejected):
        phones.add(name)
    with pytest.raises(Rejected):
        phones.rename(phones.list()[0].wa_id, name)
    assert [user.name for user in phones.list()] == ["Ana", "Ben"]


def test_when_every_phone_is_given_nobody_is_added() -> None:
    phones = Phones()
    for number in range(len(SPARE_USERS)):
        phones.add(f"Person {number}")
    with pytest.raises(Rejected, match="no more phones"):
        phones.add("one more")


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"1": "Mallory"}', b"\xff"])
def test_a_broken_file_of_names_keeps_the_two_from_the_start(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "people.json"
    path.write_bytes(content)
    assert [user.name for user in Phones(path).list()] == ["Ana", "Ben"]


async def test_people_are_changed_with_the_token_only_and_not_by_another_site() -> None:
    phones, app = Phones(), FastAPI()
    app.include_router(create_router(SimulatedGraph("1", access_token="t"), Guard(TOKEN), phones))
    known = {"Authorization": f"Bearer {TOKEN}"}
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        add = "/simulator/api/people"
        assert (await http.post(add, json={"name": "Mallory"})).status_code == 401
        for headers in (
            {**known, "Origin": "https://evil.example"},
            {**known, "Host": "evil.example"},
            {**known, "Sec-Fetch-Site": "cross-site"},
        ):
            assert (await http.post(add, json={"name": "Mallory"}, headers=headers)).status_code == 403
        added = await http.post(add, json={"name": "Carla"}, headers=known)
        assert added.json()["name"] == "Carla"
        renamed = await http.post(f"{add}/{added.json()['wa_id']}", json={"name": "Clara"}, headers=known)
        assert renamed.json()["name"] == "Clara"
        assert (await http.post(f"{add}/999", json={"name": "Clara"}, headers=known)).status_code == 404
        state = (await http.get("/simulator/api/state", headers=known)).json()
        assert [user["name"] for user in state["users"]] == ["Ana", "Ben", "Clara"]
