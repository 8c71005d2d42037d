"""A deal's shuffle at a table, step by step, as the pure core decides it (docs/fair.md, the ceremony)."""

import random

import pytest

from services.table.ceremony import CONTRIBUTION_MS, CUT_MS, PROMISE_MS, CeremonyStep, VoidAttempt
from services.table.commands import Ask, CeremonyClockOut, CutDue, Outcome, Resume, Wish
from services.table.due import NeedsClosedSet, NeedsDeck, NeedsOutcome, what_is_due
from services.table.events import AttemptVoid, CeremonyBegan, ClockSet, Closed, CutOver, Dealt, MatchBegan, Settled
from services.table.evolve import ceremony_of
from services.table.gathering import Gathering
from services.table.refusals import (
    CommandReusedError,
    ContributionNotAwaitedError,
    NothingToDoError,
    NotHostError,
    NotSeatedError,
    StaleCeremonyError,
)
from services.table.state import Stage
from shared.fairness.commitment import client_commitment
from shared.kit.clock import Pace
from shared.rules.cards import FULL_DECK
from shared.rules.options import Options, make_options
from tests.support.client_values import contribution_of
from tests.support.tables import PureTable, seated

PROMISING, CUTTING, OPENING, SETTLED = (
    CeremonyStep.PROMISING,
    CeremonyStep.CUTTING,
    CeremonyStep.OPENING,
    CeremonyStep.SETTLED,
)
CUT_DUE = make_options({"preset": "banakil202"})
CUT_IN_A_DUEL = make_options({"preset": "banakil202", "mode": "duel"})
whoever_plays = pytest.mark.parametrize("options", [CUT_DUE, CUT_IN_A_DUEL], ids=["partners", "duel"])
ALL = frozenset(range(4))


def at(step: CeremonyStep, clients: frozenset[int] = ALL, **how: object) -> PureTable:
    """A table whose first shuffle is at a step."""
    table = PureTable(**how)  # type: ignore[arg-type]  # as PureTable takes them
    table.clients = clients
    table.withheld = (NeedsDeck,)
    while table.state.next_fair is None or table.state.next_fair.step is not step:
        table.settle_once()
    table.withheld = ()
    return table


def promise(table: PureTable, seat: int) -> bytes:
    ctx = ceremony_of(table.state).context
    return client_commitment(ctx, seat, contribution_of(ctx, seat))


def test_each_seat_that_took_part_is_in_the_closed_set_and_in_the_transcript() -> None:
    table = at(SETTLED, frozenset({0, 2, 3}), seats=seated("ada", "bot", "cem", "dana", bots=[1]))
    ceremony = ceremony_of(table.state)
    assert [receipt.seat for receipt in ceremony.promise_receipts] == [0, 2, 3]
    assert [receipt.seat for receipt in ceremony.contribution_receipts] == [0, 2, 3]
    assert [bool(c) for c in ceremony.contributions] == [True, False, True, True]
    assert (ceremony.promises, ceremony.void, ceremony.deadline_ms) == ((), (), None)


def test_the_times_for_promises_and_contributions_are_three_seconds_and_pace_shortens_the_first_alone() -> None:
    for pace in (1.0, 20.0):
        table = at(PROMISING, pace=Pace(pace))
        deadline_ms = ceremony_of(table.state).deadline_ms
        assert deadline_ms == table.now_ms + PROMISE_MS / pace
        table = at(OPENING, pace=Pace(pace))
        assert ceremony_of(table.state).deadline_ms == table.now_ms + CONTRIBUTION_MS == table.now_ms + 3_000


def test_who_is_no_person_is_not_waited_for() -> None:
    table = at(PROMISING, seats=seated("a", "b", "c", "d", bots=[0, 1, 2, 3]))
    assert ceremony_of(table.state).deadline_ms is None
    assert isinstance(what_is_due(table.state, Gathering(table.state).gathered), NeedsClosedSet)


def test_the_set_is_closed_once_all_are_in_or_the_time_is_over_and_not_before() -> None:
    table = at(PROMISING)
    gathering = Gathering(table.state)
    for seat in range(4):
        assert what_is_due(table.state, gathering.gathered) is None
        gathering.take(PROMISING, seat, promise(table, seat))
    assert isinstance(what_is_due(table.state, gathering.gathered), NeedsClosedSet)
    gathering = Gathering(table.state)
    gathering.take(PROMISING, 1, promise(table, 1))
    gathering.end()
    due = what_is_due(table.state, gathering.gathered)
    assert due == NeedsClosedSet(ceremony_of(table.state).context, (b"", promise(table, 1), b"", b""))


def test_what_comes_twice_is_taken_once_and_another_is_refused() -> None:
    table = at(PROMISING)
    gathering = Gathering(table.state)
    gathering.take(PROMISING, 1, promise(table, 1))
    gathering.take(PROMISING, 1, promise(table, 1))
    with pytest.raises(CommandReusedError):
        gathering.take(PROMISING, 1, promise(table, 2))
    assert gathering.gathered.values[1] == promise(table, 1)


def test_what_is_not_awaited_is_refused() -> None:
    table = at(OPENING, frozenset({0, 1}), seats=seated("ada", "bayan", "cem", "bot", bots=[3]))
    c = bytes(32)
    gathering = Gathering(table.state)
    for step, seat in ((PROMISING, 0), (OPENING, 2), (OPENING, 3)):
        with pytest.raises(ContributionNotAwaitedError):
            gathering.take(step, seat, c)
    gathering.end()
    with pytest.raises(ContributionNotAwaitedError):
        gathering.take(OPENING, 0, c)
    with pytest.raises(ContributionNotAwaitedError):
        Gathering(at(SETTLED).state).take(OPENING, 0, c)


def test_a_missing_contribution_voids_the_attempt_and_shuts_its_seat_out_of_the_next() -> None:
    table = at(OPENING)
    table.clients = frozenset({0, 1, 3})
    table.settle_once()
    assert table.steps[-1].events == (AttemptVoid((2,)), CeremonyBegan(1, 1, None))
    ceremony = ceremony_of(table.state)
    assert (ceremony.void, ceremony.context.attempt) == ((VoidAttempt(0, (2,)),), 1)
    table.clients = ALL
    table.settle()
    assert table.state.stage is Stage.DEAL
    fair = table.state.fair
    assert fair is not None
    assert [receipt.seat for receipt in fair.contribution_receipts] == [0, 1, 3]
    assert fair.context.attempt == 1


def test_a_wrong_contribution_voids_the_attempt_too() -> None:
    table = at(OPENING)
    ctx = ceremony_of(table.state).context
    wrong = [contribution_of(ctx, seat) for seat in range(4)]
    wrong[1] = bytes(32)
    outcome = table.shuffle.answer(table.state, NeedsOutcome(ctx, tuple(wrong)))
    assert table.apply(outcome)[0] == AttemptVoid((1,))


def test_every_seat_may_fail_once_and_the_deal_comes_all_the_same() -> None:
    table = at(OPENING)
    for failing in range(4):
        table.clients = frozenset(seat for seat in range(4) if seat != failing)
        while ceremony_of(table.state).context.attempt == failing:
            table.settle_once()
        table.clients = ALL
        if failing < 3:
            while ceremony_of(table.state).step is not OPENING:
                table.settle_once()
    table.settle()
    assert table.state.fair is not None
    assert table.state.fair.void == tuple(VoidAttempt(seat, (seat,)) for seat in range(4))
    assert table.state.fair.promise_receipts == ()


def test_at_a_coin_table_the_second_void_ends_the_match() -> None:
    table = at(OPENING, options=make_options({"preset": "sahrat", "stake": 10}))
    for attempt in range(2):
        ctx = ceremony_of(table.state).context
        assert ctx.attempt == attempt
        table.apply(Outcome(ctx, None, (attempt,)))
        if attempt == 0:
            while ceremony_of(table.state).step is not OPENING:
                table.settle_once()
    assert table.steps[-1].events == (AttemptVoid((1,)), Closed())
    told = [fact.WhichOneof("fact") for fact in table.entries[-1].facts]
    assert told == ["match_aborted", "table_closed"]
    assert (table.state.stage, table.state.next_fair) == (Stage.CLOSED, None)


def test_the_next_deal_is_shuffled_while_the_result_is_shown_and_dealt_afterwards(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    table.clients = ALL
    table.play(rng)
    assert (table.state.stage, ceremony_of(table.state).step) == (Stage.RESULT, SETTLED)
    assert not isinstance(what_is_due(table.state, table.gathered()), NeedsDeck)
    table.ring()
    assert isinstance(what_is_due(table.state, table.gathered()), NeedsDeck)


def test_a_result_that_is_over_before_its_shuffle_waits_for_it(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    table.settle()
    table.withheld = (NeedsClosedSet,)
    table.play(rng)
    table.ring()
    assert (table.state.stage, ceremony_of(table.state).step) == (Stage.CEREMONY, PROMISING)
    table.withheld = ()
    table.settle()
    assert (table.state.stage, table.state.deal_no) == (Stage.DEAL, 2)


@whoever_plays
def test_the_host_cuts_within_fifteen_seconds_to_the_last_millisecond_and_once(options: Options) -> None:
    table = at(CUTTING, options=options)
    assert ceremony_of(table.state).deadline_ms == table.now_ms + CUT_MS == table.now_ms + 15_000
    ctx = ceremony_of(table.state).context
    for account, error in (("bayan", NotHostError), ("eve", NotSeatedError)):
        with pytest.raises(error):
            table.cut(7, account)
    table.now_ms += CUT_MS - 1
    assert table.cut(7) == (CutOver(7),)
    with pytest.raises(ContributionNotAwaitedError):
        table.cut(8)
    table.settle()
    assert table.state.fair is not None
    assert (table.state.fair.cut, table.state.fair.automatic_cut, table.state.fair.context) == (7, 0, ctx)


def test_a_cut_for_another_shuffle_is_stale() -> None:
    table = at(CUTTING, options=CUT_DUE)
    for other in ({"attempt": 1}, {"deal_no": 2}, {"match_id": bytes(16)}):
        with pytest.raises(StaleCeremonyError):
            table.cut_about(7, **other)


@whoever_plays
def test_who_lets_the_time_for_the_cut_pass_has_it_made_automatically(options: Options) -> None:
    table = at(CUTTING, options=options)
    deadline_ms = ceremony_of(table.state).deadline_ms
    assert deadline_ms is not None
    table.now_ms = deadline_ms - 1
    with pytest.raises(NothingToDoError):
        table.apply(CeremonyClockOut(deadline_ms))
    table.now_ms = deadline_ms
    assert table.apply(CeremonyClockOut(deadline_ms)) == (CutOver(0),)
    with pytest.raises(ContributionNotAwaitedError):
        table.cut(7)
    with pytest.raises(NothingToDoError):
        table.apply(CeremonyClockOut(deadline_ms))
    table.settle()
    assert table.state.fair is not None
    assert (table.state.fair.cut, table.state.fair.automatic_cut) == (0, 53)


def test_a_host_who_sends_no_promise_is_not_waited_for() -> None:
    table = at(OPENING, frozenset({1, 2}), options=CUT_DUE)
    assert not any(step.after.next_fair and step.after.next_fair.step is CUTTING for step in table.steps)


@pytest.mark.parametrize("step", [PROMISING, CUTTING])
def test_nobody_waits_for_the_cut_of_a_host_who_has_left(step: CeremonyStep) -> None:
    table = at(step, options=CUT_DUE)
    gathered = table.gathered()
    table.apply(Ask("ada", Wish.LEAVE))
    if step is PROMISING:
        table.apply(CutDue(ceremony_of(table.state).context, gathered.values))
    assert isinstance(table.steps[-1].events[-1], CutOver)
    assert (ceremony_of(table.state).step, ceremony_of(table.state).deadline_ms) == (CeremonyStep.CLOSING, None)
    table.settle()
    assert table.state.stage is Stage.DEAL


def test_nor_for_the_cut_of_one_who_left_while_the_table_stood_still() -> None:
    table = at(CUTTING, options=CUT_DUE, private=True)
    for account in ("ada", "bayan", "cem", "dana"):
        table.apply(Ask(account, Wish.PAUSE))
    table.apply(Ask("ada", Wish.LEAVE))
    assert ceremony_of(table.state).step is CUTTING
    table.apply(Ask("bayan", Wish.END_PAUSE))
    assert ceremony_of(table.state).step is CeremonyStep.CLOSING


def test_a_cut_is_due_in_the_first_deal_of_a_series_alone(rng: random.Random) -> None:
    table = PureTable(make_options({"preset": "banakil202", "format": "best_of_3", "target": 50}))
    table.clients = ALL
    table.play_on(rng)
    cut = [step.after.next_fair for step in table.steps if any(isinstance(event, CutOver) for event in step.events)]
    assert [(fair.context.match_no, fair.context.deal_no) for fair in cut if fair] == [(1, 1)]
    assert any(isinstance(event, MatchBegan) for step in table.steps for event in step.events)


@pytest.mark.parametrize("step", [PROMISING, OPENING])
def test_after_an_outage_clients_have_the_whole_time_again_since_what_they_sent_is_forgotten(
    step: CeremonyStep,
) -> None:
    table = at(step)
    since_ms = table.now_ms
    table.now_ms += 60_000
    table.apply(Resume(since_ms))
    assert ceremony_of(table.state).deadline_ms == table.now_ms + 3_000


def test_after_an_outage_the_host_has_the_time_to_cut_that_was_left() -> None:
    table = at(CUTTING, options=CUT_DUE)
    table.now_ms += 5_000
    since_ms = table.now_ms
    table.now_ms += 60_000
    table.apply(Resume(since_ms))
    assert ceremony_of(table.state).deadline_ms == table.now_ms + 10_000


def test_a_deck_that_comes_with_the_transcript_is_dealt_in_the_same_step_where_nothing_else_is_waited_for() -> None:
    table = at(OPENING)
    table.settle_once()
    assert [type(event) for event in table.steps[-1].events] == [Settled, Dealt, ClockSet]
    assert len(table.entries[-1].hidden) == len(FULL_DECK)
    assert table.state.stage is Stage.DEAL


def test_while_a_result_is_shown_no_deck_is_asked_for_and_one_that_comes_is_forgotten() -> None:
    table = PureTable(make_options({"preset": "sahrat", "target": 1000}))
    table.clients = ALL
    table.settle()
    while table.state.stage is Stage.DEAL:
        table.ring()
        table.settle_once()
    while ceremony_of(table.state).step is not OPENING:
        table.settle_once()
    due = what_is_due(table.state, table.gathered())
    assert isinstance(due, NeedsOutcome)
    assert not due.with_deck
    events = table.apply(table.shuffle.answer(table.state, due._replace(with_deck=True)))
    assert [type(event) for event in events] == [Settled]
    assert table.entries[-1].hidden == b""
    assert table.state.stage is Stage.RESULT
