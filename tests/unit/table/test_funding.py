"""A coin table plays a match once its stakes are held, each match anew, and tells what becomes of them (R11.1)."""

import random

import pytest

from services.table.commands import (
    Abandoned,
    Abort,
    Ask,
    ClockOut,
    Funded,
    GraceOut,
    NextMatch,
    Presence,
    Resume,
    Unfunded,
    Wish,
)
from services.table.due import NeedsReveal, NeedsStakes, due_id, what_is_due
from services.table.events import CeremonyBegan, ClockSet, Closed, FundingBegan, StakesHeld, StakesMissing
from services.table.funding import FUNDING_MS
from services.table.gathering import Gathering
from services.table.refusals import NothingToDoError
from services.table.seats import next_grace_end
from services.table.state import MissingStake, Obstacle, Stage
from services.table.wire import write_view
from shared.kit.clock import Pace
from shared.rules.options import make_options
from shared.rules.series import starter_of_later_match
from tests.support.local_shuffle import NOW_MS
from tests.support.tables import PureTable

COINS = {"preset": "sahrat", "mode": "duel", "target": 50, "stake": 25}
BROKE = (MissingStake(1, Obstacle.TOO_FEW_COINS),)


def kinds(table: PureTable) -> list[str]:
    """The facts told but for those of each deal."""
    told = [str(fact.WhichOneof("fact")) for entry in table.entries for fact in entry.facts]
    return [kind for kind in told if kind != "deal_ended"]


def waiting(**options: object) -> PureTable:
    """A table of two to which nobody has come yet."""
    return PureTable(make_options({**COINS, **options}))


def funding(**options: object) -> PureTable:
    """One at which both are there."""
    table = waiting(**options)
    for account in ("ada", "bayan"):
        table.apply(Presence(account, away=False))
    return table


def test_a_coin_table_asks_for_every_seats_stake_before_anything_is_shuffled() -> None:
    table = funding()
    assert table.state.stage is Stage.FUNDING
    assert table.state.next_fair is None
    due = what_is_due(table.state, Gathering(table.state).gathered)
    assert due == NeedsStakes(table.state.match_id, 25, ("ada", "bayan"))
    assert due is not None
    assert due_id(due) == f"NeedsStakes:{table.state.match_id.hex()}"
    assert kinds(table) == []


def test_nobody_is_staked_before_all_are_there() -> None:
    table = waiting()
    for account in ("ada", "bayan"):
        assert what_is_due(table.state, Gathering(table.state).gathered) is None
        table.apply(Presence(account, away=False))
    assert isinstance(what_is_due(table.state, Gathering(table.state).gathered), NeedsStakes)
    table.apply(Presence("ada", away=True))
    assert what_is_due(table.state, Gathering(table.state).gathered) is None


def test_who_does_not_come_in_two_minutes_is_named_and_the_other_keeps_the_stake() -> None:
    table = waiting()
    table.apply(Presence("ada", away=False))
    table.now_ms += FUNDING_MS - 1
    with pytest.raises(NothingToDoError):
        table.apply(ClockOut(NOW_MS + FUNDING_MS))
    table.ring()
    assert table.state.stage is Stage.CLOSED
    assert kinds(table) == ["match_aborted", "table_closed"]
    view = write_view(table.state, 0)
    assert [(each.seat, each.reason) for each in view.stakes_missing.missing] == [(1, 4)]


def test_the_match_starts_for_others_once_it_is_funded() -> None:
    table = funding()
    events = table.apply(Funded(table.state.match_id))
    assert events == (StakesHeld(), ClockSet(None), CeremonyBegan(1, 0, None))
    assert (table.state.stage, table.state.funding, table.state.deadline_ms) == (Stage.CEREMONY, None, None)
    assert kinds(table) == ["match_started"]


def test_who_cannot_pay_closes_the_table_and_all_are_told_whose_stake_is_missing_and_why() -> None:
    table = funding()
    assert table.apply(Unfunded(table.state.match_id, BROKE)) == (ClockSet(None), StakesMissing(BROKE), Closed())
    assert table.state.stage is Stage.CLOSED
    assert kinds(table) == ["match_aborted", "table_closed"]
    view = write_view(table.state, None)
    assert [(each.seat, each.reason) for each in view.stakes_missing.missing] == [(1, 3)]
    assert what_is_due(table.state, Gathering(table.state).gathered) is None


def test_a_table_whose_wallet_is_away_gives_up_after_two_minutes_at_any_pace() -> None:
    table = PureTable(make_options(COINS), pace=Pace(100))
    for account in ("ada", "bayan"):
        table.apply(Presence(account, away=False))
    assert table.left_ms == FUNDING_MS
    table.ring()
    assert table.state.stage is Stage.CLOSED
    assert kinds(table) == ["match_aborted", "table_closed"]
    view = write_view(table.state, 0)
    assert view.HasField("stakes_missing")
    assert not view.stakes_missing.missing


def test_an_outage_takes_nothing_from_the_time_for_funding() -> None:
    table = funding()
    table.now_ms += 600_000
    table.apply(Resume(table.now_ms - 600_000))
    assert table.left_ms == FUNDING_MS


@pytest.mark.parametrize("late", ["another match", "funded already", "given up"])
def test_an_answer_that_has_been_overtaken_changes_nothing(late: str) -> None:
    table = funding()
    match_id = bytes(16) if late == "another match" else table.state.match_id
    if late == "funded already":
        table.apply(Funded(match_id))
    elif late == "given up":
        table.ring()
    for command in (Funded(match_id), Unfunded(match_id, BROKE)):
        with pytest.raises(NothingToDoError):
            table.apply(command)


def test_each_match_of_a_series_is_funded_at_its_own_start(rng: random.Random) -> None:
    table = funding(format="best_of_3")
    table.play_on(rng)
    matches = sum(table.state.series.wins)
    assert kinds(table) == ["match_started", "match_ended"] * matches + ["table_closed"]
    began = [event for step in table.steps for event in step.events if isinstance(event, FundingBegan)]
    held = [event for step in table.steps for event in step.events if isinstance(event, StakesHeld)]
    assert len(began) == len(held) == matches


def between_matches(rng: random.Random) -> PureTable:
    """A series whose first match is won, and shown."""
    table = funding(format="best_of_3")
    while table.state.match.winner is None:
        table.play(rng)
        if table.state.match.winner is None:
            table.ring()
        table.settle()
    return table


def test_a_later_match_keeps_its_starter_while_it_is_funded(rng: random.Random) -> None:
    table = PureTable(make_options({**COINS, "format": "best_of_3", "starter": "host_cut"}))
    table.settle()
    while table.state.match.winner is None:
        table.play(rng)
        if table.state.match.winner is None:
            table.ring()
            table.settle()
    winner = table.state.match.winner
    table.ring()
    table.apply(NextMatch(bytes(range(16))))
    assert table.state.stage is Stage.FUNDING
    events = table.apply(Funded(bytes(range(16))))
    assert events[-1] == CeremonyBegan(1, 0, starter_of_later_match(winner))


def test_a_series_that_cannot_be_funded_again_ends_there_and_what_was_won_stays_won(rng: random.Random) -> None:
    table = between_matches(rng)
    table.shuffle.missing = BROKE
    table.ring()
    table.settle()
    assert table.state.stage is Stage.CLOSED
    assert kinds(table) == ["match_started", "match_ended", "match_aborted", "table_closed"]
    facts = [fact for entry in table.entries for fact in entry.facts]
    (ended,) = [fact.match_ended.match_id for fact in facts if fact.HasField("match_ended")]
    (aborted,) = [fact.match_aborted.match_id for fact in facts if fact.HasField("match_aborted")]
    assert ended != aborted == table.state.match_id.hex()


def test_the_last_matchs_secrets_come_out_before_the_next_one_is_funded(rng: random.Random) -> None:
    table = between_matches(rng)
    unrevealed = table.state.context()
    table.steps[-1] = table.steps[-1]._replace(
        states=(*table.steps[-1].states[:-1], table.state._replace(unrevealed=(unrevealed,)))
    )
    table.ring()
    table.apply(NextMatch(bytes(range(16))))
    assert isinstance(what_is_due(table.state, Gathering(table.state).gathered), NeedsReveal)
    table.settle_once()
    assert isinstance(what_is_due(table.state, Gathering(table.state).gathered), NeedsStakes)


def all_go(table: PureTable) -> None:
    for account in ("ada", "bayan"):
        table.apply(Presence(account, away=True))
    grace_ms = next_grace_end(table.state)
    assert grace_ms is not None
    table.now_ms = max(table.now_ms, grace_ms)
    table.apply(GraceOut(grace_ms))


def test_a_match_for_coins_is_played_to_its_end_by_the_clock_where_all_are_gone() -> None:
    table = funding()
    table.settle()
    all_go(table)
    assert table.state.is_abandoned
    with pytest.raises(NothingToDoError):
        table.apply(Abandoned())
    table.ring()
    assert table.state.stage is Stage.DEAL


def test_a_match_that_nobody_can_win_any_more_since_all_are_gone_gives_the_stakes_back() -> None:
    table = funding()
    table.settle()
    all_go(table)
    for _ in range(3_000):
        if table.state.stage is Stage.CLOSED:
            break
        table.ring()
        table.settle()
    assert (table.state.stage, table.state.deal_no) == (Stage.CLOSED, 1)
    assert kinds(table)[-2:] == ["match_aborted", "table_closed"]


def test_nobody_is_staked_for_another_match_where_all_are_gone(rng: random.Random) -> None:
    table = between_matches(rng)
    for account in ("ada", "bayan"):
        table.apply(Ask(account, Wish.LEAVE))
    table.ring()
    assert table.apply(NextMatch(bytes(range(16)))) == (Closed(),)
    assert kinds(table)[-2:] == ["player_left", "table_closed"]
    assert "match_aborted" not in kinds(table)


@pytest.mark.parametrize("how", ["left", "gone for longer than the grace"])
def test_nobody_is_staked_for_another_match_who_is_not_there(how: str, rng: random.Random) -> None:
    table = between_matches(rng)
    if how == "left":
        table.apply(Ask("bayan", Wish.LEAVE))
    else:
        table.apply(Presence("bayan", away=True))
        grace_ms = next_grace_end(table.state)
        assert grace_ms is not None
        table.now_ms = grace_ms
        table.apply(GraceOut(grace_ms))
    table.ring()
    assert table.apply(NextMatch(bytes(range(16)))) == (Closed(),)
    assert "match_aborted" not in kinds(table)


def test_who_is_gone_for_a_moment_is_waited_for_and_staked_then(rng: random.Random) -> None:
    table = between_matches(rng)
    table.ring()
    table.apply(Presence("bayan", away=True))
    table.apply(NextMatch(bytes(range(16))))
    assert not table.settle_once()
    table.apply(Presence("bayan", away=False))
    assert table.settle_once()
    assert table.state.stage is Stage.CEREMONY


@pytest.mark.parametrize("moment", ["funding", "ceremony", "deal"])
def test_an_operators_end_of_a_match_is_told_once(moment: str) -> None:
    table = funding()
    if moment != "funding":
        table.apply(Funded(table.state.match_id))
    if moment == "deal":
        table.settle()
    table.apply(Abort())
    assert kinds(table)[-2:] == ["match_aborted", "table_closed"]
    assert kinds(table).count("match_aborted") == 1
