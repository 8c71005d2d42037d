"""From what a table says of its seats to the closed set K (docs/fair.md)."""

import hashlib
import json
from dataclasses import dataclass

from services.shuffle.refusals import BadRequestError
from shared.fairness.closed import CUT_MAX, NO_HOST, ClosedSet, CutKind, Seat, SeatKind
from shared.fairness.context import DealContext
from shared.fairness.derive import DEALER_DRAW, HOST_CUT
from shared.fairness.errors import FairnessError


@dataclass(frozen=True, slots=True)
class SeatAsked:
    """Who sits in a seat. `account` is empty for a bot."""

    account: str
    bot: bool


@dataclass(frozen=True, slots=True)
class Closing:
    """What a table asks for. `host` is `NO_HOST` where no cut is due; `cut` 0 is the automatic one."""

    seats: tuple[SeatAsked, ...]
    dealer_draw_due: bool
    host: int = NO_HOST
    cut: int = 0

    def digest(self) -> bytes:
        """Tells this from every other closing; 32 bytes."""
        seats = [[seat.account, seat.bot] for seat in self.seats]
        text = json.dumps([seats, self.dealer_draw_due, self.host, self.cut], separators=(",", ":"))
        return hashlib.sha256(text.encode()).digest()

    @property
    def starter_rule(self) -> str:
        """The rule by which the shuffle draws the starter of this deal, empty where it draws none."""
        if self.dealer_draw_due:
            return DEALER_DRAW
        return "" if self.host == NO_HOST else HOST_CUT


def close_set(ctx: DealContext, commitment: bytes, asked: Closing) -> ClosedSet:
    """K. Raises `BadRequestError` for what contradicts itself.

    No seat contributes yet, so each is a bot's or absent, and a cut that is due is automatic: only a host with a
    contribution of its own may cut.
    """
    if asked.dealer_draw_due and (ctx.deal_no != 1 or asked.host != NO_HOST):
        raise BadRequestError("a dealer is drawn in the first deal of a match, where no cut is due")
    if not 0 <= asked.cut <= CUT_MAX or (asked.cut and asked.host == NO_HOST):
        raise BadRequestError(f"a cut is 1..{CUT_MAX} by a host, or 0")
    try:
        closed = ClosedSet(
            ctx=ctx,
            commitment=commitment,
            host=asked.host,
            cut_kind=CutKind.NONE if asked.host == NO_HOST else CutKind.AUTOMATIC,
            cut=0,
            beacon=b"",
            seats=tuple(Seat(SeatKind.BOT if seat.bot else SeatKind.ABSENT, seat.account) for seat in asked.seats),
        )
    except FairnessError as error:
        raise BadRequestError(str(error)) from None
    if faults := closed.faults():
        raise BadRequestError("; ".join(faults))
    return closed
