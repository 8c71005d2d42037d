"""A position on one line, as FEN is to chess: for tests, bug reports and talk about a position.

Five parts, `` / `` between them, and words apart by one space::

    sahrat 0 play r0 / 5H6H7H9D 9C 9C 9C / 8C8D8H8S / 4D / 0:5S6S7S' 1:QD2CAD

1. The table and the turn: the preset, each option that differs from it (``min_real=1``, values as in JSON), the seat
   to act, ``draw`` or ``play`` or ``time_up`` (phase ``play``, and only a discard is taken, R9.2), and ``r`` with the
   number of new stocks made in the deal.
2. A hand per seat.
3. The stock in drawing order.
4. The pile from the bottom to the top.
5. The melds in the order of their ids 1, 2, 3: the owner, a colon, the cards. A card that the owner's partner put there
   is marked with ``'``.

A card is its code (R2.1), cards stand together, and ``-`` is none. This is what a record's position holds
(docs/record.md), so reading it checks the same things; duties, an undo and the number of turns played are in neither.
"""

import re
from typing import Final

from shared.rules.cards import CODES, bag_cards, codes
from shared.rules.melds import Meld
from shared.rules.option_text import option_text, parse_option
from shared.rules.options import Options, OptionValue, make_options
from shared.rules.position import read_position
from shared.rules.refusal import RecordError
from shared.rules.state import DealState, Phase

LONGEST: Final = 4000
"""Characters of a line at the most: four full hands and every option have fewer."""
NONE: Final = "-"
PARTNERS: Final = "'"
"""After a card of a meld: the owner's partner put it there."""
_CARDS: Final = re.compile(r"(?:[A2-9TJQK][SHDC]|JK)+")
_MELD: Final = re.compile(r"([0-3]):((?:(?:[A2-9TJQK][SHDC]|JK)'?)+)")
_MELD_CARD: Final = re.compile(r"(..)('?)")
_RESHUFFLES: Final = re.compile(r"r(0|[1-9][0-9]{0,6})")


def write_notation(state: DealState) -> str:
    """The line of a deal that goes on. What a position can't hold is left out. ``ValueError`` after the end."""
    if state.phase is Phase.OVER:
        raise ValueError("an ended deal is no position")
    phase = "time_up" if state.time_up else state.phase.value
    changed = [option_text(name, value) for name, value in state.options.changed.items()]
    head = [state.options.preset, *changed, str(state.turn), phase, f"r{state.reshuffles_used}"]
    return " / ".join(
        (
            " ".join(head),
            " ".join(_cards_text(bytes(bag_cards(hand))) for hand in state.hands),
            _cards_text(state.stock),
            _cards_text(state.pile),
            " ".join(map(_meld_text, state.melds)) or NONE,
        )
    )


def parse_notation(text: str, starter: int = 0) -> DealState:
    """The state of a line, before R6.1 is applied to a turn that begins; ``starter`` is the deal's.

    Raises ``RecordError`` for any other text, and for a position that no legal melds make.
    """
    if len(text) > LONGEST:
        raise RecordError(f"a position's line has over {LONGEST} characters")
    parts = [part.split(" ") for part in text.split(" / ")]
    if len(parts) != 5:
        raise RecordError("a position's line has five parts")
    head, hands, stock, pile, melds = parts
    if len(stock) != 1 or len(pile) != 1 or len(head) < 4:
        raise RecordError("a part of a position's line has too few or too many words")
    options = _read_options(head[0], head[1:-3])
    turn, phase, reshuffles = head[-3:]
    used = _RESHUFFLES.fullmatch(reshuffles)
    if turn not in ("0", "1", "2", "3") or phase not in ("draw", "play", "time_up") or used is None:
        raise RecordError(f"not a turn: {' '.join(head[-3:])!r:.60}")
    value = {
        "hands": [_read_cards(hand) for hand in hands],
        "stock": _read_cards(stock[0]),
        "pile": _read_cards(pile[0]),
        "melds": [] if melds == [NONE] else [_read_meld(meld) for meld in melds],
        "turn": int(turn),
        "phase": "draw" if phase == "draw" else "play",
        "time_up": phase == "time_up",
        "reshuffles_used": int(used[1]),
    }
    if not 0 <= starter < options.seats:
        raise RecordError("the starter is no seat of this table")
    return read_position(value, options, starter)


def _cards_text(cards: bytes) -> str:
    return "".join(codes(cards)) or NONE


def _meld_text(meld: Meld) -> str:
    marked = (
        CODES[face] + (PARTNERS if layer != meld.owner else "")
        for face, layer in zip(meld.cards, meld.layers, strict=True)
    )
    return f"{meld.owner}:{''.join(marked)}"


def _read_options(preset: str, words: list[str]) -> Options:
    values: dict[str, OptionValue] = {"preset": preset}
    for word in words:
        name, value = parse_option(word)
        if name in values:
            raise RecordError(f"{name} is given twice")
        values[name] = value
    return make_options(values)


def _read_cards(text: str) -> list[str]:
    if text == NONE:
        return []
    if not _CARDS.fullmatch(text):
        raise RecordError(f"not cards: {text!r:.60}")
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def _read_meld(text: str) -> dict[str, object]:
    match = _MELD.fullmatch(text)
    if match is None:
        raise RecordError(f"not a meld: {text!r:.60}")
    owner = int(match[1])
    cards = _MELD_CARD.findall(match[2])
    return {
        "owner": owner,
        "cards": [card for card, _ in cards],
        "layers": [owner ^ 2 if mark else owner for _, mark in cards],
    }
