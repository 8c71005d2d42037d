"""Hints (R12): what the player whose hand it is could do."""

import random

import pytest

from shared.rules.cards import FULL_DECK, IS_PLAIN, JOKER, Bag, bag_of, bag_size, codes
from shared.rules.events import DealEnded
from shared.rules.evolve import evolve
from shared.rules.hints import Hints, hints_for, hints_json, seat_hints
from shared.rules.legal import legal_actions
from shared.rules.melds import Meld, layout_shape
from shared.rules.options import Options
from shared.rules.packing import Packing
from shared.rules.state import Phase
from shared.rules.views import view_of
from tests.support.positions import random_middle, random_options
from tests.support.records import MeldText, after, options_of, state_at

SAHRAT = options_of()
BANAKIL202 = options_of("banakil202")


def jokers(options: Options, hand: str, *melds: MeldText) -> list[str]:
    found = hints_for(state_at(options, hand, melds=melds)).jokers
    return [f"{meld_id} {codes([face])[0]}" for meld_id, face in found]


def test_the_answer_names_everything_that_could_be_done() -> None:
    """The best melds together, each ready meld, each lay-off and each joker to take back, as the record writes them."""
    state = state_at(SAHRAT, "5H 6H 7H KC KD JD", melds=[(0, "TD JK QD"), (1, "8S 9S TS")])
    assert hints_json(hints_for(state), 0) == {
        "turn": 0,
        "best": {"melds": [["5H", "6H", "7H"]], "points": 2, "left": 3},
        "melds": [["5H", "6H", "7H"]],
        "layoffs": [
            {"id": 1, "cards": ["TD", "JD", "QD"]},
            {"id": 1, "cards": ["TD", "JD", "QD", "KD"]},
            {"id": 1, "cards": ["TD", "JK", "QD", "KD"]},
        ],
        "jokers": [{"id": 1, "card": "JD"}],
        "take": False,
    }


def test_points_keep_their_half() -> None:
    """Half a point is written as one, and whole points without a fraction."""
    best = hints_json(hints_for(state_at(SAHRAT, "3H 4H 5H KC")), 0)["best"]
    assert best == {"melds": [["3H", "4H", "5H"]], "points": 1.5, "left": 1}


def test_melds_and_lay_offs_are_those_that_are_legal(rng: random.Random) -> None:
    """In play, hints list just what ``legal`` lists."""
    compared = 0
    while compared < 60:
        state = random_middle(rng, random_options(rng))
        if state.phase is Phase.PLAY:
            hints, legal = hints_for(state), legal_actions(state)
            assert (hints.melds, hints.layoffs, hints.take) == (legal.melds, legal.amends, False)
            compared += 1


def test_a_joker_comes_back_for_a_card_that_an_accepted_layout_has_in_its_place(rng: random.Random) -> None:
    """The jokers named are those that some lay-off gives back, each with the cards that replace it."""
    named = 0
    for _ in range(200):
        state = random_middle(rng, random_options(rng))
        hints = hints_for(state)
        released: set[tuple[int, int]] = set()
        for meld_id, cards in hints.layoffs:
            meld = state.melds[meld_id - 1]
            if JOKER in meld.cards and JOKER not in cards:
                released.update((meld_id, face) for face in _in_its_place(meld, cards, state.options))
        assert set(hints.jokers) == released
        assert len(set(hints.jokers)) == len(hints.jokers)
        named += len(released)
    assert named


def _in_its_place(meld: Meld, cards: bytes, options: Options) -> list[int]:
    """The card at the joker's position of a run; in a set, each card of a new suit."""
    if meld.start:
        return [cards[meld.start + meld.cards.index(JOKER) - layout_shape(cards, options).start]]
    return [face for face in cards if IS_PLAIN[face] and face not in meld.cards]


def test_a_run_gives_its_joker_for_the_card_it_stands_for() -> None:
    """R5.5c: that rank and suit, from the hand."""
    assert jokers(SAHRAT, "6H 6S KC", (0, "5H JK 7H")) == ["1 6H"]
    assert jokers(SAHRAT, "6S 8H KC", (0, "5H JK 7H")) == []


def test_a_set_gives_its_joker_for_each_suit_it_lacks() -> None:
    """R5.5c: a card of any suit that the set lacked, by code."""
    assert jokers(SAHRAT, "AD AC AS KC", (0, "AS AH JK")) == ["1 AC", "1 AD"]


def test_a_partners_joker_waits_for_an_opening_where_the_option_says_so() -> None:
    """R5.5h holds for swaps and for lay-offs."""
    partners = (2, "5H JK 7H")
    assert jokers(SAHRAT, "6H KC", partners) == []
    assert jokers(BANAKIL202, "6H KC", partners) == ["1 6H"]
    assert jokers(SAHRAT, "6H KC", partners, (0, "9S TS JS")) == ["1 6H"]
    assert hints_for(state_at(SAHRAT, "8H KC", melds=[partners])).layoffs == ()


def test_the_other_teams_joker_is_out_of_reach() -> None:
    """R5.5h: the other team's melds never."""
    for options in (SAHRAT, BANAKIL202):
        assert jokers(options, "6H KC", (1, "5H JK 7H")) == []


def test_the_two_of_the_suit_gives_no_joker_where_a_second_two_would_be_too_many() -> None:
    """Position 2 takes the two of the suit only if it is natural there, or the meld has no other (R4.1, R4.5)."""
    meld = (0, "AH JK 3H 2S")
    assert jokers(SAHRAT, "2H KC", meld) == []
    assert jokers(BANAKIL202, "2H KC", meld) == ["1 2H"]


@pytest.mark.parametrize(("hand", "take"), [("5H 6H KC", True), ("5H 8H KC", False)])
def test_before_the_draw_the_top_card_is_spoken_of(hand: str, take: bool) -> None:
    """Under ``top_must_meld``: whether it could be used, with the rest told of the hand as it is (R5.3)."""
    hints = hints_for(state_at(SAHRAT, hand, pile="9D 7H", phase="draw"))
    assert hints.take is take
    assert hints.melds == ()


def test_the_top_card_is_not_spoken_of_where_it_may_be_taken_anyway() -> None:
    """Under ``any_depth`` there is no duty to use it (R5.2)."""
    assert not hints_for(state_at(BANAKIL202, "5H 6H KC", pile="9D 7H", phase="draw")).take


def test_the_top_card_is_not_spoken_of_once_a_card_is_drawn() -> None:
    """In play nothing can be taken from the pile."""
    state = state_at(SAHRAT, "5H 6H KC", pile="9D 7H", phase="draw")
    assert not hints_for(after(state, "0 draw")).take


def test_once_time_is_up_there_is_nothing_to_lay() -> None:
    """After R9.2 only a discard is taken: all cards are left."""
    state = state_at(SAHRAT, "5H 6H 7H 8H", melds=[(0, "9H TH JH")], time_up=True)
    assert hints_for(state) == Hints(Packing((), 0, 4), (), (), (), False)


def test_after_the_deal_there_are_no_hints() -> None:
    """What is left in the hand is left, and nobody is to act."""
    over = evolve(state_at(SAHRAT, "5H 6H 7H 8H"), DealEnded("dead", None, False))
    assert hints_for(over) == Hints(Packing((), 0, 4), (), (), (), False)
    assert seat_hints(view_of(over, 2)) == Hints(Packing((), 0, 1), (), (), (), False)


def test_the_public_gets_none() -> None:
    """Hints are for the player whose hand it is."""
    assert seat_hints(view_of(state_at(SAHRAT, "5H 6H 7H KC"), None)) is None


def test_a_view_is_enough_for_the_seat_to_act(rng: random.Random) -> None:
    """From its view a seat to act gets the hints of the state, the pile's top card included."""
    for _ in range(100):
        state = random_middle(rng, random_options(rng))
        assert seat_hints(view_of(state, state.turn)) == hints_for(state)


def test_between_turns_a_seat_sees_what_its_hand_could_lay() -> None:
    """As if it were its turn and it had drawn; the pile is another's to take from."""
    others = ("5H 6H 7H 8D KC", "9C", "9C")
    state = state_at(SAHRAT, "4C", others=others, melds=[(1, "9D TD JD")], pile="8H", phase="draw")
    hints = seat_hints(view_of(state, 1))
    assert hints is not None
    assert [codes(cards) for cards in hints.melds] == [["5H", "6H", "7H"]]
    assert [(meld_id, codes(cards)) for meld_id, cards in hints.layoffs] == [(1, ["8D", "9D", "TD", "JD"])]
    assert (hints.best.left, hints.take) == (2, False)


def test_another_seats_time_running_out_takes_no_hints_away() -> None:
    """The clock of the seat to act is not one's own."""
    state = state_at(SAHRAT, "4C 4D", others=("5H 6H 7H KC", "9C", "9C"), time_up=True)
    hints = seat_hints(view_of(state, 1))
    assert hints is not None
    assert len(hints.melds) == 1


def test_hints_tell_nothing_of_hidden_cards(rng: random.Random) -> None:
    """Two states that differ only in cards hidden from a seat give it equal hints."""
    for _ in range(60):
        state = random_middle(rng, random_options(rng))
        seat = rng.randrange(state.options.seats)
        hands = [state.hands[seat] if at == seat else _as_many(rng, hand) for at, hand in enumerate(state.hands)]
        other = state._replace(hands=tuple(hands), stock=bytes(rng.sample(FULL_DECK, len(state.stock))))
        assert seat_hints(view_of(other, seat)) == seat_hints(view_of(state, seat))


def _as_many(rng: random.Random, hand: Bag) -> Bag:
    return bag_of(rng.sample(FULL_DECK, bag_size(hand)))
