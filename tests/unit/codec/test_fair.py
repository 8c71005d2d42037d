"""The fair shuffle on the wire: a revealed deal comes back as it was, anything else is refused."""

from collections.abc import Callable

import pytest
from banakil.shuffle.v1 import fair_pb2 as wire

from shared.codec.errors import MalformedError
from shared.codec.fair import read_context, read_fair_deal, write_attempt, write_context
from shared.fairness.closed import NO_HOST, ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.context import DealContext
from shared.fairness.fair_deal import Attempt, FairDeal, Signatures

MATCH = bytes(range(16))
CONTRIBUTION = bytes([7]) * 32
SEATS = (
    Seat(SeatKind.HUMAN, "p0", bytes([1]) * 64),
    Seat(SeatKind.ABSENT, "p1"),
    Seat(SeatKind.BOT),
    Seat(SeatKind.SHUT_OUT, "p3"),
)
SIGNATURES = Signatures("key-1", {"commit": b"a" * 64, "closed": b"b" * 64, "transcript": b"c" * 64})


def deal(*, host: int = 0, cut_kind: CutKind = CutKind.HOST, cut: int = 52) -> FairDeal:
    ctx = DealContext(MATCH, 1, MATCH, 1, 1, 4, "banakil202")
    closed = ClosedSet(ctx, bytes([9]) * 64, host, cut_kind, cut, b"", SEATS)
    attempt = Attempt(closed, bytes(range(128)), (CONTRIBUTION, b"", b"", b""), SIGNATURES)
    return FairDeal(attempt, bytes([3]) * 64)


def written(fair: FairDeal) -> wire.FairDeal:
    played = fair.played
    return write_attempt(
        played.closed,
        played.contributions,
        secret=played.secret,
        transcript=fair.transcript,
        signatures=played.signatures,
    )


@pytest.mark.parametrize(
    "fair",
    [deal(), deal(cut_kind=CutKind.AUTOMATIC, cut=0), deal(host=NO_HOST, cut_kind=CutKind.NONE, cut=0)],
    ids=["host's cut", "automatic cut", "no cut"],
)
def test_a_revealed_deal_comes_back_as_it_was_sent(fair: FairDeal) -> None:
    assert read_fair_deal(wire.FairDeal.FromString(written(fair).SerializeToString())) == fair


def test_every_kind_has_the_name_and_one_more_than_the_number_that_the_closed_set_has() -> None:
    for kind in SeatKind:
        assert wire.SeatKind.Name(kind + 1) == f"SEAT_KIND_{kind.name}"  # type: ignore[arg-type]  # a number will do
    for cut in CutKind:
        assert wire.CutKind.Name(cut + 1) == f"CUT_KIND_{cut.name}"  # type: ignore[arg-type]  # a number will do


def test_a_context_comes_back_as_it_was_sent() -> None:
    ctx = deal().ctx
    assert read_context(write_context(ctx)) == ctx


@pytest.mark.parametrize(
    "spoil",
    [
        lambda context: context.ClearField("match_id"),
        lambda context: setattr(context, "series_id", b"short"),
        lambda context: setattr(context, "match_no", 4),
        lambda context: setattr(context, "deal_no", 0),
        lambda context: setattr(context, "seats", 3),
        lambda context: setattr(context, "rules_id", "bridge"),
    ],
)
def test_a_context_that_is_none_is_refused(spoil: Callable[[wire.DealContext], None]) -> None:
    context = write_context(deal().ctx)
    spoil(context)
    with pytest.raises(MalformedError) as refusal:
        read_context(context)
    assert refusal.value.code == "BAD_REQUEST"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda message: message.ClearField("secret"),
        lambda message: message.ClearField("transcript"),
        lambda message: message.ClearField("cut_kind"),
        lambda message: message.seats.pop(),
        lambda message: setattr(message.seats[0], "kind", 0),
        lambda message: setattr(message.seats[0], "kind", 9),
        lambda message: setattr(message, "commitment", b"\0"),
    ],
)
def test_a_deal_that_is_not_revealed_or_not_whole_is_refused(spoil: Callable[[wire.FairDeal], None]) -> None:
    message = written(deal())
    spoil(message)
    with pytest.raises(MalformedError):
        read_fair_deal(message)
