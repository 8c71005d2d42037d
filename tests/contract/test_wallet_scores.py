"""Counts and ratings are kept alike on every database, in whatever order matches are heard of, and once for each."""

from random import Random

from banakil.events.v1 import facts_pb2 as wire

from services.wallet.leaderboards import Board
from services.wallet.rating_store import RatingChange
from services.wallet.ratings import NEWCOMER, PROVISIONAL_MATCHES, carried_over, rate
from services.wallet.seasons import ALL_TIME, Season
from tests.support.wallet import ENDED_MS, HOUSE_BOT, TABLE_ID, Scoring, match_ended, people

FOUR = people("ada", "bob", "cy", "dee")
SEASON = Season.at(ENDED_MS)


async def ratings(
    scoring: Scoring, account: str, season: int = SEASON.number
) -> dict[int, tuple[float, float, int, int]]:
    kept = await scoring.scores.ratings.of_player(account, season)
    return {rating.season: (*rating.skill, rating.played, rating.won) for rating in kept}


async def test_a_match_among_people_rates_all_of_them_once_by_its_id(scoring: Scoring) -> None:
    """SCENARIOS 5: told again, under other ids, later, and all at once."""
    facts = [match_ended(seats=FOUR, fact_id=f"{number}", at_ms=ENDED_MS + number % 3) for number in range(8)]
    effects = await scoring.take_all(facts)
    assert sorted(effects) == [False] * 7 + [True]
    assert not await scoring.take(match_ended(seats=FOUR, fact_id="late", at_ms=ENDED_MS + 200 * 86_400_000))
    after = rate([NEWCOMER] * 4, 0)
    for seat, (account, _) in enumerate(FOUR):
        expected = (*after[seat], 1, int(seat % 2 == 0))
        assert await ratings(scoring, account) == {ALL_TIME: expected, SEASON.number: expected}
    assert await scoring.scores.ratings.changes(f"{1:032x}") == [
        RatingChange(seat, NEWCOMER, skill) for seat, skill in enumerate(after)
    ]


async def test_a_match_with_any_bot_rates_nobody(scoring: Scoring) -> None:
    for number, bot in enumerate((HOUSE_BOT, ("robo", True)), 1):
        for at in range(4):
            seats = [*FOUR[:3]]
            seats.insert(at, bot)
            await scoring.take(match_ended(number * 10 + at, seats))
    await scoring.take(match_ended(1, (("ada", False), HOUSE_BOT), mode="duel"))
    for account, _ in FOUR:
        assert await ratings(scoring, account) == {}
    assert await scoring.counts("ada") == [("sahrat", "duel", 1, 1), ("sahrat", "partners", 8, 6)]


async def test_a_match_without_an_end_rates_nobody(scoring: Scoring) -> None:
    ended = match_ended(1, FOUR)
    won = ended.match_ended
    aborted = wire.MatchAborted(
        series_id=won.series_id, match_id=won.match_id, match_no=1, options=won.options, seats=won.seats
    )
    await scoring.take(wire.Fact(fact_id="1", at_ms=ENDED_MS, table_id=TABLE_ID, match_aborted=aborted))
    await scoring.take(wire.Fact(fact_id="2", at_ms=ENDED_MS, table_id=TABLE_ID, table_closed=wire.TableClosed()))
    assert await ratings(scoring, "ada") == {}
    assert await scoring.counts("ada") == []


async def test_each_rule_set_and_mode_is_rated_apart(scoring: Scoring) -> None:
    await scoring.take(match_ended(1, FOUR))
    await scoring.take(match_ended(2, FOUR, preset="banakil202", winner=1))
    await scoring.take(match_ended(3, FOUR[:2], mode="duel"))
    kept = await scoring.scores.ratings.of_player("ada", SEASON.number)
    assert [(each.preset, each.mode, each.played, each.won) for each in kept if each.season == ALL_TIME] == [
        ("banakil202", "partners", 1, 0),
        ("sahrat", "duel", 1, 1),
        ("sahrat", "partners", 1, 1),
    ]


async def test_a_season_begins_with_its_first_match_from_the_rating_of_all_time(scoring: Scoring) -> None:
    await scoring.take(match_ended(1, FOUR))
    first = rate([NEWCOMER] * 4, 0)
    following = Season.at(SEASON.ends_ms)
    assert set(await ratings(scoring, "ada", following.number)) == {ALL_TIME}
    await scoring.take(match_ended(2, FOUR, at_ms=SEASON.ends_ms, winner=1))
    always, begun = rate(first, 1), rate([carried_over(skill) for skill in first], 1)
    for seat, (account, _) in enumerate(FOUR):
        won = int(seat % 2 == 1)
        assert await ratings(scoring, account, following.number) == {
            ALL_TIME: (*always[seat], 2, 1),
            following.number: (*begun[seat], 1, won),
        }


async def test_a_match_that_is_heard_of_late_counts_in_the_season_in_which_it_ended(scoring: Scoring) -> None:
    following = Season.at(SEASON.ends_ms).number
    await scoring.take(match_ended(1, FOUR, at_ms=SEASON.ends_ms))
    begun = (await ratings(scoring, "ada", following))[following]
    await scoring.take(match_ended(2, FOUR, at_ms=SEASON.ends_ms - 1))
    assert (await ratings(scoring, "ada", following))[following] == begun
    assert (await ratings(scoring, "ada"))[SEASON.number][2:] == (1, 1)
    assert (await ratings(scoring, "ada"))[ALL_TIME][2:] == (2, 2)


async def test_matches_that_share_players_end_at_once_and_none_is_lost(scoring: Scoring, rng: Random) -> None:
    """Whichever is first: each rating goes on from where another match left it, and the last is the one kept."""
    names = [f"p{number}" for number in range(6)]
    facts = [match_ended(number, people(*rng.sample(names, 4)), winner=rng.randrange(2)) for number in range(1, 41)]
    assert await scoring.take_all(facts) == [True] * 40
    played = {name: sum(name in accounts(fact) for fact in facts) for name in names}
    chain: dict[str, set[tuple[RatingChange, ...]]] = {name: set() for name in names}
    for fact in facts:
        changes = await scoring.scores.ratings.changes(fact.match_ended.match_id)
        assert [change.after for change in changes] == list(
            rate([change.before for change in changes], fact.match_ended.winner_team)
        )
        for change in changes:
            chain[accounts(fact)[change.seat]].add((change,))
    for name in names:
        befores = {change.before for (change,) in chain[name]}
        afters = {change.after for (change,) in chain[name]}
        assert len(befores) == len(afters) == played[name]
        mu, sigma, count, _ = (await ratings(scoring, name))[ALL_TIME] if played[name] else (*NEWCOMER, 0, 0)
        assert count == played[name]
        assert (afters | {NEWCOMER}) - befores <= {(mu, sigma)}
        assert sum(each[2] for each in await scoring.counts(name)) == played[name]


def accounts(fact: object) -> list[str]:
    return [seat.account_id for seat in fact.match_ended.seats]  # type: ignore[attr-defined]  # a MatchEnded


async def test_two_matches_in_either_order_are_both_counted(scoring: Scoring) -> None:
    """What depends on no order: how many, with whom, and that everybody who was there is rated for it."""
    first = match_ended(1, FOUR, at_ms=ENDED_MS)
    second = match_ended(2, people("ada", "eve", "cy", "fay"), winner=1, at_ms=ENDED_MS + 1)
    for fact in (second, first):
        assert await scoring.take(fact)
    assert await scoring.counts("ada") == [("sahrat", "partners", 2, 1)]
    assert (await ratings(scoring, "ada"))[ALL_TIME][2:] == (2, 1)
    assert [tuple(each) for each in await scoring.scores.statistics.partners("ada", 5)] == [("cy", "cy", 2, 1)]


async def test_totals_and_streaks_are_counted(scoring: Scoring) -> None:
    for number, winner in enumerate((0, 0, 1, 0, 0, 0, 1, 1), 1):
        await scoring.take(match_ended(number, FOUR, winner=winner, totals=(100 + number, -number)))
    (ada,) = await scoring.scores.statistics.of_player("ada")
    (bob,) = await scoring.scores.statistics.of_player("bob")
    assert (ada.played, ada.won, ada.half_points, ada.streak, ada.best_streak) == (8, 5, 836, -2, 3)
    assert (bob.played, bob.won, bob.half_points, bob.streak, bob.best_streak) == (8, 3, -36, 2, 2)


async def test_partners_are_listed_by_how_much_they_played_together(scoring: Scoring) -> None:
    for number, partner in enumerate(("cy", "cy", "eve", "cy", "eve", "fay"), 1):
        await scoring.take(match_ended(number, people("ada", "bob", partner, "dee"), winner=number % 2))
    assert [tuple(each) for each in await scoring.scores.statistics.partners("ada", 2)] == [
        ("cy", "cy", 3, 2),
        ("eve", "eve", 2, 0),
    ]
    assert len(await scoring.scores.statistics.partners("ada", 50)) == 3
    assert [tuple(each) for each in await scoring.scores.statistics.partners("cy", 2)] == [("ada", "ada", 3, 2)]


async def test_who_plays_a_duel_or_beside_a_bot_has_no_partner_and_two_people_against_bots_are_partners(
    scoring: Scoring,
) -> None:
    await scoring.take(match_ended(1, FOUR[:2], mode="duel"))
    await scoring.take(match_ended(2, (("ada", False), ("bob", False), ("robo", True), HOUSE_BOT)))
    assert await scoring.scores.statistics.partners("ada", 50) == []
    await scoring.take(match_ended(3, (("ada", False), HOUSE_BOT, ("cy", False), HOUSE_BOT)))
    assert [each.account_id for each in await scoring.scores.statistics.partners("ada", 50)] == ["cy"]


async def test_the_name_is_that_of_the_match_that_ended_last(scoring: Scoring) -> None:
    for number, (name, at_ms) in enumerate((("Ada", ENDED_MS), ("Ada L.", ENDED_MS + 9), ("A", ENDED_MS + 5)), 1):
        fact = match_ended(number, FOUR, at_ms=at_ms)
        fact.match_ended.seats[0].display_name = name
        await scoring.take(fact)
    assert await scoring.scores.statistics.name("ada") == "Ada L."
    assert await scoring.scores.statistics.name("nobody") is None


async def test_a_rating_stands_on_no_board_before_ten_matches(scoring: Scoring) -> None:
    board = Board("sahrat", "partners")
    for number in range(1, PROVISIONAL_MATCHES + 1):
        assert (await scoring.scores.leaderboards.page(board, 10, "")).entries == []
        await scoring.take(match_ended(number, FOUR))
    page = await scoring.scores.leaderboards.page(board, 10, "")
    assert [(entry.rank, entry.account_id) for entry in page.entries] == [(1, "cy"), (1, "ada"), (3, "dee"), (3, "bob")]
    assert {entry.played for entry in page.entries} == {PROVISIONAL_MATCHES}
