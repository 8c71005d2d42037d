"""What nobody could know before a deal's end: its whole course, from the record that is published then."""

import json
from collections.abc import Iterator
from typing import Any

from banakil.table.v1.table_pb2 import WatchResponse

from shared.fairness.fair_json import read_fair
from shared.rules.action_text import parse_action
from shared.rules.cards import bag_faces, codes
from shared.rules.engine import apply
from shared.rules.record import read_record
from shared.rules.replay import DerivedStocks, replay, settle_turn_start
from shared.rules.state import DealState
from shared.rules.views import Viewer

MOVES = {"drew", "took", "passed", "laid", "amended", "undone", "discarded", "time_ran_out"}


def course(record: dict[str, Any]) -> list[DealState]:
    """The states of the record's first deal, with every card in them: as dealt, and after each action."""
    first = record["deals"][0]
    dealt = {**record, "deals": [{**first, "actions": []}]}
    states = [replay(read_record(json.dumps(dealt).encode())).deals[0]]
    stocks = DerivedStocks(read_fair(first["fair"]))
    for text in first["actions"]:
        _, after = apply(states[-1], parse_action(text))
        states.append(settle_turn_start(after, stocks)[1])
    return states


def known(states: list[DealState], viewer: Viewer) -> set[str]:
    """The cards that the viewer may have seen in one of these states: open ones, its own, and at the end every hand."""
    faces: set[int] = set()
    for state in states:
        faces.update(state.pile, bag_faces(state.duties), *(meld.cards for meld in state.melds))
        for seat, hand in enumerate(state.hands):
            if seat == viewer or state.end is not None:
                faces.update(bag_faces(hand))
    return set(codes(faces))


def followed(updates: list[bytes], states: list[DealState]) -> Iterator[tuple[WatchResponse, list[DealState]]]:
    """Each update of a Watch up to the deal's end, with the states before and after it."""
    played = 0
    for raw in updates:
        update = WatchResponse.FromString(raw)
        kinds = {event.WhichOneof("event") for event in update.delta.events}
        before, played = played, played + bool(kinds & MOVES)
        yield update, states[before : played + 1]
        if "deal_ended" in kinds:
            return
