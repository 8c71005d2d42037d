"""A table of four guests who all watch it: what it looks like before and after something that should do nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
from banakil.common.v1.rule_options_pb2 import RuleOptions
from banakil.table.v1 import table_pb2
from banakil.table.v1.views_pb2 import View

from tests.support.calls import METHODS, call
from tests.support.up import Up
from tests.support.wire_seat import Seat, come, new_id, sit_down


class Foursome:
    """The seats by their numbers."""

    def __init__(self, up: Up, channel: grpc.aio.Channel, table_id: str, seats: list[Seat]) -> None:
        self.up = up
        self.channel = channel
        self.table_id = table_id
        self.seats = seats

    @property
    def mover(self) -> Seat:
        """Whose turn it is."""
        return next(seat for seat in self.seats if seat.state is not None)

    async def public(self) -> View:
        """The table as an onlooker is shown it now."""
        request = table_pb2.GetViewRequest(table_id=self.table_id)
        answer = await call(self.channel, METHODS["GetView"], request, self.up.token(new_id()).text)
        view: View = answer.view
        return view

    @asynccontextmanager
    async def unharmed(self) -> AsyncIterator[None]:
        """Nothing in here changes anything: nobody is told of anything, and who looks again sees the same."""
        public, views = await self.public(), [View.FromString(seat.view.SerializeToString()) for seat in self.seats]
        yield
        assert await self.public() == public
        assert [seat.view for seat in self.seats] == views
        assert [await seat.look_again() for seat in self.seats] == views


@asynccontextmanager
async def open_foursome(up: Up, channel: grpc.aio.Channel, options: RuleOptions) -> AsyncIterator[Foursome]:
    """A new table of four new guests, whose first deal has begun."""
    guests = [await come(channel, name) for name in ("ada", "bea", "cem", "dia")]
    table_id = await sit_down(channel, options, *guests)
    seats = [Seat(channel, table_id, guest) for guest in guests]
    try:
        for seat in seats:
            await seat.watch()
        for seat in seats:
            await seat.until(lambda seat=seat: _is_settled(seat.view))  # type: ignore[misc]  # its own seat
        yield Foursome(up, channel, table_id, sorted(seats, key=lambda seat: seat.number))
    finally:
        for seat in seats:
            await seat.leave()


def _is_settled(view: View) -> bool:
    """Whether the deal has begun and everybody is known to be there: nothing more happens by itself."""
    return view.HasField("deal") and not any(seat.away for seat in view.seats)
