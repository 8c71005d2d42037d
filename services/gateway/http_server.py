"""uvicorn inside the kit's app: on the same event loop, and ended by the app rather than by signals."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Generator
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from services.gateway.connection import PlayerConnection

BACKLOG: Final = 2_048
MAX_WIRE_BYTES: Final = 64 * 1024
"""A frame above the protocol's limit and up to this gets a coded answer, one above this a bare one."""
PING_S: Final = 10.0
"""A dead connection is found after two of these, and the player counts as away."""
GRACE_S: Final = 2


class HttpServer:
    """Serves an ASGI app. Its port is taken at once: the number is known, and a clash is an error of the start."""

    def __init__(self, site: ASGIApp, listen: str, *, trusted_proxies: str = "") -> None:
        """Raises OSError where ``listen`` (``host:port``, port 0 for any) cannot be had."""
        self._socket = _listening(listen)
        host, port = self._socket.getsockname()[:2]
        self.address = f"{'127.0.0.1' if host == '0.0.0.0' else '[::1]' if host == '::' else host}:{port}"
        self._ended = asyncio.Event()
        self._server = _Server(
            uvicorn.Config(
                site,
                loop="none",
                http="h11",
                ws=PlayerConnection,
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level=logging.WARNING,
                access_log=False,
                server_header=False,
                proxy_headers=bool(trusted_proxies),
                forwarded_allow_ips=trusted_proxies,
                # Compressed, a frame's length would tell whoever sees the line which card is in it.
                ws_per_message_deflate=False,
                ws_max_size=MAX_WIRE_BYTES,
                ws_ping_interval=PING_S,
                ws_ping_timeout=PING_S,
                backlog=BACKLOG,
                timeout_graceful_shutdown=GRACE_S,
            )
        )

    async def __aenter__(self) -> HttpServer:
        """A resource for :meth:`App.enter`."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Gives the port back."""
        self._socket.close()

    async def run(self) -> None:
        """Serves until told to stop."""
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            self._ended.set()

    async def serves(self) -> bool:
        """Whether it takes connections; waits for the first moment."""
        await self._server.takes_connections.wait()
        return not self._ended.is_set()

    async def stop(self) -> None:
        """Takes no more connections and ends those that are left."""
        self._server.should_exit = True
        if self._server.started:
            await self._ended.wait()


class _Server(uvicorn.Server):
    """Leaves signals to the app, and says when it has started."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.takes_connections = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.takes_connections.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def _listening(listen: str) -> socket.socket:
    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    if not port.isdecimal():
        raise OSError(f"cannot listen on {listen}: it is no host:port")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, int(port)), family=family, backlog=BACKLOG)
    except OSError as fault:
        raise OSError(f"cannot listen on {listen}") from fault
