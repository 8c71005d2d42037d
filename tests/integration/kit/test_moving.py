"""A service whose only process goes and comes back at another address, as pods do: callers follow its name."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import grpc

from shared.kit.clients import Channels
from tests.support.kit import PATIENCE_S

A_RECORD: Final = 1


class Names(asyncio.DatagramProtocol):
    """A name server on the loopback that knows one address for every name."""

    def __init__(self) -> None:
        self.address = ""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def datagram_received(self, asked: bytes, sender: tuple[str, int]) -> None:
        end = asked.index(b"\0", 12) + 5  # of the question: its name, type and class
        kind = struct.unpack(">H", asked[end - 4 : end - 2])[0]
        told = b"\xc0\x0c" + struct.pack(">HHIH", A_RECORD, 1, 0, 4) + socket.inet_aton(self.address)
        count = 1 if kind == A_RECORD else 0
        head = asked[:2] + b"\x81\x80" + struct.pack(">HHHH", 1, count, 0, 0)
        self.transport.sendto(head + asked[12:end] + told * count, sender)


@asynccontextmanager
async def serving(host: str, port: int) -> AsyncIterator[int]:
    """A server that tells where it is."""

    async def where(_request: bytes, _context: Any) -> bytes:
        return host.encode()

    server = grpc.aio.server()
    methods: dict[str, Any] = {"Where": grpc.unary_unary_rpc_method_handler(where)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("banakil.X", methods),))
    bound = server.add_insecure_port(f"{host}:{port}")
    await server.start()
    try:
        yield bound
    finally:
        await server.stop(0)


async def test_callers_find_a_service_that_has_moved_within_seconds() -> None:
    loop = asyncio.get_running_loop()
    transport, names = await loop.create_datagram_endpoint(Names, local_addr=("127.0.0.1", 0))
    names.address = "127.0.0.2"
    async with Channels(None) as channels:
        async with serving("127.0.0.2", 0) as port:
            name_server = "{}:{}".format(*transport.get_extra_info("sockname"))
            channel = channels.to(f"dns://{name_server}/table.banakil:{port}", "table")
            where: Any = channel.unary_unary("/banakil.X/Where")
            assert await where(b"") == b"127.0.0.2"
        names.address = "127.0.0.3"
        async with serving("127.0.0.3", port):
            assert await where(b"", wait_for_ready=True, timeout=PATIENCE_S) == b"127.0.0.3"
    transport.close()
