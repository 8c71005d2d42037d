"""What a viewer's view becomes with each event it sees: a client that has a view needs no other one."""

from shared.rules.cards import JOKER, Bag, bag_add, bag_take
from shared.rules.duties import after_release, met_by
from shared.rules.events import Amended, Discarded, Laid, Passed, TimeRanOut
from shared.rules.state import Phase, next_seat
from shared.rules.views import SeenDealEnded, SeenDrew, SeenEvent, SeenReshuffled, SeenTook, SeenUndone, View


def follow(view: View, event: SeenEvent) -> View:
    """The view after an event, both as the same viewer sees them.

    Equals ``view_of`` the state after it. Raises ``ValueError`` for an event that can't follow this view.
    """
    match event:
        case SeenDrew(seat, card):
            view = _held(view, seat, b"" if card is None else bytes([card]), b"", 1)
            return view._replace(stock_size=view.stock_size - 1, phase=Phase.PLAY)
        case SeenTook(seat, cards):
            duties = bag_add(0, cards[-1]) if view.options.pile_take == "top_must_meld" else 0
            view = _held(view, seat, cards, b"", len(cards))
            return _owing(view, duties)._replace(pile=view.pile[: -len(cards)], phase=Phase.PLAY)
        case Laid():
            return _laid(view, event)
        case Amended():
            return _amended(view, event)
        case SeenUndone():
            return event.view
        case Discarded():
            return _discarded(view, event)
        case TimeRanOut():
            return view._replace(time_up=True)
        case SeenReshuffled(stock_size):
            return view._replace(stock_size=stock_size, pile=view.pile[-1:], reshuffles_used=view.reshuffles_used + 1)
        case SeenDealEnded():
            return view._replace(phase=Phase.OVER, end=event.end, hands=event.hands)
        case Passed():
            return view


def _laid(view: View, event: Laid) -> View:
    cards = b"".join(meld.cards for meld in event.melds)
    view = _owing(_held(view, event.seat, b"", cards, -len(cards)), met_by(view.duties, cards))
    seat = 1 << event.seat
    return view._replace(melds=view.melds + event.melds, opened=view.opened | seat, put_down=view.put_down | seat)


def _amended(view: View, event: Amended) -> View:
    seat, meld = event.seat, event.meld
    if not 1 <= meld.id <= len(view.melds):
        raise ValueError("a meld that is not on the table")
    released = bytes([JOKER]) if event.joker_released else b""
    duties = after_release(met_by(view.duties, event.added), event.joker_released, view.options)
    view = _owing(_held(view, seat, released, event.added, len(released) - len(event.added)), duties)
    return view._replace(
        melds=(*view.melds[: meld.id - 1], meld, *view.melds[meld.id :]),
        put_down=view.put_down | 1 << seat if event.added else view.put_down,
        amended_partner=view.amended_partner or meld.owner != seat,
    )


def _discarded(view: View, event: Discarded) -> View:
    follower = next_seat(event.seat, view.options)
    view = _held(view, event.seat, b"", bytes([event.card]), -1)
    return view._replace(
        pile=view.pile + bytes([event.card]),
        turn=follower,
        turn_no=view.turn_no + 1,
        phase=Phase.DRAW,
        time_up=False,
        fresh=not view.put_down >> follower & 1,
        amended_partner=False,
    )


def _owing(view: View, duties: Bag) -> View:
    """With these duties unmet; as long as there are any, the turn can be taken back (R5.8)."""
    return view._replace(duties=duties, undo_possible=duties != 0)


def _held(view: View, seat: int, gained: bytes, lost: bytes, change: int) -> View:
    """With what a seat gained and then lost; only the viewer's own cards are known, of others the count."""
    sizes = (*view.hand_sizes[:seat], view.hand_sizes[seat] + change, *view.hand_sizes[seat + 1 :])
    if view.hand is None or seat != view.viewer:
        return view._replace(hand_sizes=sizes)
    hand = bag_take(view.hand, lost)
    if hand < 0 or change != len(gained) - len(lost):
        raise ValueError("cards that the viewer does not hold, or that it was not shown")
    for face in gained:
        hand = bag_add(hand, face)
    return view._replace(hand=hand, hand_sizes=sizes)
