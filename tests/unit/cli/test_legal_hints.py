"""`banakil legal` and `banakil hints`: of the seat to act at the end of the last deal."""

from pathlib import Path
from typing import Any

from tests.support.cli import banakil, error_places, saved
from tests.support.records import options_of, position, record

MIDDLE = record(
    options_of(),
    [
        {
            "position": position("7H 9H AS AD AC KD", melds=[(0, "5H 6H JK 8H")]),
            "actions": ["2 draw", "0 discard 2S"],
        }
    ],
)
NOTHING_LEGAL: dict[str, Any] = {
    "turn": None, "phase": "over", "draw": False, "take": [], "pass": False, "undo": False,
    "melds": [], "amends": [], "discards": [],
}  # fmt: skip


def test_legal_lists_what_the_seat_to_act_may_do_and_skips_what_was_refused(tmp_path: Path) -> None:
    ran = banakil("legal", *saved(tmp_path, MIDDLE))
    assert ran.code == 0
    assert ran.answer == {
        "turn": 0, "phase": "play", "draw": False, "take": [], "pass": False, "undo": False,
        "melds": [["AS", "AD", "AC"]],
        "amends": [
            {"id": 1, "cards": ["5H", "6H", "7H", "8H"]},
            {"id": 1, "cards": ["5H", "6H", "7H", "8H", "9H"]},
            {"id": 1, "cards": ["5H", "6H", "JK", "8H", "9H"]},
        ],
        "discards": ["7H", "9H", "AC", "AD", "AS", "KD"],
    }  # fmt: skip


def test_hints_are_those_of_the_seat_to_act(tmp_path: Path) -> None:
    ran = banakil("hints", *saved(tmp_path, MIDDLE))
    assert ran.code == 0
    assert ran.answer["turn"] == 0
    assert ran.answer["best"] == {"melds": [["AS", "AD", "AC"]], "points": 3, "left": 3}
    assert ran.answer["jokers"] == [{"id": 1, "card": "7H"}]


def test_after_the_end_of_a_deal_nobody_may_do_anything(tmp_path: Path) -> None:
    over = record(options_of(), [{"position": position("5H 6H 7H"), "actions": ["0 meld 5H 6H 7H"]}])
    [file] = saved(tmp_path, over)
    assert banakil("legal", file).answer == NOTHING_LEGAL
    hints = banakil("hints", file).answer
    assert hints == {
        "turn": None, "best": {"melds": [], "points": 0, "left": 0}, "melds": [], "layoffs": [], "jokers": [],
        "take": False,
    }  # fmt: skip


def test_the_last_deal_counts(tmp_path: Path) -> None:
    ended = {"position": position("5H 6H 7H"), "actions": ["0 meld 5H 6H 7H"]}
    going_on = {"position": {**position("9D"), "turn": 1, "phase": "draw"}, "actions": []}
    ran = banakil("legal", *saved(tmp_path, record(options_of(), [ended, going_on])))
    assert (ran.answer["turn"], ran.answer["phase"], ran.answer["draw"]) == (1, "draw", True)


def test_a_record_without_a_deal_has_no_seat_to_act(tmp_path: Path) -> None:
    files = saved(tmp_path, record(options_of(), []), MIDDLE, record(options_of(), [{"actions": []}]))
    for command in ("legal", "hints"):
        ran = banakil(command, *files)
        assert error_places(ran.answers) == [(0, 0, "BAD_RECORD"), None, (1, 0, "BAD_RECORD")]
        assert ran.code == 2
