"""Table options on the wire: a preset and what differs going in, every option coming out."""

from typing import Any

import pytest
from banakil.common.v1 import rule_options_pb2 as wire
from hypothesis import given
from hypothesis import strategies as st

from shared.codec.errors import MalformedError
from shared.codec.options import read_options, write_options
from shared.rules.options import CHOICES, NAMES, RANGES, Options, make_options, preset_options

CHOSEN = {name: st.sampled_from(choices) for name, choices in CHOICES.items()}
NUMBERS = {name: st.integers(*of) for name, of in RANGES.items()} | {
    "max_reshuffles": st.none() | st.integers(*RANGES["max_reshuffles"]),
    "stake": st.integers(0, RANGES["stake"][1] // 5).map(lambda fives: fives * 5),
}
SWITCHES = {name: st.booleans() for name in NAMES if name not in CHOSEN and name not in NUMBERS}
set_on_top = st.fixed_dictionaries(
    {"preset": st.sampled_from(["sahrat", "banakil202"])}, optional={**CHOSEN, **NUMBERS, **SWITCHES}
)


@given(values=set_on_top)
def test_options_come_back_as_they_were_sent(values: dict[str, Any]) -> None:
    options = make_options(values)
    assert read_options(wire.RuleOptions.FromString(write_options(options).SerializeToString())) == options


@pytest.mark.parametrize("preset", ["sahrat", "banakil202"])
@pytest.mark.parametrize("mode", ["partners", "duel"])
def test_a_bare_preset_and_mode_are_their_defaults(preset: str, mode: str) -> None:
    message = wire.RuleOptions(preset=f"PRESET_{preset.upper()}", mode=f"MODE_{mode.upper()}")  # type: ignore[arg-type]  # names will do
    assert read_options(message) == preset_options(preset, mode)


def test_a_switch_turned_off_differs_from_one_not_given() -> None:
    message = wire.RuleOptions(preset=wire.PRESET_SAHRAT, twos_in_sets=False, max_reshuffles=0, stake_coins=0)
    options = read_options(message)
    assert (options.twos_in_sets, options.max_reshuffles, options.stake) == (False, 0, 0)
    assert read_options(wire.RuleOptions(preset=wire.PRESET_SAHRAT)).max_reshuffles is None


def test_no_limit_of_reshuffles_can_be_asked_for() -> None:
    message = wire.RuleOptions(preset=wire.PRESET_BANAKIL202, unlimited_reshuffles=True)
    assert read_options(message).max_reshuffles is None


def test_what_is_written_has_every_option_set() -> None:
    for options in (preset_options("sahrat"), preset_options("banakil202")):
        written = write_options(options)
        given_fields = {field.name for field, _ in written.ListFields()}
        assert {field.name for field in wire.RuleOptions.DESCRIPTOR.fields} - given_fields == {
            "unlimited_reshuffles" if written.HasField("max_reshuffles") else "max_reshuffles"
        }


def test_every_option_has_its_field() -> None:
    fields = {field.name for field in wire.RuleOptions.DESCRIPTOR.fields} - {"unlimited_reshuffles", "stake_coins"}
    assert fields | {"stake"} == set(Options.__slots__)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"preset": 0},
        {"preset": 77},
        {"preset": 1, "mode": 9},
        {"preset": 1, "target": 49},
        {"preset": 1, "target": 1001},
        {"preset": 1, "turn_seconds": 0},
        {"preset": 2, "min_real": 3},
        {"preset": 2, "max_reshuffles": 21},
        {"preset": 2, "unlimited_reshuffles": False},
        {"preset": 2, "stake_coins": 7},
        {"preset": 2, "stake_coins": 1_000_005},
        {"preset": 1, "scoring": -1},
    ],
)
def test_a_value_out_of_its_range_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(MalformedError) as refusal:
        read_options(wire.RuleOptions(**fields))
    assert refusal.value.code == "OPTION_OUT_OF_RANGE"
