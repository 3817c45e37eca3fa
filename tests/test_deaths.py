"""Deaths are held against the turns that explain them, and against no other."""

import pytest

from app.database.repositories.deaths import MOST_DEATHS, Record
from app.database.repository import Repository
from app.domain.ids import TurnId, UserId
from tests.test_repositories import LATER, NOW, accept, alice, bob, repo, written

__all__ = ("alice", "bob", "repo")


async def begin(repo: Repository, process_id: str, *user_ids: UserId) -> None:
    """Let a process take the oldest message of each of these people."""
    await repo.deaths.begin(process_id, NOW)
    for user_id in user_ids:
        [row] = await repo.inbox.list_pending(user_id, "turn")
        turn_id = row.turn_id or TurnId(row.id)
        await repo.inbox.claim(user_id, turn_id, [row.id], taken_by=process_id)


async def die(repo: Repository, process_id: str, *user_ids: UserId) -> list[tuple[int, int, int]]:
    """Find it dead; returns what is known of each turn, which then waits again."""
    await repo.deaths.note([process_id], LATER)
    known = await repo.deaths.judge(user_ids)
    await repo.inbox_queue.put_back(LATER, user_ids, but=())
    return [(one.deaths, one.alone, one.others) for one in known]


async def test_a_death_counts_once_against_each_turn_that_ran_in_it(
    repo: Repository, alice: UserId, bob: UserId
) -> None:
    await accept(repo, alice, written("a"))
    await accept(repo, bob, written("b"))
    await begin(repo, "one", alice, bob)
    assert await repo.deaths.list_takers([alice, bob]) == ["one"]
    assert await repo.deaths.note(["one"], LATER) == 1
    assert await repo.deaths.note(["one"], LATER) == 0
    assert await die(repo, "one", alice, bob) == [(1, 0, 0), (1, 0, 0)]
    assert await repo.deaths.list_suspects() == {}
    await begin(repo, "two", bob)
    assert await die(repo, "two", bob) == [(2, 1, 0)]
    assert await repo.deaths.list_suspects() == {bob: 2}
    [row] = await repo.inbox.list_pending(bob, "turn")
    assert (await repo.inbox.claim(bob, TurnId(row.id), [row.id])).attempt == 1, "a death is no failed attempt"


async def test_processes_that_die_without_a_turn_speak_for_it(
    repo: Repository, alice: UserId, bob: UserId
) -> None:
    await accept(repo, alice, written("a"))
    await accept(repo, bob, written("b"))
    await begin(repo, "one", alice)
    await die(repo, "one", alice)
    await begin(repo, "a web process")
    await repo.deaths.note(["a web process"], LATER)
    await begin(repo, "with another one", bob)
    await die(repo, "with another one", bob)
    await begin(repo, "two", alice)
    assert await die(repo, "two", alice) == [(2, 2, 1)], "the third death has an explanation of its own"


async def test_who_ended_in_good_order_or_has_another_connection_did_not_die(
    repo: Repository, alice: UserId
) -> None:
    await accept(repo, alice, written("a"))
    await begin(repo, "one", alice)
    await repo.deaths.begin("one again", NOW, formerly="one")
    await repo.deaths.begin("two", NOW)
    assert await repo.deaths.list_living() == ["one again", "two"]
    await repo.deaths.end("two")
    assert await repo.deaths.note(["one", "two"], LATER) == 0
    assert await die(repo, "one again", alice) == [(1, 1, 0)]


@pytest.mark.parametrize(
    ("deaths", "alone", "others", "is_convicted"),
    [
        (2, 2, 0, False),
        (3, 3, 0, True),
        (5, 3, 0, True),
        (3, 3, 1, False),
        (4, 4, 1, True),
        (9, 0, 0, False),
        (9, 9, 7, False),
        (MOST_DEATHS, 0, 0, True),
    ],
)
def test_a_turn_is_convicted_by_what_it_explains_and_in_the_end_by_what_it_was_near(
    deaths: int, alone: int, others: int, is_convicted: bool
) -> None:
    assert Record(UserId("alice"), TurnId(1), deaths, alone, others).is_convicted is is_convicted
