"""`banakil replay`: one line a file, whatever the files hold, and an exit code that tells whether all were well."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shared.rules.record import LARGEST_BYTES, MOST_ACTIONS
from tests.support.cli import banakil, error_places, saved
from tests.support.records import options_of, position, record

COMMAND = Path(sys.executable).with_name("banakil")


def one_deal(*actions: object, **more: Any) -> dict[str, Any]:
    """A record of one deal by sahrat: seat 0 holds 5H 6H 7H 9D and is to play."""
    hand = more.pop("hand", "5H 6H 7H 9D")
    return record(options_of(), [{"position": position(hand, **more), "actions": list(actions)}])


FINE = one_deal("0 meld 5H 6H 7H", "0 discard 9D")


def test_a_record_is_replayed_to_its_end(tmp_path: Path) -> None:
    ran = banakil("replay", *saved(tmp_path, FINE))
    assert ran.code == 0
    assert ran.answer["deals"][0]["end"] == "out"
    assert ran.answer["refused"] == []


def test_each_file_has_a_line_in_the_files_order_whatever_is_wrong_with_others(tmp_path: Path) -> None:
    files = saved(tmp_path, FINE, one_deal("1 draw"), b"\xff\xfe", FINE)
    ran = banakil("replay", files[0], files[1], tmp_path / "missing", tmp_path, files[2], files[3])
    assert ran.code == 2
    bad_file = (0, 0, "BAD_RECORD")
    assert error_places(ran.answers) == [None, (1, 1, "NOT_YOUR_TURN"), bad_file, bad_file, bad_file, None]


def test_a_file_that_may_not_be_read_is_a_bad_record(tmp_path: Path) -> None:
    # The superuser may read everything, so the system's refusal is met elsewhere: no path goes through a file.
    [file] = saved(tmp_path, FINE)
    ran = banakil("replay", file / "inside")
    assert error_places([ran.answer]) == [(0, 0, "BAD_RECORD")]
    assert ran.code == 2


def test_a_dash_is_standard_input() -> None:
    ran = banakil("replay", "-", stdin=json.dumps(FINE).encode())
    assert ran.code == 0
    assert ran.answer["deals"][0]["end"] == "out"


def test_lenient_skips_and_lists_what_is_refused(tmp_path: Path) -> None:
    ran = banakil("replay", "--lenient", *saved(tmp_path, one_deal("1 draw", "0 meld", "0 discard 9D")))
    assert ran.code == 0
    assert ran.answer["refused"] == [
        {"deal": 1, "action": 1, "code": "NOT_YOUR_TURN"},
        {"deal": 1, "action": 2, "code": "BAD_ACTION"},
    ]
    assert ran.answer["deals"][0]["turn"] == 1


@pytest.mark.parametrize("flags", [[], ["--lenient"]])
@pytest.mark.parametrize(
    "unreadable", ["0 dance", "", "9 draw", "0 discard 1S", 7, None, ["0 draw"], {}, "0 draw \ud800"]
)
def test_an_action_that_cannot_be_read_is_an_error_in_either_way(
    flags: list[str], unreadable: object, tmp_path: Path
) -> None:
    ran = banakil("replay", *flags, *saved(tmp_path, one_deal("0 meld 5H 6H 7H", unreadable)))
    assert error_places([ran.answer]) == [(1, 2, "BAD_ACTION")]
    assert ran.code == 2


def test_a_third_copy_of_a_card_in_a_hand_is_the_records_fault_at_the_action_that_brings_it(tmp_path: Path) -> None:
    """Hands of a position are not added up, so seats 1 and 2 may throw what seat 3 holds twice already."""
    third = record(
        options_of("banakil202"),
        [
            {
                "position": position("9C KD", others=["9C KS", "9C KH", "9C 9C"]),
                "actions": ["0 discard 9C", "1 draw", "1 discard KS", "2 take 2", "2 draw"],
            }
        ],
    )
    third["deals"][0]["position"]["hands"][2] = ["9C", "9C", "KH"]
    for command in (["replay"], ["replay", "--lenient"], ["legal"], ["hints"]):
        ran = banakil(*command, *saved(tmp_path, third))
        assert error_places([ran.answer]) == [(1, 4, "BAD_RECORD")]
        assert ran.code == 2


def test_a_top_card_that_would_be_a_third_copy_is_an_error_of_legal_and_hints(tmp_path: Path) -> None:
    third = one_deal("0 discard 9C", hand="9C KD", others=["9C 9C", "KS", "KS"])
    [file] = saved(tmp_path, third)
    assert banakil("replay", file).code == 0
    for command in ("legal", "hints"):
        ran = banakil(command, file)
        assert error_places([ran.answer]) == [(1, 0, "BAD_RECORD")]
        assert ran.code == 2


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\x00\x01",
        json.dumps(FINE).encode("utf-16"),
        json.dumps(FINE).replace("9C", "\u00e9").encode("latin-1"),
        json.dumps(FINE).replace('"version": 1', '"version": 1, "version": 1').encode(),
        json.dumps({**FINE, "totals": [float("nan"), 0]}).encode(),
        json.dumps({**FINE, "totals": [0, 0], "more": float("inf")}).encode(),
        json.dumps(FINE).replace('"version": 1', '"version": 1, "totals": [1e400, 0]').encode(),
        json.dumps(FINE).replace('"version": 1', f'"version": 1, "more": {"9" * 5000}').encode(),
        b"[" * 500_000,
        b'{"a":' * 300_000,
        json.dumps(FINE).encode() + b" " * LARGEST_BYTES,
        json.dumps({**FINE, "version": 1.0}).encode(),
        json.dumps({**FINE, "version": True}).encode(),
        json.dumps({**FINE, "options": {"preset": "sahrat", "\ud800": 1}}).encode(),
        json.dumps({**FINE, "players": ["one"]}).encode(),
    ],
    ids=lambda bad: repr(bad[:40]),
)
def test_a_file_that_is_no_record_is_said_to_be_none(bad: bytes, tmp_path: Path) -> None:
    for command in ("replay", "legal", "hints"):
        ran = banakil(command, *saved(tmp_path, bad))
        assert error_places([ran.answer]) == [(0, 0, "BAD_RECORD")]
        assert ran.code == 2


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert banakil("replay", *saved(tmp_path, b"\xef\xbb\xbf" + json.dumps(FINE).encode())).code == 0


def test_an_action_of_any_depth_is_only_a_bad_action(tmp_path: Path) -> None:
    """A JSON value can be as deep as Python's stack, so that showing it in a message would go too deep."""
    for depth in range(700, 1000, 7):
        nested = json.dumps(one_deal("DEEP")).replace('"DEEP"', "[" * depth + "]" * depth).encode()
        [place] = error_places([banakil("replay", *saved(tmp_path, nested)).answer])
        assert place in ((1, 1, "BAD_ACTION"), (0, 0, "BAD_RECORD"))


def test_too_many_actions_are_a_bad_record_before_any_is_done(tmp_path: Path) -> None:
    over = one_deal(*["0 undo"] * (MOST_ACTIONS + 1))
    assert error_places([banakil("replay", "--lenient", *saved(tmp_path, over)).answer]) == [(1, 0, "BAD_RECORD")]


def test_a_replay_beyond_the_readers_patience_is_given_up(tmp_path: Path) -> None:
    long = one_deal(*["0 undo"] * 20_000)
    ran = banakil("replay", "--lenient", "--patience", "0.001", *saved(tmp_path, long, FINE))
    assert ran.code == 2
    assert "--patience" in ran.answers[0]["error"]["message"]
    assert banakil("replay", "--lenient", "--patience", "0", *saved(tmp_path, long)).code == 0


def test_the_answer_is_ascii_and_a_message_is_short(tmp_path: Path) -> None:
    loud = {**FINE, "options": {"preset": "سهرات" * 10_000}}
    ran = banakil("replay", *saved(tmp_path, loud))
    assert ran.out.isascii()
    assert len(ran.out) < 400


def test_the_command_itself_does_the_same_in_a_process_of_its_own(tmp_path: Path) -> None:
    files = saved(tmp_path, FINE, b"{", FINE)
    ran = subprocess.run([COMMAND, "replay", *files, "-"], input=b"{", capture_output=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == b""
    errors = error_places([json.loads(line) for line in ran.stdout.splitlines()])
    assert errors == [None, (0, 0, "BAD_RECORD"), None, (0, 0, "BAD_RECORD")]


def test_a_closed_standard_input_and_a_reader_that_goes_away_make_no_traceback(tmp_path: Path) -> None:
    closed = subprocess.run(["sh", "-c", f"'{COMMAND}' replay - <&-"], capture_output=True, check=False)
    assert error_places([json.loads(closed.stdout)]) == [(0, 0, "BAD_RECORD")]
    files = " ".join(f"'{path}'" for path in saved(tmp_path, *[FINE] * 400))
    gone = subprocess.run(["sh", "-c", f"'{COMMAND}' replay {files} | head -n 1"], capture_output=True, check=False)
    assert b"Traceback" not in gone.stderr
    assert len(gone.stdout.splitlines()) == 1
