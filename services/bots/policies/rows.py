"""The rows of a play-out: what is known of each deal at a moment, a number in each row, a column for each deal."""

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from services.bots.policies.lanes import JOKER_CARD, PLAIN, TWO_CARD, Column, bit, card_bit, held
from shared.rules.cards import HALF_POINTS, IS_PLAIN, JOKER, RANK
from shared.rules.melds import LONGEST_SET, Meld
from shared.rules.state import DealState

Rows: TypeAlias = npt.NDArray[np.int64]

SEATS: Final = 4
FIRST, SECOND, TWOS, JOKERS, OPENED, LAID = (SEATS * row for row in range(6))
"""Rows of a seat: its plain cards, the second copies among them, its wilds, whether it has opened, what it laid."""
_TEAM: Final = SEATS * 6
LOW, HIGH, SET, JOKER_AT, TWO_AT, ROOM_TWO, ROOM_JOKER = (_TEAM + 2 * row for row in range(7))
"""Rows of a team: below its runs and above, what its sets lack, where wilds stand, how many melds have room for one."""
DEEP: Final = 3
TOP: Final = _TEAM + 14
"""The pile's top card, and the two under it."""
DRAWN: Final = TOP + DEEP
"""How many cards of the stock are gone."""
NUMBER: Final = DRAWN + 1
"""Of the deal, in the order asked."""
KEEP: Final = NUMBER + 1
"""Wilds are kept for new melds by hands of more cards than this."""
ROWS: Final = KEEP + 1
KEPT: Final = 3
"""What ``KEEP`` is in every deal: by play-outs alone, the best for all hands."""


def give(rows: Rows, seat: int, card: Column) -> None:
    """A card more in the seat's hand in each deal; 0 is none."""
    rows[TWOS + seat] += card & TWO_CARD
    rows[JOKERS + seat] += (card & JOKER_CARD) != 0
    plain = card & PLAIN
    rows[SECOND + seat] |= rows[FIRST + seat] & plain
    rows[FIRST + seat] |= plain


def take_away(rows: Rows, seat: int, cards: Column) -> None:
    """Plain cards, one of each, leave the seat's hand in each deal."""
    rows[FIRST + seat] = rows[FIRST + seat] & ~cards | rows[SECOND + seat] & cards
    rows[SECOND + seat] &= ~cards


def rows_of(state: DealState, top: int) -> Rows:
    """What the seat to act knows of the deal, as the rows of a play-out."""
    rows = [0] * ROWS
    seat = state.turn
    for row, number in zip((FIRST, SECOND, TWOS, JOKERS), held(state.hands[seat]), strict=True):
        rows[row + seat] = number
    for other in range(state.options.seats):
        rows[OPENED + other] = state.opened >> other & 1
    for meld in state.melds:
        for face, layer in zip(meld.cards, meld.layers, strict=True):
            rows[LAID + layer] += HALF_POINTS[face]
        (_note_run if meld.start else _note_set)(rows, meld)
    pile = [card_bit(face) & PLAIN for face in state.pile[::-1][:DEEP]]
    for at, card in enumerate(([top & PLAIN, *pile] if top else pile)[:DEEP]):
        rows[TOP + at] = card
    rows[KEEP] = KEPT
    return np.array(rows, dtype=np.int64)


def _note_run(rows: list[int], meld: Meld) -> None:
    team = meld.owner & 1
    rows[LOW + team] |= bit(meld.suit, meld.start - 1)
    rows[HIGH + team] |= bit(meld.suit, meld.start + len(meld.cards))
    two = joker = False
    for at, face in enumerate(meld.cards, meld.start):
        if face == JOKER:
            joker = True
            rows[JOKER_AT + team] |= bit(meld.suit, at)
        elif not IS_PLAIN[face]:
            two = True
            rows[TWO_AT + team] |= bit(meld.suit, at)
    rows[ROOM_TWO + team] += not two
    rows[ROOM_JOKER + team] += not joker


def _note_set(rows: list[int], meld: Meld) -> None:
    team = meld.owner & 1
    plain = [face for face in meld.cards if IS_PLAIN[face]]
    lacking = [card_bit(face) for face in range(RANK[plain[0]] - 1, 52, 13) if face not in plain]
    if JOKER in meld.cards:
        rows[JOKER_AT + team] |= sum(lacking[:1])
    if len(meld.cards) < LONGEST_SET:
        rows[SET + team] |= sum(lacking)
        rows[ROOM_JOKER + team] += JOKER not in meld.cards
