"""What a table says of its seats becomes K, or is refused for what contradicts itself."""

from dataclasses import replace

import pytest

from services.shuffle.closing import Closing, SeatAsked, close_set
from services.shuffle.refusals import BadRequestError
from shared.fairness.closed import NO_HOST, CutKind, SeatKind
from shared.fairness.context import DealContext

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
