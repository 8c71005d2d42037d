"""How a deal begins (R3), and what a state knows of itself."""

import random

import pytest

from shared.rules.cards import FULL_DECK, bag_cards, bag_of, bag_size, codes
from shared.rules.refusal import RecordError
from shared.rules.state import Phase, all_cards, next_seat, same_team, start_deal
from tests.support.play import random_deck
from tests.support.records import options_of, state_at

SAHRAT, DUEL = options_of(), options_of(mode="duel")


@pytest.mark.parametrize("starter", range(4))
def test_the_starter_has_19_cards_and_the_others_18_in_playing_order(starter: int, rng: random.Random) -> None:
    deck = random_deck(rng)
    state = start_deal(SAHRAT, starter, deck)
    at = 0
    for turn in range(4):
        count = 19 if turn == 0 else 18
        assert bag_cards(state.hands[(starter + turn) % 4]) == bag_cards(bag_of(deck[at : at + count]))
        at += count
    assert state.stock == deck[73:]
    assert (state.pile, state.melds, state.turn, state.turn_no) == (b"", (), starter, 1)
    assert (state.phase, state.starter, state.fresh) == (Phase.PLAY, starter, True)
    assert all_cards(state) == sorted(FULL_DECK)


def test_a_duel_leaves_69_in_the_stock(rng: random.Random) -> None:
    state = start_deal(DUEL, 1, random_deck(rng))
    assert [bag_size(hand) for hand in state.hands] == [18, 19]
    assert len(state.stock) == 69


@pytest.mark.parametrize("deck", [b"", FULL_DECK[:-1], FULL_DECK[1:] + FULL_DECK[1:2], FULL_DECK + b"\0", bytes(106)])
def test_a_deck_is_the_106_cards(deck: bytes) -> None:
    with pytest.raises(RecordError):
        start_deal(SAHRAT, 0, deck)


def test_the_starter_is_a_seat_of_the_table() -> None:
    for options, starter in ((SAHRAT, 4), (SAHRAT, -1), (DUEL, 2)):
        with pytest.raises(RecordError):
            start_deal(options, starter, FULL_DECK)


def test_partners_sit_across_and_play_goes_on_by_one() -> None:
    assert [seat for seat in range(4) if same_team(0, seat)] == [0, 2]
    assert [seat for seat in range(4) if same_team(3, seat)] == [1, 3]
    assert [next_seat(seat, SAHRAT) for seat in range(4)] == [1, 2, 3, 0]
    assert [next_seat(seat, DUEL) for seat in range(2)] == [1, 0]


@pytest.mark.parametrize(
    ("pile", "used", "most", "may"),
    [
        ("4D 5D", 0, None, True),
        ("4D 5D", 99, None, True),
        ("4D", 0, None, False),
        ("", 0, None, False),
        ("4D 5D", 1, 2, True),
        ("4D 5D", 2, 2, False),
        ("4D 5D", 0, 0, False),
    ],
)
def test_when_the_pile_may_become_a_stock(pile: str, used: int, most: int | None, may: bool) -> None:
    options = options_of(max_reshuffles=most)
    state = state_at(options, "9D", pile=pile, stock="", phase="draw", reshuffles_used=used)
    assert state.may_reshuffle == may
    assert state.reshuffle_due == may
    assert not state._replace(phase=Phase.PLAY).reshuffle_due
    assert not state._replace(stock=b"\0").reshuffle_due


def test_a_hand_is_told_by_rank() -> None:
    assert codes(bag_cards(state_at(SAHRAT, "JK 9D AS 2C").hands[0])) == ["AS", "2C", "9D", "JK"]
