"""What players have won and how they compare, over the JSON API and the real wallet service."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from services.wallet.app import MIGRATIONS
from services.wallet.ratings import NEWCOMER, PROVISIONAL_MATCHES
from services.wallet.seasons import Season
from shared.kit.database import open_database
from shared.kit.migrations import migrate
from tests.support.gateway import World, open_world
from tests.support.http import Answered, http
from tests.support.wallet import ENDED_MS, HOUSE_BOT, Scoring, match_ended, people

FOUR = people("ada", "bob", "cy", "dee")
SEASON = Season.at(ENDED_MS)
BOARD = "preset=PRESET_SAHRAT&mode=MODE_PARTNERS"


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """Ada and Cy have won all of ten matches; one was played beside a bot, and Eve has played one."""
    async with open_world(tmp_path_factory.mktemp("scores")) as world:
        await play(world.data / "wallet.db")
        async with world.wallet() as wallet, world.gateway(wallet_address=wallet.address):
            yield world


async def play(path: Path) -> None:
    async with open_database(f"sqlite:///{path}") as database:
        await migrate(database, MIGRATIONS)
        scoring = Scoring(database)
        for number in range(1, PROVISIONAL_MATCHES + 1):
            await scoring.take(match_ended(number, FOUR))
        await scoring.take(match_ended(20, (*FOUR[:3], HOUSE_BOT)))
        await scoring.take(match_ended(21, people("ada", "eve", "fay", "gus")))


async def ask(world: World, path: str, account: str = "ada", verb: str = "GET", body: object = None) -> Any:
    answered = await asked(world, path, account, verb, body)
    assert answered.status == 200, answered
    return answered.json


async def asked(world: World, path: str, account: str, verb: str = "GET", body: object = None) -> Answered:
    return await http(world.web, verb, path, body, token=world.token(account))


def places(answer: Any) -> list[tuple[int, str]]:
    return [(entry["rank"], entry["accountId"]) for entry in answer.get("entries", [])]


async def test_a_result_says_what_it_did_to_ratings(world: World) -> None:
    changes = (await ask(world, f"/api/results/{1:032x}"))["ratingChanges"]
    assert [change["accountId"] for change in changes] == ["ada", "bob", "cy", "dee"]
    assert {change["pointsBefore"] for change in changes} == {NEWCOMER.points}
    assert [change["pointsAfter"] > change["pointsBefore"] for change in changes] == [True, False, True, False]
    assert "ratingChanges" not in await ask(world, f"/api/results/{20:032x}")


async def test_totals_streaks_and_partners_are_told(world: World) -> None:
    (stats,) = (await ask(world, "/api/players/ada/stats"))["stats"]
    assert (stats["played"], stats["won"], stats["streak"], stats["bestStreak"]) == (12, 12, 12, 12)
    assert stats["halfPoints"] == str(12 * 310)
    partners = (await ask(world, "/api/players/ada/partners?limit=1"))["partners"]
    assert partners == [{"accountId": "cy", "displayName": "cy", "played": 11, "won": 11}]


async def test_a_rating_says_how_many_matches_it_lacks(world: World) -> None:
    answer = await ask(world, "/api/players/eve/rating")
    (rating,) = answer["ratings"]
    assert answer["displayName"] == "eve"
    assert (rating["played"], rating["matchesNeeded"]) == (1, PROVISIONAL_MATCHES - 1)
    assert "season" not in rating
    assert answer["season"]["number"] > SEASON.number
    assert (await ask(world, "/api/players/nobody/rating")).keys() == {"season"}


async def test_leaderboards_are_read_page_by_page(world: World) -> None:
    for board in ("board=BOARD_ALL_TIME", f"board=BOARD_SEASON&season={SEASON.number}"):
        path = f"/api/leaderboard?{board}&{BOARD}&pageSize=2"
        first = await ask(world, path)
        second = await ask(world, f"{path}&pageToken={first['nextPageToken']}")
        assert [*places(first), *places(second)] == [(1, "ada"), (2, "cy"), (3, "dee"), (3, "bob")]
        assert "nextPageToken" not in second
    past = await ask(world, f"/api/leaderboard?board=BOARD_SEASON&season={SEASON.number}&{BOARD}")
    assert past["season"] == {
        "number": SEASON.number, "startsAtMs": str(SEASON.starts_ms), "endsAtMs": str(SEASON.ends_ms)
    }  # fmt: skip
    assert places(await ask(world, f"/api/leaderboard?board=BOARD_SEASON&{BOARD}")) == []


async def test_everybody_is_told_their_own_place(world: World) -> None:
    bob = await ask(world, f"/api/leaderboard/standing?board=BOARD_ALL_TIME&{BOARD}", "bob")
    assert (places(bob)[bob["ownIndex"]], len(bob["entries"])) == ((3, "bob"), 4)
    eve = await ask(world, f"/api/leaderboard/standing?board=BOARD_ALL_TIME&{BOARD}", "eve")
    assert eve == {"matchesNeeded": PROVISIONAL_MATCHES - 1}


async def test_friends_are_followed_and_compared_with(world: World) -> None:
    for name in ("bob", "eve"):
        assert await ask(world, f"/api/players/{name}/follow", "dee", "POST", {}) == {}
    followed = (await ask(world, "/api/followed", "dee"))["followed"]
    assert {each["accountId"] for each in followed} == {"bob", "eve"}
    path = f"?board=BOARD_FRIENDS&{BOARD}"
    assert places(await ask(world, f"/api/leaderboard{path}", "dee")) == [(1, "dee"), (1, "bob")]
    standing = await ask(world, f"/api/leaderboard/standing{path}", "dee")
    assert places(standing) == [(1, "dee"), (1, "bob")]
    assert await ask(world, "/api/players/bob/unfollow", "dee", "POST", {}) == {}
    assert places(await ask(world, f"/api/leaderboard{path}", "dee")) == [(1, "dee")]


REFUSALS = {
    "no such player": ("POST", "/api/players/nobody/follow", "NO_SUCH_PLAYER"),
    "oneself": ("POST", "/api/players/ada/follow", "BAD_REQUEST"),
    "no board": ("GET", f"/api/leaderboard?{BOARD}", "BAD_REQUEST"),
    "no preset": ("GET", "/api/leaderboard?board=BOARD_ALL_TIME&mode=MODE_DUEL", "BAD_REQUEST"),
    "no mode": ("GET", "/api/leaderboard?board=BOARD_ALL_TIME&preset=PRESET_SAHRAT", "BAD_REQUEST"),
    "an unknown board": ("GET", f"/api/leaderboard?board=BOARD_OF_TRADE&{BOARD}", "BAD_REQUEST"),
    "a season of all time": ("GET", f"/api/leaderboard?board=BOARD_ALL_TIME&season=20264&{BOARD}", "BAD_REQUEST"),
    "a fifth quarter": ("GET", f"/api/leaderboard?board=BOARD_SEASON&season=20265&{BOARD}", "BAD_REQUEST"),
    "a long page": ("GET", f"/api/leaderboard?board=BOARD_ALL_TIME&pageSize=101&{BOARD}", "BAD_REQUEST"),
    "no token of a page": ("GET", f"/api/leaderboard?board=BOARD_ALL_TIME&pageToken=x&{BOARD}", "BAD_REQUEST"),
    "friends by pages": ("GET", f"/api/leaderboard?board=BOARD_FRIENDS&pageToken=x&{BOARD}", "BAD_REQUEST"),
    "too many partners": ("GET", "/api/players/ada/partners?limit=51", "BAD_REQUEST"),
}


@pytest.mark.parametrize(("verb", "path", "code"), REFUSALS.values(), ids=REFUSALS)
async def test_each_refusal_has_its_code(world: World, verb: str, path: str, code: str) -> None:
    answered = await asked(world, path, "ada", verb, {} if verb == "POST" else None)
    assert answered.status == (404 if code == "NO_SUCH_PLAYER" else 400)
    assert answered.error == code
