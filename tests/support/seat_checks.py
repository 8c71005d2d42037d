"""What must hold of a table's seats from one journal entry to the next (R10)."""

from collections.abc import Iterator

from services.table.events import AwayChanged, GraceOver, SeatLeft, StandInTook
from services.table.state import Seat, TableState
from tests.support.books import Appended

OF_SEATS = (AwayChanged, GraceOver, SeatLeft, StandInTook)


def seat_faults(entry: Appended) -> Iterator[str]:
    """A hand or a score that a coming or going changes, a grace that ends early, a seat that the wrong one has."""
    before, after = entry.before, entry.after
    assert before is not None
    if any(isinstance(event, OF_SEATS) for event in entry.events) and before.deal != after.deal:
        yield "a coming or going changed the deal"
    was = {seat.account: seat for seat in before.seats if seat.account}
    for seat in after.seats:
        if seat.account in was:
            yield from _faults(was[seat.account], seat, before, entry)
    for event in entry.events:
        if isinstance(event, GraceOver) and not 0 < before.seats[event.seat].grace_until_ms <= entry.at_ms:
            yield f"the grace of seat {event.seat} ended at {entry.at_ms}: {before.seats[event.seat]}"
        if isinstance(event, StandInTook) and not before.seats[event.seat].is_offered:
            yield f"a bot took seat {event.seat}, which was not offered"


def _faults(was: Seat, now: Seat, before: TableState, entry: Appended) -> Iterator[str]:
    after = entry.after
    if was.left and not now.left and before.match_id == after.match_id:
        yield f"{now.account} is back in the match that it has left"
    if now.left and (not now.away or now.grace_until_ms):
        yield f"{now.account} has left, and is there or waited for"
    if now.grace_until_ms and (not now.away or now.stand_in):
        yield f"{now.account} has a grace and is there or replaced"
    if now.stand_in and not now.away:
        yield f"{now.account} is there, and a bot plays"
    if now.stand_in and after.options.stake:
        yield "a bot plays at a coin table"
    if now.grace_until_ms not in (0, was.grace_until_ms) and now.grace_until_ms < was.grace_until_ms:
        yield f"the grace of {now.account} was shortened"
    # To a table that stands still it is the moment since when it does: what passes meanwhile is given back.
    begins_ms = entry.at_ms if after.standstill is None else after.standstill.since_ms
    full_ms = begins_ms + after.options.grace_seconds * 1000
    if now.grace_until_ms and not was.grace_until_ms and now.grace_until_ms < full_ms:
        yield f"{now.account} has {now.grace_until_ms - begins_ms} ms of grace"
