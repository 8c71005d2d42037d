"""A match of house bots on a platform of its own, for people to look on."""

import tempfile
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from banakil.table.v1 import seating_pb2
from banakil.table.v1 import table_pb2 as wire
from banakil.table.v1.table_pb2_grpc import TableServiceStub
from banakil.table.v1.views_pb2 import STAGE_CLOSED, View

from services.allinone.platform import Platform
from shared.codec.options import write_options
from shared.kit.clients import Channels
from shared.kit.clock import RealClock
from shared.kit.identity import Role, ServiceCredentials, TokenIssuer
from shared.kit.keys import SigningKey
from shared.rules.options import Options

if TYPE_CHECKING:
    from banakil.table.v1.table_pb2_grpc import TableServiceAsyncStub

LOOK_MS: Final = 150
"""Between two looks at the table; the table service allows ten a second."""


async def exhibition(options: Options, pace: float) -> AsyncIterator[View]:
    """The public view whenever it has changed, from the first bot's coming to the table's end."""
    clock = RealClock()
    with tempfile.TemporaryDirectory(prefix="banakil-") as folder:
        data = Path(folder)
        async with Platform(data=data, pace=pace).running() as app:
            name = Role.LOBBY.value
            key = SigningKey.load(data / "keys" / "private" / f"{name}.jwk")
            credentials = ServiceCredentials(TokenIssuer(name, key, clock), clock)
            async with Channels(credentials) as channels:
                tables: TableServiceAsyncStub = TableServiceStub(channels.to(app.address, Role.TABLE.value))
                table_id = str(uuid.uuid4())
                seats = [seating_pb2.SeatAssignment() for _ in range(options.seats)]
                await tables.Create(
                    seating_pb2.CreateRequest(
                        table_id=table_id, options=write_options(options), seats=seats, host_seat=0
                    )
                )
                seen = -1
                while True:
                    view = (await tables.GetView(wire.GetViewRequest(table_id=table_id))).view
                    if view.revision != seen:
                        seen = view.revision
                        yield view
                    if view.stage == STAGE_CLOSED:
                        return
                    await clock.sleep_ms(LOOK_MS)
