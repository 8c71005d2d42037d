"""Random layouts for legality vectors: legal ones, and ones that miss by little."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from shared.rules.cards import FACES, IS_PLAIN, JOKER, RANK, RUN_FACES, SUIT, TWOS, Face
from shared.rules.options import SAHRAT, Options, TwoMove
from shared.rules.refusal import Code

LAYOUT_CODES: Final = (
    Code.MELD_TOO_SHORT,
    Code.TOO_MANY_JOKERS,
    Code.TOO_MANY_TWOS,
    Code.NOT_ENOUGH_REAL_CARDS,
    Code.RUN_SUITS_DIFFER,
    Code.RUN_NOT_CONSECUTIVE,
    Code.RUN_OUT_OF_RANGE,
    Code.SET_RANK_NOT_ALLOWED,
    Code.SET_SUIT_REPEATED,
    Code.SET_TOO_LONG,
    Code.TWO_IN_SET_NOT_ALLOWED,
)
"""Why a layout is no meld (R4)."""
LAYOUT_FLAGS: Final = ("min_real", "twos_in_sets", "natural_two_is_real")
"""The options that R4 looks at."""
TWO_MOVES: Final[tuple[TwoMove, ...]] = ("displaced_only", "free")

Cards = list[Face]


def random_options(rng: random.Random) -> Options:
    """Any mixture of the options that R4 and R5.5 look at."""
    return replace(
        SAHRAT,
        min_real=rng.choice((1, 2)),
        twos_in_sets=rng.random() < 0.5,
        natural_two_is_real=rng.random() < 0.5,
        two_move=rng.choice(TWO_MOVES),
        partner_needs_opening=rng.random() < 0.5,
    )


def random_layout(rng: random.Random) -> Cards:
    """A run or a set as players lay them, most of them legal."""
    cards = _random_set(rng) if rng.random() < 0.25 else _random_run(rng)
    if rng.random() < 0.45:
        cards[rng.randrange(len(cards))] = JOKER
    if rng.random() < 0.45:
        cards[rng.randrange(len(cards))] = rng.choice(TWOS)
    return cards


def near_miss(cards: Cards, rng: random.Random) -> Cards:
    """The layout with a small change or two."""
    for _ in range(rng.choice((1, 1, 1, 2))):
        cards = rng.choice(_CHANGES)(list(cards), rng) if cards else cards
    return cards


def _random_run(rng: random.Random) -> Cards:
    length = min(rng.choice((3, 3, 3, 4, 4, 5, 6, 9, 13, 14)), 14)
    first = rng.choice((0, rng.randint(0, 14 - length), 14 - length))
    return list(RUN_FACES[rng.randrange(4)][first : first + length])


def _random_set(rng: random.Random) -> Cards:
    rank = rng.choice((0, 0, 2, 2, rng.randrange(13)))
    return [suit * 13 + rank for suit in rng.sample(range(4), rng.choice((3, 3, 4)))]


def _drop(cards: Cards, rng: random.Random) -> Cards:
    del cards[rng.randrange(len(cards))]
    return cards


def _replace(cards: Cards, rng: random.Random) -> Cards:
    cards[rng.randrange(len(cards))] = rng.randrange(FACES)
    return cards


def _swap(cards: Cards, rng: random.Random) -> Cards:
    one, other = rng.randrange(len(cards)), rng.randrange(len(cards))
    cards[one], cards[other] = cards[other], cards[one]
    return cards


def _add_wild(cards: Cards, rng: random.Random) -> Cards:
    cards.insert(rng.choice((0, len(cards), rng.randint(0, len(cards)))), rng.choice((JOKER, *TWOS)))
    return cards


def _repeat(cards: Cards, rng: random.Random) -> Cards:
    cards.insert(rng.randint(0, len(cards)), rng.choice(cards))
    return cards


def _change_suit(cards: Cards, rng: random.Random) -> Cards:
    at = rng.randrange(len(cards))
    if cards[at] != JOKER:
        cards[at] = rng.randrange(4) * 13 + RANK[cards[at]] - 1
    return cards


def _extend(cards: Cards, rng: random.Random) -> Cards:
    """The next card of the suit at either end, past the ace as well."""
    at_end = rng.random() < 0.5
    end = cards[-1 if at_end else 0]
    if end == JOKER:
        return _add_wild(cards, rng)
    following = SUIT[end] * 13 + (RANK[end] - 1 + (1 if at_end else -1)) % 13
    cards.insert(len(cards) if at_end else 0, following)
    return cards


def _move_wild(cards: Cards, rng: random.Random) -> Cards:
    """A joker or a two stands elsewhere, its old place closed up or filled with the card that it stood for."""
    wilds = [at for at, face in enumerate(cards) if not IS_PLAIN[face]]
    if not wilds:
        return _extend(cards, rng)
    at = rng.choice(wilds)
    wild, before = cards[at], cards[at - 1]
    if at and before != JOKER and rng.random() < 0.6:
        cards[at] = SUIT[before] * 13 + RANK[before] % 13
    else:
        del cards[at]
    cards.insert(rng.choice((0, len(cards), rng.randint(0, len(cards)))), wild)
    return cards


def _reverse(cards: Cards, rng: random.Random) -> Cards:
    return cards[::-1]


def _shorten(cards: Cards, rng: random.Random) -> Cards:
    return cards[: rng.randint(1, 2)]


_CHANGES: Final[tuple[Callable[[Cards, random.Random], Cards], ...]] = (
    _drop, _replace, _swap, _add_wild, _add_wild, _repeat, _change_suit, _extend, _extend, _move_wild, _move_wild,
    _reverse, _shorten,
)  # fmt: skip
