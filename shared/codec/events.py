"""Events of a deal as one viewer may see them, on the wire. Redaction has been done before, by `shared.rules.views`."""

from collections.abc import Callable
from typing import Any, Final

from banakil.table.v1.events_pb2 import Event

from shared.codec.cards import read_card, read_cards, write_card
from shared.codec.errors import MalformedError
from shared.codec.results import Standing, read_result, write_result, write_standing
from shared.codec.views import read_deal_view, read_meld, write_deal_view, write_meld
from shared.rules.cards import codes
from shared.rules.events import Amended, Discarded, Laid, Passed, TimeRanOut
from shared.rules.options import Options
from shared.rules.views import SeenDealEnded, SeenDrew, SeenEvent, SeenReshuffled, SeenTook, SeenUndone, Viewer


def write_event(event: SeenEvent, standing: Standing | None, into: Event | None = None) -> Event:
    """The event; `standing` is the match's after it, needed of an undo and of a deal's end.

    `into`: the message to write it to, which costs half of what it does to write one and have it copied.
    """
    message = Event() if into is None else into
    match event:
        case Discarded(seat, card, by_clock):
            discarded = message.discarded
            discarded.seat, discarded.card, discarded.by_clock = seat, write_card(card), by_clock
        case SeenDrew(seat, card):
            drew = message.drew
            drew.seat, drew.card = seat, "" if card is None else write_card(card)
        case Amended(seat, meld, added, joker_released):
            amended = message.amended
            amended.seat, amended.joker_released = seat, joker_released
            amended.added.extend(codes(added))
            write_meld(meld, amended.meld)
        case Laid(seat, melds):
            laid = message.laid
            laid.seat = seat
            for meld in melds:
                write_meld(meld, laid.melds.add())
        case SeenTook(seat, cards):
            took = message.took
            took.seat = seat
            took.cards.extend(codes(cards))
        case SeenUndone(seat, view):
            assert standing is not None
            message.undone.seat = seat
            write_deal_view(view, standing.deal_no, message.undone.deal)
        case Passed(seat):
            message.passed.seat = seat
        case TimeRanOut(seat):
            message.time_ran_out.seat = seat
        case SeenReshuffled(stock_size):
            message.reshuffled.stock_count = stock_size
        case SeenDealEnded():
            assert standing is not None
            ended = message.deal_ended
            ended.result.CopyFrom(write_result(event, standing))
            ended.match.CopyFrom(write_standing(standing))
    return message


def read_event(message: Event, options: Options, viewer: Viewer) -> SeenEvent | None:
    """The event as `viewer` sees it; `None` for one that is not of a deal's play, or that only newer servers know.

    Raises `MalformedError` for a message that makes no sense.
    """
    name = message.WhichOneof("event")
    read = _READ.get(name) if name else None
    if name is None or read is None:
        return None
    body = getattr(message, name)
    if getattr(body, "seat", 0) >= options.seats:
        raise MalformedError("an event of no seat")
    return read(body, options, viewer)


def _drew(body: Event.Drew, options: Options, viewer: Viewer) -> SeenEvent:
    return SeenDrew(body.seat, read_card(body.card) if body.card else None)


def _took(body: Event.Took, options: Options, viewer: Viewer) -> SeenEvent:
    return SeenTook(body.seat, read_cards(body.cards))


def _passed(body: Event.Passed, options: Options, viewer: Viewer) -> SeenEvent:
    return Passed(body.seat)


def _laid(body: Event.Laid, options: Options, viewer: Viewer) -> SeenEvent:
    return Laid(body.seat, tuple(read_meld(meld, options) for meld in body.melds))


def _amended(body: Event.Amended, options: Options, viewer: Viewer) -> SeenEvent:
    return Amended(body.seat, read_meld(body.meld, options), read_cards(body.added), body.joker_released)


def _undone(body: Event.Undone, options: Options, viewer: Viewer) -> SeenEvent:
    return SeenUndone(body.seat, read_deal_view(body.deal, options, viewer))


def _discarded(body: Event.Discarded, options: Options, viewer: Viewer) -> SeenEvent:
    return Discarded(body.seat, read_card(body.card), body.by_clock)


def _time_ran_out(body: Event.TimeRanOut, options: Options, viewer: Viewer) -> SeenEvent:
    return TimeRanOut(body.seat)


def _reshuffled(body: Event.Reshuffled, options: Options, viewer: Viewer) -> SeenEvent:
    return SeenReshuffled(body.stock_count)


def _deal_ended(body: Event.DealEnded, options: Options, viewer: Viewer) -> SeenEvent:
    return read_result(body.result)


_READ: Final[dict[str, Callable[[Any, Options, Viewer], SeenEvent]]] = {
    "drew": _drew,
    "took": _took,
    "passed": _passed,
    "laid": _laid,
    "amended": _amended,
    "undone": _undone,
    "discarded": _discarded,
    "time_ran_out": _time_ran_out,
    "reshuffled": _reshuffled,
    "deal_ended": _deal_ended,
}
