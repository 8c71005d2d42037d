"""The fair shuffle on the wire: bytes as in the domain; enums are one higher on the wire, where 0 is unknown."""

from collections.abc import Iterable, Sequence

from banakil.shuffle.v1 import fair_pb2 as wire

from shared.codec.errors import MalformedError
from shared.fairness.closed import NO_HOST, ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.context import DealContext, deal_context
from shared.fairness.errors import FairnessError
from shared.fairness.fair_deal import Attempt, FairDeal, Signatures, VoidAttempt
from shared.fairness.signing import CLOSED, COMMIT, REVEAL, TRANSCRIPT


def read_context(message: wire.DealContext) -> DealContext:
    """Raises `MalformedError` for what is no context."""
    try:
        return deal_context(
            message.series_id,
            message.match_no,
            message.match_id,
            message.deal_no,
            message.attempt,
            message.seats,
            message.rules_id,
        )
    except FairnessError as error:
        raise MalformedError(str(error)) from None


def write_context(ctx: DealContext) -> wire.DealContext:
    """The context of one attempt."""
    return wire.DealContext(
        series_id=ctx.series,
        match_no=ctx.match_no,
        match_id=ctx.match,
        deal_no=ctx.deal_no,
        attempt=ctx.attempt,
        seats=ctx.seats,
        rules_id=ctx.rules,
    )


def read_fair_deal(message: wire.FairDeal, void: Iterable[wire.FairDeal] = ()) -> FairDeal:
    """A revealed deal, as a record carries it, with the `void` attempts at it before.

    Raises `MalformedError` where one is not revealed or makes no sense.
    """
    try:
        voids = tuple(VoidAttempt(_revealed(each), tuple(each.failed_seats)) for each in void)
        return FairDeal(_revealed(message), message.transcript, voids)
    except ValueError as error:
        raise MalformedError(str(error)) from None


def read_closed(message: wire.FairDeal) -> ClosedSet:
    """The closed set by its values. Raises `ValueError` for what has no encoding."""
    return ClosedSet(
        ctx=read_context(message.context),
        commitment=message.commitment,
        host=message.host_seat if message.HasField("host_seat") else NO_HOST,
        cut_kind=CutKind(message.cut_kind - 1),
        cut=message.cut,
        beacon=message.beacon,
        seats=tuple(Seat(SeatKind(seat.kind - 1), seat.account_id, seat.h) for seat in message.seats),
    )


def _revealed(message: wire.FairDeal) -> Attempt:
    contributions = tuple(seat.c for seat in message.seats)
    return Attempt(read_closed(message), message.secret, contributions, read_signatures(message))


def write_attempt(
    closed: ClosedSet,
    contributions: Sequence[bytes],
    *,
    secret: bytes = b"",
    transcript: bytes = b"",
    signatures: Signatures | None = None,
    failed: Sequence[int] = (),
) -> wire.FairDeal:
    """An attempt whose set is closed. `secret` is empty until it is revealed, `transcript` in one that is void.

    `failed` are the seats that made it void.
    """
    signed = signatures.of if signatures else {}
    return wire.FairDeal(
        context=write_context(closed.ctx),
        secret=secret,
        commitment=closed.commitment,
        host_seat=None if closed.host == NO_HOST else closed.host,
        cut_kind=_cut_kind(closed.cut_kind),
        cut=closed.cut,
        beacon=closed.beacon,
        seats=[
            wire.FairSeat(kind=_seat_kind(seat.kind), account_id=seat.account, h=seat.h, c=contribution)
            for seat, contribution in zip(closed.seats, contributions, strict=True)
        ],
        closed=closed.encode(),
        transcript=transcript,
        signatures=wire.FairSignatures(
            key_id=signatures.key if signatures else "",
            commit=signed.get(COMMIT, b""),
            closed=signed.get(CLOSED, b""),
            transcript=signed.get(TRANSCRIPT, b""),
            reveal=signed.get(REVEAL, b""),
        ),
        failed_seats=failed,
    )


def read_signatures(message: wire.FairDeal) -> Signatures | None:
    """Those that are there; None where no key is named."""
    given = message.signatures
    if not given.key_id:
        return None
    values = {COMMIT: given.commit, CLOSED: given.closed, TRANSCRIPT: given.transcript, REVEAL: given.reveal}
    return Signatures(given.key_id, {what: value for what, value in values.items() if value})


def _seat_kind(kind: SeatKind) -> "wire.SeatKind.ValueType":
    return wire.SeatKind.Value(f"SEAT_KIND_{kind.name}")


def _cut_kind(kind: CutKind) -> "wire.CutKind.ValueType":
    return wire.CutKind.Value(f"CUT_KIND_{kind.name}")
