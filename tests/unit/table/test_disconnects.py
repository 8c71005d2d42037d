"""A player disconnects: at every kind of moment, back in the grace, after it or never, at free and at coin tables.

The table always goes on, with the same cards, nobody else's clock is shortened, and what comes of each deal is what
would have come of it had the player stayed and let the same turns pass.
"""

from collections.abc import Callable

import pytest

from services.table.away import GATEWAY_BACK_MS
from services.table.ceremony import CeremonyStep
from services.table.state import Funding, MissingStake, Obstacle, Occupant, Stage, TableState
from shared.rules.options import make_options
from tests.support.evenings import HOUSE, Evening, Plan

GRACE_MS = 60_000
BACK = {"in the grace": 7_000, "in its last millisecond": GRACE_MS - 1, "after it": GRACE_MS + 9_000, "never": None}


def own_turn(state: TableState) -> bool:
    return _in_deal(state) and state.deal is not None and state.deal.turn == 0 and state.deal.turn_no >= 5


def others_turn(state: TableState) -> bool:
    return _in_deal(state) and state.deal is not None and state.deal.turn == 2 and state.deal.turn_no >= 6


def duty(state: TableState) -> bool:
    return _in_deal(state) and state.deal is not None and state.deal.turn == 0 and bool(state.deal.duties)


def discard_window(state: TableState) -> bool:
    return own_turn(state) and state.deal is not None and state.deal.phase == "play"


def promising(state: TableState) -> bool:
    return _at(state, CeremonyStep.PROMISING)


def cut(state: TableState) -> bool:
    return _at(state, CeremonyStep.CUTTING)


def result(state: TableState) -> bool:
    return state.stage is Stage.RESULT


def swap(state: TableState) -> bool:
    return state.stage is Stage.SWAP


def _in_deal(state: TableState) -> bool:
    return state.stage is Stage.DEAL


def _at(state: TableState, step: CeremonyStep) -> bool:
    return state.next_fair is not None and state.next_fair.step is step


MOMENTS: dict[Callable[[TableState], bool], dict[str, object]] = {
    own_turn: {"preset": "sahrat"},
    others_turn: {"preset": "sahrat"},
    duty: {"preset": "sahrat"},
    discard_window: {"preset": "banakil202"},
    promising: {"preset": "sahrat"},
    cut: {"preset": "banakil202"},
    result: {"preset": "sahrat"},
    swap: {"preset": "banakil202", "format": "best_of_3", "target": 50},
}


def evening(moment: Callable[[TableState], bool], stake: int, plan: Plan) -> tuple[Evening, Evening]:
    """The evening, and the same where that player stays and lets the same turns pass."""
    options = make_options({"target": 1000, **MOMENTS[moment], "stake": stake})

    def later_match(state: TableState) -> bool:
        return state.match_no >= 2 and state.deal_no >= 2

    def later_deal(state: TableState) -> bool:
        return state.deal_no >= (3 if moment in (duty, result) else 2)

    until = later_match if options.format == "best_of_3" else later_deal
    gone = Evening(options, plan, until=until).run()
    assert gone.went_ms is not None, "the moment never came"
    stayed = Evening(options, idle=frozenset(gone.by_clock), idle_seat=plan.seat, until=until).run()
    return gone, stayed


def holds(gone: Evening, stayed: Evening) -> None:
    assert gone.decks() == stayed.decks()
    assert gone.results() == stayed.results()
    assert gone.results()


@pytest.mark.parametrize("stake", [0, 50], ids=["free", "coin"])
@pytest.mark.parametrize("back", BACK)
@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
def test_the_table_goes_on_with_the_same_cards_and_result(
    moment: Callable[[TableState], bool], back: str, stake: int
) -> None:
    gone, stayed = evening(moment, stake, Plan(moment, back_after_ms=BACK[back]))
    if stake and moment is swap and back == "never":  # nobody is staked for a later match who does not come back
        state = gone.table.state
        assert (state.stage, state.match_no, sum(state.series.wins)) == (Stage.CLOSED, 2, 1)
        assert state.funding == Funding(None, (MissingStake(0, Obstacle.ABSENT),), failed=True)
        return
    holds(gone, stayed)
    seats = [seat for step in gone.table.steps for seat in step.after.seats]
    assert any(seat.stand_in == HOUSE for seat in seats) == (stake == 0 and back in ("after it", "never"))
    last = gone.table.state.seats[gone.table.state.seat_of("ada") or 0]
    assert (last.away, last.left) == (back == "never", False)
    if back != "never":
        assert (last.plays, last.vacancy, last.grace_until_ms) == (Occupant.PERSON, "", 0)
    if stake:
        assert not [seat for seat in seats if seat.stand_in or seat.is_offered]


@pytest.mark.parametrize("stake", [0, 50], ids=["free", "coin"])
@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
def test_who_leaves_on_purpose_is_replaced_at_once_or_played_by_the_clock_in_short_turns(
    moment: Callable[[TableState], bool], stake: int
) -> None:
    gone, stayed = evening(moment, stake, Plan(moment, on_purpose=True, back_after_ms=7_000))
    if stake and moment is swap:  # nobody is staked for a later match who has left the one before
        assert (gone.table.state.stage, gone.table.state.match_no) == (Stage.CLOSED, 1)
        return
    holds(gone, stayed)
    if not stake:
        left = next(n for n, step in enumerate(gone.table.steps) if any(seat.left for seat in step.after.seats))
        steps = gone.table.steps[left:]
        assert next(n for n, step in enumerate(steps) if any(seat.stand_in for seat in step.after.seats)) <= 8


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
def test_where_no_bot_can_be_asked_the_clock_plays_on(moment: Callable[[TableState], bool]) -> None:
    gone, stayed = evening(moment, 0, Plan(moment, bots_come=False))
    holds(gone, stayed)
    assert gone.table.state.seats[gone.table.state.seat_of("ada") or 0].is_offered


@pytest.mark.parametrize(("late_ms", "bot_came"), [(-1, False), (900, True)])
def test_who_came_over_a_gateway_that_is_gone_has_so_much_longer(late_ms: int, bot_came: bool) -> None:
    back_ms = GATEWAY_BACK_MS + GRACE_MS + late_ms
    gone, stayed = evening(others_turn, 0, Plan(others_turn, back_after_ms=back_ms, is_ours=True))
    holds(gone, stayed)
    assert any(seat.stand_in for step in gone.table.steps for seat in step.after.seats) == bot_came
