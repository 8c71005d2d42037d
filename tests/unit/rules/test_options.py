"""Table options: the two presets as the rules print them, and what may be set on top."""

import dataclasses

import pytest

from shared.rules.options import NAMES, RANGES, make_options, preset_options
from shared.rules.refusal import RecordError

TABLE = """
mode partners partners
target 222 202
turn_seconds 20 40
discard_seconds 5 5
grace_seconds 60 60
pile_take top_must_meld any_depth
partner_needs_opening True False
released_joker_must_be_laid True False
min_real 2 1
twos_in_sets True False
natural_two_is_real False True
two_move displaced_only free
max_reshuffles None 2
scoring team personal
one_turn_bonus True False
starter dealer_draw host_cut
tie_rule level_plays_on gap_over_5
format single single
stake 0 0
"""


def test_the_presets_are_the_table_of_the_rules() -> None:
    rows = [line.split() for line in TABLE.strip().splitlines()]
    assert [row[0] for row in rows] == list(NAMES)
    for name, sahrat, other in rows:
        assert str(getattr(preset_options("sahrat"), name)) == sahrat
        assert str(getattr(preset_options("banakil202"), name)) == other


def test_a_sahrat_duel_goes_to_150() -> None:
    assert preset_options("sahrat", "duel").target == 150
    assert preset_options("banakil202", "duel").target == 202
    assert make_options({"preset": "sahrat", "mode": "duel", "target": 222}).target == 222


def test_seats_are_four_or_two() -> None:
    assert preset_options("sahrat").seats == 4
    assert preset_options("sahrat", "duel").seats == 2


@pytest.mark.parametrize("preset", ["sahrat", "banakil202"])
@pytest.mark.parametrize("mode", ["partners", "duel"])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "mode"])
def test_every_option_can_be_set_alone_and_is_told_apart(preset: str, mode: str, name: str) -> None:
    base = preset_options(preset, mode)
    other = preset_options("banakil202" if preset == "sahrat" else "sahrat")
    value = getattr(other, name)
    if value == getattr(base, name):
        value = "best_of_3" if name == "format" else RANGES[name][1]
    options = make_options({"preset": preset, "mode": mode, name: value})
    assert options == dataclasses.replace(base, **{name: value})
    mode_told = {} if mode == "partners" else {"mode": mode}
    assert options.changed == {**mode_told, name: value}
    assert make_options({"preset": preset, **options.changed}) == options


def test_of_a_bare_preset_nothing_differs() -> None:
    assert preset_options("sahrat").changed == {}
    assert preset_options("sahrat", "duel").changed == {"mode": "duel"}


@pytest.mark.parametrize(("name", "span"), RANGES.items())
def test_a_number_is_in_its_range(name: str, span: tuple[int, int]) -> None:
    for value in span:
        assert getattr(make_options({"preset": "sahrat", name: value}), name) == value
    for wrong in (span[0] - 1, span[1] + 1, float(span[0]), str(span[0]), True, [span[0]]):
        with pytest.raises(RecordError):
            make_options({"preset": "sahrat", name: wrong})


def test_only_reshuffles_may_be_without_a_limit() -> None:
    assert make_options({"preset": "banakil202", "max_reshuffles": None}).max_reshuffles is None
    for name in NAMES:
        if name != "max_reshuffles":
            with pytest.raises(RecordError):
                make_options({"preset": "sahrat", name: None})


def test_a_stake_is_in_fives() -> None:
    assert make_options({"preset": "sahrat", "stake": 999_995}).stake == 999_995
    with pytest.raises(RecordError):
        make_options({"preset": "sahrat", "stake": 7})


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"preset": "bridge"},
        {"preset": None},
        {"preset": "sahrat", "mode": "solo"},
        {"preset": "sahrat", "mode": 4},
        {"preset": "sahrat", "twos_in_sets": 1},
        {"preset": "sahrat", "twos_in_sets": "on"},
        {"preset": "sahrat", "scoring": "both"},
        {"preset": "sahrat", "two_move": True},
        {"preset": "sahrat", "no_such_option": True},
        {"preset": "sahrat", "preset ": "sahrat"},
    ],
)
def test_anything_else_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(RecordError):
        make_options(values)
