"""`banakil new`: a record to begin with."""

import json

import pytest

from shared.rules.cards import FULL_DECK, codes
from tests.support.cli import banakil


def test_a_new_record_has_the_106_cards_and_can_be_replayed() -> None:
    ran = banakil("new")
    assert ran.code == 0
    [deal] = ran.answer["deals"]
    assert sorted(deal["deck"]) == sorted(codes(FULL_DECK))
    replayed = banakil("replay", "-", stdin=ran.out.encode())
    assert replayed.code == 0
    assert [len(hand) for hand in replayed.answer["deals"][0]["hands"]] == [19, 18, 18, 18]


def test_decks_differ_unless_a_seed_says_otherwise() -> None:
    assert banakil("new").out != banakil("new").out
    assert banakil("new", "--seed", "7").out == banakil("new", "--seed", "7").out
    assert banakil("new", "--seed", "7").out != banakil("new", "--seed", "8").out


def test_options_and_starter_are_the_users_to_choose() -> None:
    ran = banakil(
        "new", "--preset", "banakil202", "--mode", "duel", "--starter", "1", "--set", "max_reshuffles=null",
        "--set", "twos_in_sets=true", "--set", "target=300", "--set", "scoring=team",
    )  # fmt: skip
    assert ran.answer["options"] == {
        "preset": "banakil202", "mode": "duel", "max_reshuffles": None, "twos_in_sets": True, "target": 300,
        "scoring": "team",
    }  # fmt: skip
    assert ran.answer["deals"][0]["starter"] == 1
    replayed = banakil("replay", "-", stdin=json.dumps(ran.answer).encode()).answer
    assert [len(hand) for hand in replayed["deals"][0]["hands"]] == [18, 19]


@pytest.mark.parametrize(
    "flags",
    [
        ["--preset", "poker"],
        ["--mode", "solo"],
        ["--set", "target=49"],
        ["--set", "target"],
        ["--set", "hands=3"],
        ["--set", "twos_in_sets=yes"],
        ["--starter", "4"],
        ["--starter", "-1"],
        ["--mode", "duel", "--starter", "2"],
    ],
)
def test_a_wrong_choice_is_told_to_the_user(flags: list[str]) -> None:
    ran = banakil("new", *flags)
    assert ran.code == 2
    assert ran.out == ""
    assert "Usage:" in ran.err
