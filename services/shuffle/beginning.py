"""Which attempt may begin: the next deal once the one before is settled, another attempt once that one is void."""

from typing import Final

from services.shuffle.attempts import LastAttempt, StoredMatch
from services.shuffle.refusals import BadRequestError, CeremonyOpenError
from shared.fairness.context import DealContext

MOST_DEALS: Final = 500
"""Of one match: far above any that is played."""


def require_next(match: StoredMatch, last: LastAttempt | None, ctx: DealContext) -> None:
    """Raises unless `ctx` follows `last`, the latest attempt of the match, so that no number is left out or used again.

    `BadRequestError` for one that never can, `CeremonyOpenError` for one that cannot yet.
    """
    if ctx.deal_no > MOST_DEALS:
        raise BadRequestError(f"a match has at most {MOST_DEALS} deals")
    if match.end is not None:
        raise BadRequestError("the match is over")
    asked = (ctx.deal_no, ctx.attempt)
    if last is None:
        if asked != (1, 0):
            raise BadRequestError("the first deal of a match is deal 1, attempt 0")
        return
    next_deal, next_attempt = (last.deal_no + 1, 0), (last.deal_no, last.attempt + 1)
    if last.settled or last.void:
        if asked != (next_attempt if last.void else next_deal):
            raise BadRequestError("neither the next deal nor the next attempt at it")
    elif asked in (next_deal, next_attempt):
        raise CeremonyOpenError("the attempt before is neither settled nor void")
    else:
        raise BadRequestError("neither the next deal nor the next attempt at it")
