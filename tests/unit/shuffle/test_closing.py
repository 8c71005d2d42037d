"""What a table says of its seats becomes K, or is refused for what contradicts itself."""

from dataclasses import replace

import pytest

from services.shuffle.closing import Closing, SeatAsked, close_set
from services.shuffle.refusals import BadRequestError
from shared.fairness.closed import NO_HOST, CutKind, SeatKind
from shared.fairness.context import DealContext
from shared.fairness.derive import DEALER_DRAW, HOST_CUT

CTX = DealContext(b"s" * 16, 1, b"m" * 16, 1, 0, 4, "sahrat")
PEOPLE = (SeatAsked("a", bot=False), SeatAsked("b", bot=False), SeatAsked("c", bot=False), SeatAsked("", bot=True))
DRAW = Closing(PEOPLE, dealer_draw_due=True)
CUT = Closing(PEOPLE, dealer_draw_due=False, host=1, cut=40)
PLAIN = Closing(PEOPLE, dealer_draw_due=False)


def test_people_who_send_nothing_are_absent_and_bots_are_bots() -> None:
    closed = close_set(CTX, bytes(64), DRAW)
    assert [(seat.kind, seat.account, seat.h) for seat in closed.seats] == [
        (SeatKind.ABSENT, "a", b""), (SeatKind.ABSENT, "b", b""), (SeatKind.ABSENT, "c", b""), (SeatKind.BOT, "", b""),
    ]  # fmt: skip
    assert (closed.host, closed.cut_kind, closed.cut, closed.beacon) == (NO_HOST, CutKind.NONE, 0, b"")


@pytest.mark.parametrize("cut", [0, 1, 105])
def test_a_host_without_a_contribution_leaves_the_cut_to_the_draw(cut: int) -> None:
    closed = close_set(CTX, bytes(64), replace(CUT, cut=cut))
    assert (closed.host, closed.cut_kind, closed.cut) == (1, CutKind.AUTOMATIC, 0)


@pytest.mark.parametrize(
    ("ctx", "asked"),
    [
        (CTX, replace(DRAW, seats=PEOPLE[:3])),
        (CTX, replace(DRAW, seats=(*PEOPLE, PEOPLE[0]))),
        (CTX, replace(DRAW, seats=(*PEOPLE[:3], SeatAsked("bot", bot=True)))),
        (CTX, replace(DRAW, seats=(SeatAsked("", bot=False), *PEOPLE[1:]))),
        (CTX, replace(DRAW, host=1)),
        (CTX, replace(CUT, cut=106)),
        (CTX, replace(CUT, cut=-1)),
        (CTX, replace(CUT, host=NO_HOST)),
        (CTX, replace(CUT, host=4)),
        (replace(CTX, deal_no=2), DRAW),
        (replace(CTX, deal_no=2), CUT),
        (replace(CTX, match_no=2), CUT),
        (replace(CTX, attempt=1), PLAIN),
        (replace(CTX, seats=2), PLAIN),
    ],
)
def test_what_contradicts_itself_is_refused(ctx: DealContext, asked: Closing) -> None:
    with pytest.raises(BadRequestError):
        close_set(ctx, bytes(64), asked)


def test_the_starter_is_drawn_by_the_rule_that_is_due() -> None:
    assert [asked.starter_rule for asked in (DRAW, CUT, PLAIN)] == [DEALER_DRAW, HOST_CUT, ""]


def test_no_two_requests_have_one_digest() -> None:
    moved = (SeatAsked("ab", bot=False), SeatAsked("", bot=False))
    asked = [
        DRAW, CUT, PLAIN, replace(CUT, cut=0), replace(CUT, host=2), replace(PLAIN, seats=PEOPLE[::-1]),
        replace(PLAIN, seats=moved), replace(PLAIN, seats=(SeatAsked("a", bot=False), SeatAsked("b", bot=False))),
        replace(PLAIN, seats=(SeatAsked('a",false],["b', bot=False),)),
    ]  # fmt: skip
    assert len({each.digest() for each in asked}) == len(asked)
    assert replace(DRAW).digest() == DRAW.digest()
