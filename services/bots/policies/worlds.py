"""Worlds: the hidden cards, dealt by chance to the others' hands and the stock so that all that was seen fits.

A hand that has had its turn holds nothing that nearly everybody would have laid: no run, no card that fits its team's
melds, no wild beside a pair that it would complete.
"""

from typing import Final, NamedTuple

import numpy as np

from services.bots.policies.lanes import CARD_OF, JOKER_CARD, TWO_CARD, in_runs, lowest, of_hand
from services.bots.policies.reading import unseen_counts
from services.bots.policies.rows import (
    FIRST,
    HIGH,
    JOKERS,
    LOW,
    OPENED,
    SEATS,
    SET,
    TWOS,
    Rows,
    give,
    take_away,
)
from shared.rules.state import DealState
from shared.rules.views import View

MENDINGS: Final = 5
"""Times that a hand gives away a card that it would have laid."""


class Worlds(NamedTuple):
    """A column, or a row of the stock, for each world."""

    hands: Rows
    """The rows of hands; the seat's own are 0."""
    stock: Rows
    """In drawing order; after its end the pile's cards, shuffled, and then 0."""


def sample(view: View, state: DealState, table: Rows, number: int, chance: np.random.Generator) -> Worlds:
    """``number`` worlds. ``table``: the rows that all see, of which those of the teams' melds are looked at."""
    seat = state.turn
    unseen = np.repeat(CARD_OF, unseen_counts(state, seat))
    cards = chance.permuted(np.tile(unseen, (number, 1)), axis=1)
    hands = np.zeros((TWOS + 2 * SEATS, number), dtype=np.int64)
    at = 0
    others = [other for other in range(state.options.seats) if other != seat]
    for other in others:
        for _ in range(view.hand_sizes[other]):
            give(hands, other, cards[:, at])
            at += 1
    stock = cards[:, at:].copy()
    if stock.shape[1]:
        for other in others:
            if _has_laid(state, other):
                _mend(hands, stock, table, other, chance, free=not state.options.partner_needs_opening)
    pile = CARD_OF[list(state.pile[:-1])]
    below = chance.permuted(np.tile(pile, (number, 1)), axis=1)
    return Worlds(hands, np.concatenate([stock, below, np.zeros((number, 1), dtype=np.int64)], axis=1))


def _has_laid(state: DealState, seat: int) -> bool:
    """Whether the seat has laid what it could: has had its turn, and does not hold all back for one (R7.3)."""
    if state.options.one_turn_bonus and state.options.scoring == "team":
        return bool(state.put_down >> seat & 1)
    return (seat - state.starter) % state.options.seats < state.turn_no - 1


def _mend(
    hands: Rows,
    stock: Rows,
    table: Rows,
    seat: int,
    chance: np.random.Generator,
    *,
    free: bool,
) -> None:
    """The seat's hand changes cards that it would have laid for others of the stock."""
    team = seat & 1
    fits = int(table[LOW + team] | table[HIGH + team] | table[SET + team])
    if not (free or table[OPENED + seat]):
        fits = 0
    worlds = np.arange(stock.shape[0])
    for _ in range(MENDINGS):
        cards = in_runs(hands[FIRST + seat])
        beside = cards & cards >> 1
        wild = hands[TWOS + seat] + hands[JOKERS + seat] > 0
        pair = wild & ((beside | cards & cards >> 2) != 0)
        laid = lowest(of_hand((beside & cards >> 2) << 1 | cards & fits))
        two = pair & (laid == 0) & (hands[TWOS + seat] > 0)
        joker = pair & (laid == 0) & ~two
        given = laid + two * TWO_CARD + joker * JOKER_CARD
        if not given.any():
            return
        at = chance.integers(0, stock.shape[1], len(worlds))
        got = np.where(given != 0, stock[worlds, at], 0)
        stock[worlds, at] = np.where(given != 0, given, stock[worlds, at])
        hands[TWOS + seat] -= two
        hands[JOKERS + seat] -= joker
        take_away(hands, seat, laid)
        give(hands, seat, got)
