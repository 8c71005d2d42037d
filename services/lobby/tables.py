"""What the lobby asks of the table service."""

from typing import Final, NamedTuple

from banakil.common.v1.rule_options_pb2 import MATCH_FORMAT_BEST_OF_3
from banakil.table.v1 import seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceStub
from banakil.table.v1.views_pb2 import STAGE_CLOSED, View

from services.lobby.rooms import Room, RoomState
from shared.codec.options import write_options
from shared.kit.clients import Channels, answer
from shared.kit.status import UnknownError

SERIES_WINS: Final = 2
"""R8.3."""


class Look(NamedTuple):
    """What a look at a table tells."""

    state: RoomState
    left: frozenset[str] = frozenset()
    """The accounts that have left the match on purpose."""


class Tables:
    """The table service at an address. Calls raise the `ApiError` that it answers, or that nobody answers."""

    def __init__(self, channels: Channels, address: str) -> None:
        self._stub = TableServiceStub(channels.to(address, "table"))

    async def make(self, room: Room) -> None:
        """Makes the room's table, with house bots in vacant seats. Making it again is the same."""
        seats = [seating_pb2.SeatAssignment() for _ in range(room.options.seats)]
        for sitter in room.sitters:
            account = sitter.account
            seats[sitter.seat] = seating_pb2.SeatAssignment(
                account_id=account.account_id, display_name=account.name, bot=account.bot
            )
        host = room.host
        request = seating_pb2.CreateRequest(
            table_id=room.table_id,
            options=write_options(room.options),
            seats=seats,
            host_seat=0 if host is None else host.seat,
            private=not room.is_quick,
            bot_level=room.bot_level,
        )
        await answer(self._stub.Create(request))

    async def look(self, table_id: str) -> Look:
        """Where a table stands: started, ended or over. One that is not known is over."""
        try:
            view = (await answer(self._stub.GetView(wire.GetViewRequest(table_id=table_id)))).view
        except UnknownError:
            return Look(RoomState.OVER)
        if view.stage == STAGE_CLOSED:
            return Look(RoomState.OVER)
        left = frozenset(seat.account_id for seat in view.seats if seat.left)
        return Look(RoomState.ENDED if _is_won(view) else RoomState.STARTED, left)


def _is_won(view: View) -> bool:
    if view.options.format == MATCH_FORMAT_BEST_OF_3:
        return max(view.match.series_wins, default=0) >= SERIES_WINS
    return view.match.HasField("winner_team")
