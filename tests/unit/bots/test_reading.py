"""What policies read off a view is what the rules say, slowly worked out."""

import random

from services.bots.policies.danger import Danger, links_with, pairs_with
from services.bots.policies.greedy import Greedy
from services.bots.policies.laying import packed
from services.bots.policies.reading import fits, may_hold_meld, outs, unseen_counts
from services.bots.policies.throwing import throws
from shared.rules.cards import CODES, FACES, FIRST, IS_PLAIN, JOKER, bag_cards, bag_of, codes, parse_card
from shared.rules.layouts import new_layouts
from shared.rules.melds import Meld
from shared.rules.options import Options
from shared.rules.packing import best_melds
from shared.rules.ready import has_meld
from shared.rules.state import DealState
from shared.rules.views import view_of
from tests.support.bot_deals import states
from tests.support.play import random_start
from tests.support.positions import random_options
from tests.support.records import options_of, state_at

SAHRAT, BANAKIL202 = options_of("sahrat"), options_of("banakil202")


def layouts_with(meld: Meld, face: int, options: Options) -> list[bytes]:
    """New layouts of a meld by this card alone; a card of which there would be three is none."""
    if meld.cards.count(face) == 2:
        return []
    return new_layouts(meld, FIRST[face], 0, options)


def test_what_fits_a_meld_is_what_can_be_added_to_it_alone(rng: random.Random) -> None:
    seen: set[tuple[bytes, int]] = set()
    for _ in range(12):
        options = random_options(rng)
        start, _ = random_start(rng, options)
        for meld in [meld for state in states(rng, start, Greedy()) for meld in state.melds]:
            if (meld.cards, id(options)) in seen or rng.random() < 0.5:
                continue
            seen.add((meld.cards, id(options)))
            added, swapped = fits(meld.cards, meld.start, meld.suit, options)
            for face in range(FACES):
                layouts = layouts_with(meld, face, options)
                fitting = any(len(cards) > len(meld.cards) for cards in layouts)
                assert fitting == bool(added & FIRST[face]), (codes(meld.cards), CODES[face], options)
                leaves = JOKER in meld.cards and any(JOKER not in cards for cards in layouts)
                assert leaves == bool(swapped & FIRST[face]), (codes(meld.cards), CODES[face], options)


def test_where_no_card_fits_alone_none_fit_together(rng: random.Random) -> None:
    looked_at = 0
    for _ in range(10):
        start, _ = random_start(rng, random_options(rng))
        for state in states(rng, start, Greedy()):
            hand = state.hands[state.turn]
            for meld in state.melds:
                fitting = fits(meld.cards, meld.start, meld.suit, state.options)
                if not (fitting.added | fitting.swapped) & hand:
                    looked_at += 1
                    layouts = new_layouts(meld, hand, state.turn, state.options)
                    assert not any(len(cards) > len(meld.cards) for cards in layouts)
    assert looked_at > 100


def test_a_quick_look_misses_no_meld(rng: random.Random) -> None:
    nothing = 0
    for _ in range(400):
        options = random_options(rng)
        hand = bag_of(rng.sample([*range(FACES), *range(FACES)], rng.randrange(1, 9)))
        if not may_hold_meld(hand, options):
            nothing += 1
            assert not has_meld(hand, options)
        assert packed(hand, options) == best_melds(hand, options)
    assert nothing > 50


def test_pairs_and_links_are_those_that_the_rules_let_lie(rng: random.Random) -> None:
    for face in filter(IS_PLAIN.__getitem__, range(52)):
        for other in range(52):
            if IS_PLAIN[other] and other != face:
                assert (other in links_with(face)) == has_meld(bag_of([face, other, JOKER]), SAHRAT)
        for pair in [rng.sample(range(52), 2) for _ in range(40)]:
            if all(IS_PLAIN[card] for card in pair) and face not in pair:
                assert (tuple(sorted(pair)) in {tuple(sorted(p)) for p in pairs_with(face)}) == has_meld(
                    bag_of([face, *pair]), SAHRAT
                )


def test_every_card_is_seen_or_unseen(rng: random.Random) -> None:
    start, _ = random_start(rng, SAHRAT)
    for state in states(rng, start, Greedy()):
        hidden = bytes(state.stock) + bytes(
            f for seat in range(4) if seat != state.turn for f in bag_cards(state.hands[seat])
        )
        assert unseen_counts(state, state.turn) == [hidden.count(face) for face in range(FACES)]


def test_outs_are_the_unseen_cards_that_make_a_meld(rng: random.Random) -> None:
    for _ in range(100):
        plain = bag_of(rng.sample([face for face in range(52) if IS_PLAIN[face]], rng.randrange(2, 8)))
        if has_meld(plain, SAHRAT):
            continue
        counts = [rng.randrange(3) for _ in range(FACES)]
        makes = [f for f in range(52) if IS_PLAIN[f] and not plain & FIRST[f] and has_meld(plain | FIRST[f], SAHRAT)]
        assert outs(plain, counts) == sum(counts[face] for face in makes)


def thrown(state: DealState) -> str:
    return CODES[throws(view_of(state, state.turn), state)[0][1]]


def test_what_is_thrown() -> None:
    theirs = {"melds": [(1, "4H 5H 6H")]}
    assert thrown(state_at(SAHRAT, "7H KD")) == "KD"
    assert thrown(state_at(SAHRAT, "7H KD", **theirs)) == "KD", "7H is for the next seat to lay off"
    assert thrown(state_at(SAHRAT, "9C TC 4D", **theirs)) == "4D", "what links is kept"
    assert thrown(state_at(SAHRAT, "7H 4D", melds=[(2, "4H 5H 6H")])) == "4D", "7H is kept for the partner's meld"
    assert thrown(state_at(SAHRAT, "2H JK")) == "2H"
    assert thrown(state_at(SAHRAT, "JK")) == "JK"


def test_a_card_that_was_left_lying_is_the_less_dangerous() -> None:
    state = state_at(SAHRAT, "7H KD", pile="9S 3C")
    left = state_at(SAHRAT, "7H KD", pile="7H 3C")
    seven = parse_card("7H")
    chances = [Danger(view_of(one, 0), one).meld_chance(seven) for one in (state, left)]
    assert 0 < chances[1] < chances[0] < 0.5


def test_only_the_next_seat_can_use_the_top_card_where_no_other_can_be_taken() -> None:
    melds = [(3, "4H 5H 6H")]
    for options, other, expected in ((SAHRAT, 1, False), (BANAKIL202, 1, True), (SAHRAT, 3, True)):
        state = state_at(options, "7H KD", melds=melds)
        turned = state if other == 1 else state._replace(turn=2, hands=state.hands[::-1][1:] + state.hands[:1])
        seat = turned.turn
        assert Danger(view_of(turned, seat), turned).layable(parse_card("7H")) == expected
