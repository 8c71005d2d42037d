"""Cards on the wire are codes (`7H`, `JK`), in the domain faces."""

from collections.abc import Iterable, Sequence

from banakil.table.v1.actions_pb2 import Cards

from shared.codec.errors import MalformedError
from shared.rules.cards import CODES, FACE_OF, Bag, Face, bag_cards, bag_of, codes

MAX_CARDS = 106


def read_card(code: str) -> Face:
    """The face of a code. Raises `MalformedError` (`BAD_ACTION`) for any other text."""
    face = FACE_OF.get(code)
    if face is None:
        raise MalformedError("not a card", "BAD_ACTION")
    return face


def read_cards(card_codes: Sequence[str]) -> bytes:
    """The faces of the codes, in order. Raises `MalformedError` (`BAD_ACTION`) for a bad code or more than 106."""
    if len(card_codes) > MAX_CARDS:
        raise MalformedError("more cards than there are", "BAD_ACTION")
    return bytes(map(read_card, card_codes))


def read_hand(card_codes: Sequence[str]) -> Bag:
    """A hand in any order. Raises `MalformedError` (`BAD_ACTION`) for a bad code or a third copy of a card."""
    try:
        return bag_of(read_cards(card_codes))
    except MalformedError:
        raise
    except ValueError as error:
        raise MalformedError(str(error), "BAD_ACTION") from None


def write_card(face: Face) -> str:
    """The code of a face."""
    return CODES[face]


def write_cards(faces: Iterable[Face]) -> Cards:
    """The codes of the faces, in order."""
    return Cards(cards=codes(faces))


def write_hand(hand: Bag) -> list[str]:
    """The codes of a hand, by rank A..K, then suit S H D C, jokers last."""
    return codes(bag_cards(hand))
