"""Actions as the record writes them, one string each (docs/record.md)."""

import re
from typing import Final

from shared.rules.actions import TIMEOUT, Action, Amend, Discard, Draw, Lay, Pass, Take, Timeout, Undo
from shared.rules.cards import CODES, codes, parse_card
from shared.rules.refusal import Code, RecordError

LONGEST: Final = 1200
"""Characters of an action at the most: all 106 cards and then some."""
_NUMBER: Final = re.compile(r"[0-9]{1,4}", re.ASCII)
_MELD_ID: Final = re.compile(r"[0-9]{1,4}:", re.ASCII)


def parse_action(text: object) -> Action:
    """The action that a record's string stands for. Raises ``RecordError`` with ``BAD_ACTION`` for any other value."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise _bad(text)
    words = text.split()
    if words == ["-", "timeout"]:
        return TIMEOUT
    if len(words) < 2 or words[0] not in ("0", "1", "2", "3"):
        raise _bad(text)
    seat, verb, rest = int(words[0]), words[1], words[2:]
    try:
        return _read(seat, verb, rest)
    except ValueError:
        raise _bad(text) from None


def _read(seat: int, verb: str, rest: list[str]) -> Action:
    match verb, rest:
        case "draw", []:
            return Draw(seat)
        case "pass", []:
            return Pass(seat)
        case "undo", []:
            return Undo(seat)
        case "take", [count] if _NUMBER.fullmatch(count):
            return Take(seat, int(count))
        case "discard", [card]:
            return Discard(seat, parse_card(card))
        case "meld", _:
            return Lay(seat, _melds(rest))
        case "amend", [number, *cards] if _MELD_ID.fullmatch(number):
            return Amend(seat, int(number[:-1]), bytes(map(parse_card, cards)))
    raise ValueError(verb)


def _melds(words: list[str]) -> tuple[bytes, ...]:
    if not words:
        return ()
    melds: list[list[int]] = [[]]
    for word in words:
        if word == "|":
            melds.append([])
        else:
            melds[-1].append(parse_card(word))
    return tuple(map(bytes, melds))


def action_text(action: Action) -> str:
    """The record's string for an action; ``parse_action`` reads it back."""
    match action:
        case Discard(seat, card):
            return f"{seat} discard {CODES[card]}"
        case Draw(seat):
            return f"{seat} draw"
        case Amend(seat, meld_id, cards):
            return f"{seat} amend {meld_id}: " + " ".join(codes(cards))
        case Lay(seat, melds):
            return f"{seat} meld " + " | ".join([" ".join(codes(cards)) for cards in melds])
        case Take(seat, depth):
            return f"{seat} take {depth}"
        case Undo(seat):
            return f"{seat} undo"
        case Pass(seat):
            return f"{seat} pass"
        case Timeout():
            return "- timeout"


def _bad(text: object) -> RecordError:
    # Only a text is shown: to show a value of any depth takes as much depth again, and its whole length.
    shown = repr(text[:40]) if isinstance(text, str) else f"a JSON value, {type(text).__name__}"
    return RecordError(f"not an action: {shown}", Code.BAD_ACTION)
