"""Leaderboards on every database: ranks, ties, pages, neighbours, friends; and that an index bounds each query."""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from sqlalchemy import event, insert, text

from services.wallet.following import MOST_FOLLOWED
from services.wallet.leaderboards import NEIGHBOURS, Board, Entry, Leaderboards
from services.wallet.refusals import BadRequestError, TooManyFollowedError, UnknownPlayerError
from services.wallet.schema import FOLLOWED, PEOPLE, RATINGS
from tests.support.wallet import Scoring

BOARD = Board("sahrat", "partners")


@pytest.fixture
def boards(scoring: Scoring) -> Leaderboards:
    return scoring.scores.leaderboards


async def put(scoring: Scoring, points: Sequence[int | None], board: Board = BOARD) -> None:
    """Players `p000`, `p001`, ... with these points; None: provisional."""
    names = [f"p{number:03}" for number in range(len(points))]
    ratings = [
        {**board._asdict(), "account_id": name, "mu": 25.0, "sigma": 8.0, "played": 12, "won": 5, "board_points": each}
        for name, each in zip(names, points, strict=True)
    ]
    async with scoring.database.transaction() as connection:
        known = set(await connection.scalars(text("SELECT account_id FROM people")))
        new = [{"account_id": name, "display_name": name.upper(), "ended_ms": 1} for name in names if name not in known]
        if new:
            await connection.execute(insert(PEOPLE), new)
        await connection.execute(insert(RATINGS), ratings)


def expected(points: Sequence[int | None]) -> list[tuple[int, str]]:
    """Rank and account of each, worked out plainly."""
    listed = [(each, f"p{number:03}") for number, each in enumerate(points) if each is not None]
    return [(1 + sum(other > each for other, _ in listed), name) for each, name in sorted(listed, reverse=True)]


def seen(entries: Sequence[Entry]) -> list[tuple[int, str]]:
    return [(entry.rank, entry.account_id) for entry in entries]


async def pages(boards: Leaderboards, size: int) -> AsyncIterator[list[Entry]]:
    token = ""
    while True:
        page = await boards.page(BOARD, size, token)
        yield page.entries
        if not (token := page.next_token):
            return


async def test_those_with_the_same_points_have_the_same_rank_and_the_next_is_skipped(
    scoring: Scoring, boards: Leaderboards
) -> None:
    await put(scoring, [1200, 1500, None, 1200, 900, 1500, 1200])
    page = await boards.page(BOARD, 10, "")
    assert seen(page.entries) == [
        (1, "p005"), (1, "p001"), (3, "p006"), (3, "p003"), (3, "p000"), (6, "p004"),
    ]  # fmt: skip
    assert page.next_token == ""
    assert page.entries[0] == Entry(1, "p005", "P005", 1500, 12, 5)


async def test_pages_of_any_size_come_to_the_whole_board_with_its_ranks(
    scoring: Scoring, boards: Leaderboards, rng: Random
) -> None:
    points = [rng.choice([None, *range(1000, 1012)]) for _ in range(60)]
    await put(scoring, points)
    for size in (1, 2, 7, 60):
        gathered = [place async for page in pages(boards, size) for place in seen(page)]
        assert gathered == expected(points), f"pages of {size}"


async def test_everybody_finds_themselves_between_their_neighbours(
    scoring: Scoring, boards: Leaderboards, rng: Random
) -> None:
    points = [rng.choice([None, *range(1000, 1008)]) for _ in range(30)]
    await put(scoring, points)
    whole = expected(points)
    for number, each in enumerate(points):
        standing = await boards.standing(BOARD, f"p{number:03}")
        if each is None:
            assert standing is None
            continue
        assert standing is not None
        at = [name for _, name in whole].index(f"p{number:03}")
        assert seen(standing.entries) == whole[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]
        assert standing.entries[standing.own_index].account_id == f"p{number:03}"


async def test_boards_are_apart(scoring: Scoring, boards: Leaderboards) -> None:
    others = [Board("banakil202", "partners"), Board("sahrat", "duel"), Board("sahrat", "partners", 20264)]
    await put(scoring, [1000, 1001])
    for number, board in enumerate(others):
        await put(scoring, [2000 + number], board)
    for number, board in enumerate(others):
        assert [entry.points for entry in (await boards.page(board, 10, "")).entries] == [2000 + number]
    assert seen((await boards.page(BOARD, 10, "")).entries) == [(1, "p001"), (2, "p000")]


async def test_a_page_goes_on_where_the_last_one_ended_though_ratings_have_changed(
    scoring: Scoring, boards: Leaderboards
) -> None:
    await put(scoring, [1500, 1400, 1300, 1200])
    first = await boards.page(BOARD, 2, "")
    async with scoring.database.transaction() as connection:
        await connection.execute(text("UPDATE ratings SET board_points = 1600 WHERE account_id = 'p003'"))
    second = await boards.page(BOARD, 2, first.next_token)
    assert seen(first.entries) == [(1, "p000"), (2, "p001")]
    assert seen(second.entries) == [(4, "p002")]


@pytest.mark.parametrize("token", ["?", "1200", "A" * 400, "MTIwMA==", "eC5wMDAx", "OTk5OTk5OTk5OTkuYQ=="])
async def test_a_token_that_is_none_is_refused(boards: Leaderboards, token: str) -> None:
    if token == "MTIwMA==":  # no account in it: the board from those points on
        assert (await boards.page(BOARD, 2, token)).entries == []
        return
    with pytest.raises(BadRequestError):
        await boards.page(BOARD, 2, token)


async def test_nobody_counts_further_than_the_last_rank(
    scoring: Scoring, boards: Leaderboards, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.wallet.leaderboards.MOST_RANKED", 3)
    await put(scoring, [1500, 1400, 1300, 1200, 1200, 1100])
    assert [rank for rank, _ in seen((await boards.page(BOARD, 10, "")).entries)] == [1, 2, 3, 0, 0, 0]
    standing = await boards.standing(BOARD, "p005")
    assert standing is not None
    assert [entry.rank for entry in standing.entries] == [1, 2, 3, 0, 0, 0]
    last = [entry async for page in pages(boards, 1) for entry in page][-1]
    assert last.rank == 0


async def test_friends_are_ranked_among_themselves(scoring: Scoring, boards: Leaderboards) -> None:
    await put(scoring, [1500, 1400, None, 1400, 1200])
    following = scoring.scores.following
    for name in ("p001", "p002", "p003", "p003"):
        await following.follow("p004", name)
    assert seen(await boards.friends(BOARD, "p004")) == [(1, "p003"), (1, "p001"), (3, "p004")]
    standing = await boards.standing_among_friends(BOARD, "p004")
    assert standing is not None
    assert (seen(standing.entries), standing.own_index) == ([(1, "p003"), (1, "p001"), (3, "p004")], 2)
    await following.unfollow("p004", "p001")
    await following.unfollow("p004", "p001")
    assert seen(await boards.friends(BOARD, "p004")) == [(1, "p003"), (2, "p004")]
    assert seen(await boards.friends(BOARD, "p000")) == [(1, "p000")]
    assert await boards.standing_among_friends(BOARD, "p002") is None


async def test_an_account_follows_only_players_and_at_most_so_many(scoring: Scoring) -> None:
    following = scoring.scores.following
    await put(scoring, [1000] * (MOST_FOLLOWED + 2))
    with pytest.raises(UnknownPlayerError):
        await following.follow("p000", "nobody")
    rows = [{"account_id": "p000", "followed_id": f"p{number:03}", "since_ms": number} for number in range(1, 201)]
    async with scoring.database.transaction() as connection:
        await connection.execute(insert(FOLLOWED), rows)
    with pytest.raises(TooManyFollowedError):
        await following.follow("p000", "p201")
    await following.follow("p000", "p200")
    assert [each.account_id for each in (await following.followed("p000"))[:2]] == ["p200", "p199"]
    await following.unfollow("p000", "p007")
    await following.follow("p000", "p201")
    assert len(await following.followed("p000")) == MOST_FOLLOWED


@contextmanager
def queries(scoring: Scoring) -> Iterator[list[tuple[str, Any]]]:
    """Every SELECT that is made meanwhile, as the driver gets it."""
    made: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: Any, *_: object) -> None:
        if statement.startswith("SELECT"):
            made.append((statement, parameters))

    event.listen(scoring.database.engine.sync_engine, "before_cursor_execute", note)
    yield made
    event.remove(scoring.database.engine.sync_engine, "before_cursor_execute", note)


async def plan(scoring: Scoring, statement: str, parameters: Any) -> str:
    """How the database goes about it. On Postgres as it would with a table that is worth an index."""
    async with scoring.database.reading() as connection:
        if scoring.database.is_sqlite:
            rows = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            return "\n".join(row.detail for row in rows)
        for way in ("seqscan", "bitmapscan"):
            await connection.exec_driver_sql(f"SET enable_{way} = off")
        return "\n".join(row[0] for row in await connection.exec_driver_sql(f"EXPLAIN {statement}", parameters))


async def test_an_index_bounds_every_query(scoring: Scoring, boards: Leaderboards) -> None:
    """Nothing is looked at but what is asked for, and nothing sorted that could be many."""
    await put(scoring, [1000 + number % 40 for number in range(2_000)])
    await scoring.scores.following.follow("p100", "p101")
    async with scoring.database.transaction() as connection:
        await connection.execute(text("ANALYZE"))
    with queries(scoring) as made:
        first = await boards.page(BOARD, 20, "")
        await boards.page(BOARD, 20, first.next_token)
        await boards.standing(BOARD, "p100")
        await boards.friends(BOARD, "p100")
        await scoring.scores.statistics.partners("p100", 50)
        await scoring.scores.statistics.of_player("p100")
        await scoring.scores.ratings.of_player("p100", 20264)
        await scoring.scores.ratings.changes(f"{1:032x}")
        await scoring.scores.following.followed("p100")
    assert len(made) == 18
    for statement, parameters in made:
        told = await plan(scoring, statement, parameters)
        # A player has few seasons; to filter anything else would be to read past others.
        assert not re.search(r"SCAN (?!anon_)|Seq Scan|Filter: (?!\((board_points IS NOT NULL|season = ))", told), told
        if "LIMIT" in statement:
            assert not re.search(r"TEMP B-TREE|Sort", told), told
