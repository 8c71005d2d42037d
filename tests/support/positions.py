"""Random options, and random positions in the middle of a deal: all 106 cards, legal melds, and a short stock often."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from shared.rules.cards import CODES, FULL_DECK, IS_PLAIN, JOKER, RANK, RUN_FACES, TWOS, bag_of, codes
from shared.rules.layouts import new_melds
from shared.rules.melds import layout_shape
from shared.rules.options import CHOICES, NAMES, PRESETS, RANGES, Options, make_options
from shared.rules.position import read_position
from shared.rules.state import LAST_TURN, DealState

_NOT_OF_THE_TABLE = ("mode", "turn_seconds", "discard_seconds", "grace_seconds", "stake", "starter")
RULE_OPTIONS = tuple(name for name in NAMES if name not in _NOT_OF_THE_TABLE)
"""The options that change what happens on the table."""

Weight = Callable[[int], float]


def random_options(rng: random.Random, **fixed: object) -> Options:
    """A preset as it is, with one option changed, or with many; `fixed` ones are as given."""
    values: dict[str, object] = {
        "preset": rng.choice(tuple(PRESETS)),
        "mode": rng.choice(("partners",) * 3 + ("duel",)),
    }
    several = rng.choice((0, 1, 1, 3, len(RULE_OPTIONS)))
    for name in rng.sample(RULE_OPTIONS, several):
        values[name] = _random_value(rng, name)
    return make_options({**values, **fixed})


def _random_value(rng: random.Random, name: str) -> object:
    if name == "max_reshuffles":
        return rng.choice((None, 0, 1, 2))
    if name in CHOICES:
        return rng.choice(CHOICES[name])
    if name in RANGES:
        return rng.randint(*RANGES[name])
    return rng.random() < 0.5


def random_position(rng: random.Random, options: Options) -> dict[str, Any]:
    """A position as records hold it: melds with layers of both partners, jokers and twos on the table often."""
    deck = list(FULL_DECK)
    weight = random_taste(rng)
    melds = []
    for _ in range(rng.choice((0, 1, 3, 5, 8))):
        cards = _random_meld(rng, deck, weight, options)
        if cards:
            _take_away(deck, cards)
            owner = rng.randrange(options.seats)
            team = range(owner & 1, options.seats, 2)
            layers = [owner if rng.random() < 0.6 else rng.choice(team) for _ in cards]
            melds.append({"owner": owner, "cards": codes(cards), "layers": layers})
    hands = [_random_hand(rng, deck, weight, options) for _ in range(options.seats)]
    rng.shuffle(deck)
    stock = [deck.pop() for _ in range(min(len(deck), rng.choice((0, 0, 1, 2, 5, 20))))]
    if rng.random() < 0.3:
        pile = [deck.pop() for _ in range(min(len(deck), rng.randrange(3)))]
        for at, face in enumerate(deck):
            hands[at % options.seats].append(face)
    else:
        pile = deck
    phase = rng.choice(("draw", "play"))
    return {
        "hands": [codes(hand) for hand in hands],
        "stock": codes(stock),
        "pile": codes(pile),
        "melds": melds,
        "turn": rng.randrange(options.seats),
        "phase": phase,
        "reshuffles_used": rng.randrange(3),
        "time_up": phase == "play" and rng.random() < 0.05,
    }


def random_middle(rng: random.Random, options: Options) -> DealState:
    """The state of a random position; sometimes few turns before the last (R6.3)."""
    state = read_position(random_position(rng, options), options, 0)
    return state._replace(turn_no=LAST_TURN - rng.randrange(3)) if rng.random() < 0.05 else state


def picked(rng: random.Random, deck: list[int], count: int, weight: Weight) -> list[int]:
    """Some cards taken out of the deck, those that weigh more being likelier."""
    chosen = []
    for _ in range(min(count, len(deck))):
        chosen.append(rng.choices(deck, [weight(face) for face in deck])[0])
        deck.remove(chosen[-1])
    return chosen


def random_taste(rng: random.Random) -> Weight:
    """Which cards come first, so that melds, and hands that fit them, come about, in the corners of the rules too."""
    suits = rng.sample("SHDC", 2)
    kind = rng.choice(("suits", "suits", "suits", "low", "low", "sets", "home of the two"))
    often = {"suits": "", "low": "A3", "sets": "A3", "home of the two": "A345"}[kind]

    def weight(face: int) -> float:
        code = CODES[face]
        if code == "JK":
            return 8
        if kind == "sets":
            return 4 if code[0] in often else 2 if code[0] == "2" else 0.01
        if kind == "home of the two":
            return (8 if code[0] == "2" else 4 if code[0] in often else 0.3) * (1 if code[1] == suits[0] else 0.1)
        if code[0] == "2" or code[0] in often:
            return 3
        return 2 if code[1] in suits else 0.1

    return weight


def stood_for(cards: bytes, options: Options) -> list[int]:
    """The cards that could take the place of a meld's wilds."""
    start, suit = layout_shape(cards, options)
    if start:
        return [RUN_FACES[suit][at - 1] for at, face in enumerate(cards, start) if not IS_PLAIN[face]]
    rank = next(RANK[face] for face in cards if IS_PLAIN[face])
    return [face for face in range(rank - 1, 52, 13) if face not in cards]


def fitting(taste: Weight, melds: Iterable[bytes], options: Options) -> Weight:
    """A taste that likes best what could take a wild's place in these melds."""
    wanted = {face for cards in melds if JOKER in cards or _has_two(cards) for face in stood_for(cards, options)}
    return lambda face: taste(face) + (3 if face in wanted else 0)


def _has_two(cards: bytes) -> bool:
    return any(face in TWOS for face in cards)


def _random_meld(rng: random.Random, deck: Sequence[int], weight: Weight, options: Options) -> bytes:
    cards = picked(rng, list(deck), rng.choice((4, 6, 9, 14)), weight)
    melds = new_melds(bag_of(cards), options)
    if not melds:
        return b""
    return max(melds, key=lambda meld: (len(meld), rng.random())) if rng.random() < 0.4 else rng.choice(sorted(melds))


def _random_hand(rng: random.Random, deck: list[int], weight: Weight, options: Options) -> list[int]:
    """Some cards; or a meld or two with little else, which can go out."""
    if rng.random() < 0.6:
        return picked(rng, deck, rng.choice((1, 2, 4, 7, 12)), weight)
    hand: list[int] = []
    for _ in range(rng.choice((1, 1, 2))):
        cards = _random_meld(rng, deck, weight, options)
        _take_away(deck, cards)
        hand += cards
    return hand + picked(rng, deck, rng.choice((0, 1, 1, 2)) or not hand, weight)


def _take_away(deck: list[int], cards: bytes) -> None:
    assert not Counter(cards) - Counter(deck)
    for face in cards:
        deck.remove(face)
