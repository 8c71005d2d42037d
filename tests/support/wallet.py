"""Results of matches for tests, as tables tell of them."""

from collections.abc import Sequence
from typing import Any

from banakil.events.v1 import facts_pb2 as wire

from shared.codec.options import write_options
from shared.rules.options import make_options

TABLE_ID = "5c4b3a29-0000-4000-8000-000000000001"
ENDED_MS = 1_750_000_000_000
HOUSE_BOT = ("", True)


def match_ended(
    number: int = 1,
    seats: Sequence[tuple[str, bool]] = (("ada", False), ("bob", False), HOUSE_BOT, ("robo", True)),
    *,
    winner: int = 0,
    totals: Sequence[int] = (310, -24),
    fact_id: str = "",
    at_ms: int = ENDED_MS,
    **options: Any,
) -> wire.Fact:
    """The fact that match `number` ended; seats are (account, bot). By sahrat, but for `options`."""
    match_id = f"{number:032x}"
    return wire.Fact(
        fact_id=fact_id or f"5c4b3a29-0000-4000-9000-{number:012x}",
        at_ms=at_ms,
        table_id=TABLE_ID,
        match_ended=wire.MatchEnded(
            series_id=match_id,
            match_id=match_id,
            match_no=1,
            options=write_options(make_options({"preset": "sahrat", **options})),
            seats=[wire.MatchSeat(account_id=account, display_name=account, bot=bot) for account, bot in seats],
            total_half_points=totals,
            winner_team=winner,
            last_deal_no=7,
        ),
    )
