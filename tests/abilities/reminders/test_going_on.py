"""What goes on from a reminder that was just set: a second one, moved, called off, asked about.

The stand-in sorts every message as talk and calls the one tool that it is offered; of several it calls none.
"""

import pytest

from tests.abilities.reminders.test_everyday_talk import have, say
from tests.abilities.reminders.test_reminders import rows
from tests.harness import AppUnderTest

VAN = "remind me on saturday at 9am to wash the van"
VAN_SET = ("wash the van", "2026-11-21T09:00:00", "")
CUPS = "recordame el lunes a las 8 de la mañana llevar las tazas"
CUPS_SET = ("llevar las tazas", "2026-11-23T08:00:00", "")
NOTHING = "list"


@pytest.mark.parametrize(
    ("first", "said", "second"),
    [
        (VAN, "n sun 10am ring aunt Peg", ("ring aunt Peg", "2026-11-22T10:00:00", "")),
        (VAN, "& monday 6pm the recital", ("the recital", "2026-11-23T18:00:00", "")),
        (VAN, "and that same day at 8pm the oven", ("the oven", "2026-11-21T20:00:00", "")),
        (
            CUPS,
            "y ese mismo día a las 7 de la tarde lo de las plantas",
            ("las plantas", "2026-11-23T19:00:00", ""),
        ),
        (CUPS, "tmb el mismo lunes a las 18 la cuota", ("la cuota", "2026-11-23T18:00:00", "")),
    ],
)
async def test_a_second_one_is_set_with_its_own_thing(
    app: AppUnderTest, first: str, said: str, second: tuple[str, str, str]
) -> None:
    await have(app, first)
    await say(app, said)
    assert rows(app) == [VAN_SET if first == VAN else CUPS_SET, second]


@pytest.mark.parametrize(
    ("first", "said", "due", "rule"),
    [
        ("recordame todos los martes a las 7 sacar los tachos", "uy, me lo pasaron al jueves, misma hora",
         "2026-11-19T07:00", "FREQ=WEEKLY;BYDAY=TH"),
        ("remind me every tuesday at 7am to fill the trough", "oh they've shifted it to friday, same time. ta",
         "2026-11-20T07:00", "FREQ=WEEKLY;BYDAY=FR"),
        ("remind me tomorrow 645am to water the fern", "sorry 715 im off school", "2026-11-19T07:15", ""),
        ("remind me tomorrow at 5:15pm to pack lunch", "hmm no 4:35, forgot about the roadworks",
         "2026-11-19T16:35", ""),
        ("recordame mañana a las 17 tender la ropa", "uh no 18:30, me olvidé del taller", "2026-11-19T18:30", ""),
    ],
)  # fmt: skip
async def test_the_last_one_is_moved(app: AppUnderTest, first: str, said: str, due: str, rule: str) -> None:
    await have(app, first)
    await say(app, said)
    assert [(at, again) for _, at, again in rows(app)] == [(f"{due}:00", rule)]


@pytest.mark.parametrize(
    "said",
    [
        "oh he's coming over here so scratch that one",
        "esa no va más, viene ella",
        "al final viene ella así que borrala",
        "she'll ring me herself, so please cancel it",
    ],
)
async def test_the_last_one_is_called_off_with_the_reason_before_it(app: AppUnderTest, said: str) -> None:
    await have(app, CUPS, "recordame el domingo a las 11 llamar a Tere")
    await say(app, said)
    assert rows(app) == [CUPS_SET]


@pytest.mark.parametrize(
    "said",
    [
        "che y el lunes q cosas tengo?",
        "q tengo puesto para el lunes?",
        "y el lunes qué más tenía?",
        "whats on monday then?",
        "what have I got on monday",
    ],
)
async def test_what_a_day_has_is_listed(app: AppUnderTest, said: str) -> None:
    await have(app, CUPS, VAN)
    told = await say(app, said)
    assert "llevar las tazas" in told
    assert "wash the van" not in told
    assert len(rows(app)) == 2


@pytest.mark.parametrize(
    "said",
    [
        "they moved the wedding to Sunday",
        "no 4:45 is when the film starts",
        "sorry I was 15 minutes late",
        "n i went home at 10",
        "y ese mismo día fuimos al cine a las 7",
        "it was so loud, so just then we left",
    ],
)
async def test_a_story_changes_nothing(app: AppUnderTest, said: str) -> None:
    await have(app, VAN)
    await say(app, said, NOTHING)
    assert rows(app) == [VAN_SET]


@pytest.mark.parametrize("said", ["la de las tazas ya no, avisó ella", "lo de las tazas ya no va"])
async def test_one_that_is_no_more_is_called_off_by_its_thing(app: AppUnderTest, said: str) -> None:
    await have(app, CUPS, VAN)
    await say(app, said)
    assert rows(app) == [VAN_SET]
