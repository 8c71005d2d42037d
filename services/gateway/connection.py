"""uvicorn's WebSocket connection, with limits for a client that does not read.

Whatever is sent to such a client first fills the kernel's buffer, then the transport's; both are kept small, so that it
is noticed soon and costs little. A connection that has to end is aborted: closing would wait for what it never reads.
"""

import socket
from asyncio.transports import BaseTransport, Transport
from typing import Final, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

KERNEL_BUFFER_BYTES: Final = 32 * 1024
WRITE_BUFFER_BYTES: Final = 32 * 1024
ABORT: Final = "abort"
"""In the ASGI scope's state: cuts the connection at once."""


class PlayerConnection(WebSocketsSansIOProtocol):
    """One connection."""

    def connection_made(self, transport: BaseTransport) -> None:
        """Sets the buffers."""
        super().connection_made(transport)
        cast(Transport, transport).set_write_buffer_limits(high=WRITE_BUFFER_BYTES)
        raw: socket.socket = transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BUFFER_BYTES)

    def handle_ping(self) -> None:
        """Answers a ping, but not for one who reads no answers: they would pile up."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()

    def keepalive_timeout(self) -> None:
        """Ends the connection of one who answers no ping."""
        super().keepalive_timeout()
        self.transport.abort()

    async def run_asgi(self) -> None:
        """Gives the socket's code the means to cut the connection."""
        self.scope["state"][ABORT] = self.transport.abort
        await super().run_asgi()
