"""Legality vectors: layouts and amends with what the rules say of them, to test other implementations against.

Half of the cases are legal. The others go round all the codes, so that even a few cases show each. Where several codes
apply any one is right; the one given is the one that this library finds first.
"""

import random
from collections.abc import Iterator
from typing import Final

from shared.cli.vector_layouts import (
    LAYOUT_CODES,
    LAYOUT_FLAGS,
    Cards,
    near_miss,
    random_layout,
    random_options,
)
from shared.rules.actions import Amend
from shared.rules.cards import FACES, JOKER, RUN_FACES, TWOS, bag_cards, codes
from shared.rules.events import Amended
from shared.rules.laying import decide_amend
from shared.rules.layouts import new_layouts
from shared.rules.melds import layout_shape
from shared.rules.position import read_position
from shared.rules.refusal import Code, RecordError, RefusedError
from shared.rules.state import DealState

Vector = dict[str, object]

AMEND_CODES: Final = (
    Code.NO_SUCH_MELD,
    Code.OTHER_TEAMS_MELD,
    Code.NOT_OPENED,
    Code.CARD_LEFT_OUT,
    Code.CARD_MOVED,
    Code.JOKER_LOCKED,
    Code.TWO_MAY_NOT_MOVE,
    Code.MELD_KIND_CHANGED,
    Code.NOTHING_ADDED,
    Code.CARD_NOT_IN_HAND,
    *LAYOUT_CODES,
)
"""Why an amend is refused (R5.5)."""
AMEND_FLAGS: Final = (*LAYOUT_FLAGS, "two_move", "partner_needs_opening")
"""The options that R5.5 looks at."""
SEAT: Final = 0
"""The seat that amends; owners are seats of a table of four."""
TRIES_WITH_A_POSITION: Final = 8


def meld_vectors(count: int, rng: random.Random) -> Iterator[Vector]:
    """``{"options", "cards", "ok": true, "kind", "start"}``, or ``"ok": false, "code"`` in place of the last two.

    ``start`` is the position of a run's first card, 1 to 14.
    """
    for wanted in _wanted(count, LAYOUT_CODES):
        while (vector := _meld_vector(rng)).get("code") != wanted:
            pass
        yield vector


def amend_vectors(count: int, rng: random.Random) -> Iterator[Vector]:
    """``{"options", "melds", "seat", "opened", "hand", "id", "cards"}``: the amend that this seat asks for.

    With it ``"ok": true, "layers", "added", "joker_released"``, or ``"ok": false, "code"``.
    """
    for wanted in _wanted(count, AMEND_CODES):
        yield _amend_vector(rng, wanted)


def _wanted(count: int, all_codes: tuple[Code, ...]) -> Iterator[Code | None]:
    for number in range(count):
        yield all_codes[number // 2 % len(all_codes)] if number % 2 else None


def _meld_vector(rng: random.Random) -> Vector:
    options = random_options(rng)
    cards = random_layout(rng)
    if rng.random() < 0.6:
        cards = near_miss(cards, rng)
    vector: Vector = {"options": {name: getattr(options, name) for name in LAYOUT_FLAGS}, "cards": codes(cards)}
    try:
        shape = layout_shape(bytes(cards), options)
    except RefusedError as refused:
        return {**vector, "ok": False, "code": refused.code.value}
    return {**vector, "ok": True, "kind": "run", "start": shape.start} if shape.start else {
        **vector, "ok": True, "kind": "set", "start": None
    }  # fmt: skip


def _amend_vector(rng: random.Random, wanted: Code | None) -> Vector:
    """An amend that is refused with this code, or a legal one."""
    while True:
        try:
            state = _random_position(rng)
        except RecordError:
            continue
        for _ in range(TRIES_WITH_A_POSITION):
            asked = Amend(SEAT, 1 if rng.random() < 0.95 else rng.choice((0, 2)), bytes(_asked_for(state, wanted, rng)))
            outcome = _amend_outcome(state, asked)
            if outcome.get("code") == wanted:
                return {**_amend_case(state, asked), **outcome}


def _amend_case(state: DealState, asked: Amend) -> Vector:
    meld = state.melds[0]
    return {
        "options": {name: getattr(state.options, name) for name in AMEND_FLAGS},
        "melds": [{"id": 1, "owner": meld.owner, "cards": codes(meld.cards), "layers": list(meld.layers)}],
        "seat": SEAT,
        "opened": bool(state.opened >> SEAT & 1),
        "hand": codes(bag_cards(state.hands[SEAT])),
        "id": asked.meld_id,
        "cards": codes(asked.cards),
    }


def _amend_outcome(state: DealState, asked: Amend) -> Vector:
    try:
        amended = decide_amend(state, asked)[0]
    except RefusedError as refused:
        return {"ok": False, "code": refused.code.value}
    assert isinstance(amended, Amended)
    return {
        "ok": True,
        "layers": list(amended.meld.layers),
        "added": codes(amended.added),
        "joker_released": amended.joker_released,
    }


def _asked_for(state: DealState, wanted: Code | None, rng: random.Random) -> Cards:
    """A layout to ask for, likely to meet what is wanted."""
    meld = state.melds[0]
    if wanted in LAYOUT_CODES or (wanted is Code.MELD_KIND_CHANGED and rng.random() < 0.5):
        return near_miss(random_layout(rng), rng)
    cards = list(meld.cards)
    if rng.random() < 0.5:
        legal = new_layouts(meld, state.hands[SEAT], SEAT, state.options)
        special = [cards for cards in legal if cards.count(JOKER) < meld.cards.count(JOKER) or meld.cards not in cards]
        cards = list(rng.choice(special if special and rng.random() < 0.4 else legal or [meld.cards]))
    return near_miss(cards, rng) if wanted is not None and rng.random() < 0.7 else cards


def _random_position(rng: random.Random) -> DealState:
    """A hand beside one meld. Raises ``RecordError`` for a draw that is no meld, or that the deck has not."""
    options = random_options(rng)
    cards = random_layout(rng)
    owner = rng.choice((0, 0, 2, 2, 1))
    position = {
        "hands": [codes(_random_hand(cards, rng)), [], [], []],
        "melds": [{"owner": owner, "cards": codes(cards), "layers": [rng.choice((owner, owner ^ 2)) for _ in cards]}],
        "turn": SEAT,
        "phase": "play",
    }
    state = read_position(position, options, SEAT)
    if owner != SEAT and rng.random() < 0.7:
        state = state._replace(opened=state.opened | 1 << SEAT)
    return state


def _random_hand(meld: Cards, rng: random.Random) -> Cards:
    """A few cards, many of them near the meld, so that some fit."""
    suit = next((face // 13 for face in meld if face != JOKER and face not in TWOS), 0)
    near = [*RUN_FACES[suit], *RUN_FACES[suit], *TWOS, JOKER, *(face + 13 * (face < 39) for face in meld if face < 52)]
    return [rng.choice(near) if rng.random() < 0.8 else rng.randrange(FACES) for _ in range(rng.randint(2, 9))]
