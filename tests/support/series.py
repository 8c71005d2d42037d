"""Series of three played at random, with fair values in every deal, as the records that a table would give."""

import random
from dataclasses import dataclass, field
from typing import Any

from shared.fairness.closed import NO_HOST
from shared.fairness.derive import HOST_CUT
from shared.fairness.fair_deal import FairDeal
from shared.fairness.fair_json import write_fair
from shared.rules.action_text import action_text
from shared.rules.match import MatchState, after_deal, next_starter
from shared.rules.options import Options
from shared.rules.replay import drawn_starter, options_rules_id
from shared.rules.scoring import score_deal
from shared.rules.series import SeriesState, after_match, starter_of_later_match, swap_seats
from shared.rules.series_record import write_match, write_series
from shared.rules.state import DealState, start_deal
from tests.support.fair_deals import BOT, HUMAN, Ceremony, drawn
from tests.support.play import Temper, play

BRISK = Temper(meld=0.9, amend=0.9, timeout=0.0, mischief=0.0)
KINDS = (HUMAN, HUMAN, HUMAN, BOT)
ACCOUNTS = ("p0", "p1", "p2", "p3")


@dataclass(slots=True)
class PlayedSeries:
    """A series as it was played."""

    record: dict[str, Any]
    series: SeriesState
    starters: list[list[int]] = field(default_factory=list)
    """Of each match, who started its deals."""


def play_series(rng: random.Random, options: Options, swapped: tuple[int, ...] = ()) -> PlayedSeries:
    """Plays to the series' end; the partners of these teams swap seats after the first match."""
    seed, series, matches = f"series {rng.random()}", SeriesState(options), []
    played = PlayedSeries({}, series)
    winner: int | None = None
    while series.winner is None:
        swaps = swapped if series.match_no == 2 else ()
        for team in swaps:
            series = swap_seats(series, team)
        deals, starters, winner = _play_match(rng, seed, series, winner)
        matches.append(write_match(deals, swaps))
        played.starters.append(starters)
        series = after_match(series, winner)
    played.record = write_series(options, matches, [f"player {seat}" for seat in range(options.seats)])
    played.series = series
    return played


def _play_match(
    rng: random.Random, seed: str, series: SeriesState, last_winner: int | None
) -> tuple[list[object], list[int], int]:
    options, match = series.options, MatchState(series.options)
    deals: list[object] = []
    starters: list[int] = []
    while match.winner is None:
        fair = _shuffled(rng, seed, series, match.deals + 1)
        starter = next_starter(starters[-1], options) if starters else drawn_starter(fair, options)
        if starter is None:
            assert last_winner is not None
            starter = starter_of_later_match(last_winner)
        end, actions = _play_deal(rng, options, starter, fair)
        deals.append({"starter": starter, "fair": write_fair(fair), "actions": actions})
        starters.append(starter)
        match = after_deal(match, score_deal(end).teams)
    return deals, starters, match.winner


def _shuffled(rng: random.Random, seed: str, series: SeriesState, deal_no: int) -> FairDeal:
    options = series.options
    seating = series.seating or tuple(range(options.seats))
    cut_due = options.starter == HOST_CUT and (series.match_no, deal_no) == (1, 1)
    return Ceremony(
        seed=f"{seed}/{series.match_no}",
        kinds=tuple(KINDS[place] for place in seating),
        accounts=tuple(ACCOUNTS[place] for place in seating),
        rules=options_rules_id(options),
        match_no=series.match_no,
        deal_no=deal_no,
        host=0 if cut_due else NO_HOST,
        cut=rng.randrange(1, 106) if cut_due else 0,
        series=drawn(f"{seed}/1", "match", 16),
    ).deal()


def _play_deal(rng: random.Random, options: Options, starter: int, fair: FairDeal) -> tuple[DealState, list[str]]:
    derivation = fair.derivation()
    state = start_deal(options, starter, derivation.deck_faces())
    made = 0

    def new_stock(pile: bytes) -> bytes:
        nonlocal made
        made += 1
        return derivation.reshuffle(pile, made)

    actions = []
    for step in play(rng, state, BRISK, new_stock=new_stock):
        state = step.after
        if step.action is not None and step.refused is None:
            actions.append(action_text(step.action))
    return state, actions
