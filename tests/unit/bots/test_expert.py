"""The expert: that its choice follows from its view alone, keeps within its time, and is better than chance."""

import json
import os
import subprocess
import sys

import pytest

from services.bots.arena.contest import Contest, play_pairs
from services.bots.arena.deals import cards_of
from services.bots.arena.report import report, without_times
from services.bots.policies import expert
from services.bots.policies.considering import options_of
from services.bots.policies.expert import BUDGET_S, Expert
from services.bots.policies.finishing import finishing_throw
from services.bots.policies.safe import Safe
from services.bots.policies.seat import seat_to_act
from services.bots.policies.strong import Strong
from shared.rules.actions import Discard
from shared.rules.cards import bag_of, parse_card
from shared.rules.engine import apply
from shared.rules.options import SAHRAT, preset_options
from shared.rules.state import DealState, Phase, start_deal
from shared.rules.views import view_of
from tests.support.bot_deals import PRESETS

ARENA = ("arena", "--a", "expert", "--b", "strong", "--pairs", "3", "--seed", "131", "--playouts", "24", "--json")


def moments(preset: str, mode: str, seed: str, most: int) -> list[DealState]:
    """States of a deal between safe players at which there is something to weigh."""
    cards = cards_of(preset_options(preset, mode), 0, seed)
    state = start_deal(cards.options, 0, cards.deck)
    found: list[DealState] = []
    while state.end is None and len(found) < most:
        view = view_of(state, state.turn)
        if len(options_of(view, state, Safe())) > 1:
            found.append(state)
        state = apply(state, Safe().choose(view))[1]
    return found


class Clock:
    """So much later, in seconds, whenever it is asked."""

    def __init__(self, slowness: float) -> None:
        self.slowness = slowness
        self.said = -slowness

    def __call__(self) -> float:
        self.said += self.slowness
        return self.said


def hand(codes: str) -> int:
    return bag_of(map(parse_card, codes.split()))


def test_equal_arguments_play_the_same_again_also_in_other_processes() -> None:
    contest = Contest(SAHRAT, "expert", "safe", 5, playouts=24)
    one, other = (without_times(report(contest, list(play_pairs(contest, 2, jobs)), 1e6)) for jobs in (1, 2))
    assert one == other


def test_two_runs_of_the_arena_print_the_same_however_their_processes_hash() -> None:
    told = []
    for hash_seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-m", "shared.cli", *ARENA],
            env={**os.environ, "PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        told.append(without_times(json.loads(ran.stdout)))
    assert told[0] == told[1]


@pytest.mark.parametrize(("preset", "mode"), PRESETS)
def test_a_choice_follows_from_the_view_and_the_number_of_play_outs(preset: str, mode: str) -> None:
    for state in moments(preset, mode, "again", 6):
        view = view_of(state, state.turn)
        assert Expert(Safe(), 60).choose(view) == Expert(Safe(), 60).choose(view)


def test_it_never_goes_on_beyond_its_time_however_slow_the_clock_finds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expert, "MOST", 10**9)
    monkeypatch.setattr(expert, "ROUND", 16)
    for slowness in (0.001, 0.01, 0.03, 0.05):
        for state in moments("sahrat", "partners", "time", 4):
            clock = Clock(slowness)
            Expert(Safe(), None, clock).choose(view_of(state, state.turn))
            assert clock.said <= BUDGET_S


def test_without_time_for_a_single_play_out_the_choice_is_the_base_players() -> None:
    for state in moments("banakil202", "partners", "late", 4):
        view = view_of(state, state.turn)
        assert Expert(Safe(), None, Clock(1.0)).choose(view) == Safe().choose(view)


def test_who_can_go_out_does_so() -> None:
    start = start_deal(SAHRAT, 0, cards_of(SAHRAT, 0, "out").deck)
    state = start._replace(hands=(hand("4S 5S 6S KD"), *start.hands[1:]), phase=Phase.PLAY)
    for _ in range(2):
        state = apply(state, Expert(Safe(), 40).choose(view_of(state, 0)))[1]
    assert state.end is not None
    assert state.end.finisher == 0


def test_whoever_waits_to_lay_all_at_once_waits_and_keeps_what_may_end_it() -> None:
    start = start_deal(SAHRAT, 0, cards_of(SAHRAT, 0, "wait").deck)
    mine = hand("3S 4S 5S 6S 7S 8S 9H TH JH QH KH 9C TC JC QC 4D 5D 7S KD")
    view = view_of(start._replace(hands=(mine, *start.hands[1:])), 0)
    assert isinstance(Strong().choose(view), Discard)
    assert Expert(Strong(), 60).choose(view) in (Discard(0, parse_card("7S")), Discard(0, parse_card("KD")))
    assert finishing_throw(view, seat_to_act(view)) is not None
    laid = view_of(start._replace(hands=(hand("4D 5D KD"), *start.hands[1:]), put_down=1, opened=1), 0)
    assert finishing_throw(laid, seat_to_act(laid)) is None


def test_once_time_is_up_it_throws_what_strong_would() -> None:
    start = start_deal(SAHRAT, 0, cards_of(SAHRAT, 0, "late").deck)
    mine = hand("2H 2H 2D 2C 5H 5D 5C 6C 7C 8S 9H 9D 9C TC JH JD QD QC KC")
    late = view_of(start._replace(hands=(mine, *start.hands[1:]), time_up=True), 0)
    assert Expert(Strong(), 60).choose(late) == Strong().choose(late)


def test_it_goes_its_own_way_where_play_outs_say_so_and_only_then() -> None:
    same = []
    for preset, mode in PRESETS:
        for state in moments(preset, mode, "own way", 12):
            view = view_of(state, state.turn)
            same.append(Expert(Strong(), 240).choose(view) == Strong().choose(view))
    assert 0.3 < sum(same) / len(same) < 1
