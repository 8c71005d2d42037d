"""`banakil show`: the position at the end of a record, drawn for people."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import banakil, saved
from tests.support.records import options_of, position, record

COMMAND = Path(sys.executable).with_name("banakil")
HANDS = ["QC KD", "TS TH", "3D JK"]


def drawn(tmp_path: Path, *flags: str, **more: Any) -> str:
    """What is shown of a position with two melds."""
    at = position(
        "5H 9D",
        others=HANDS,
        melds=[(0, "5S 6S 7S", [0, 0, 2]), (1, "AS AH AD")],
        pile="4D TC",
    )
    value = record(options_of(), [{"position": at, "actions": []}], **more)
    ran = banakil("show", *flags, *saved(tmp_path, value))
    assert ran.code == 0
    return ran.out


def test_seats_hands_pile_stock_totals_and_melds_are_shown(tmp_path: Path) -> None:
    shown = drawn(tmp_path, totals=[12.5, -3])
    assert "Totals: 12.5 : -3   (222)" in shown
    assert "to play  5♥ 9♦" in shown
    for hand in ("Q♣ K♦", "10♠ 10♥", "3♦ JK"):
        assert hand in shown
    assert "Stock: 4" in shown
    assert "Pile from the top: 10♣ 4♦   (2)" in shown


def test_each_card_of_a_meld_bears_the_seat_that_put_it_there(tmp_path: Path) -> None:
    shown = drawn(tmp_path)
    assert "5♠¹ 6♠¹ 7♠³" in shown
    assert "A♠² A♥² A♦²" in shown
    assert shown.index("Melds of team 1") < shown.index("5♠¹") < shown.index("Melds of team 2") < shown.index("A♠²")


def test_one_seat_is_shown_no_other_hand(tmp_path: Path) -> None:
    shown = drawn(tmp_path, "--seat", "1")
    assert "Q♣ K♦" in shown
    for card in ("5♥", "9♦", "10♠", "10♥", "3♦", "JK"):
        assert card not in shown
    assert "5♥ 9♦" in drawn(tmp_path, "--all")


def test_it_is_shown_in_arabic_as_well(tmp_path: Path) -> None:
    shown = drawn(tmp_path, "--lang", "ar")
    for words in ("سهرات", "المقعد", "السحب: 4", "الأرض من فوق: 10♣ 4♦", "تسلسل", "مجموعة", "5♠¹ 6♠¹ 7♠³"):
        assert words in shown


def test_an_ended_deal_shows_every_hand_and_the_result_even_to_one_seat(tmp_path: Path) -> None:
    over = record(
        options_of(),
        [{"position": position("5H 6H 7H", others=HANDS), "actions": ["0 undo", "0 meld 5H 6H 7H"]}],
        totals=[200, 0],
    )
    shown = banakil("show", "--seat", "0", *saved(tmp_path, over)).out
    assert "Q♣ K♦" in shown
    assert "Seat 1 went out, all in one turn, bonus 102" in shown
    assert "Team 1 wins the match" in shown
    assert "refused actions skipped: 1" in shown


def test_an_unmet_duty_is_shown(tmp_path: Path) -> None:
    taking = record(
        options_of(), [{"position": position("5H 6H 9D", pile="7H", phase="draw"), "actions": ["0 take 1"]}]
    )
    assert "must be laid in this turn: 7♥" in banakil("show", *saved(tmp_path, taking)).out


def test_a_name_can_do_the_terminal_no_harm(tmp_path: Path) -> None:
    shown = drawn(tmp_path, players=["\x1b[2J\x07نورة", "[red]Fahd[/red]", "\ud800", "x" * 1000])
    assert "\x1b" not in shown
    assert "?[2J?نورة" in shown
    assert "[red]Fahd[/red]" in shown
    assert "x" * 21 not in shown


@pytest.mark.parametrize("bad", [b"{", json.dumps(record(options_of(), [])).encode()])
def test_what_cannot_be_shown_is_said_on_standard_error(bad: bytes, tmp_path: Path) -> None:
    ran = banakil("show", *saved(tmp_path, bad))
    assert ran.code == 2
    assert ran.out == ""
    assert "BAD_RECORD" in ran.err


def test_the_place_of_a_fault_is_said(tmp_path: Path) -> None:
    unreadable = record(options_of(), [{"position": position("5H 6H"), "actions": ["0 dance\ud800"]}])
    ran = banakil("show", *saved(tmp_path, unreadable))
    assert ran.code == 2
    assert "deal 1, action 1: BAD_ACTION" in ran.err


@pytest.mark.parametrize("flags", [["--seat", "2"], ["--seat", "4"], ["--seat", "0", "--all"], ["--lang", "fr"]])
def test_a_seat_that_the_table_lacks_and_other_wrong_uses_are_told_to_the_user(
    flags: list[str], tmp_path: Path
) -> None:
    duel = record(options_of(mode="duel"), [{"position": position("5H 6H", others=["9C"]), "actions": []}])
    ran = banakil("show", *flags, *saved(tmp_path, duel))
    assert ran.code == 2
    assert "Usage:" in ran.err


def test_a_terminal_without_suit_signs_is_given_letters(tmp_path: Path) -> None:
    value = record(options_of(), [{"position": position("5H 9D", melds=[(0, "5S 6S 7S")]), "actions": []}])
    for lang in ("en", "ar"):
        ran = subprocess.run(
            [COMMAND, "show", "--lang", lang, *saved(tmp_path, value)],
            env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
            capture_output=True,
            check=True,
        )
        assert ran.stdout.isascii()
        assert b"5S/1 6S/1 7S/1" in ran.stdout
        assert b"5H 9D" in ran.stdout
