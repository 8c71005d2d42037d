"""What is public of a match's shuffles, finished or not."""

from collections.abc import Mapping
from typing import NamedTuple

from services.shuffle.attempts import MatchEnd, StoredAttempt
from services.shuffle.refusals import UnknownMatchError
from services.shuffle.store import Store


class PublicMatch(NamedTuple):
    """Every attempt of a match, by deal and attempt; those that were begun and went no further among them.

    `withheld` counts deals that are over and not revealed, `voids` the attempts that each account of the match has made
    void in any match.
    """

    attempts: list[StoredAttempt]
    withheld: int
    end: MatchEnd | None
    voids: Mapping[str, int]


async def audit(store: Store, match_id: bytes) -> PublicMatch:
    """Everything that is public of a match. Raises `UnknownMatchError`."""
    rows = await store.attempts(match_id)
    if not rows:
        raise UnknownMatchError
    end = rows[0][0].end
    attempts = [attempt for _, attempt in rows]
    last_deal = attempts[-1].ctx.deal_no
    withheld = sum(
        attempt.settled is not None
        and attempt.revealed is None
        and (end is not None or attempt.ctx.deal_no < last_deal)
        for attempt in attempts
    )
    closed = (attempt.closed.closed for attempt in attempts if attempt.closed is not None)
    accounts = {seat.account for each in closed for seat in each.seats} - {""}
    return PublicMatch(attempts, withheld, end, await store.voids_of(accounts))
