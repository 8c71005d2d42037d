"""Play-outs: that they are like the game, as far as they have to be; and the worlds that they are played in."""

import random
from collections import Counter
from statistics import fmean

import numpy as np
import pytest

from services.bots.arena.deals import Times, cards_of, play_deal
from services.bots.policies.lanes import CARD_OF, PLAIN, TWO_CARD, bit, card_bit, held, in_runs, lowest, value
from services.bots.policies.playout import Playout, Setting
from services.bots.policies.rows import (
    FIRST,
    JOKERS,
    LAID,
    NUMBER,
    OPENED,
    SEATS,
    SECOND,
    TOP,
    TWOS,
    Rows,
    give,
    rows_of,
)
from services.bots.policies.safe import Safe
from services.bots.policies.seat import seat_to_act
from services.bots.policies.worlds import Worlds, sample
from shared.rules.cards import FACES, HALF_POINTS, JOKER, bag_of, parse_card
from shared.rules.cards import TWOS as TWO_FACES
from shared.rules.engine import apply
from shared.rules.options import SAHRAT, preset_options
from shared.rules.state import DealState, start_deal
from shared.rules.views import view_of
from tests.support.bot_deals import PRESETS, states
from tests.support.play import random_start

DEALS = 48


def hands_of(state: DealState, worlds: Worlds, seat: int, world: int) -> Counter[int]:
    """The cards of a hand in a world, as numbers of lanes."""
    rows = worlds.hands[:, world]
    cards: Counter[int] = Counter({TWO_CARD: int(rows[TWOS + seat]), card_bit(JOKER): int(rows[JOKERS + seat])})
    for face in range(FACES):
        for row in (FIRST, SECOND):
            if card_bit(face) & PLAIN & int(rows[row + seat]):
                cards[card_bit(face)] += 1
    return +cards


def test_a_card_has_one_number_and_one_value() -> None:
    hand = bag_of(map(parse_card, ["AS", "AS", "2D", "2H", "3C", "TD", "KC", "JK"]))
    assert held(hand) == (bit(0, 1) | bit(3, 3) | bit(2, 10) | bit(3, 13), bit(0, 1), 2, 1)
    plain = np.array([card_bit(face) for face in range(FACES) if face != JOKER and face not in TWO_FACES])
    points = [HALF_POINTS[face] for face in range(FACES) if face != JOKER and face not in TWO_FACES]
    assert value(plain).tolist() == points
    assert in_runs(np.array([bit(1, 1) | bit(1, 5)])).tolist() == [bit(1, 1) | bit(1, 5) | bit(1, 14)]
    assert lowest(np.array([12, 0])).tolist() == [4, 0]
    assert bit(2, 0) == bit(2, 15) == 0


def test_every_world_holds_the_unseen_cards_and_hands_of_the_right_size(rng: random.Random) -> None:
    for preset, mode in PRESETS:
        start, _ = random_start(rng, preset_options(preset, mode))
        for number, state in enumerate(states(rng, start, Safe())):
            if state.end is not None or number % 7:
                continue
            view, seat = view_of(state, state.turn), state.turn
            table = rows_of(seat_to_act(view), 0)
            worlds = sample(view, seat_to_act(view), table, 3, np.random.default_rng(rng.randrange(1 << 32)))
            hidden = Counter(int(CARD_OF[face]) for face in state.stock)
            for other in range(state.options.seats):
                cards = [
                    face for face in range(FACES) for plane in (0, FACES) if state.hands[other] >> face + plane & 1
                ]
                hidden += Counter(int(CARD_OF[face]) for face in cards if other != seat)
            for world in range(3):
                dealt = Counter(map(int, worlds.stock[world, : len(state.stock)]))
                for other in range(state.options.seats):
                    hand = hands_of(state, worlds, other, world)
                    assert hand.total() == (view.hand_sizes[other] if other != seat else 0)
                    dealt += hand
                assert dealt == hidden


def test_a_hand_that_had_its_turn_seldom_holds_a_run_in_any_world() -> None:
    cards = cards_of(SAHRAT, 0, "worlds")
    state = start_deal(SAHRAT, 0, cards.deck)
    while state.turn_no < 6:
        state = apply(state, Safe().choose(view_of(state, state.turn)))[1]
    view = view_of(state, state.turn)
    table = rows_of(seat_to_act(view), 0)
    worlds = sample(view, seat_to_act(view), table, 400, np.random.default_rng(1))
    for other in range(4):
        hand = in_runs(worlds.hands[FIRST + other])
        assert np.mean((hand & hand >> 1 & hand >> 2) != 0) < 0.1


def dealt(preset: str, mode: str) -> tuple[Rows, Rows]:
    """The start of some deals, all hands known."""
    options = preset_options(preset, mode)
    columns, stocks = [], []
    for number in range(DEALS):
        deck = cards_of(options, 0, f"like {number}").deck
        state = start_deal(options, 0, deck)
        rows = np.zeros((4 * SEATS, 1), dtype=np.int64)
        for seat, hand in enumerate(state.hands):
            for face in range(FACES):
                for plane in (0, FACES):
                    if hand >> face + plane & 1:
                        give(rows, seat, np.array([CARD_OF[face]]))
        column = rows_of(state, 0)
        column[: 4 * SEATS] = rows[:, 0]
        column[NUMBER] = number
        columns.append(column)
        stocks.append(CARD_OF[list(state.stock)])
    return np.stack(columns, axis=1), np.stack(stocks)


@pytest.mark.parametrize(("preset", "mode"), PRESETS)
def test_deals_end_much_as_they_do_in_the_game(preset: str, mode: str) -> None:
    options = preset_options(preset, mode)
    real = [
        play_deal(cards_of(options, 0, f"like {number}"), [Safe()] * 4, [Times([], [])] * 4) for number in range(DEALS)
    ]
    playout = Playout(Setting(options, 0, True, longest=60, few=DEALS + 1), *dealt(preset, mode))
    gaps = playout.run()
    assert fmean(playout.turns) == pytest.approx(fmean(deal.turns for deal in real), rel=0.25)
    for team in (0, 1):
        points = fmean(playout.ended[team])
        assert points == pytest.approx(fmean(deal.teams[team] for deal in real), abs=16)
    assert np.corrcoef(gaps, [deal.teams[0] - deal.teams[1] for deal in real])[0, 1] > 0.3


def test_what_is_laid_held_and_thrown_is_what_was_dealt() -> None:
    rows, stock = dealt("sahrat", "partners")
    playout = Playout(Setting(SAHRAT, 0, True), rows, stock)
    sizes = playout.size(0)
    playout.lay(0)
    rest = playout.size(0)
    assert (rest <= sizes).all()
    assert ((playout.rows[LAID] > 0) == (playout.rows[OPENED] > 0)).all()
    assert rest.mean() < 12
    assert playout.rows[TOP].max() == 0
