"""PeerService: what the processes of the table service tell each other."""

from collections.abc import Awaitable, Callable
from typing import Any

from banakil.table.v1 import peers_pb2 as wire
from banakil.table.v1.peers_pb2_grpc import PeerServiceServicer, PeerServiceStub

from services.table.ownership import Ownership
from shared.kit.clients import Channels
from shared.kit.identity import Role


class PeerServicer(PeerServiceServicer):
    """See protos/banakil/table/v1/peers.proto."""

    def __init__(self, ownership: Ownership) -> None:
        self._ownership = ownership

    async def Wake(self, request: wire.WakeRequest, context: Any) -> wire.WakeResponse:  # noqa: N802  # the RPC's name
        """Has this process look for tables."""
        self._ownership.wake()
        return wire.WakeResponse()


def waking(channels: Channels) -> Callable[[str], Awaitable[None]]:
    """Has the process at an address look for tables at once. Raises gRPC's errors."""

    async def wake(address: str) -> None:
        await PeerServiceStub(channels.to(address, Role.TABLE.value)).Wake(wire.WakeRequest())

    return wake
