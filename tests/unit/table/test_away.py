"""Graces, coming back, and the clock's hand at coin tables (R10), to the millisecond, as the pure core decides it."""

import pytest

from services.table.away import GATEWAY_BACK_MS
from services.table.commands import Ask, Freeze, GraceOut, Presence, Resume, TakeVacancy, Unfreeze, Wish
from services.table.due import NeedsStock, vacancies
from services.table.events import AwayChanged, ClockSet, GraceOver
from services.table.refusals import NothingToDoError, StandInPlaysError
from services.table.seats import next_grace_end, seat_to_play
from services.table.wire import write_view
from shared.kit.clock import Pace
from shared.rules.actions import Discard
from shared.rules.cards import bag_cards
from shared.rules.notation import parse_notation
from shared.rules.options import make_options
from tests.support.local_shuffle import NOW_MS
from tests.support.tables import PEOPLE, PureTable, seated

GRACE_MS = 60_000
HOUSE = "house:one"
RESHUFFLE_NEXT = "sahrat 0 play r0 / 5H9D 4HKC QC 8D / - / 7D2S3C3S / 0:5S6S7S"


def playing(*, there: str = "ada bayan cem dana", private: bool = False, **options: object) -> PureTable:
    """A table in its first deal, where these are there."""
    table = PureTable(make_options({"preset": "sahrat", **options}), private=private)
    for account in there.split():
        table.apply(Presence(account, away=False))
    table.settle()
    return table


def go(table: PureTable, account: str = "ada") -> None:
    table.apply(Presence(account, away=True))


def grace_ends(table: PureTable) -> tuple[object, ...]:
    """Lets the first grace that runs be over."""
    deadline_ms = next_grace_end(table.state)
    assert deadline_ms is not None
    table.now_ms = deadline_ms
    return table.apply(GraceOut(deadline_ms))


def throw(table: PureTable) -> None:
    """Whoever is to act ends the turn."""
    deal = table.deal
    table.act(Discard(deal.turn, next(iter(bag_cards(deal.hands[deal.turn])))))


def test_a_new_table_waits_for_each_of_its_people_for_the_grace() -> None:
    table = PureTable(seats=seated("ada", "", "cem", "bot", bots=[3]))
    assert [seat.grace_until_ms for seat in table.state.seats] == [NOW_MS + GRACE_MS, 0, NOW_MS + GRACE_MS, 0]


def test_a_grace_ends_at_its_millisecond_and_not_before_and_once() -> None:
    table = playing()
    table.now_ms += 1_234
    go(table)
    deadline_ms = table.now_ms + GRACE_MS
    assert write_view(table.state, None).seats[0].grace_until_ms == deadline_ms
    table.now_ms = deadline_ms - 1
    with pytest.raises(NothingToDoError):
        table.apply(GraceOut(deadline_ms))
    (over,) = grace_ends(table)
    assert isinstance(over, GraceOver)
    assert vacancies(table.state) == ((0, over.vacancy),)
    assert [fact.seat_vacated.vacancy_id for fact in table.entries[-1].facts] == [over.vacancy]
    with pytest.raises(NothingToDoError):
        table.apply(GraceOut(deadline_ms))


def test_who_comes_back_in_the_last_millisecond_of_the_grace_is_never_replaced() -> None:
    table = playing()
    go(table)
    deadline_ms = table.now_ms + GRACE_MS
    table.now_ms = deadline_ms - 1
    assert table.apply(Presence("ada", away=False)) == (AwayChanged(0, False, 0),)
    table.now_ms = deadline_ms
    with pytest.raises(NothingToDoError):
        table.apply(GraceOut(deadline_ms))


def test_who_comes_back_after_the_grace_takes_the_offer_back_or_the_seat() -> None:
    for bot_came in (False, True):
        table = playing()
        go(table)
        grace_ends(table)
        hand, left_ms = table.deal.hands[0], table.state.deadline_ms
        if bot_came:
            table.apply(TakeVacancy(vacancies(table.state)[0][1], HOUSE, "Kitt"))
            assert not table.state.is_abandoned
            with pytest.raises(StandInPlaysError):
                seat_to_play(table.state, "ada")
        table.apply(Presence("ada", away=False))
        assert (vacancies(table.state), table.state.seats[0].stand_in) == ((), "")
        assert seat_to_play(table.state, "ada") == 0
        assert (table.deal.hands[0], table.state.deadline_ms) == (hand, left_ms)


def test_each_absence_has_a_grace_and_a_vacancy_of_its_own() -> None:
    table = playing()
    offers = []
    for _ in range(3):
        go(table)
        grace_ends(table)
        offers += [vacancy for _, vacancy in vacancies(table.state)]
        table.apply(Presence("ada", away=False))
    assert len(set(offers)) == 3


def test_graces_that_end_together_end_in_one_step_and_a_later_one_later() -> None:
    table = playing()
    go(table, "ada")
    go(table, "cem")
    table.now_ms += 1
    go(table, "dana")
    assert [event.seat for event in grace_ends(table) if isinstance(event, GraceOver)] == [0, 2]
    assert [event.seat for event in grace_ends(table) if isinstance(event, GraceOver)] == [3]
    assert next_grace_end(table.state) is None


def test_the_grace_begins_once_a_gateway_that_is_gone_could_be_back() -> None:
    table = playing()
    table.apply(Presence("ada", away=True, is_ours=True))
    assert next_grace_end(table.state) == table.now_ms + GATEWAY_BACK_MS + GRACE_MS


def test_pace_divides_the_grace_and_not_the_time_that_a_gateway_has() -> None:
    table = PureTable(pace=Pace(100))
    table.apply(Presence("ada", away=False))
    table.apply(Presence("ada", away=True, is_ours=True))
    assert table.state.seats[0].grace_until_ms == table.now_ms + GATEWAY_BACK_MS + GRACE_MS // 100


def test_a_grace_of_no_seconds_is_over_at_once() -> None:
    table = playing(grace_seconds=0)
    go(table)
    assert next_grace_end(table.state) == table.now_ms
    grace_ends(table)


@pytest.mark.parametrize("down_ms", [0, 1, 59_999, 3_600_000])
def test_after_an_outage_everybody_has_a_fresh_grace_but_not_who_was_replaced_or_has_left(
    down_ms: int,
) -> None:
    table = playing()
    for account in ("ada", "bayan"):
        go(table, account)
    table.now_ms += 30_000
    table.apply(Ask("cem", Wish.LEAVE))
    table.now_ms += 29_999
    since_ms, table.now_ms = table.now_ms, table.now_ms + down_ms
    table.apply(Resume(since_ms))
    fresh = table.now_ms + GRACE_MS
    assert [seat.grace_until_ms for seat in table.state.seats] == [fresh, fresh, 0, fresh]
    assert all(seat.away for seat in table.state.seats)
    grace_ends(table)
    offers = dict(vacancies(table.state))
    table.apply(TakeVacancy(offers[0], HOUSE, "Kitt"))
    table.apply(Resume(table.now_ms - 1))
    assert [seat.grace_until_ms for seat in table.state.seats] == [0, 0, 0, 0]
    assert dict(vacancies(table.state)) == {number: offers[number] for number in (1, 2, 3)}


@pytest.mark.parametrize("stands_still", [True, False])
def test_after_an_outage_a_short_grace_leaves_the_time_to_come_back_and_none_is_shortened(stands_still: bool) -> None:
    table = playing(grace_seconds=0)
    table.apply(Presence("ada", away=True, is_ours=True))
    if stands_still:
        table.apply(Freeze())
    table.apply(Resume(table.now_ms))
    table.now_ms += 1
    if stands_still:
        table.apply(Unfreeze())
    left_ms = [seat.grace_until_ms - table.now_ms for seat in table.state.seats]
    assert left_ms == [GATEWAY_BACK_MS - (0 if stands_still else 1)] * 4
    again = playing()
    again.apply(Presence("ada", away=True, is_ours=True))
    until_ms = again.state.seats[0].grace_until_ms
    again.now_ms += 5_000
    again.apply(Resume(again.now_ms - 1))
    assert [seat.grace_until_ms for seat in again.state.seats] == [until_ms, *[again.now_ms + GRACE_MS] * 3]


def test_at_a_free_table_a_turn_has_its_full_time_whoever_is_gone() -> None:
    table = playing(there="", grace_seconds=5)
    grace_ends(table)
    assert table.left_ms == 15_000
    for _ in range(3):
        table.ring()
        assert table.left_ms == 5_000
        table.ring()
        assert table.left_ms == 20_000


def test_at_a_coin_table_a_turn_has_its_full_time_in_the_grace_and_then_five_seconds_and_never_a_bot() -> None:
    table = playing(stake=50, grace_seconds=25)
    assert (table.deal.turn, table.left_ms) == (0, 20_000)
    throw(table)
    go(table, "ada")
    go(table, "cem")
    table.ring()
    table.ring()  # it is 25 s later: the turn of one whose grace is over with it
    assert (table.deal.turn, table.left_ms) == (2, 20_000)
    assert grace_ends(table) == (GraceOver(0, ""), GraceOver(2, ""), ClockSet(table.now_ms + 5_000))
    assert not table.entries[-1].facts
    for seat, turn_ms in ((3, 20_000), (0, 5_000), (1, 20_000), (2, 5_000)):
        table.ring()
        assert table.left_ms == 5_000
        table.ring()
        assert (table.deal.turn, table.left_ms) == (seat, turn_ms)


def test_at_a_coin_table_where_nobody_is_there_the_clock_plays_a_card_a_second() -> None:
    table = playing(there="", stake=50, grace_seconds=5)
    grace_ends(table)
    for _ in range(3):
        assert table.left_ms == 1_000
        table.ring()
        assert table.left_ms == 1_000
        table.ring()
    table.apply(Presence("ada", away=False))
    while table.deal.turn != 0:
        table.ring()
    assert table.left_ms == 20_000
    table.ring()
    table.ring()
    assert table.left_ms == 5_000


@pytest.mark.parametrize(("into_ms", "left_ms"), [(1_000, 5_000), (14_999, 5_000), (15_000, 5_000), (15_001, 4_999)])
def test_a_grace_that_ends_in_the_own_turn_leaves_five_seconds_of_it_and_never_more_than_there_were(
    into_ms: int, left_ms: int
) -> None:
    table = playing(stake=50, grace_seconds=0)
    table.now_ms += into_ms
    go(table, "ada")
    events = grace_ends(table)
    assert table.left_ms == left_ms
    assert (len(events) == 2) == (into_ms < 15_000)


@pytest.mark.parametrize("how", ["goes", "leaves"])
def test_nobody_elses_clock_changes(how: str) -> None:
    table = playing(stake=50, grace_seconds=0)
    throw(table)
    deadline_ms = table.state.deadline_ms
    for account in ("ada", "cem", "dana"):
        if how == "goes":
            go(table, account)
            grace_ends(table)
        else:
            table.apply(Ask(account, Wish.LEAVE))
        assert table.state.deadline_ms == deadline_ms


def test_who_leaves_a_coin_table_in_the_own_turn_holds_it_up_no_longer_than_five_seconds() -> None:
    table = playing(stake=50)
    assert table.apply(Ask("ada", Wish.LEAVE))[1:] == (ClockSet(table.now_ms + 5_000),)
    with pytest.raises(NothingToDoError):
        table.apply(Presence("ada", away=False))
    for _ in range(8):
        table.ring()
        table.ring()
    assert table.state.seats[0].left


def test_a_turn_that_waits_for_a_new_stock_begins_with_the_time_of_who_is_absent() -> None:
    table = playing(stake=50, grace_seconds=0)
    table.put(parse_notation(RESHUFFLE_NEXT)._replace(options=table.state.options))
    table.act(Discard(0, 34))
    assert table.state.deadline_ms is None
    go(table, PEOPLE[table.deal.turn])
    grace_ends(table)
    assert table.state.deadline_ms is None
    table.apply(table.shuffle.answer(table.state, NeedsStock(table.state.context(), 1, table.deal.pile[:-1])))
    assert table.left_ms == 5_000


def test_a_table_that_stands_still_ends_no_grace_and_gives_each_its_time_back() -> None:
    table = playing()
    go(table)
    table.now_ms += GRACE_MS - 1
    table.apply(Freeze())
    assert next_grace_end(table.state) is None
    table.now_ms += 3_600_000
    table.apply(Unfreeze())
    assert next_grace_end(table.state) == table.now_ms + 1


@pytest.mark.parametrize("stood_ms", [0, 1, 3_600_000])
def test_a_grace_that_begins_while_the_table_stands_still_has_its_time_from_when_it_goes_on(stood_ms: int) -> None:
    table = playing()
    table.apply(Freeze())
    table.now_ms += stood_ms
    table.apply(Presence("bayan", away=True))
    table.apply(Presence("cem", away=True, is_ours=True))
    table.now_ms += 77
    table.apply(Unfreeze())
    grace_ms = [seat.grace_until_ms and seat.grace_until_ms - table.now_ms for seat in table.state.seats]
    assert grace_ms == [0, GRACE_MS, GATEWAY_BACK_MS + GRACE_MS, 0]


def test_after_an_outage_of_a_table_that_stands_still_the_fresh_graces_begin_as_it_goes_on() -> None:
    table = playing()
    table.apply(Freeze())
    table.now_ms += 3_600_000
    table.apply(Resume(table.now_ms - 1_000))
    table.apply(Presence("ada", away=False))
    table.now_ms += 3_600_000
    table.apply(Unfreeze())
    assert [seat.grace_until_ms for seat in table.state.seats] == [0, *[table.now_ms + GRACE_MS] * 3]


def test_who_leaves_a_coin_table_that_stands_still_holds_it_up_no_longer_than_five_seconds_afterwards() -> None:
    table = playing(stake=50, private=True)
    for account in PEOPLE:
        table.apply(Ask(account, Wish.PAUSE))
    table.apply(Ask("ada", Wish.LEAVE))
    table.now_ms += 10_000
    table.apply(Ask("bayan", Wish.END_PAUSE))
    assert (table.deal.turn, table.left_ms) == (0, 5_000)
