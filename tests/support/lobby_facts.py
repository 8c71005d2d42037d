"""What a table would tell the lobby."""

import uuid

from banakil.common.v1.rule_options_pb2 import MODE_DUEL
from banakil.events.v1.facts_pb2 import Fact, MatchAborted, MatchEnded, MatchSeat, PlayerLeft, TableClosed
from banakil.lobby.v1.lobby_pb2 import Room

from tests.support.lobby import Guest, eventually


def ended(room: Room, *, match_id: str = "", at_ms: int = 1_000) -> Fact:
    """The match of this room's table is won by its first seat's team."""
    seats = {seat.seat: MatchSeat(account_id=seat.account_id, display_name=seat.display_name) for seat in room.seats}
    number = 2 if room.options.mode == MODE_DUEL else 4
    match_id = match_id or uuid.uuid4().hex
    match = MatchEnded(
        series_id=match_id,
        match_id=match_id,
        match_no=1,
        options=room.options,
        seats=[seats.get(seat, MatchSeat(display_name="روبوت", bot=True)) for seat in range(number)],
        total_half_points=[460, -31],
        winner_team=0,
        last_deal_no=3,
    )
    return Fact(fact_id=str(uuid.uuid4()), at_ms=at_ms, table_id=room.table_id, match_ended=match)


def closed(room: Room) -> Fact:
    return Fact(fact_id=str(uuid.uuid4()), table_id=room.table_id, table_closed=TableClosed())


def left(room: Room, account_id: str) -> Fact:
    return Fact(fact_id=str(uuid.uuid4()), table_id=room.table_id, player_left=PlayerLeft(account_id=account_id))


def aborted(room: Room) -> Fact:
    return Fact(
        fact_id=str(uuid.uuid4()), table_id=room.table_id, match_aborted=MatchAborted(match_id=uuid.uuid4().hex)
    )


async def knows(guest: Guest, number: int) -> None:
    async def check() -> bool:
        return len((await guest.history()).matches) == number

    await eventually(check, f"{number} matches in the history")
