"""That the deals of one match belong together: same series, match, seats and rules in every deal, and none left out."""

from collections.abc import Sequence

from shared.fairness.errors import FairnessError
from shared.fairness.fair_deal import FairDeal


def chain_fault(before: Sequence[FairDeal], current: FairDeal, apart: int = 1) -> str | None:
    """Why `current` cannot follow the deals `before` it in the match, or None where it can.

    `apart` is how many deals further on it is than the last of them: more than 1 where deals without a `fair` object
    lie between. A seat keeps its account for the whole match; a bot may keep it warm and give it back (R10).
    """
    if not before:
        return None
    last = before[-1].ctx
    ctx = current.ctx
    for name, was, now in (
        ("series", last.series, ctx.series),
        ("match_no", last.match_no, ctx.match_no),
        ("match", last.match, ctx.match),
        ("number of seats", last.seats, ctx.seats),
        ("rules", last.rules, ctx.rules),
    ):
        if was != now:
            return f"another {name} than in the deal before"
    if ctx.deal_no != last.deal_no + apart:
        return f"deal {ctx.deal_no} after deal {last.deal_no}"
    for number, seat in enumerate(current.closed.seats):
        accounts = {deal.closed.seats[number].account for deal in before} - {""}
        if seat.account and accounts and seat.account not in accounts:
            return f"seat {number} belongs to another account than before"
    return None


def check_chain(before: Sequence[FairDeal], current: FairDeal, apart: int = 1) -> None:
    """`FairnessError("chain", ...)` where `chain_fault` finds one."""
    fault = chain_fault(before, current, apart)
    if fault is not None:
        raise FairnessError("chain", fault)
