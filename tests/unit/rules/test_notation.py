"""The one-line notation of positions: legible, exact, and nothing but itself."""

import json
import re

import pytest

from shared.rules import notation
from shared.rules.notation import parse_notation, write_notation
from shared.rules.option_text import option_text, parse_option
from shared.rules.options import CHOICES, NAMES, RANGES, make_options
from shared.rules.position import read_position, write_position
from shared.rules.refusal import RecordError
from shared.rules.state import Phase
from tests.support.records import after, options_of, position, state_at

SWITCHES = set(NAMES) - {*RANGES, *CHOICES}
EXAMPLE = "sahrat 0 play r0 / 5H6H7H9D 9C 9C 9C / 8C8D8H8S / 4D / 0:5S6S7S' 1:QD2CAD"


def test_the_example_of_the_documentation_is_read_and_written_back() -> None:
    assert EXAMPLE in (notation.__doc__ or "")
    state = parse_notation(EXAMPLE)
    assert write_notation(state) == EXAMPLE
    assert state == read_position(
        position(
            "5H 6H 7H 9D",
            pile="4D",
            melds=[(0, "5S 6S 7S", [0, 0, 2]), (1, "QD 2C AD")],
        ),
        options_of(),
        0,
    )


def test_empty_parts_are_dashes() -> None:
    line = "banakil202 3 draw r2 / - JK - 2S2S / - / - / -"
    assert write_notation(parse_notation(line)) == line


def test_options_that_differ_stand_after_the_preset() -> None:
    line = "sahrat mode=duel target=100 max_reshuffles=3 twos_in_sets=false 1 time_up r1 / AS KD / - / - / -"
    options = parse_notation(line).options
    assert (options.mode, options.target, options.twos_in_sets) == ("duel", 100, False)
    assert sorted(write_notation(parse_notation(line)).split()) == sorted(line.split())


def test_hands_may_be_given_in_any_order_and_are_written_sorted() -> None:
    assert " / 5S9DJK - - - / " in write_notation(parse_notation("sahrat 0 play r0 / JK9D5S - - - / - / - / -"))


def test_the_starter_is_the_callers_to_say() -> None:
    assert parse_notation(EXAMPLE, starter=3).starter == 3
    with pytest.raises(RecordError):
        parse_notation("sahrat mode=duel 0 play r0 / AS KD / - / - / -", starter=2)


def test_an_ended_deal_has_no_line() -> None:
    over = after(state_at(options_of(), "5H 6H 7H"), "0 meld 5H 6H 7H")
    assert over.phase is Phase.OVER
    with pytest.raises(ValueError, match="no position"):
        write_notation(over)


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        EXAMPLE + " ",
        " " + EXAMPLE,
        EXAMPLE + "\n",
        EXAMPLE.replace(" / ", "/"),
        EXAMPLE.replace(" / ", "  /  "),
        EXAMPLE + " / -",
        EXAMPLE.replace("sahrat", "Sahrat"),
        EXAMPLE.replace("sahrat", "sahrat min_real=3"),
        EXAMPLE.replace("sahrat", "sahrat min_real=01"),
        EXAMPLE.replace("sahrat", "sahrat min_real=1 min_real=1"),
        EXAMPLE.replace("sahrat", "sahrat preset=sahrat"),
        EXAMPLE.replace("sahrat", "sahrat twos_in_sets=1"),
        EXAMPLE.replace("sahrat", "sahrat twos_in_sets"),
        EXAMPLE.replace("sahrat", "sahrat mode=null"),
        EXAMPLE.replace("0 play", "4 play"),
        EXAMPLE.replace("0 play", "٠ play"),
        EXAMPLE.replace("0 play", "0 over"),
        EXAMPLE.replace("r0", "r-1"),
        EXAMPLE.replace("r0", "r00"),
        EXAMPLE.replace("r0", "r1000001"),
        EXAMPLE.replace("r0", "0"),
        EXAMPLE.replace("5H6H7H9D", "5H6H7H9"),
        EXAMPLE.replace("5H6H7H9D", "5h6h7h9d"),
        EXAMPLE.replace("5H6H7H9D", "10H"),
        EXAMPLE.replace("5H6H7H9D", "-"),
        EXAMPLE.replace("5H6H7H9D", "AS AS"),
        EXAMPLE.replace("5H6H7H9D", "4D4D"),
        EXAMPLE.replace(" 9C 9C 9C", " 9C 9C"),
        EXAMPLE.replace("4D", "4D 4H"),
        EXAMPLE.replace("0:5S6S7S'", "0:5S6S"),
        EXAMPLE.replace("0:5S6S7S'", "0:5S6S8S"),
        EXAMPLE.replace("0:5S6S7S'", "0:5S6S7S''"),
        EXAMPLE.replace("0:5S6S7S'", "4:5S6S7S"),
        EXAMPLE.replace("0:5S6S7S'", "05S6S7S"),
        EXAMPLE.replace("0:5S6S7S'", "-"),
        "sahrat mode=duel 0 play r0 / AS KD / - / - / 0:5S6S7S'",
        "x" * (notation.LONGEST + 1),
        "\ud800" + EXAMPLE,
    ],
)
def test_anything_else_is_refused(line: str) -> None:
    with pytest.raises(RecordError):
        parse_notation(line)


def test_the_longest_position_fits_a_line() -> None:
    every_option: dict[str, object] = {name: not getattr(options_of(), name) for name in SWITCHES}
    every_option |= {name: most for name, (_, most) in RANGES.items()} | {"min_real": 1}
    every_option |= {name: last[-1] for name, last in CHOICES.items() if name != "mode"}
    deck = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"] * 2 + ["JK", "JK"]
    options = make_options({"preset": "sahrat", **every_option})
    assert set(options.changed) == {*NAMES} - {"mode"}
    state = read_position({"hands": [deck] * 4, "turn": 0, "reshuffles_used": 1_000_000}, options, 0)
    line = write_notation(state)
    assert len(line) <= notation.LONGEST
    assert write_position(parse_notation(line)) == write_position(state)


@pytest.mark.parametrize("name", NAMES)
def test_an_option_is_a_word_with_its_value_as_in_json(name: str) -> None:
    for value in _values_of(name):
        word = option_text(name, value)
        assert parse_option(word) == (name, value)
        assert re.fullmatch(r"\S+", word)
        assert word == f"{name}={value if isinstance(value, str) else json.dumps(value)}"


def _values_of(name: str) -> list[bool | int | str | None]:
    if name in CHOICES:
        return list(CHOICES[name])
    if name in RANGES:
        return [*RANGES[name], *([None] if name == "max_reshuffles" else [])]
    return [True, False]
