"""A client that keeps a view of a table by what its Watch sends: a snapshot, then deltas."""

from banakil.table.v1 import events_pb2, table_pb2, views_pb2

from shared.codec.events import read_event
from shared.codec.options import read_options
from shared.codec.views import read_deal_view, write_deal_view
from shared.rules.follow import follow
from shared.rules.views import Viewer


class Client:
    """Applies updates as docs/api.md says, and refuses one that does not follow."""

    def __init__(self) -> None:
        self.view = views_pb2.View()
        self.updates: list[bytes] = []

    @property
    def revision(self) -> int:
        return self.view.revision

    def take(self, update: bytes) -> None:
        message = table_pb2.WatchResponse.FromString(update)
        self.updates.append(update)
        match message.WhichOneof("update"):
            case "snapshot":
                self.view = message.snapshot
            case "delta":
                self.take_delta(message.delta)
            case "said":
                pass  # no part of the view
            case _:
                assert message.heartbeat.head_revision == self.revision

    def take_delta(self, delta: events_pb2.Delta) -> None:
        """One update that is no snapshot."""
        assert delta.revision == self.revision + 1, "a delta was missed"
        for event in delta.events:
            self._happened(event)
        self.view.revision = delta.revision
        if self.view.HasField("deal"):
            assert (self.view.deal.turn_no, list(self.view.deal.duties)) == (delta.turn_no, list(delta.duties))
        else:
            assert delta.turn_no == 0

    def _happened(self, event: events_pb2.Event) -> None:
        view = self.view
        match event.WhichOneof("event"):
            case "seat_changed":
                view.seats[event.seat_changed.seat.seat].CopyFrom(event.seat_changed.seat)
            case "stage_entered":
                view.stage = event.stage_entered.stage
                if view.stage != views_pb2.STAGE_SWAP:
                    view.ClearField("swap")
            case "swap_changed":
                view.swap.CopyFrom(event.swap_changed.swap)
            case "pause_changed":
                view.pause.CopyFrom(event.pause_changed.pause)
            case "match_started":
                view.match.CopyFrom(event.match_started.match)
            case "match_ended":
                assert view.match == event.match_ended.match
            case "fair_published":
                view.next_fair.CopyFrom(event.fair_published.fair)
            case "deal_started":
                view.stage = views_pb2.STAGE_DEAL
                view.fair.CopyFrom(view.next_fair)
                view.ClearField("next_fair")
                view.deal.CopyFrom(event.deal_started.deal)
                view.match.deal_no = view.deal.deal_no
            case "deal_ended":
                view.stage = views_pb2.STAGE_RESULT
                view.ClearField("deal")
                view.last_result.CopyFrom(event.deal_ended.result)
                view.match.CopyFrom(event.deal_ended.match)
            case "table_closed":
                view.stage = views_pb2.STAGE_CLOSED
                view.ClearField("swap")
                view.ClearField("deal")
                view.ClearField("next_fair")
                view.frozen, view.aborted = False, event.table_closed.aborted
            case "stakes_missing":
                view.stakes_missing.CopyFrom(event.stakes_missing)
            case "frozen_changed":
                view.frozen = event.frozen_changed.frozen
            case _:
                self._moved(event)

    def _moved(self, event: events_pb2.Event) -> None:
        options = read_options(self.view.options)
        viewer: Viewer = self.view.viewer_seat if self.view.HasField("viewer_seat") else None
        seen = read_event(event, options, viewer)
        assert seen is not None
        followed = follow(read_deal_view(self.view.deal, options, viewer), seen)
        self.view.deal.CopyFrom(write_deal_view(followed, self.view.deal.deal_no))
