"""The rules id says which options were changed."""

import pytest

from shared.fairness.errors import FairnessError
from shared.fairness.rules_id import OptionValue, changed_options, is_rules_id, rules_id

SAHRAT: dict[str, OptionValue] = {
    "mode": "partners",
    "target": 222,
    "min_real": 2,
    "twos_in_sets": True,
    "max_reshuffles": None,
}
BANAKIL202: dict[str, OptionValue] = {**SAHRAT, "target": 202, "min_real": 1, "max_reshuffles": 2}


def test_a_preset_as_it_is_goes_by_its_name() -> None:
    assert rules_id("sahrat", {}) == "sahrat"
    assert rules_id("banakil202", {"mode": "duel"}) == "banakil202"


def test_the_order_in_which_options_are_given_does_not_matter() -> None:
    one = rules_id("sahrat", {"target": 300, "min_real": 1})
    assert one == rules_id("sahrat", {"min_real": 1, "target": 300})
    assert one.startswith("sahrat+")


def test_each_value_has_its_own_id() -> None:
    ids = {rules_id("sahrat", {"x": value}) for value in (1, True, "1", None, 0, False, "ن")}
    assert len(ids) == 7


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(FairnessError):
        rules_id("whist", {})


@pytest.mark.parametrize(
    ("preset", "options", "changed"),
    [
        ("sahrat", {"preset": "sahrat"}, {}),
        ("sahrat", SAHRAT, {}),
        ("sahrat", {"target": 222, "min_real": 1}, {"min_real": 1}),
        ("sahrat", {"mode": "duel"}, {}),
        ("sahrat", {"mode": "duel", "target": 150}, {}),
        ("sahrat", {"mode": "duel", "target": 222}, {"target": 222}),
        ("sahrat", {"mode": "partners", "target": 150}, {"target": 150}),
        ("banakil202", {"mode": "duel", "target": 150}, {"target": 150}),
        ("banakil202", {"mode": "duel", "target": 202}, {}),
        ("banakil202", {"max_reshuffles": None}, {"max_reshuffles": None}),
        ("banakil202", {"format": "single", "stake": 0}, {}),
        ("banakil202", {"format": "best_of_3", "stake": 5}, {"format": "best_of_3", "stake": 5}),
        ("banakil202", {"min_real": True}, {"min_real": True}),
    ],
)
def test_an_option_counts_as_changed_where_its_value_is_not_the_presets(
    preset: str, options: dict[str, OptionValue], changed: dict[str, OptionValue]
) -> None:
    assert changed_options(preset, options, SAHRAT if preset == "sahrat" else BANAKIL202) == changed


def test_an_option_that_nobody_knows_is_refused() -> None:
    with pytest.raises(FairnessError):
        changed_options("sahrat", {"trumps": True}, SAHRAT)


@pytest.mark.parametrize("text", ["sahrat", "banakil202", "sahrat+0147ed992fe97d85"])
def test_a_rules_id_is_known_by_its_form(text: str) -> None:
    assert is_rules_id(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sahrat",
        "sahrat+",
        "sahrat+0147ED992FE97D85",
        "sahrat+0147ed992fe97d8",
        "sahrat+0147ed992fe97d85+",
        " sahrat",
    ],
)
def test_anything_else_is_no_rules_id(text: str) -> None:
    assert not is_rules_id(text)
