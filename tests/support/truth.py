"""What tabs saw of a match, and the truth of it: the record that is published when all is over."""

import json
from typing import Any

from banakil.table.v1.table_pb2 import WatchResponse

from shared.rules.record import read_record
from shared.rules.replay import replay
from shared.rules.state import DealState
from shared.rules.views import View
from tests.support.gateway import Tab

MOVES = {"drew", "took", "passed", "laid", "amended", "undone", "discarded", "time_ran_out"}


class Seen:
    """What a tab knew at each revision that it came to, and what had been played by then."""

    def __init__(self, tab: Tab) -> None:
        self.deals: dict[int, View | None] = {}
        self.played: dict[int, tuple[int, int]] = {}
        """After each move: the deal in its match, and the moves in it."""
        self._moves = 0
        tab.seen = self._note

    def _note(self, tab: Tab, update: WatchResponse) -> None:
        sight = tab.sight
        self.deals[sight.revision] = sight.deal
        kinds = {event.WhichOneof("event") for event in update.delta.events}
        if "deal_started" in kinds:
            self._moves = 0
        elif kinds & MOVES:
            self._moves += 1
            self.played[sight.revision] = (sight.deal_no, self._moves)


def public(deal: View | None) -> View | None:
    """What all seats see alike. Of a deal that is over a snapshot shows the result alone."""
    return None if deal is None or deal.end is not None else deal._replace(viewer=None, hand=None)


def truth(record: str, deal_no: int, moves: int) -> DealState:
    """The deal after so many moves, by the record that was published at its end."""
    match = json.loads(record)
    match["deals"] = match["deals"][:deal_no]
    match["deals"][-1]["actions"] = match["deals"][-1]["actions"][:moves]
    return replay(read_record(json.dumps(match).encode())).deals[-1]


def match_id(texts: list[str]) -> str:
    """The match's, as its end was told."""
    [ended] = [event for text in texts for event in events(text) if "matchEnded" in event]
    return str(ended["matchEnded"]["match"]["matchId"])


def events(text: str) -> list[dict[str, Any]]:
    """The events in a frame."""
    found: list[dict[str, Any]] = json.loads(text).get("delta", {}).get("events", [])
    return found
