"""What a closed set may say, and what contradicts itself."""

from dataclasses import replace

import pytest

from shared.fairness.closed import NO_HOST, ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.commitment import client_commitment, server_commitment
from shared.fairness.context import DealContext
from shared.fairness.errors import FairnessError
from shared.fairness.transcript import transcript
from tests.support.fair_deals import ABSENT, BOT, HUMAN, SHUT_OUT, Ceremony

H = bytes(64)
PLAIN = Ceremony(kinds=(HUMAN, HUMAN, ABSENT, BOT)).deal().closed
CUT = Ceremony(kinds=(HUMAN, HUMAN, ABSENT, BOT), rules="banakil202", host=1, cut=40).deal().closed


def seat(closed: ClosedSet, number: int, new: Seat) -> ClosedSet:
    return replace(closed, seats=(*closed.seats[:number], new, *closed.seats[number + 1 :]))


@pytest.mark.parametrize("closed", [PLAIN, CUT, replace(CUT, cut_kind=CutKind.AUTOMATIC, cut=0)])
def test_an_honest_set_has_no_fault(closed: ClosedSet) -> None:
    assert closed.faults() == ()


@pytest.mark.parametrize(
    ("closed", "fault"),
    [
        (seat(PLAIN, 0, Seat(HUMAN, "p0")), "seat 0: no h"),
        (seat(PLAIN, 0, Seat(HUMAN, "", H)), "seat 0: no account"),
        (seat(PLAIN, 2, Seat(ABSENT, "p2", H)), "seat 2: an h from a seat that sent none"),
        (seat(PLAIN, 2, Seat(ABSENT)), "seat 2: no account"),
        (seat(PLAIN, 3, Seat(BOT, "p3")), "seat 3: a bot with an account"),
        (seat(PLAIN, 3, Seat(BOT, "", H)), "seat 3: an h from a seat that sent none"),
        (seat(PLAIN, 2, Seat(SHUT_OUT, "p2")), "a seat is shut out in the first attempt"),
        (replace(PLAIN, ctx=replace(PLAIN.ctx, attempt=1)), "attempt 1, but only 0 seats are shut out"),
        (replace(PLAIN, cut_kind=CutKind.AUTOMATIC), "a cut, but no host"),
        (replace(PLAIN, cut=7), "a cut, but no host"),
        (replace(CUT, host=4), "the host is seat 4"),
        (replace(CUT, cut_kind=CutKind.NONE, cut=0), "a host, but no cut"),
        (replace(CUT, host=2), "a cut by a host who took no part"),
        (replace(CUT, host=3), "a cut by a host who took no part"),
        (replace(CUT, cut=0), "the host's cut is 0, not 1..105"),
        (replace(CUT, cut=106), "the host's cut is 106, not 1..105"),
        (replace(CUT, cut_kind=CutKind.AUTOMATIC), "a cut of 40 that the host did not make"),
        (replace(CUT, ctx=replace(CUT.ctx, deal_no=2)), "a cut is due in the first deal of a series only"),
        (replace(CUT, ctx=replace(CUT.ctx, match_no=2)), "a cut is due in the first deal of a series only"),
    ],
)
def test_a_set_that_contradicts_itself_says_where(closed: ClosedSet, fault: str) -> None:
    assert fault in closed.faults()


def test_there_can_be_no_more_void_attempts_than_seats_that_were_shut_out() -> None:
    closed = Ceremony(kinds=(HUMAN,) * 4, voids=((0,), (1, 2))).deal().closed
    assert closed.faults() == ()
    assert closed.of_kind(SHUT_OUT) == (0, 1, 2)
    assert replace(closed, ctx=replace(closed.ctx, attempt=4)).faults() == ("attempt 4, but only 3 seats are shut out",)


def test_every_field_changes_the_encoding() -> None:
    variants = [
        CUT,
        replace(CUT, ctx=replace(CUT.ctx, series=bytes(16))),
        replace(CUT, ctx=replace(CUT.ctx, match=bytes(16))),
        replace(CUT, ctx=replace(CUT.ctx, match_no=2)),
        replace(CUT, ctx=replace(CUT.ctx, deal_no=2)),
        replace(CUT, ctx=replace(CUT.ctx, attempt=1)),
        replace(CUT, ctx=replace(CUT.ctx, rules="sahrat")),
        replace(CUT, commitment=bytes(64)),
        replace(CUT, host=NO_HOST),
        replace(CUT, cut_kind=CutKind.AUTOMATIC),
        replace(CUT, cut=41),
        replace(CUT, beacon=b"\0"),
        seat(CUT, 0, replace(CUT.seats[0], account="p1")),
        seat(CUT, 0, replace(CUT.seats[0], h=H)),
        seat(CUT, 0, replace(CUT.seats[0], kind=ABSENT)),
        replace(CUT, seats=(CUT.seats[1], CUT.seats[0], *CUT.seats[2:])),
    ]
    assert len({closed.encode() for closed in variants}) == len(variants)


def test_what_has_no_encoding_is_refused() -> None:
    for field, value in (("host", 256), ("host", -1), ("cut", 256), ("commitment", b""), ("beacon", bytes(65_536))):
        with pytest.raises(FairnessError, match=f"^{field}: "):
            replace(PLAIN, **{field: value})  # type: ignore[arg-type]  # one value of each field's type, from a table
    with pytest.raises(FairnessError, match=r"^seats: "):
        replace(PLAIN, seats=PLAIN.seats[:3])
    with pytest.raises(FairnessError, match=r"^h: "):
        Seat(SeatKind.HUMAN, "p0", bytes(63))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("series", bytes(15)), ("match", bytes(17)), ("match_no", 0), ("match_no", 4), ("deal_no", 0),
        ("deal_no", 2**32), ("attempt", -1), ("attempt", 2**32), ("seats", 3), ("rules", "whist"),
    ],
)  # fmt: skip
def test_a_context_out_of_range_is_refused_by_its_field(field: str, value: object) -> None:
    good = {
        "series": bytes(16),
        "match_no": 1,
        "match": bytes(16),
        "deal_no": 1,
        "attempt": 0,
        "seats": 4,
        "rules": "sahrat",
    }
    DealContext(**good)  # type: ignore[arg-type]  # one value of each field's type, from a table
    with pytest.raises(FairnessError, match=f"^{field}: "):
        DealContext(**{**good, field: value})  # type: ignore[arg-type]  # as above


def test_a_secret_has_128_bytes_and_a_contribution_32() -> None:
    for length in (0, 127, 129):
        with pytest.raises(FairnessError, match=r"^secret: "):
            server_commitment(PLAIN.ctx, bytes(length))
    for length in (0, 31, 33):
        with pytest.raises(FairnessError, match=r"^c: "):
            client_commitment(PLAIN.ctx, 0, bytes(length))
    for number in (-1, 4):
        with pytest.raises(FairnessError, match=r"^seat: "):
            client_commitment(PLAIN.ctx, number, bytes(32))


def test_the_same_contribution_gives_another_h_in_each_seat_and_attempt() -> None:
    other = replace(PLAIN.ctx, attempt=1)
    assert len({client_commitment(ctx, number, bytes(32)) for ctx in (PLAIN.ctx, other) for number in range(4)}) == 8


def test_a_transcript_takes_a_contribution_of_each_human_and_of_nobody_else() -> None:
    c = bytes(32)
    assert len(transcript(PLAIN, (c, c, b"", b""))) == 64
    for wrong in ((c, b"", b"", b""), (c, c, c, b""), (c, c, b"", c), (c, c[1:], b"", b""), (c, c, b"")):
        with pytest.raises(FairnessError, match=r"^(seats\[\d\]\.)?c: "):
            transcript(PLAIN, wrong)
