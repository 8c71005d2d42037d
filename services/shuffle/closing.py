"""From what a table says of its seats to the closed set K (docs/fair.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.shuffle.attempts import StoredAttempt
from services.shuffle.refusals import BadRequestError
from shared.fairness.closed import CUT_MAX, NO_HOST, ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.context import DealContext
from shared.fairness.errors import FairnessError


@dataclass(frozen=True, slots=True)
class SeatAsked:
    """Who sits in a seat. `account` is empty for a bot, `h` where none came in time."""

    account: str
    bot: bool
    h: bytes = b""


@dataclass(frozen=True, slots=True)
class Closing:
    """What a table asks for. `host` is `NO_HOST` where no cut is due; `cut` 0 is the automatic one."""

    seats: tuple[SeatAsked, ...]
    dealer_draw_due: bool
    host: int = NO_HOST
    cut: int = 0


def close_set(ctx: DealContext, commitment: bytes, asked: Closing, void: Sequence[StoredAttempt] = ()) -> ClosedSet:
    """K. Raises `BadRequestError` for what contradicts itself or the `void` attempts at the deal before this one.

    A seat that failed in one of these is shut out, under the account that failed, whatever the table says of it.
    """
    if asked.dealer_draw_due and (ctx.deal_no != 1 or asked.host != NO_HOST):
        raise BadRequestError("a dealer is drawn in the first deal of a match, where no cut is due")
    if not 0 <= asked.cut <= CUT_MAX or (asked.cut and asked.host == NO_HOST):
        raise BadRequestError(f"a cut is 1..{CUT_MAX} by a host, or 0")
    shut_out = _shut_out(void)
    try:
        seats = tuple(shut_out.get(number) or _seat(seat) for number, seat in enumerate(asked.seats))
        cut_kind = _cut_kind(asked, seats)
        closed = ClosedSet(
            ctx=ctx,
            commitment=commitment,
            host=asked.host,
            cut_kind=cut_kind,
            cut=asked.cut if cut_kind is CutKind.HOST else 0,
            beacon=b"",
            seats=seats,
        )
    except FairnessError as error:
        raise BadRequestError(str(error)) from None
    if faults := (*closed.faults(), *_changes(closed, void)):
        raise BadRequestError("; ".join(faults))
    return closed


def _shut_out(void: Sequence[StoredAttempt]) -> dict[int, Seat]:
    return {
        number: Seat(SeatKind.SHUT_OUT, attempt.closed.closed.seats[number].account)
        for attempt in void
        if attempt.closed is not None
        for number in attempt.failed
    }


def _seat(asked: SeatAsked) -> Seat:
    if asked.bot:
        return Seat(SeatKind.BOT, asked.account, asked.h)
    return Seat(SeatKind.HUMAN if asked.h else SeatKind.ABSENT, asked.account, asked.h)


def _cut_kind(asked: Closing, seats: Sequence[Seat]) -> CutKind:
    """Only a host who takes part may cut: anybody else's cut would be the table's own word."""
    if asked.host == NO_HOST:
        return CutKind.NONE
    takes_part = asked.host < len(seats) and seats[asked.host].kind is SeatKind.HUMAN
    return CutKind.HOST if takes_part and asked.cut else CutKind.AUTOMATIC


def _changes(closed: ClosedSet, void: Sequence[StoredAttempt]) -> list[str]:
    """What must not differ from one attempt at a deal to the next, and does."""
    faults = []
    for attempt in void:
        assert attempt.closed is not None
        before = attempt.closed.closed
        if (before.host == NO_HOST) != (closed.host == NO_HOST):
            faults.append("a cut is due in one attempt and not in another")
        for number, (was, now) in enumerate(zip(before.seats, closed.seats, strict=True)):
            if was.account and now.account and was.account != now.account:
                faults.append(f"seat {number} belonged to another account in attempt {before.ctx.attempt}")
    return faults
