"""What older versions of the journal wrote, as the present one would have written it (``stored.py`` reads the outcome).

Version 1 knew no players' part in a shuffle, and began the shuffle of a deal only once the result before was shown.
Version 2 knew no grace, nobody who left on purpose, no house bot in another's place, and no pause.
"""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from services.table.stored_ceremony import write_context
from shared.fairness.context import DealContext
from shared.rules.options import make_options
from shared.rules.replay import options_rules_id

Json: TypeAlias = Any
_SEAT_SINCE_3: Final = (False, "", "", 0)
"""Not left, nobody in its player's place, no grace."""
_FAIR_OF_1: Final = (
    "commitment",
    "key_id",
    "commit_signature",
    "closed",
    "closed_signature",
    "transcript",
    "transcript_signature",
)


def up_to_date_events(version: int, events: list[Json]) -> list[Json]:
    """An entry's events."""
    if version < 2:
        events = [now for event in events for now in _events_of_1(event)]
    return [_event_of_2(event) for event in events] if version < 3 else events


def up_to_date_state(version: int, state: Json) -> Json:
    """A table as its deal begins."""
    if version < 2:
        state = _state_of_1(state)
    if version < 3:
        since_3 = {"private": False, "pause": [[], 0, False]}
        state = {**state, "seats": [*map(_seat_of_2, state["seats"])], **since_3}
    return state


def _event_of_2(event: Json) -> Json:
    match event:
        case ["AwayChanged", seat, away]:
            return ["AwayChanged", seat, away, 0]
        case ["Created", table_id, options, seats, *rest]:
            return ["Created", table_id, options, [*map(_seat_of_2, seats)], *rest, False]
        case _:
            return event


def _seat_of_2(seat: Json) -> Json:
    return [*seat, *_SEAT_SINCE_3]


def _events_of_1(event: Json) -> Iterator[Json]:
    match event:
        case ["CeremonyBegan", deal_no, *_]:
            if deal_no > 1:
                yield ["ResultShown"]
            yield event
        case ["Committed", [commitment, key_id, signature, *_]]:
            yield ["Committed", commitment, key_id, signature, None]
        case ["Dealt", fair, starter]:
            _, _, _, closed, closed_signature, transcript, transcript_signature = fair
            yield ["SetClosed", closed, closed_signature, [], None]
            yield ["Settled", transcript, transcript_signature, [], [], starter, 0]
            yield ["Dealt", starter]
        case _:
            yield event


def _state_of_1(state: Json) -> Json:
    options = make_options(state["options"])
    context = DealContext(
        series=bytes.fromhex(state["series_id"]),
        match_no=sum(state["wins"]) + 1,
        match=bytes.fromhex(state["match_id"]),
        deal_no=state["deal_no"],
        attempt=state["attempt"],
        seats=options.seats,
        rules=options_rules_id(options),
    )
    published = dict(zip(_FAIR_OF_1, state["fair"], strict=True))
    settled = {"context": write_context(context), "starter": state["starter"], "host": None, "step": "settled"}
    return {**state, "fair": {**settled, **published}}
