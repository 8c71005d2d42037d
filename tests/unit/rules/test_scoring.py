"""The score of a deal (R7): the corners that single cases show best; whole deals are in the property tests."""

import pytest

from shared.rules.scoring import DealScore, score_deal
from tests.support.records import MeldText, after, options_of, state_at

SAHRAT, OTHER = options_of(), options_of("banakil202")


def score(preset: str, hand: str, *actions: str, melds: tuple[MeldText, ...] = (), **changed: object) -> DealScore:
    return score_deal(after(state_at(options_of(preset, **changed), hand, melds=melds, pile="4D"), *actions))


def test_a_deal_that_goes_on_has_no_score() -> None:
    with pytest.raises(ValueError, match="not ended"):
        score_deal(state_at(SAHRAT, "9D"))


@pytest.mark.parametrize(
    ("melds", "actions", "bonus"),
    [
        ((), ("0 meld 5H 6H 7H", "0 discard KD"), 204),
        (((1, "TS JS QS"),), ("0 meld 5H 6H 7H", "0 discard KD"), 102),
        (((3, "TS JS QS"),), ("0 meld 5H 6H 7H", "0 discard KD"), 102),
        (((2, "TS JS QS"),), ("0 meld 5H 6H 7H", "0 discard KD"), 204),
        (((0, "TS JS QS"),), ("0 meld 5H 6H 7H", "0 discard KD"), 40),
        (((2, "TS JS QS", (2, 2, 0)),), ("0 meld 5H 6H 7H", "0 discard KD"), 40),
        (((2, "JD QD 2S"),), ("0 meld 5H 6H 7H", "0 amend 1: JD QD KD 2S"), 40),
    ],
)
def test_the_bonus_in_half_points(melds: tuple[MeldText, ...], actions: tuple[str, ...], bonus: int) -> None:
    assert score("sahrat", "5H 6H 7H KD", *actions, melds=melds).bonus == bonus


def test_the_other_team_scores_nothing_against_all_in_one_turn_whatever_it_laid() -> None:
    done = score("sahrat", "5H 6H 7H", "0 meld 5H 6H 7H", melds=((1, "TS JS QS KS AS"),))
    assert done.teams == (102 + 4 - 2, 0)


def test_a_joker_and_a_two_count_their_own_points() -> None:
    done = score("sahrat", "KD", "0 discard KD", melds=((0, "5H JK 2D 8H"),))
    assert done.teams[0] == 40 + (1 + 8 + 4 + 2) - 2


def test_team_scoring_counts_melds_by_owner_and_personal_by_layer() -> None:
    melds = ((0, "TS JS QS", (0, 2, 2)), (2, "TH JH QH", (0, 2, 2)))
    assert score("sahrat", "KD", "0 discard KD", melds=melds).teams == (40 + 12 - 2, -4)
    done = score("banakil202", "KD", "0 discard KD", melds=melds)
    assert done.seats == (40 + 4, -40, 8 - 2, -40)
    assert done.teams == (50, -80)
    assert done.laid_points == (4, 0, 8, 0)


def test_who_never_opened_has_minus_20_whatever_lies_and_whatever_is_held() -> None:
    done = score("banakil202", "KD", "0 discard KD", melds=((2, "TS JS QS JK", (2, 2, 2, 0)),))
    assert done.seats == (0, -40, 6 - 2, -40)


def test_in_a_duel_each_seat_is_a_team() -> None:
    state = state_at(options_of("banakil202", mode="duel"), "KD", melds=[(1, "TS JS QS")])
    done = score_deal(after(state, "0 discard KD"))
    assert done.seats == done.teams == (0, 6 - 2)
