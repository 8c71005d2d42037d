"""What is drawn in a deal, and what is not."""

from collections import Counter

import pytest

from shared.fairness.closed import NO_HOST, CutKind
from shared.fairness.derive import CODES, DEALER_DRAW, HOST_CUT, cut_due, dealt_hand, derived_starter, faces_of
from shared.fairness.errors import FairnessError
from tests.support.fair_deals import BOT, HUMAN, Ceremony

DEAL = Ceremony("derive").deal()
DRAWS = DEAL.derivation()


def test_the_deck_is_the_106_cards() -> None:
    assert sorted(DRAWS.deck_ids()) == list(range(106))
    assert Counter(DRAWS.deck_faces()) == dict.fromkeys(range(53), 2)
    assert DRAWS.deck_faces() == faces_of(DRAWS.deck_ids())


def test_an_id_is_copy_suit_and_rank_and_the_jokers_come_last() -> None:
    codes = [CODES[face] for face in faces_of(bytes((0, 12, 13, 26, 39, 51, 52, 103, 104, 105)))]
    assert codes == ["AS", "KS", "AH", "AD", "AC", "KC", "AS", "KC", "JK", "JK"]


def test_a_reshuffle_moves_places_whatever_lies_on_them() -> None:
    pile = DRAWS.deck_ids()[:40]
    places = DRAWS.reshuffle(bytes(range(40)), 1)
    assert DRAWS.reshuffle(pile, 1) == bytes(pile[place] for place in places)
    assert DRAWS.reshuffle(faces_of(pile), 1) == faces_of(DRAWS.reshuffle(pile, 1))
    assert DRAWS.reshuffle(pile, 2) != DRAWS.reshuffle(pile, 1)
    assert DRAWS.reshuffle(pile[:1], 1) == pile[:1]


def test_reshuffles_count_from_one_and_a_pile_is_no_more_than_the_deck() -> None:
    for pile, n in ((b"ab", 0), (b"ab", -1), (b"ab", 2**32), (bytes(107), 1)):
        with pytest.raises(FairnessError, match=r"^reshuffle: "):
            DRAWS.reshuffle(pile, n)


def test_the_first_starter_sits_after_the_drawn_dealer() -> None:
    assert derived_starter(DEAL.closed, DRAWS, DEALER_DRAW) == (DRAWS.first_dealer(4) + 1) % 4


def test_the_dealer_is_drawn_in_every_match_of_a_series() -> None:
    second = Ceremony("derive", match_no=2).deal()
    assert derived_starter(second.closed, second.derivation(), DEALER_DRAW) is not None


def test_the_hosts_cut_counts_from_the_host() -> None:
    deal = Ceremony("cut", (HUMAN,) * 4, "banakil202", host=2, cut=77).deal()
    draws = deal.derivation()
    assert derived_starter(deal.closed, draws, HOST_CUT) == draws.starter_by_cut(77, 2, 4)
    offset = (draws.starter_by_cut(77, 0, 4)) % 4
    assert [draws.starter_by_cut(77, host, 4) for host in range(4)] == [(host + offset) % 4 for host in range(4)]


def test_where_the_host_makes_no_cut_the_drawn_one_is_taken() -> None:
    deal = Ceremony("cut", (HUMAN, BOT, HUMAN, HUMAN), "banakil202", host=1).deal()
    draws = deal.derivation()
    assert deal.closed.cut_kind is CutKind.AUTOMATIC
    assert derived_starter(deal.closed, draws, HOST_CUT) == draws.starter_by_cut(draws.automatic_cut(), 1, 4)


def test_every_seat_can_come_out_of_a_cut_and_every_cut_out_of_the_draw() -> None:
    assert {DRAWS.starter_by_cut(cut, 0, 4) for cut in range(1, 106)} == {0, 1, 2, 3}
    cuts = {Ceremony(f"cut {n}").deal().derivation().automatic_cut() for n in range(1_000)}
    assert cuts == set(range(1, 106))


@pytest.mark.parametrize("cut", [0, 106, -1])
def test_a_cut_off_the_deck_is_refused(cut: int) -> None:
    with pytest.raises(FairnessError):
        DRAWS.starter_by_cut(cut, 0, 4)


@pytest.mark.parametrize(
    ("match_no", "deal_no", "rule", "starts", "cut"),
    [(1, 1, DEALER_DRAW, True, False), (3, 1, DEALER_DRAW, True, False), (1, 2, DEALER_DRAW, False, False),
     (1, 1, HOST_CUT, True, True), (2, 1, HOST_CUT, False, False), (1, 2, HOST_CUT, False, False)],
)  # fmt: skip
def test_only_the_first_starter_of_a_match_is_drawn(
    match_no: int, deal_no: int, rule: str, starts: bool, cut: bool
) -> None:
    deal = Ceremony("which", match_no=match_no, deal_no=deal_no, host=0 if cut else NO_HOST, cut=3).deal()
    assert (derived_starter(deal.closed, deal.derivation(), rule) is not None) == starts
    assert cut_due(deal.closed, rule) == cut


def test_a_cut_that_is_due_needs_a_host() -> None:
    with pytest.raises(FairnessError, match=r"^host: "):
        derived_starter(DEAL.closed, DRAWS, HOST_CUT)


@pytest.mark.parametrize(("seats", "starter"), [(4, 0), (4, 3), (2, 1)])
def test_the_starter_gets_nineteen_cards_and_the_others_the_next_eighteen_each(seats: int, starter: int) -> None:
    deck = DRAWS.deck_ids()
    order = [(starter + turn) % seats for turn in range(seats)]
    hands = [dealt_hand(deck, seat, starter, seats) for seat in order]
    assert [len(hand) for hand in hands] == [19] + [18] * (seats - 1)
    assert b"".join(hands) == deck[: 19 + 18 * (seats - 1)]
