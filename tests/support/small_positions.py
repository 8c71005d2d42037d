"""Small random positions before a draw, for searches that look at everything: few cards, and those that fit."""

import random

from shared.rules.cards import FULL_DECK, JOKER, RUN_FACES, bag_of
from shared.rules.layouts import new_melds
from shared.rules.melds import Meld, layout_shape
from shared.rules.options import Options
from shared.rules.refusal import RefusedError
from shared.rules.state import DealState, Phase
from tests.support.positions import Weight, fitting, picked, random_options, random_taste


def random_draw_phase(rng: random.Random, *, hand_sizes: tuple[int, ...], partners_only: bool) -> DealState:
    """A small position before the draw: jokers on the team's melds, and the cards they stand for near at hand."""
    options = random_options(rng, pile_take="top_must_meld")
    deck, taste = list(FULL_DECK), random_taste(rng)
    melds = []
    for number in range(1, rng.choice((0, 1, 1, 2, 2, 3)) + 1):
        cards = random_meld(rng, deck, taste, options)
        for face in cards:
            deck.remove(face)
        if cards:
            melds.append((number, cards))
    weight = fitting(taste, (cards for _, cards in melds), options)
    hand, top = picked(rng, deck, rng.choice(hand_sizes), weight), picked(rng, deck, 1, weight)
    owners = (
        (2,) if partners_only and options.mode == "partners" else (0, 1) if options.mode == "duel" else (2, 2, 0, 1)
    )
    table = tuple(
        Meld(number, owner, cards, bytes([owner]) * len(cards), *layout_shape(cards, options))
        for number, (_, cards) in enumerate(melds, 1)
        for owner in [rng.choice(owners)]
    )
    return before_the_draw(options, hand, table, top)


def before_the_draw(options: Options, hand: list[int], melds: tuple[Meld, ...], pile: list[int]) -> DealState:
    opened = 0
    for meld in melds:
        opened |= 1 << meld.owner
    others = (bag_of([deck_card]) for deck_card in range(options.seats - 1))
    return DealState(
        options=options, starter=0, hands=(bag_of(hand), *others), stock=b"\0", pile=bytes(pile), melds=melds, turn=0,
        turn_no=5, phase=Phase.DRAW, time_up=False, duties=0, fallback=None, opened=opened, put_down=opened,
        fresh=not opened & 1, amended_partner=False, reshuffles_used=0, end=None,
    )  # fmt: skip


def random_meld(rng: random.Random, deck: list[int], taste: Weight, options: Options) -> bytes:
    """A meld, with a joker where it can be had; now and then a whole suit, which has room for nothing more."""
    if rng.random() < 0.1:
        return long_run(rng, deck, options)
    for _ in range(5):
        melds = new_melds(bag_of(picked(rng, list(deck), rng.choice((4, 5, 6, 8)), taste)), options)
        with_joker = sorted(cards for cards in melds if JOKER in cards)
        if with_joker and rng.random() < 0.8:
            return rng.choice((rng.choice(with_joker), max(with_joker, key=len)))
        if melds:
            return rng.choice(sorted(melds))
    return b""


def long_run(rng: random.Random, deck: list[int], options: Options) -> bytes:
    cards = bytearray(rng.choice(RUN_FACES))[rng.choice((0, 0, 1)) : rng.choice((14, 14, 13))]
    if rng.random() < 0.8:
        cards[rng.randrange(1, len(cards) - 1)] = JOKER
    try:
        layout_shape(bytes(cards), options)
    except RefusedError:
        return b""
    return bytes(cards) if all(deck.count(face) >= cards.count(face) for face in cards) else b""
