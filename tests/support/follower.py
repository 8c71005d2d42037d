"""A client that follows its Watch, like `tests.support.following`, but keeps the deal decoded: that is much faster."""

from banakil.table.v1 import events_pb2, table_pb2, views_pb2

from shared.codec.cards import read_hand
from shared.codec.events import read_event
from shared.codec.options import read_options
from shared.codec.views import read_deal_view
from shared.rules.follow import follow
from shared.rules.options import Options
from shared.rules.views import View
from tests.support.following import Client


class Follower(Client):
    """Of ``view`` the deal is left out, which is in ``deal``."""

    def __init__(self) -> None:
        super().__init__()
        self.deal: View | None = None
        self.deal_no = 0
        self._options: Options | None = None

    def take_in(self, message: table_pb2.WatchResponse) -> None:
        """Apply an update. AssertionError for one that does not follow."""
        match message.WhichOneof("update"):
            case "snapshot":
                self.view = message.snapshot
                self._options = read_options(self.view.options)
                self._deal_is(self.view.deal if self.view.HasField("deal") else None)
            case "delta":
                self._apply(message.delta)
            case "said":
                pass  # no part of the view
            case _:
                assert message.heartbeat.head_revision == self.revision, "the head is at another revision"

    def _apply(self, delta: events_pb2.Delta) -> None:
        assert delta.revision == self.revision + 1, "a delta was missed"
        for event in delta.events:
            self._happened(event)
        if self.view.HasField("deal"):
            self._deal_is(self.view.deal)
        elif self.view.stage != views_pb2.STAGE_DEAL:
            self._deal_is(None)
        self.view.revision = delta.revision
        stands = (0, 0) if self.deal is None else (self.deal.turn_no, self.deal.duties)
        assert stands == (delta.turn_no, read_hand(delta.duties)), "the deal stands otherwise"

    def _moved(self, event: events_pb2.Event) -> None:
        assert self.deal is not None
        assert self._options is not None
        seen = read_event(event, self._options, self.deal.viewer)
        assert seen is not None
        self.deal = follow(self.deal, seen)

    def _deal_is(self, deal: views_pb2.DealView | None) -> None:
        if deal is None:
            self.deal = None
            return
        assert self._options is not None
        viewer = self.view.viewer_seat if self.view.HasField("viewer_seat") else None
        self.deal, self.deal_no = read_deal_view(deal, self._options, viewer), deal.deal_no
        self.view.ClearField("deal")
