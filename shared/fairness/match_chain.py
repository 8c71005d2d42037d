"""That the deals of one match belong together: same series, match, seats and rules in every deal, and none left out."""

from collections.abc import Sequence
from typing import NamedTuple

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


class SeatedDeals(NamedTuple):
    """Fair deals of one match of a series, and for each seat the place in the first match of who has it."""

    seating: Sequence[int]
    deals: Sequence[FairDeal]


def series_fault(before: Sequence[SeatedDeals], now: SeatedDeals) -> str | None:
    """Why the first deal of `now` cannot be one of the match after those `before` in its series, or None where it can.

    Players may have swapped seats between matches (R8.3); each keeps the account.
    """
    ctx, number = now.deals[0].ctx, len(before) + 1
    if ctx.match_no != number:
        return f"match {ctx.match_no} in the place of match {number}"
    earlier = [(match.seating, deal) for match in before for deal in match.deals]
    for name in ("series", "seats", "rules"):
        if any(getattr(deal.ctx, name) != getattr(ctx, name) for _, deal in earlier):
            return f"another {name} than in the matches before"
    if any(deal.ctx.match == ctx.match for _, deal in earlier):
        return "the id of an earlier match"
    had = {
        (account, place)
        for seating, deal in earlier
        for seat, place in enumerate(seating)
        if (account := deal.closed.seats[seat].account)
    }
    for seat, place in enumerate(now.seating):
        account = now.deals[0].closed.seats[seat].account
        if account and any((was == account) != (before == place) for was, before in had):
            return f"seat {seat} belongs to another account than who sits there by the matches before"
    return None


def check_chain(before: Sequence[FairDeal], current: FairDeal, apart: int = 1) -> None:
    """`FairnessError("chain", ...)` where `chain_fault` finds one."""
    fault = chain_fault(before, current, apart)
    if fault is not None:
        raise FairnessError("chain", fault)
