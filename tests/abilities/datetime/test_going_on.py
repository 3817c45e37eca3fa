"""After a clock was told, another place's clock is told by code."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.database.db import Database
from app.database.repositories.conversations import Conversations
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.places import Places
from app.domain.recollection import Remembering
from app.domain.turn import Said, TurnContext
from app.skills.tools.datetime.going_on import OtherClock
from app.skills.whereabouts.whereabouts import Whereabouts
from tests.databases import lay_down

NOW = datetime(2026, 11, 21, 22, 14, tzinfo=UTC)
CTX = TurnContext(TurnId(1), UserId("ann"), ConversationId(1), 1, NOW, "en", is_admin=False, timezone="UTC")
TOLD = "Lisbon: 22:14, Saturday, November 21, 2026"


@pytest.fixture(scope="module")
def places() -> Places:
    return Places()


@pytest.fixture
async def clock(places: Places, tmp_path: Path) -> AsyncIterator[OtherClock]:
    await lay_down(tmp_path / "wasap.db")
    async with Database.open(tmp_path / "wasap.db") as db:
        conversations = Conversations(db)
        yield OtherClock(places, Whereabouts(Remembering(), conversations, places), conversations)


async def place_of(clock: OtherClock, text: str, newest: str = TOLD) -> object:
    call = await clock.call(text, replace(CTX, said=Said(now=(text,), answers=(newest, TOLD))))
    return None if call is None else call.arguments["timezone"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("and for my aunt? she's in quito", "America/Guayaquil"),
        ("what about my brother, he moved to Perth, the Australia one", "Australia/Perth"),
        ("y mi prima? ella vive en Melbourne en Australia", "Australia/Melbourne"),
        ("¿y en Córdoba, la de España?", "Europe/Madrid"),
        ("y en Córdoba?", "America/Argentina/Cordoba"),
        ("y para mi hijo que anda por nueva york", "America/New_York"),
        ("and Japan?", "Asia/Tokyo"),
        ("and Swansea?", "Europe/London"),
        ("and in Cork?", "Europe/Dublin"),
        ("y en Torreón?", "America/Monterrey"),
        ("and in Cork? my eldest is there and I don't want to ring him late", "Europe/Dublin"),
        ("n in vancuver? my big sis is ther", "America/Vancouver"),
        ("y en Lima, mi ahijada está ahí y no quiero despertarla", "America/Lima"),
        ("i en maracaybo? ta mi ija mayor", "America/Caracas"),
        ("what about Osaka, mate? my granddaughter studies there", "Asia/Tokyo"),
        ("y mi hermana? vive en Melbourne", "Australia/Melbourne"),
        ("what time is it where my uncle lives? he's in Quito", "America/Guayaquil"),
    ],
)
async def test_the_clock_of_the_place_that_is_named_is_called(
    places: Places, clock: OtherClock, text: str, key: str
) -> None:
    place = await place_of(clock, text)
    assert places.zone(str(place), default="UTC").key == key


@pytest.mark.parametrize(
    ("text", "newest"),
    [
        ("and how far is Madrid?", TOLD),
        ("and the cork?", TOLD),
        ("and in Cork does it rain?", TOLD),
        ("y cuándo sale el vuelo a Lima?", TOLD),
        ("and my sister?", TOLD),
        ("what time does my sister get up?", TOLD),
        ("my aunt lives in Quito", TOLD),
        ("and in Cork? remind me to ring him at 9", TOLD),
        ("and wake me at 7", TOLD),
        ("y en Quito? despertame a las 6", TOLD),
        ("i moved in Vancouvr last year", TOLD),
        ("and in summer? my eldest is there", TOLD),
        ("and in Cork? how do I get there", TOLD),
        ("and in Quito?", "Lisbon is lovely in spring."),
        ("y en Roma y en Berlín?", TOLD),
    ],
)
async def test_anything_else_is_left_to_others(clock: OtherClock, text: str, newest: str) -> None:
    assert await place_of(clock, text, newest) is None
