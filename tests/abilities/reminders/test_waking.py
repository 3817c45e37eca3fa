"""A reminder that is only to wake somebody says so in words that fit."""

import json
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.reminders.lexicon import only_wakes
from tests.abilities.reminders.test_reminders import NOW
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored
from tests.fakes.clock import FrozenClock

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("said", "text", "kept"),
    [
        ("avisame mañana a las 7 para levantarme", "para levantarme", "Hora de levantarse"),
        ("alarma mañana a las 6:30 para que me despierte", "despierte", "Hora de levantarse"),
        ("necesito un aviso mañana a las 7 para despertarme", "para despertarme", "Hora de levantarse"),
        ("poné una alarma mañana a las 6 así me despierto", "así me despierto", "Hora de levantarse"),
        ("ponme la alarma mañana a las 7 para levantarme temprano", "levantarme", "Hora de levantarse"),
        ("remind me at 7 tomorrow to wake up", "wake up", "Time to wake up"),
        ("alarm at 6 tomorrow so I wake up", "so I wake up", "Time to wake up"),
        ("recordame mañana a las 7 despertar a los chicos", "despertar a los chicos", "despertar a los chicos"),
        ("remind me at 7 tomorrow to wake up the kids", "wake up the kids", "wake up the kids"),
        ("despertame mañana a las 7 para ir al gimnasio", "ir al gimnasio", "ir al gimnasio"),
    ],
)
async def test_a_wake_up_says_so(tmp_path: Path, encoder: LocalEmbedder, said: str, text: str, kept: str) -> None:
    line = json.dumps({"set_reminder": {"text": text, "when": "mañana"}})
    async with small_app(tmp_path, encoder, line, clock=FrozenClock(NOW)) as (app, _):
        await app.say(ALICE, said)
        assert await stored(app, "text", "reminders") == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "levantar la mesa",
        "wake the neighbours",
        "get up the ladder",
        "para la hora del té",
        "despertador nuevo",
        "",
    ],
)
def test_what_says_more_is_no_wake_up(said: str) -> None:
    assert not only_wakes(said)
