"""The swap of seats after a series' first match (R8.3), as the pure core decides it."""

import random
from collections.abc import Iterable, Sequence

import pytest

from services.table.commands import Ask, Play, Presence, Resume, TakeVacancy, Wish
from services.table.decide import match_is_due
from services.table.events import ClockSet, SeatsSwapped, SwapAsked, SwapOpened, TableEvent
from services.table.refusals import (
    NothingToDoError,
    NotSeatedError,
    StaleTurnError,
    SwapNotPossibleError,
    TableClosedError,
)
from services.table.state import Occupant, Seat, Stage, TeamSwap
from services.table.swapping import SWAP_MS, seat_after
from shared.kit.clock import Pace
from shared.rules.actions import Draw
from shared.rules.options import make_options
from tests.support.tables import PureTable, seated

SERIES = {"preset": "banakil202", "format": "best_of_3", "target": 50}
PEOPLE = ["ada", "bayan", "cem", "dana"]
HOUSE = ("house:one", "house:two", "house:three", "house:four")


def after_first_match(
    rng: random.Random, *, seats: Sequence[Seat] = (), private: bool = False, **values: object
) -> PureTable:
    """A table whose first match's result has been shown."""
    table = PureTable(make_options({**SERIES, **values}), seats=seats, private=private)
    for seat, account in zip((number for number, seat in enumerate(seats) if not seat.account), HOUSE, strict=False):
        table.apply(TakeVacancy(f"vacancy:{seat}", account, "Kitt"))
    while table.state.match.winner is None:
        table.play(rng)
        table.ring()
    return table


def accounts(table: PureTable) -> list[str]:
    return [seat.account for seat in table.state.seats]


def told(events: Iterable[TableEvent]) -> str:
    """By name as well: events are tuples, and equal to others of the same contents."""
    return " ".join(map(repr, events))


def swap(table: PureTable, account: str) -> str:
    return told(table.apply(Ask(account, Wish.SWAP)))


def test_once_the_first_matchs_result_was_shown_there_are_ten_seconds_to_swap(rng: random.Random) -> None:
    table = after_first_match(rng)
    assert told(table.steps[-1].events[:1]) == told([SwapOpened()])
    assert (table.state.stage, table.state.deal, table.left_ms) == (Stage.SWAP, None, SWAP_MS)
    assert SWAP_MS == 10_000
    assert table.state.swap == (TeamSwap(), TeamSwap())
    assert not match_is_due(table.state)


def test_one_asks_and_the_partner_agrees(rng: random.Random) -> None:
    table = after_first_match(rng)
    assert swap(table, "cem") == told([SwapAsked(2)])
    assert table.state.swap == (TeamSwap(asked_by=2), TeamSwap())
    assert accounts(table) == PEOPLE
    assert swap(table, "ada") == told([SeatsSwapped(0)])
    assert accounts(table) == ["cem", "bayan", "ada", "dana"]
    assert table.state.swap == (TeamSwap(asked_by=0, agreed=True), TeamSwap())
    assert table.state.series.seating == (2, 1, 0, 3)
    assert table.left_ms == SWAP_MS


def test_each_team_may_swap_and_then_the_time_is_over(rng: random.Random) -> None:
    table = after_first_match(rng)
    for account in ("ada", "cem", "bayan"):
        swap(table, account)
    assert swap(table, "dana") == told([SeatsSwapped(1), ClockSet(None)])
    assert accounts(table) == ["cem", "dana", "ada", "bayan"]
    assert match_is_due(table.state)
    table.settle()
    assert (table.state.stage, table.state.match_no, table.state.swap) == (Stage.DEAL, 2, ())
    assert accounts(table) == ["cem", "dana", "ada", "bayan"]


def test_no_agreement_in_time_no_swap_and_the_last_millisecond_counts(rng: random.Random) -> None:
    table = after_first_match(rng)
    swap(table, "ada")
    swap(table, "bayan")
    table.now_ms += SWAP_MS - 1
    swap(table, "cem")
    assert told(table.ring()) == told([ClockSet(None)])
    for account in ("dana", "bayan", "ada"):
        with pytest.raises(SwapNotPossibleError):
            swap(table, account)
    table.settle()
    assert accounts(table) == ["cem", "bayan", "ada", "dana"]


def test_asking_twice_is_asking_once_and_a_team_swaps_once(rng: random.Random) -> None:
    table = after_first_match(rng)
    swap(table, "ada")
    with pytest.raises(NothingToDoError):
        swap(table, "ada")
    swap(table, "cem")
    for account in ("ada", "cem"):
        with pytest.raises(SwapNotPossibleError):
            swap(table, account)


def test_only_who_sits_there_asks_and_only_then(rng: random.Random) -> None:
    table = PureTable(make_options(SERIES))
    for _ in range(2):
        with pytest.raises(SwapNotPossibleError):
            swap(table, "ada")
        table.settle()
    table = after_first_match(rng)
    for stranger in ("eve", ""):
        with pytest.raises(NotSeatedError):
            swap(table, stranger)
    table.play_on(rng)
    with pytest.raises(TableClosedError):
        swap(table, "ada")


def test_a_duel_a_single_match_and_a_second_match_have_no_swap(rng: random.Random) -> None:
    assert match_is_due(after_first_match(rng, mode="duel").state)
    assert after_first_match(rng, format="single").state.stage is Stage.CLOSED
    table = after_first_match(rng)
    table.play_on(rng)
    assert sum(isinstance(event, SwapOpened) for step in table.steps for event in step.events) == 1


def test_a_bot_agrees_at_once_whoevers_it_is(rng: random.Random) -> None:
    table = after_first_match(rng, seats=seated("ada", "bayan", "", "bot", bots=[3]))
    assert swap(table, "ada") == told([SwapAsked(0), SeatsSwapped(0)])
    assert swap(table, "bayan") == told([SwapAsked(1), SeatsSwapped(1), ClockSet(None)])
    assert accounts(table) == ["house:one", "bot", "ada", "bayan"]


def test_who_swaps_takes_along_presence_host_and_vacancy(rng: random.Random) -> None:
    table = after_first_match(rng, seats=seated("ada", "bayan", "", "dana"))
    table.apply(Presence("ada", away=False))
    before = table.state
    assert before.host_seat == 0
    swap(table, "ada")
    after = table.state
    assert after.host_seat == 2
    assert (after.seats[0], after.seats[2]) == (before.seats[2], before.seats[0])
    assert (after.seats[0].vacancy, after.seats[2].away) == ("vacancy:2", False)


def test_who_swaps_takes_along_the_wish_for_a_pause(rng: random.Random) -> None:
    table = after_first_match(rng, private=True)
    table.apply(Ask("ada", Wish.PAUSE))
    table.apply(Ask("bayan", Wish.PAUSE))
    swap(table, "ada")
    swap(table, "cem")
    assert table.state.pause.agreed == (2, 1)
    table.apply(Ask("dana", Wish.PAUSE))
    assert not table.state.pause.until_ms
    table.apply(Ask("cem", Wish.PAUSE))
    assert table.state.pause.until_ms


def test_the_result_that_is_shown_stays_that_of_the_players_who_swap(rng: random.Random) -> None:
    table = after_first_match(rng)

    def shown() -> dict[str, tuple[object, ...]]:
        assert table.state.last is not None
        end, hands, score = table.state.last.seen
        assert score.seats is not None
        each = zip(hands, score.seats, score.hand_points, score.laid_points, strict=True)
        return {
            account: (*of_seat, end.finisher == seat)
            for seat, (account, of_seat) in enumerate(zip(accounts(table), each, strict=True))
        }

    before = shown()
    for account in ("ada", "cem", "dana", "bayan"):
        swap(table, account)
        assert shown() == before
    assert accounts(table) == ["cem", "dana", "ada", "bayan"]


def test_where_nobody_is_left_to_ask_the_swap_is_over_or_never_begins(rng: random.Random) -> None:
    alone = after_first_match(rng, seats=seated("ada", "", "", ""))
    assert alone.state.stage is Stage.SWAP
    assert swap(alone, "ada") == told([SwapAsked(0), SeatsSwapped(0), ClockSet(None)])
    nobody = after_first_match(rng, seats=[Seat("", "", Occupant.VACANT, f"vacancy:{seat}") for seat in range(4)])
    assert (nobody.state.stage, match_is_due(nobody.state)) == (Stage.RESULT, True)


def test_moves_and_late_wishes_find_no_deal(rng: random.Random) -> None:
    table = after_first_match(rng)
    with pytest.raises(StaleTurnError):
        table.apply(Play("ada", table.state.deal_no, 1, Draw(0)))


@pytest.mark.parametrize("stood_still_ms", [0, 1, SWAP_MS, 86_400_000])
def test_an_outage_is_given_back_to_the_swap(rng: random.Random, stood_still_ms: int) -> None:
    table = after_first_match(rng)
    swap(table, "ada")
    table.now_ms += 4_000
    since_ms = table.now_ms
    table.now_ms += stood_still_ms
    if stood_still_ms:
        table.apply(Resume(since_ms))
    assert table.left_ms == SWAP_MS - 4_000
    assert table.state.swap[0] == TeamSwap(asked_by=0)


def test_pace_divides_the_time_to_swap(rng: random.Random) -> None:
    table = PureTable(make_options(SERIES))
    while table.state.match.winner is None:
        table.pace = Pace()
        table.play(rng)
        table.pace = Pace(100)
        table.ring()
    assert table.left_ms == SWAP_MS // 100


def test_the_winners_lowest_seat_starts_whoever_sits_there_now(rng: random.Random) -> None:
    """R3.2 names a seat: of two who have swapped the other starts."""
    table = after_first_match(rng)
    winner = table.state.match.winner
    assert winner is not None
    swap(table, PEOPLE[winner])
    swap(table, PEOPLE[winner + 2])
    table.ring()
    table.settle()
    assert table.deal.starter == winner
    assert table.state.seats[winner].account == PEOPLE[winner + 2]


def test_any_wishes_in_any_order_leave_teams_as_they_were(rng: random.Random) -> None:
    """After any sequence of wishes each sits in one of the team's two seats, and all agree on who sits where."""
    first = after_first_match(rng)
    for _ in range(30):
        table = PureTable(make_options(SERIES))
        table.steps, table.entries = list(first.steps), list(first.entries)
        at = len(table.steps)
        for account in rng.choices([*PEOPLE, "eve"], k=rng.randrange(12)):
            before = table.state
            try:
                swap(table, account)
            except (NothingToDoError, NotSeatedError, SwapNotPossibleError):
                assert table.state is before
        events = [event for step in table.steps[at:] for event in step.events]
        for seat, account in enumerate(PEOPLE):
            now = seat_after(events, seat)
            assert accounts(table)[now] == account
            assert now % 2 == seat % 2
        seating = table.state.series.seating or (0, 1, 2, 3)
        assert [PEOPLE[place] for place in seating] == accounts(table)
        swapped = {event.team for event in events if isinstance(event, SeatsSwapped)}
        assert {team for team in range(2) if table.state.swap[team].agreed} == swapped
        assert match_is_due(table.state) == all(team.agreed for team in table.state.swap)
