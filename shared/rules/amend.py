"""Amending a meld (R5.5): laying off, swapping a joker and moving a two are one action, a new layout."""

from typing import NamedTuple, NoReturn

from shared.rules.cards import IS_PLAIN, JOKER, RUN_FACES, TWO, Bag, Face, bag_add, bag_take
from shared.rules.melds import Meld, layout_shape, natural_two_at
from shared.rules.options import Options
from shared.rules.refusal import Code, RefusedError

NOBODY = 255
"""Layer of a card that no one has put down yet."""


class Amendment(NamedTuple):
    """What an accepted new layout does."""

    meld: Meld
    """The meld as it is afterwards."""
    added: bytes
    """Faces that came from the hand."""
    hand: Bag
    """The hand afterwards, a released joker in it."""
    joker_released: bool


def check_amend(meld: Meld, cards: bytes, seat: int, hand: Bag, options: Options) -> Amendment:
    """Check a new layout of a meld that the seat may amend, by R5.5a-g.

    Raises ``RefusedError``. Whether the seat may amend the meld at all (R5.5h) is the turn's to ask.
    """
    shape = layout_shape(cards, options)
    if (shape.start == 0) != (meld.start == 0):
        _refuse(Code.MELD_KIND_CHANGED)
    new = Meld(meld.id, meld.owner, cards, b"", shape.start, shape.suit)
    layers, released, two_moved = _match_set(meld, new) if shape.start == 0 else _match_run(meld, new, options)
    added = bytes([face for face, layer in zip(cards, layers, strict=True) if layer == NOBODY])
    if not added and not two_moved:
        _refuse(Code.NOTHING_ADDED)
    left = bag_take(hand, added)
    if left < 0:
        _refuse(Code.CARD_NOT_IN_HAND)
    if released:
        left = bag_add(left, JOKER)
    laid = Meld(meld.id, meld.owner, cards, bytes(layers).replace(b"\xff", bytes([seat])), shape.start, shape.suit)
    return Amendment(laid, added, left, released)


def _match_set(old: Meld, new: Meld) -> tuple[bytearray, bool, bool]:
    """Layers of the new layout where the old cards stay, and whether the joker leaves (R5.5c)."""
    layers = bytearray([NOBODY]) * len(new.cards)
    released = False
    for face, layer in zip(old.cards, old.layers, strict=True):
        at = new.cards.find(face)
        if at >= 0:
            layers[at] = layer
        elif face == JOKER:
            released = True
        else:
            _refuse(Code.CARD_LEFT_OUT)
    if released and not any(layer == NOBODY and IS_PLAIN[face] for face, layer in zip(new.cards, layers, strict=True)):
        _refuse(Code.JOKER_LOCKED)
    return layers, released, False


def _match_run(old: Meld, new: Meld, options: Options) -> tuple[bytearray, bool, bool]:
    """Layers where the old cards stay (R5.5a), whether the joker leaves (R5.5c), whether a two moves (R5.5e, f)."""
    if new.suit != old.suit:
        _refuse(Code.CARD_LEFT_OUT)
    layers = bytearray([NOBODY]) * len(new.cards)
    free = options.two_move == "free"
    fixed_two = -1 if free else natural_two_at(old.start, old.suit, old.cards, options)
    swapped = -1
    moved: list[tuple[int, Face, int]] = []
    shift = old.start - new.start
    for index, face in enumerate(old.cards):
        at = index + shift
        if 0 <= at < len(new.cards) and new.cards[at] == face:
            layers[at] = old.layers[index]
        elif face == JOKER:
            swapped = _swap_at(old, new, index)
        elif IS_PLAIN[face] or index == fixed_two:
            _refuse(Code.CARD_MOVED if face in new.cards else Code.CARD_LEFT_OUT)
        else:
            moved.append((at, face, old.layers[index]))
    for at, face, layer in moved:
        _move_two(old, new, layers, (at, face, layer), swapped, options)
    if swapped >= 0 and layers[swapped] != NOBODY:
        _refuse(Code.JOKER_LOCKED)
    return layers, swapped >= 0, bool(moved)


def _swap_at(old: Meld, new: Meld, index: int) -> int:
    """Index in the new layout of the exact card that takes the joker's place (R5.5c)."""
    at = index + old.start - new.start
    if JOKER in new.cards or not 0 <= at < len(new.cards):
        _refuse(Code.JOKER_LOCKED)
    if new.cards[at] != RUN_FACES[old.suit][old.start + index - 1]:
        _refuse(Code.JOKER_LOCKED)
    return at


def _move_two(
    old: Meld, new: Meld, layers: bytearray, two: tuple[int, Face, int], swapped: int, options: Options
) -> None:
    """Give a two that left its place a new one (R5.5e, f); of several that fit, the lowest."""
    was_at, face, layer = two
    low, high = old.start - new.start, old.start - new.start + len(old.cards) - 1
    free = options.two_move == "free"
    if not free and not _real_card_added(new, layers, was_at, options):
        _refuse(Code.TWO_MAY_NOT_MOVE)
    for at, there in enumerate(new.cards):
        if there == face and layers[at] == NOBODY and at != swapped and (free or not low <= at <= high):
            layers[at] = layer
            return
    _refuse(Code.TWO_MAY_NOT_MOVE if face in new.cards else Code.CARD_LEFT_OUT)


def _real_card_added(new: Meld, layers: bytearray, at: int, options: Options) -> bool:
    """Whether an added real card stands at this index of the new layout (R5.5e)."""
    if not 0 <= at < len(new.cards) or layers[at] != NOBODY:
        return False
    if IS_PLAIN[new.cards[at]]:
        return True
    return new.start + at == TWO and at == natural_two_at(new.start, new.suit, new.cards, options)


def _refuse(code: Code) -> NoReturn:
    raise RefusedError(code)
