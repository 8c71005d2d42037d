"""Actions: what a player asks for. The seat is never on the wire; whoever reads an action knows whose it is."""

from banakil.table.v1 import actions_pb2 as wire

from shared.codec.cards import read_card, read_cards, write_card, write_cards
from shared.codec.errors import MalformedError
from shared.rules.actions import Action, Amend, Discard, Draw, Lay, Pass, SeatAction, Take, Timeout, Undo
from shared.rules.cards import codes

MAX_MELDS = 35
"""New melds in one action: more than 106 cards could make."""
MAX_NUMBER = 2**31 - 1


def read_action(message: wire.Action, seat: int) -> SeatAction:
    """The action, as that of `seat`. Raises `MalformedError` (`BAD_ACTION`) for what is none."""
    verb = message.WhichOneof("verb")
    match verb:
        case "draw":
            return Draw(seat)
        case "take":
            return Take(seat, _number(message.take.count))
        case "pass_turn":
            return Pass(seat)
        case "meld":
            return Lay(seat, _melds(message.meld))
        case "amend":
            return Amend(seat, _number(message.amend.meld_id), read_cards(message.amend.cards))
        case "undo":
            return Undo(seat)
        case "discard":
            return Discard(seat, read_card(message.discard.card))
        case _:
            raise MalformedError("no action is given", "BAD_ACTION")


def write_action(action: Action) -> wire.Action:
    """The action without its seat. Raises `ValueError` for the clock's, which has no place on the wire."""
    match action:
        case Draw():
            return wire.Action(draw=wire.Action.Draw())
        case Take():
            return wire.Action(take=wire.Action.Take(count=action.depth))
        case Pass():
            return wire.Action(pass_turn=wire.Action.Pass())
        case Lay():
            return wire.Action(meld=wire.Action.Lay(melds=[write_cards(meld) for meld in action.melds]))
        case Amend():
            return wire.Action(amend=wire.Action.Amend(meld_id=action.meld_id, cards=codes(action.cards)))
        case Undo():
            return wire.Action(undo=wire.Action.Undo())
        case Discard():
            return wire.Action(discard=wire.Action.Discard(card=write_card(action.card)))
        case Timeout():
            raise ValueError("the clock's action is the server's own")


def _melds(lay: wire.Action.Lay) -> tuple[bytes, ...]:
    if not 1 <= len(lay.melds) <= MAX_MELDS:
        raise MalformedError("no melds, or too many", "BAD_ACTION")
    return tuple(read_cards(meld.cards) for meld in lay.melds)


def _number(number: int) -> int:
    if number > MAX_NUMBER:
        raise MalformedError("a number too large", "BAD_ACTION")
    return number
