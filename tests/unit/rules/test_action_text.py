"""Actions in the record's words (docs/record.md)."""

import random

import pytest

from shared.rules.action_text import action_text, parse_action
from shared.rules.actions import TIMEOUT, Amend, Discard, Draw, Lay, Pass, Take, Undo
from shared.rules.refusal import Code, RecordError
from tests.support.play import play_deal
from tests.support.positions import random_options
from tests.support.records import faces


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("0 draw", Draw(0)),
        ("3 take 4", Take(3, 4)),
        ("0 pass", Pass(0)),
        ("0 meld 5H 6H 7H", Lay(0, (faces("5H 6H 7H"),))),
        ("0 meld 5H 6H 7H | AS AH AD", Lay(0, (faces("5H 6H 7H"), faces("AS AH AD")))),
        ("2 amend 1: 5H 6H 7H 8H", Amend(2, 1, faces("5H 6H 7H 8H"))),
        ("0 undo", Undo(0)),
        ("0 discard 9C", Discard(0, faces("9C")[0])),
        ("- timeout", TIMEOUT),
    ],
)
def test_every_action_of_the_record_is_read_and_written_back(text: str, action: object) -> None:
    assert parse_action(text) == action
    assert action_text(parse_action(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "0", "draw", "4 draw", "-1 draw", "- draw", "0 timeout", "00 draw", "0 draw 1", "0 take", "0 take -1",
        "0 take 1.0", "0 take ٤", "0 discard", "0 discard XX", "0 discard 9C 9D", "0 amend", "0 amend 1 5H 6H 7H",
        "0 amend x: 5H", "0 amend 12345: 5H", "0 meld 5h 6h 7h", "0 shuffle", "0 DRAW", None, 7, ["0", "draw"],
        "0 meld " + "5H " * 1000,
    ],
)  # fmt: skip
def test_anything_else_is_a_bad_action(text: object) -> None:
    with pytest.raises(RecordError) as bad:
        parse_action(text)
    assert bad.value.code is Code.BAD_ACTION
    assert len(str(bad.value)) < 200


def test_what_players_do_is_written_and_read_alike(rng: random.Random) -> None:
    for _ in range(5):
        for step in play_deal(rng, random_options(rng)).steps:
            if step.action is not None and step.refused is None:
                assert parse_action(action_text(step.action)) == step.action
