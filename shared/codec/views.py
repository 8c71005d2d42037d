"""A deal as one viewer sees it, on the wire. What may be seen is settled before: `shared.rules.views` alone redacts."""

from collections.abc import Sequence
from typing import Final

from banakil.table.v1 import views_pb2 as wire

from shared.codec.cards import read_cards, read_hand, write_hand
from shared.codec.errors import MalformedError
from shared.rules.cards import codes
from shared.rules.melds import Meld, layout_shape
from shared.rules.options import Options
from shared.rules.refusal import RefusedError
from shared.rules.state import Phase
from shared.rules.views import View, Viewer

_PHASES: Final = {Phase.DRAW: wire.PHASE_DRAW, Phase.PLAY: wire.PHASE_PLAY}
_PHASE_OF: Final = {number: phase for phase, number in _PHASES.items()}


def write_meld(meld: Meld) -> wire.Meld:
    """A meld on the table."""
    return wire.Meld(id=meld.id, owner=meld.owner, cards=codes(meld.cards), layers=meld.layers)


def read_meld(message: wire.Meld, options: Options) -> Meld:
    """A meld on a table with these options. Raises `MalformedError` for one that cannot be there."""
    cards = read_cards(message.cards)
    if not message.id or len(message.layers) != len(cards):
        raise MalformedError("a meld without an id, or with layers for other cards")
    if any(seat >= options.seats for seat in (message.owner, *message.layers)):
        raise MalformedError("a meld of no seat")
    try:
        start, suit = layout_shape(cards, options)
    except RefusedError as error:
        raise MalformedError(str(error)) from None
    return Meld(message.id, message.owner, cards, bytes(message.layers), start, suit)


def write_deal_view(view: View, deal_no: int) -> wire.DealView:
    """The deal. Raises `ValueError` for one that has ended: that is a result."""
    if view.end is not None:
        raise ValueError("a deal that has ended is shown by its result")
    seats = range(view.options.seats)
    return wire.DealView(
        deal_no=deal_no,
        starter=view.starter,
        turn_no=view.turn_no,
        turn_seat=view.turn,
        phase=_PHASES[view.phase],
        time_up=view.time_up,
        hand=write_hand(view.hand or 0),
        hand_counts=view.hand_sizes,
        opened=[bool(view.opened >> seat & 1) for seat in seats],
        stock_count=view.stock_size,
        pile=codes(view.pile),
        melds=map(write_meld, view.melds),
        duties=write_hand(view.duties),
        undo_possible=view.undo_possible,
        reshuffles_used=view.reshuffles_used,
        put_down=[bool(view.put_down >> seat & 1) for seat in seats],
        turn_fresh=view.fresh,
        partner_amended=view.amended_partner,
    )


def read_deal_view(message: wire.DealView, options: Options, viewer: Viewer) -> View:
    """The deal as `viewer` sees it. Raises `MalformedError` for a message that makes no sense."""
    phase = _PHASE_OF.get(message.phase)
    seats = (message.starter, message.turn_seat, *((viewer,) if viewer is not None else ()))
    if phase is None or any(seat >= options.seats for seat in seats):
        raise MalformedError("a deal in no phase, or of no seat")
    if {len(message.hand_counts), len(message.opened), len(message.put_down)} != {options.seats}:
        raise MalformedError("a deal of other seats than there are")
    return View(
        viewer=viewer,
        options=options,
        starter=message.starter,
        hand=None if viewer is None else read_hand(message.hand),
        hand_sizes=tuple(message.hand_counts),
        stock_size=message.stock_count,
        pile=read_cards(message.pile),
        melds=tuple(read_meld(meld, options) for meld in message.melds),
        turn=message.turn_seat,
        turn_no=message.turn_no,
        phase=phase,
        time_up=message.time_up,
        duties=read_hand(message.duties),
        undo_possible=message.undo_possible,
        opened=_bits(message.opened),
        put_down=_bits(message.put_down),
        fresh=message.turn_fresh,
        amended_partner=message.partner_amended,
        reshuffles_used=message.reshuffles_used,
        end=None,
        hands=None,
    )


def _bits(seats: Sequence[bool]) -> int:
    return sum(1 << seat for seat, is_so in enumerate(seats) if is_so)
