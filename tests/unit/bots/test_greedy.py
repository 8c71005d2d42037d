import random

import pytest

from services.bots.policies.fallback import Fallback
from services.bots.policies.greedy import Greedy
from shared.rules.cards import JOKER
from shared.rules.engine import apply
from shared.rules.options import Options, preset_options
from shared.rules.scoring import score_deal
from shared.rules.views import view_of
from tests.support.bot_deals import PRESETS, choice, end_of, states
from tests.support.play import Temper, play, random_start
from tests.support.positions import random_options
from tests.support.records import options_of, state_at

HASTY = Temper(meld=0.3, amend=0.3, take=0.9, undo=0.05, mischief=0.0)
"""Takes whatever it may, so that duties are often unmet when it is interrupted."""


@pytest.mark.parametrize(("preset", "mode"), PRESETS)
def test_greedy_bots_play_whole_deals_and_are_never_refused(rng: random.Random, preset: str, mode: str) -> None:
    for _ in range(15):
        start, _ = random_start(rng, preset_options(preset, mode))
        assert end_of(rng, start, Greedy()).end is not None


def test_under_any_options_greedy_bots_are_never_refused(rng: random.Random) -> None:
    for _ in range(40):
        start, _ = random_start(rng, random_options(rng))
        assert end_of(rng, start, Greedy()).end is not None


def test_a_seat_taken_over_in_mid_turn_is_played_on_whatever_was_begun_there(rng: random.Random) -> None:
    unmet = 0
    for _ in range(60):
        state, _ = random_start(rng, random_options(rng, pile_take="top_must_meld"))
        for step in play(rng, state, HASTY, rng.randrange(20, 160)):
            state = step.after
            if state.duties:
                unmet += 1
                action = Greedy().choose(view_of(state, state.turn))
                apply(state, action)
        if state.end is None:
            end_of(rng, state, Greedy())
    assert unmet > 20


def test_taking_the_top_card_never_ends_in_taking_it_back(rng: random.Random) -> None:
    for _ in range(40):
        start, _ = random_start(rng, random_options(rng, pile_take="top_must_meld"))
        for state in states(rng, start, Greedy()):
            assert state.end is not None or choice(state) != f"{state.turn} undo"


def test_greedy_beats_a_bot_that_lays_nothing(rng: random.Random) -> None:
    for preset, mode in PRESETS:
        options = preset_options(preset, mode)
        scores = [score_deal(end_of(rng, random_start(rng, options)[0], Greedy(), Fallback())).teams for _ in range(5)]
        assert all(greedy > idle for greedy, idle in scores)


SAHRAT, BANAKIL202 = options_of("sahrat"), options_of("banakil202")


@pytest.mark.parametrize(
    ("says", "options", "hand", "more", "expected"),
    [
        ("it lays its best melds together", SAHRAT, "4H 5H 6H 9S TS JS KD", {}, "0 meld 4H 5H 6H | 9S TS JS"),
        ("it goes out without a card to throw", SAHRAT, "4H 5H 6H", {}, "0 meld 4H 5H 6H"),
        ("it lays off on its own run", SAHRAT, "7H KD", {"melds": [(0, "4H 5H 6H")]}, "0 amend 1: 4H 5H 6H 7H"),
        (
            "its partner's melds wait for its opening",
            SAHRAT, "7H KD", {"melds": [(2, "4H 5H 6H")]}, "0 discard 7H",
        ),
        (
            "its partner's melds are open where no opening is asked for",
            BANAKIL202, "7H KD", {"melds": [(2, "4H 5H 6H")]}, "0 amend 1: 4H 5H 6H 7H",
        ),
        (
            "it swaps a joker that it can lay elsewhere",
            SAHRAT, "5H 9D", {"melds": [(0, "4H JK 6H"), (0, "TS JS QS")]}, "0 amend 1: 4H 5H 6H",
        ),
        (
            "it lets a joker be that would only lie in its hand",
            BANAKIL202, "3C 9D", {"melds": [(0, "3S 3H 3D JK")]}, "0 discard 9D",
        ),
        ("it takes what makes a meld", SAHRAT, "5H 6H KD", {"phase": "draw", "pile": "9C 7H"}, "0 take 1"),
        ("it draws where the top card is of no use", SAHRAT, "5H 6H KD", {"phase": "draw", "pile": "7H 9C"}, "0 draw"),
        (
            "it takes deep for a new meld",
            BANAKIL202, "5H 6H KD", {"phase": "draw", "pile": "7H 9C"}, "0 take 2",
        ),
        (
            "it does not take half the pile for one",
            BANAKIL202, "5H 6H KD", {"phase": "draw", "pile": "7H 9C TD JC KS"}, "0 draw",
        ),
        ("it keeps twos and jokers from the pile", SAHRAT, "2H JK KD", {}, "0 discard KD"),
        ("it throws what links least", SAHRAT, "5H 6H KD", {}, "0 discard KD"),
        ("with the time out it throws a card", SAHRAT, "4H 5H 6H KD", {"time_up": True}, "0 discard KD"),
        (
            "before the last card of all it takes what it can lay",
            SAHRAT, "5H 6H KD", {"phase": "draw", "pile": "7H", "stock": ""}, "0 take 1",
        ),
        (
            "and passes what is of no use to it",
            SAHRAT, "5H 6H KD", {"phase": "draw", "pile": "9C", "stock": ""}, "0 pass",
        ),
    ],
)  # fmt: skip
def test_how_it_plays(says: str, options: Options, hand: str, more: dict[str, object], expected: str) -> None:
    assert choice(state_at(options, hand, **more)) == expected, says


def test_there_is_nothing_to_choose_for_others_or_without_a_stock() -> None:
    state = state_at(SAHRAT, "5H 6H KD")
    waiting = state_at(SAHRAT, "5H 6H KD", phase="draw", pile="9C 9D", stock="")
    for policy in (Greedy(), Fallback()):
        for view in (view_of(state, 1), view_of(state, None), view_of(waiting, 0)):
            with pytest.raises(ValueError, match=r"nothing|public"):
                policy.choose(view)


def test_the_fallback_plays_deals_to_their_end_and_is_never_refused(rng: random.Random) -> None:
    for preset, mode in PRESETS:
        start, _ = random_start(rng, preset_options(preset, mode))
        assert end_of(rng, start, Fallback()).end is not None


def test_the_fallback_takes_back_what_is_not_finished() -> None:
    state = state_at(SAHRAT, "5H 6H KD", phase="draw", pile="9C 7H")
    taken = apply(state, Greedy().choose(view_of(state, 0)))[1]
    assert choice(taken, Fallback()) == "0 undo"
    assert choice(state, Fallback()) == "0 draw"


def test_a_joker_is_thrown_only_by_a_hand_of_wilds() -> None:
    assert choice(state_at(SAHRAT, "2H JK")) == "0 discard 2H"
    assert Greedy().choose(view_of(state_at(SAHRAT, "JK"), 0)).card == JOKER  # type: ignore[union-attr]  # a discard
