"""A deal as one viewer sees it, on the wire. What may be seen is settled before: `shared.rules.views` alone redacts."""

from collections.abc import Sequence
from functools import lru_cache
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


def write_meld(meld: Meld, into: wire.Meld | None = None) -> wire.Meld:
    """A meld on the table. `into`: the message to write it to."""
    message = wire.Meld() if into is None else into
    message.id, message.owner = meld.id, meld.owner
    message.cards.extend(codes(meld.cards))
    message.layers.extend(meld.layers)
    return message


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


def write_deal_view(view: View, deal_no: int, into: wire.DealView | None = None) -> wire.DealView:
    """The deal. Raises `ValueError` for one that has ended: that is a result. `into`: the message to write it to."""
    if view.end is not None:
        raise ValueError("a deal that has ended is shown by its result")
    message = wire.DealView() if into is None else into
    message.CopyFrom(_what_all_see(view._replace(viewer=None, hand=None), deal_no))
    message.hand.extend(write_hand(view.hand or 0))
    return message


@lru_cache(maxsize=16)
def _what_all_see(public: View, deal_no: int) -> wire.DealView:
    """All but the hand: the same for every viewer, each of whom is told in turn. Not to be changed."""
    seats = range(public.options.seats)
    return wire.DealView(
        deal_no=deal_no,
        starter=public.starter,
        turn_no=public.turn_no,
        turn_seat=public.turn,
        phase=_PHASES[public.phase],
        time_up=public.time_up,
        hand_counts=public.hand_sizes,
        opened=[bool(public.opened >> seat & 1) for seat in seats],
        stock_count=public.stock_size,
        pile=codes(public.pile),
        melds=map(write_meld, public.melds),
        duties=write_hand(public.duties),
        undo_possible=public.undo_possible,
        reshuffles_used=public.reshuffles_used,
        put_down=[bool(public.put_down >> seat & 1) for seat in seats],
        turn_fresh=public.fresh,
        partner_amended=public.amended_partner,
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
