"""A table that an operator has stand still, go on, or end; and what comes out of one that is closed in mid-deal."""

import random

import pytest

from services.table.ceremony import CeremonyStep
from services.table.commands import (
    Abandoned,
    Abort,
    Ask,
    CeremonyClockOut,
    ClockOut,
    CutDue,
    Freeze,
    Play,
    Presence,
    Resume,
    Reveal,
    TakeVacancy,
    Unfreeze,
    Wish,
)
from services.table.due import NeedsReveal, NeedsStock, what_is_due
from services.table.events import Aborted, ClockSet, Closed, Frozen, Unfrozen
from services.table.evolve import ceremony_of
from services.table.facts import facts_of
from services.table.gathering import Gathered
from services.table.refusals import NothingToDoError, TableClosedError, TableFrozenError
from services.table.state import Stage
from services.table.stored import read_event, write_event
from services.table.wire import write_delta, write_view
from shared.rules.actions import Discard, Draw
from shared.rules.cards import bag_cards
from shared.rules.options import make_options
from tests.support.following import Client
from tests.support.play import next_action
from tests.support.tables import QUICK, PureTable, seated

BANAKIL202 = make_options({"preset": "banakil202"})


def dealt(**more: object) -> PureTable:
    table = PureTable(**more)  # type: ignore[arg-type]  # as the caller says
    table.settle()
    assert table.state.stage is Stage.DEAL
    return table


def thrown(table: PureTable) -> Discard:
    return Discard(table.deal.turn, bag_cards(table.deal.hands[table.deal.turn])[0])


def test_a_frozen_table_takes_no_action_and_its_clock_does_not_run_out() -> None:
    table = dealt()
    deadline_ms = table.state.deadline_ms
    assert deadline_ms is not None
    table.now_ms = deadline_ms - 1
    table.apply(Freeze())
    before = table.state
    with pytest.raises(TableFrozenError):
        table.act(thrown(table))
    with pytest.raises(TableFrozenError):
        table.apply(Ask("ada", Wish.LEAVE))
    with pytest.raises(TableFrozenError):
        table.apply(TakeVacancy("vacancy:1", "house:one", "Kitt"))
    table.now_ms = deadline_ms + 3_600_000
    with pytest.raises(NothingToDoError):
        table.apply(ClockOut(deadline_ms))
    with pytest.raises(NothingToDoError):
        table.apply(Freeze())
    assert table.state is before
    assert (table.state.deadline_ms, what_is_due(table.state, Gathered())) == (None, None)


@pytest.mark.parametrize("left_ms", [1, 12_345])
def test_who_was_to_act_has_the_time_back_to_the_millisecond(left_ms: int) -> None:
    table = dealt()
    table.now_ms += table.left_ms - left_ms
    table.apply(Freeze())
    table.now_ms += 7_654_321
    events = table.apply(Unfreeze())
    assert (events[0], events[-1]) == (Unfrozen(), ClockSet(table.now_ms + left_ms))
    assert table.state.standstill is None
    with pytest.raises(NothingToDoError):
        table.apply(Unfreeze())
    table.act(thrown(table))


def test_an_outage_while_it_stands_still_is_given_back_once() -> None:
    table = dealt()
    table.apply(Presence("ada", away=False))
    table.now_ms += table.left_ms - 5_000
    table.apply(Freeze())
    table.now_ms += 60_000
    table.apply(Resume(table.now_ms - 50_000))
    assert table.state.deadline_ms is None
    table.now_ms += 60_000
    table.apply(Unfreeze())
    assert table.left_ms == 5_000


def test_a_shuffle_stands_as_it_is_and_has_the_time_of_its_step_again() -> None:
    table = PureTable(BANAKIL202)
    table.clients = frozenset(range(4))
    while ceremony_of(table.state).step is not CeremonyStep.CUTTING:
        if ceremony_of(table.state).step is CeremonyStep.PROMISING:
            table.apply(CutDue(ceremony_of(table.state).context, table.gathered().values))
        else:
            table.settle_once()
    cutting = ceremony_of(table.state)
    assert cutting.deadline_ms is not None
    left_ms = cutting.deadline_ms - table.now_ms - 4_000
    table.now_ms += 4_000
    table.apply(Freeze())
    table.now_ms += 100_000
    with pytest.raises(TableFrozenError):
        table.cut(53)
    with pytest.raises(NothingToDoError):
        table.apply(CeremonyClockOut(cutting.deadline_ms))
    table.apply(Unfreeze())
    again = ceremony_of(table.state)
    assert again.deadline_ms == table.now_ms + left_ms
    assert again._replace(deadline_ms=0) == cutting._replace(deadline_ms=0)
    table.cut(53)


def test_neither_result_nor_series_goes_on_while_it_stands_still(rng: random.Random) -> None:
    table = dealt(options=make_options({"preset": "sahrat", "target": 50, "mode": "duel", "format": "best_of_3"}))
    while table.state.stage is Stage.DEAL:
        if table.deal.reshuffle_due:
            table.settle()
        else:
            table.act(next_action(rng, table.deal, QUICK))  # type: ignore[arg-type]  # never the clock's
    table.apply(Freeze())
    settled = table.state
    table.settle()  # a reveal, and nothing else
    assert table.state._replace(revision=0, unrevealed=()) == settled._replace(revision=0, unrevealed=())
    table.apply(Unfreeze())
    assert table.left_ms == 8_000


def test_a_new_stock_is_asked_for_again_once_it_goes_on(rng: random.Random) -> None:
    table = dealt(options=make_options({"preset": "sahrat", "target": 1000}))
    while not (table.deal.reshuffle_due):
        if table.deal.end is not None:
            return  # this seed's deal ends before
        table.act(next_action(rng, table.deal, QUICK))  # type: ignore[arg-type]  # never the clock's
    due = what_is_due(table.state, Gathered())
    assert isinstance(due, NeedsStock)
    answer = table.shuffle.answer(table.state, due)
    table.apply(Freeze())
    assert what_is_due(table.state, Gathered()) is None
    assert not table.state.awaits_stock
    with pytest.raises(NothingToDoError):
        table.apply(answer)
    table.apply(Unfreeze())
    assert what_is_due(table.state, Gathered()) == due
    table.apply(answer)


def test_an_aborted_table_is_closed_without_a_result_and_tells_so() -> None:
    table = dealt()
    deal = table.state.context()
    assert table.apply(Abort()) == (ClockSet(None), Aborted(), Closed())
    facts = facts_of(table.steps[-1], table.now_ms)
    assert [fact.WhichOneof("fact") for fact in facts] == ["match_aborted", "table_closed"]
    aborted = facts[0].match_aborted
    assert (aborted.match_id, aborted.match_no) == (table.state.match_id.hex(), 1)
    assert [seat.account_id for seat in aborted.seats] == ["ada", "bayan", "cem", "dana"]
    assert (table.state.match.winner, table.state.last) == (None, None)
    assert table.state.unrevealed == (deal,)
    with pytest.raises(NothingToDoError):
        table.apply(Abort())
    for command in (Freeze(), Unfreeze()):
        with pytest.raises(TableClosedError):
            table.apply(command)
    with pytest.raises(TableClosedError):
        table.apply(Play("ada", 1, 1, Draw(0)))


def test_a_match_that_was_won_before_the_table_is_aborted_keeps_its_result(rng: random.Random) -> None:
    table = dealt(options=make_options({"preset": "banakil202", "target": 50, "format": "best_of_3"}))
    while table.state.match.winner is None:
        table.play(rng)
        table.ring()
    assert table.state.stage is Stage.SWAP
    table.apply(Abort())
    facts = facts_of(table.steps[-1], table.now_ms)
    assert [fact.WhichOneof("fact") for fact in facts] == ["table_closed"]
    assert (table.state.aborted, table.state.series.wins) == (True, table.steps[-2].after.series.wins)


def test_a_match_that_is_won_is_not_aborted_with_its_table(rng: random.Random) -> None:
    """Nor is a later match that has not begun."""
    table = dealt(options=make_options({"preset": "sahrat", "target": 50, "mode": "duel", "format": "best_of_3"}))
    while table.state.match.winner is None:
        if table.state.stage is Stage.RESULT:
            table.ring()
            table.settle()
        elif table.deal.reshuffle_due:
            table.settle()
        else:
            table.act(next_action(rng, table.deal, QUICK))  # type: ignore[arg-type]  # never the clock's
    table.apply(Abort())
    assert [fact.WhichOneof("fact") for fact in facts_of(table.steps[-1], table.now_ms)] == ["table_closed"]


def test_a_frozen_table_can_be_aborted() -> None:
    table = dealt()
    table.apply(Freeze())
    table.apply(Abort())
    assert (table.state.stage, table.state.standstill) == (Stage.CLOSED, None)


@pytest.mark.parametrize("end", [Abort(), Abandoned()])
def test_a_table_that_is_closed_in_mid_deal_has_its_secret_revealed(end: Abort | Abandoned) -> None:
    table = dealt()
    deal = table.state.context()
    table.apply(end)
    due = what_is_due(table.state, Gathered())
    assert due == NeedsReveal(deal, match_over=False)
    table.settle()
    assert table.state.unrevealed == ()
    with pytest.raises(NothingToDoError):
        table.apply(Reveal(deal.match, deal.deal_no, "{}"))


def test_nothing_is_owed_where_no_deal_was_being_played() -> None:
    table = PureTable()
    table.apply(Abort())
    assert what_is_due(table.state, Gathered()) is None


def test_a_table_that_nobody_is_at_is_not_closed_while_it_stands_still() -> None:
    table = dealt()
    assert table.state.is_abandoned
    table.apply(Freeze())
    with pytest.raises(NothingToDoError):
        table.apply(Abandoned())


def test_who_follows_sees_what_a_fresh_view_says() -> None:
    table = dealt(seats=seated("ada", "bayan", "cem", "dana"))
    for viewer in (None, 0, 3):
        client = Client()
        client.view.CopyFrom(write_view(table.state, viewer))
        clone = PureTable()
        clone.steps[-1] = table.steps[-1]
        for command in (Freeze(), Unfreeze(), Freeze(), Abort()):
            clone.apply(command)
            client.take_delta(write_delta(clone.steps[-1], viewer))
            assert client.view == write_view(clone.state, viewer)
        assert (client.view.aborted, client.view.frozen) == (True, False)


@pytest.mark.parametrize("event", [Frozen(1_700_000_000_000), Unfrozen(), Aborted()])
def test_what_operators_have_done_is_kept_in_the_journal(event: Frozen | Unfrozen | Aborted) -> None:
    assert read_event(write_event(event)) == event
