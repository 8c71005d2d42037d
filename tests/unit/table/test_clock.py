"""Every timed rule at its edge: a millisecond before it nothing happens, at it the clock moves, and once only (R9)."""

import random

import pytest

from services.table.commands import ClockOut, NewStock, Presence, Resume
from services.table.decide import decide
from services.table.due import NeedsStock, what_is_due
from services.table.events import AwayChanged, ClockSet, Moved, TableEvent
from services.table.gathering import Gathered
from services.table.moment import Now
from services.table.refusals import NothingToDoError
from services.table.state import RESULT_MS, Stage
from shared.rules import events as rules
from shared.rules.actions import Amend, Discard, Draw, Lay, SeatAction, Take, Undo
from shared.rules.cards import parse_card
from shared.rules.notation import parse_notation
from shared.rules.refusal import Code, RefusedError
from shared.rules.state import LAST_TURN
from tests.support.tables import PEOPLE, PureTable, seated

TURN_MS, DISCARD_MS = 20_000, 5_000
MIDDLE = "sahrat 0 draw r0 / 5H9D KC QC 8D / 4SJS / 7D / 0:5S6S7S"
"""Seat 0 is to draw; nothing of the pile can be used."""
USABLE = "sahrat 0 draw r0 / 5H6H9D KC QC 8D / 4SJS / 3C7H / 0:5S6S7S"
"""Seat 0 may take the 7H, and has to lay it then."""
ONE_CARD = "sahrat 0 draw r0 / 5H6H9D KC QC 8D / - / 7H / 0:5S6S7S"
"""No stock, and one card in the pile, which seat 0 could use (R6.2)."""
RESHUFFLE_NEXT = "sahrat 0 play r0 / 5H9D KC QC 8D / - / 7D2S / 0:5S6S7S"
"""Seat 0's discard ends the turn, and the next begins with no stock (R6.1)."""


def at(position: str) -> PureTable:
    """A table that plays a position, its clock at the start of a turn."""
    table = PureTable()
    table.settle()
    table.put(parse_notation(position))
    return table


def stage_of(table: PureTable) -> Stage:
    return table.state.stage


def moves(events: tuple[TableEvent, ...]) -> list[type]:
    return [type(event.event) for event in events if isinstance(event, Moved)]


def requires_waiting(table: PureTable) -> None:
    """One millisecond before the clock is out it does nothing."""
    deadline_ms = table.state.deadline_ms
    assert deadline_ms is not None
    before = table.state
    with pytest.raises(NothingToDoError):
        decide(before, ClockOut(deadline_ms), Now(deadline_ms - 1))


def test_a_turn_may_be_played_until_its_last_millisecond() -> None:
    table = at(MIDDLE)
    table.now_ms += TURN_MS - 1
    table.act(Draw(0))
    table.act(Discard(0, parse_card("9D")))
    assert (table.deal.turn, table.left_ms) == (1, TURN_MS)


def test_when_a_turn_runs_out_a_card_is_drawn_and_five_seconds_are_left_to_discard() -> None:
    table = at(MIDDLE)
    requires_waiting(table)
    assert moves(table.ring()) == [rules.Drew, rules.TimeRanOut]
    assert (table.deal.time_up, table.left_ms) == (True, DISCARD_MS)


def test_when_the_discard_window_runs_out_the_clock_discards_and_the_next_turn_is_whole() -> None:
    table = at(MIDDLE)
    table.ring()
    requires_waiting(table)
    assert moves(table.ring()) == [rules.Discarded]
    assert (table.deal.turn, table.deal.time_up, table.left_ms) == (1, False, TURN_MS)
    assert table.deal.pile[-1:] == cards("5H")


def test_in_the_discard_window_only_a_discard_is_taken_to_its_last_millisecond() -> None:
    table = at(MIDDLE)
    table.ring()
    table.now_ms += DISCARD_MS - 1
    actions: tuple[SeatAction, ...] = (Draw(0), Lay(0, (bytes(3),)), Take(0, 1))
    for action in actions:
        with pytest.raises(RefusedError) as refused:
            table.act(action)
        assert refused.value.code is Code.TIME_IS_UP
    table.act(Discard(0, parse_card("9D")))
    assert table.left_ms == TURN_MS


def test_no_move_but_the_discard_sets_the_clock() -> None:
    table = at(USABLE)
    deadline_ms = table.state.deadline_ms
    actions: tuple[SeatAction, ...] = (Take(0, 1), Undo(0), Take(0, 1), Lay(0, (cards("5H6H7H"),)))
    for step, action in enumerate(actions):
        table.now_ms += step
        table.act(action)
        assert table.state.deadline_ms == deadline_ms
    table.act(Discard(0, parse_card("9D")))
    assert table.state.stage is Stage.RESULT


def test_a_duty_unmet_is_undone_first_and_then_a_card_is_drawn() -> None:
    table = at(USABLE)
    table.act(Take(0, 1))
    requires_waiting(table)
    assert moves(table.ring()) == [rules.Undone, rules.Drew, rules.TimeRanOut]
    assert table.deal.pile == cards("3C7H")
    assert (table.deal.duties, table.left_ms) == (0, DISCARD_MS)


def test_a_released_joker_that_was_not_laid_goes_back_when_time_runs_out() -> None:
    table = at("sahrat 0 play r0 / 6S9D KC QC 8D / 4SJS / 7D / 0:5SJK7S")
    table.act(Amend(0, 1, cards("5S6S7S")))
    assert moves(table.ring()) == [rules.Undone, rules.TimeRanOut]
    assert table.deal.melds[0].cards == cards("5SJK7S")


def test_one_who_has_drawn_is_not_given_another_card() -> None:
    table = at(MIDDLE)
    table.act(Draw(0))
    assert moves(table.ring()) == [rules.TimeRanOut]


def test_before_the_last_card_of_the_pile_the_clock_passes_and_the_deal_is_dead() -> None:
    table = at(ONE_CARD)
    requires_waiting(table)
    assert moves(table.ring()) == [rules.Passed, rules.DealEnded]
    assert (table.state.stage, table.left_ms) == (Stage.RESULT, RESULT_MS)


def test_the_last_card_taken_and_not_laid_in_time_makes_the_deal_dead_as_well() -> None:
    table = at(ONE_CARD)
    table.act(Take(0, 1))
    assert moves(table.ring()) == [rules.Undone, rules.Passed, rules.DealEnded]
    assert table.state.last is not None
    assert table.state.last.seen.end.end == "dead"


def test_the_last_card_taken_and_laid_leaves_the_discard_window() -> None:
    table = at(ONE_CARD)
    table.act(Take(0, 1))
    table.act(Lay(0, (cards("5H6H7H"),)))
    assert moves(table.ring()) == [rules.TimeRanOut]
    assert table.left_ms == DISCARD_MS


def test_no_clock_runs_while_the_pile_is_being_shuffled_and_then_the_turn_is_whole() -> None:
    table = at(RESHUFFLE_NEXT)
    assert table.act(Discard(0, parse_card("9D")))[-1] == ClockSet(None)
    due = what_is_due(table.state, Gathered())
    assert isinstance(due, NeedsStock)
    assert (due.number, due.pile) == (1, cards("7D2S"))
    table.now_ms += 3 * TURN_MS
    table.settle()
    assert (table.deal.turn, len(table.deal.stock), table.left_ms) == (1, 2, TURN_MS)


def test_a_clock_discard_that_empties_the_stock_waits_for_the_new_one_too() -> None:
    table = at("sahrat 0 play r0 / 5H9D KC QC 8D / - / 7D2S / 0:5S6S7S")
    table.ring()
    assert table.ring()[-1] == ClockSet(None)
    table.settle()
    assert table.left_ms == TURN_MS


@pytest.mark.parametrize("number", [0, 2, 3])
def test_a_new_stock_of_another_number_is_overtaken(number: int) -> None:
    table = at(RESHUFFLE_NEXT)
    table.act(Discard(0, parse_card("9D")))
    with pytest.raises(NothingToDoError):
        table.apply(NewStock(table.state.context(), number, cards("2S7D")))


def test_the_result_is_shown_to_its_last_millisecond(rng: random.Random) -> None:
    table = at(ONE_CARD)
    table.ring()
    assert stage_of(table) is Stage.RESULT
    requires_waiting(table)
    table.ring()
    assert stage_of(table) is Stage.CEREMONY


def test_a_clock_that_was_replaced_moves_nothing() -> None:
    table = at(MIDDLE)
    replaced_ms = table.state.deadline_ms
    assert replaced_ms is not None
    table.now_ms += 5_000
    table.act(Draw(0))
    table.act(Discard(0, parse_card("9D")))
    table.now_ms += 10 * TURN_MS
    with pytest.raises(NothingToDoError):
        table.apply(ClockOut(replaced_ms))


def test_a_clock_that_rang_does_not_ring_again() -> None:
    table = at(MIDDLE)
    rang_ms = table.state.deadline_ms
    assert rang_ms is not None
    table.ring()
    with pytest.raises(NothingToDoError):
        table.apply(ClockOut(rang_ms))


def test_the_last_turn_of_all_is_ended_by_the_clock_too() -> None:
    table = at(MIDDLE)
    table.put(table.deal._replace(turn_no=LAST_TURN))
    table.ring()
    assert moves(table.ring()) == [rules.Discarded, rules.DealEnded]


@pytest.mark.parametrize("stood_still_ms", [0, 1, 19_999, 20_000, 86_400_000])
def test_an_outage_is_given_back_to_the_clock_to_the_millisecond(stood_still_ms: int) -> None:
    table = at(MIDDLE)
    table.now_ms += 7_000
    left_ms, since_ms = table.left_ms, table.now_ms
    table.now_ms += stood_still_ms
    table.apply(Resume(since_ms))
    assert table.left_ms == left_ms
    requires_waiting(table)
    assert moves(table.ring()) == [rules.Drew, rules.TimeRanOut]


def test_no_outage_is_taken_from_the_clock_where_the_wall_clock_went_back() -> None:
    table = at(MIDDLE)
    deadline_ms = table.state.deadline_ms
    table.apply(Resume(table.now_ms + 60_000))
    assert table.state.deadline_ms == deadline_ms


def test_after_an_outage_nobody_is_there_until_they_watch_again_and_each_has_a_fresh_grace() -> None:
    table = PureTable(seats=seated("ada", "bayan", "cem", "bot", bots=[3]))
    for seat in (0, 2):
        table.apply(presence(seat))
    table.now_ms += 59_000
    events = table.apply(Resume(table.now_ms))
    assert events == tuple(AwayChanged(seat, True, table.now_ms + 60_000) for seat in (0, 1, 2))
    with pytest.raises(NothingToDoError):
        table.apply(Resume(table.now_ms))


def presence(seat: int) -> Presence:
    return Presence(PEOPLE[seat], away=False)


def cards(text: str) -> bytes:
    return bytes(parse_card(text[place : place + 2]) for place in range(0, len(text), 2))
