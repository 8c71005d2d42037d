"""What a seat sees of its table: kept up to date from the updates of its Watch, each of which is checked."""

from typing import Final

from banakil.table.v1 import events_pb2, table_pb2, views_pb2

from shared.codec.cards import read_hand
from shared.codec.errors import MalformedError
from shared.codec.events import read_event
from shared.codec.options import read_options
from shared.codec.views import read_deal_view
from shared.rules.follow import follow
from shared.rules.options import Options
from shared.rules.state import Phase
from shared.rules.views import View, seat_state

NOT_SEEN: Final = 0
"""As ``last_revision`` it asks for a snapshot."""


class LostSightError(Exception):
    """An update does not follow what was seen before: only a snapshot helps."""


class Sight:
    """The table as one seat sees it. ``deal`` is the deal being played, or ``None``.

    ``occupant``: what the seat's player is, while it is ours to play.
    """

    def __init__(self, occupant: views_pb2.Occupant.ValueType = views_pb2.OCCUPANT_HOUSE_BOT) -> None:
        self._occupant = occupant
        self.seat = 0
        self.house_seats: set[int] = set()
        """Those that house bots play."""
        self.revision = NOT_SEEN
        self.deal: View | None = None
        self.deal_no = 0
        self.closed = False
        self.ours = True
        """Whether a bot of ours plays the seat: not when its person is back, and never for coins (R11.2)."""
        self.remaining_ms: int | None = None
        """What was left on the clock that runs, when the last update was sent."""
        self._options: Options | None = None
        self._away: dict[int, bool] = {}
        """Of each seat that is somebody's: whether its player is gone."""

    @property
    def is_deserted(self) -> bool:
        """Whether all players are gone, so that the match is played out in their places (R10.3) with nobody waiting."""
        return bool(self._away) and all(self._away.values())

    @property
    def is_heard(self) -> bool:
        """Whether any player is there who would hear what is said."""
        return not all(self._away.values())

    @property
    def to_act(self) -> View | None:
        """The deal, where this seat has something to choose."""
        deal = self.deal
        if deal is None or not self.ours or deal.turn != self.seat or deal.phase is Phase.OVER:
            return None
        return None if seat_state(deal).reshuffle_due else deal

    def forget(self) -> None:
        """Have the next Watch begin with a snapshot."""
        self.revision = NOT_SEEN

    def take_in(self, update: table_pb2.WatchResponse) -> None:
        """Follow an update. Raises :class:`LostSightError` for one that does not follow."""
        try:
            if update.HasField("snapshot"):
                self._begin(update.snapshot)
            elif update.HasField("delta"):
                self._follow(update.delta)
            elif update.heartbeat.head_revision > self.revision:
                raise LostSightError("an update was missed")
        except (MalformedError, ValueError, IndexError) as fault:
            raise LostSightError(str(fault)) from fault
        self.remaining_ms = update.remaining_ms if update.HasField("remaining_ms") else None

    def _begin(self, view: views_pb2.View) -> None:
        self._options = read_options(view.options)
        if not view.HasField("viewer_seat") or view.viewer_seat >= len(view.seats):
            raise LostSightError("the table shows no seat of ours")
        self.seat = view.viewer_seat
        self._away.clear()
        self.house_seats.clear()
        for seat in view.seats:
            self._note_seat(seat)
        self.closed = view.stage == views_pb2.STAGE_CLOSED
        self.deal = None
        if view.HasField("deal"):
            self._deal_begins(view.deal)
        self.revision = view.revision

    def _follow(self, delta: events_pb2.Delta) -> None:
        if delta.revision <= self.revision:
            return
        if delta.revision != self.revision + 1:
            raise LostSightError("an update was missed")
        for event in delta.events:
            self._happened(event)
        deal = self.deal
        stands = (delta.turn_no, read_hand(delta.duties))
        if deal is not None and deal.end is None and (deal.turn_no, deal.duties) != stands:
            raise LostSightError("the deal stands otherwise than it was followed")
        self.revision = delta.revision

    def _happened(self, event: events_pb2.Event) -> None:
        match event.WhichOneof("event"):
            case "deal_started":
                self._deal_begins(event.deal_started.deal)
            case "match_started":
                self.deal = None
            case "seat_changed":
                self._note_seat(event.seat_changed.seat)
            case "table_closed":
                self.closed = True
            case _:
                self._moved(event)

    def _moved(self, event: events_pb2.Event) -> None:
        if self._options is None:
            raise LostSightError("an event before any view")
        seen = read_event(event, self._options, self.seat)
        if seen is not None and self.deal is not None:
            self.deal = follow(self.deal, seen)

    def _deal_begins(self, message: views_pb2.DealView) -> None:
        if self._options is None:
            raise LostSightError("a deal before any view")
        self.deal = read_deal_view(message, self._options, self.seat)
        self.deal_no = message.deal_no

    @property
    def _for_coins(self) -> bool:
        return self._options is not None and self._options.stake > 0

    def _note_seat(self, seat: views_pb2.SeatView) -> None:
        if seat.seat == self.seat:
            self.ours = seat.occupant == self._occupant and not self._for_coins
        if seat.occupant == views_pb2.OCCUPANT_HOUSE_BOT:
            self.house_seats.add(seat.seat)
        else:
            self.house_seats.discard(seat.seat)
        if seat.account_id:
            self._away[seat.seat] = seat.away
