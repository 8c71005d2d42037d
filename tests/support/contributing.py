"""A client's part in shuffles, as an honest one plays it over the wire: its h, then its c once the set is closed."""

from collections.abc import Iterator
from typing import Any

from banakil.table.v1 import contributing_pb2
from banakil.table.v1.views_pb2 import (
    FAIR_STEP_CUTTING,
    FAIR_STEP_OPENING,
    FAIR_STEP_PROMISING,
    OCCUPANT_PERSON,
    FairInfo,
    View,
)

from shared.fairness.commitment import client_commitment
from shared.fairness.context import DealContext
from tests.support.client_values import contribution_of

CUT = 53


class Contributor:
    """Says what its seat has to send after each update of its view, each thing once."""

    def __init__(self) -> None:
        self._sent: set[tuple[bytes, int, int, int]] = set()

    def due(self, view: View) -> Iterator[contributing_pb2.ContributeRequest]:
        """What is to be sent now."""
        fair = view.next_fair
        if not view.HasField("next_fair") or not view.HasField("viewer_seat"):
            return
        seat, ctx = view.viewer_seat, context_of(fair, len(view.seats))
        step = (ctx.match, ctx.deal_no, ctx.attempt, fair.step)
        if view.seats[seat].occupant != OCCUPANT_PERSON or step in self._sent:
            return
        shut_out = any(seat in void.failed_seats for void in fair.void_attempts)
        about: dict[str, Any] = {
            "table_id": view.table_id,
            "match_id": fair.match_id,
            "deal_no": fair.deal_no,
            "attempt": fair.attempt,
        }
        c = contribution_of(ctx, seat)
        if fair.step == FAIR_STEP_PROMISING and not shut_out:
            yield contributing_pb2.ContributeRequest(h_hex=client_commitment(ctx, seat, c).hex(), **about)
        elif fair.step == FAIR_STEP_OPENING and any(receipt.seat == seat for receipt in fair.receipts):
            yield contributing_pb2.ContributeRequest(c_hex=c.hex(), **about)
        elif fair.step == FAIR_STEP_CUTTING and fair.HasField("host_seat") and fair.host_seat == seat:
            yield contributing_pb2.ContributeRequest(cut=CUT, **about)
        self._sent.add(step)


def context_of(fair: FairInfo, seats: int) -> DealContext:
    """The context of the shuffle that a client is told of."""
    return DealContext(
        series=bytes.fromhex(fair.series_id),
        match_no=fair.match_no,
        match=bytes.fromhex(fair.match_id),
        deal_no=fair.deal_no,
        attempt=fair.attempt,
        seats=seats,
        rules=fair.rules_id,
    )
