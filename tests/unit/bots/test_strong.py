import random

import pytest

from services.bots.policies.seat import seat_to_act
from services.bots.policies.strong import Strong, candidates
from services.bots.policies.weighing import weighed
from shared.rules.cards import FIRST, parse_card
from shared.rules.engine import apply
from shared.rules.options import Options, preset_options
from shared.rules.views import view_of
from tests.support.bot_deals import PRESETS, choice, states
from tests.support.play import random_start
from tests.support.records import options_of, state_at

SAHRAT, BANAKIL202 = options_of("sahrat"), options_of("banakil202")
SAHRAT_DUEL, BANAKIL202_DUEL = preset_options("sahrat", "duel"), preset_options("banakil202", "duel")
FAR = ("3C 4C 6C 8C TC QC AC 9C JC KC", "3D 4D 6D 8D TD QD AD 9D JD 7D", "3C 4C 6C 8C TC QD AC 9C JC 7D")
"""Hands of the others that are far from going out."""
NEAR = (FAR[0], FAR[1], "9C")
TWO_RUNS = "4H 5H 6H 9S TS JS"


@pytest.mark.parametrize(
    ("says", "options", "hand", "more", "expected"),
    [
        (
            "it lays nothing and throws what its runs do not need, while all in one turn is near",
            SAHRAT, f"{TWO_RUNS} KD QC", {"others": FAR}, "0 discard",
        ),
        (
            "it goes out at once where it can, and throws the last card",
            SAHRAT, f"{TWO_RUNS} KD", {"others": FAR}, "0 meld 4H 5H 6H | 9S TS JS",
        ),
        (
            "with partners it does not wait where much is lacking",
            SAHRAT, f"{TWO_RUNS} KD QC 7C 4S TD 3D", {"others": FAR}, "0 meld 4H 5H 6H | 9S TS JS",
        ),
        (
            "alone it does",
            SAHRAT_DUEL, f"{TWO_RUNS} KD QC 7C 4S TD 3D", {"others": FAR[:1]}, "0 discard",
        ),
        (
            "but not with the rival about to go out",
            SAHRAT_DUEL, f"{TWO_RUNS} KD QC 7C 4S TD 3D", {"others": ("9C",)}, "0 meld 4H 5H 6H | 9S TS JS",
        ),
        ("nor with any of the others", SAHRAT, f"{TWO_RUNS} KD QC", {"others": NEAR}, "0 meld 4H 5H 6H | 9S TS JS"),
        (
            "it does not wait where one turn pays no more",
            BANAKIL202, f"{TWO_RUNS} KD QC", {"others": FAR}, "0 meld 4H 5H 6H | 9S TS JS",
        ),
        (
            "nor once it has put down a card",
            SAHRAT, f"{TWO_RUNS} KD QC", {"others": FAR, "melds": [(0, "4D 5D 6D")], "opened": [0]},
            "0 meld 4H 5H 6H | 9S TS JS",
        ),
        (
            "a hand that does not wait takes what makes a meld",
            SAHRAT, f"{TWO_RUNS} 9D TD KC 3S 4C QH", {"others": FAR, "phase": "draw", "pile": "9C JD"}, "0 take 1",
        ),
        (
            "alone it leaves lying what makes a meld but does not end the deal",
            SAHRAT_DUEL, f"{TWO_RUNS} 9D TD KC 3S 4C QH",
            {"others": FAR[:1], "phase": "draw", "pile": "9C JD"}, "0 draw",
        ),
        (
            "it takes what lets it go out",
            SAHRAT_DUEL, f"{TWO_RUNS} 9D TD KC", {"others": FAR[:1], "phase": "draw", "pile": "9C JD"}, "0 take 1",
        ),
        (
            "it takes deeper than greedy does where enough of it can be laid",
            BANAKIL202, "5H 6H 8S 9S TD JD 3C", {"phase": "draw", "pile": "7H TS QD KH 4C"}, "0 take 5",
        ),
        ("it keeps twos and jokers", SAHRAT, "2H JK KD", {}, "0 discard KD"),
        ("it throws what links least", BANAKIL202, "5H 6H KD", {}, "0 discard KD"),
        ("with the time out it throws a card", SAHRAT, "4H 5H 6H KD", {"time_up": True}, "0 discard KD"),
        (
            "before the last card of all it passes what is of no use to it",
            SAHRAT, "5H 6H KD", {"phase": "draw", "pile": "9C", "stock": ""}, "0 pass",
        ),
    ],
)  # fmt: skip
def test_how_it_plays(says: str, options: Options, hand: str, more: dict[str, object], expected: str) -> None:
    assert choice(state_at(options, hand, **more), Strong()).startswith(expected), says


def test_what_one_turn_pays_is_not_spoilt_by_a_lay_off_on_the_partner() -> None:
    state = state_at(SAHRAT, f"{TWO_RUNS} 7D", others=FAR, melds=[(2, "4D 5D 6D")])
    laid = apply(state, Strong().choose(view_of(state, 0)))[1]
    assert choice(laid, Strong()) == "0 discard 7D"
    out = apply(laid, Strong().choose(view_of(laid, 0)))[1].end
    assert out is not None
    assert out.one_turn


def test_a_hand_that_waits_does_not_throw_what_its_partner_can_use() -> None:
    state = state_at(SAHRAT, f"{TWO_RUNS} 7D QC 8C", others=FAR, melds=[(2, "4D 5D 6D")])
    assert choice(state, Strong()) in {"0 discard QC", "0 discard 8C"}
    out_at_once = state_at(SAHRAT, f"{TWO_RUNS} 7D 3D", others=FAR, melds=[(2, "4D 5D 6D")])
    assert choice(out_at_once, Strong()) == "0 meld 4H 5H 6H | 9S TS JS"


@pytest.mark.parametrize("options", [SAHRAT, BANAKIL202, SAHRAT_DUEL, BANAKIL202_DUEL])
def test_a_card_that_the_next_seat_goes_out_with_costs_more(options: Options) -> None:
    """Of two cards alike to the hand: one a rival lays off, who has a card left; one that nobody can."""
    state = state_at(options, "9H KC", melds=[(1, "6H 7H 8H")])
    costs = {face: cost for cost, face in weighed(view_of(state, 0), state, state.hands[0])}
    assert costs[parse_card("9H")] > costs[parse_card("KC")]


@pytest.mark.parametrize(("preset", "mode"), PRESETS)
def test_candidates_come_the_best_first_and_all_are_legal(rng: random.Random, preset: str, mode: str) -> None:
    start, _ = random_start(rng, preset_options(preset, mode))
    for state in states(rng, start, Strong()):
        if state.end is not None:
            break
        view = view_of(state, state.turn)
        ways = candidates(view, seat_to_act(view))
        assert [cost for cost, _ in ways] == sorted(cost for cost, _ in ways)
        assert ways[0][1] == Strong().choose(view)
        for _, action in ways:
            apply(state, action)


def test_only_what_may_go_is_weighed() -> None:
    state = state_at(SAHRAT, f"{TWO_RUNS} KD")
    (_, card), *more = weighed(view_of(state, 0), state, FIRST[parse_card("KD")])
    assert card == parse_card("KD")
    assert not more
