"""Channels to other services: every call has a deadline, carries the caller's tokens, and joins the trace.

Use them with the generated stubs. A call goes out in this service's own name; with ``metadata=forwarded()`` it goes out
in the name of the player whose RPC is being served, and this service's token says who passed it on. Only methods that
are named repeatable are tried again, by gRPC itself, when the other side is not there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from types import TracebackType
from typing import Any, Final, TypeVar

import grpc

from shared.kit.identity import ServiceCredentials
from shared.kit.rpc_context import AUTHORIZATION_KEY, TRACEPARENT_KEY, VIA_KEY, current_rpc
from shared.kit.status import AwayError, api_error
from shared.kit.tasks import is_being_cancelled, spawn

T = TypeVar("T")
Metadata = tuple[tuple[str, str], ...]

DEADLINE_MS: Final = 3_000
MOST_CHANNELS: Final = 64
CLOSE_GRACE_S: Final = 5.0
RETRY: Final = {
    "maxAttempts": 4,
    "initialBackoff": "0.05s",
    "maxBackoff": "1s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
OPTIONS: Final = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # A pod that comes back has another address: a caller that lost its last one asks for the name again, and not only
    # after half a minute.
    ("grpc.dns_min_time_between_resolutions_ms", 1_000),
    # Else a new channel would share an older one's connection, and its wait after one that failed.
    ("grpc.use_local_subchannel_pool", 1),
)


class Channels:
    """Channels by address, made when first asked for, 64 at most: the one that was used longest ago is closed.

    ``credentials`` are this service's own (None: a player's program, which brings its token with each call).
    ``repeatable``: full names (``package.Service/Method``) of methods that do no harm when called twice.
    """

    def __init__(
        self,
        credentials: ServiceCredentials | None,
        *,
        repeatable: Iterable[str] = (),
        deadline_ms: int = DEADLINE_MS,
        tls: grpc.ChannelCredentials | None = None,
    ) -> None:
        self._credentials = credentials
        self._deadline_s = deadline_ms / 1000
        self._tls = tls
        self._options = (*OPTIONS, ("grpc.service_config", _service_config(repeatable)))
        self._channels: dict[tuple[str, str], CallingChannel] = {}

    async def __aenter__(self) -> Channels:
        """A resource for :meth:`App.enter`."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closes all channels."""
        while self._channels:
            _, channel = self._channels.popitem()
            await channel.close()

    def to(self, address: str, service: str) -> grpc.aio.Channel:
        """The channel to ``service`` (``table``, ``lobby``, ...) at ``address``."""
        channel = self._channels.pop((address, service), None) or self._open(address, service)
        self._channels[address, service] = channel
        if len(self._channels) > MOST_CHANNELS:
            oldest = self._channels.pop(next(iter(self._channels)))
            spawn(oldest.close(CLOSE_GRACE_S), "close channel")
        return channel

    def renew(self, address: str, service: str) -> None:
        """Connect anew for the next call, rather than after the wait that follows a connection that failed."""
        gone = self._channels.pop((address, service), None)
        if gone is not None:
            spawn(gone.close(CLOSE_GRACE_S), "close channel")
            self._channels[address, service] = self._open(address, service)

    def _open(self, address: str, service: str) -> CallingChannel:
        if self._tls is None:
            channel = grpc.aio.insecure_channel(address, self._options)
        else:
            channel = grpc.aio.secure_channel(address, self._tls, self._options)
        credentials = self._credentials
        own_token = (lambda: credentials.token(service)) if credentials is not None else None
        return CallingChannel(channel, own_token, self._deadline_s)


class CallingChannel(grpc.aio.Channel):
    """A channel that gives each call what it must carry: a call deep, where gRPC's interceptors cost a task each."""

    def __init__(self, channel: grpc.aio.Channel, own_token: Callable[[], str] | None, deadline_s: float) -> None:
        self._channel = channel
        self._own_token = own_token
        self._deadline_s = deadline_s

    def unary_unary(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """See :class:`grpc.aio.Channel`; the call has the default deadline where it names none."""
        return self._calling(self._channel.unary_unary(method, *args, **kwargs), self._deadline_s)

    def stream_unary(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """See :class:`grpc.aio.Channel`."""
        return self._calling(self._channel.stream_unary(method, *args, **kwargs), None)

    def unary_stream(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """See :class:`grpc.aio.Channel`."""
        return self._calling(self._channel.unary_stream(method, *args, **kwargs), None)

    def stream_stream(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """See :class:`grpc.aio.Channel`."""
        return self._calling(self._channel.stream_stream(method, *args, **kwargs), None)

    def _calling(self, call: Any, deadline_s: float | None) -> Callable[..., Any]:
        def calling(*args: Any, timeout: float | None = deadline_s, metadata: Any = (), **kwargs: Any) -> Any:
            return call(*args, timeout=timeout, metadata=self._carried(metadata), **kwargs)

        return calling

    def _carried(self, given: Iterable[tuple[str, str]] | None) -> tuple[tuple[str, str], ...]:
        carried = tuple(given or ())
        if self._own_token is not None:
            if any(key == AUTHORIZATION_KEY for key, _ in carried):
                carried += ((VIA_KEY, self._own_token()),)
            else:
                carried += bearer(self._own_token())
        rpc = current_rpc.get()
        return carried if rpc is None else (*carried, (TRACEPARENT_KEY, rpc.traceparent()))

    async def __aenter__(self) -> CallingChannel:
        """See :class:`grpc.aio.Channel`."""
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _fault: BaseException | None, _at: TracebackType | None
    ) -> None:
        """See :class:`grpc.aio.Channel`."""
        await self.close()

    async def close(self, grace: float | None = None) -> None:
        """See :class:`grpc.aio.Channel`."""
        await self._channel.close(grace)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        """See :class:`grpc.aio.Channel`."""
        return self._channel.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """See :class:`grpc.aio.Channel`."""
        await self._channel.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        """See :class:`grpc.aio.Channel`."""
        await self._channel.channel_ready()


def bearer(token: str) -> Metadata:
    """The metadata of a call made with ``token``."""
    return ((AUTHORIZATION_KEY, f"Bearer {token}"),)


def forwarded() -> Metadata:
    """The metadata of a call made for the caller of the RPC being served, with its own token.

    Raises LookupError where there is no such RPC, or its caller showed no token.
    """
    rpc = current_rpc.get()
    if rpc is None or not rpc.token:
        raise LookupError("there is no caller's token to forward here")
    return bearer(rpc.token)


async def answer(call: Awaitable[T]) -> T:
    """What ``call`` gives. Raises the typed :class:`ApiError` that the other side raised, in place of gRPC's error.

    A server that stops cancels what it has not answered: that is :class:`AwayError`.
    """
    try:
        return await call
    except grpc.aio.AioRpcError as fault:
        raise api_error(fault) from None
    except asyncio.CancelledError:
        if is_being_cancelled():
            raise
        raise AwayError(AwayError.status.name, "the server has cancelled the call") from None


async def received(stream: Any) -> AsyncGenerator[Any]:
    """What a call's stream brings, to its end. Raises as :func:`answer` does."""
    while (message := await answer(stream.read())) is not grpc.aio.EOF:
        yield message


def _service_config(repeatable: Iterable[str]) -> str:
    names = [
        {"service": service, "method": method}
        for service, method in (name.removeprefix("/").rsplit("/", 1) for name in repeatable)
    ]
    config: dict[str, Any] = {"loadBalancingConfig": [{"round_robin": {}}]}
    if names:
        config["methodConfig"] = [{"name": names, "retryPolicy": RETRY}]
    return json.dumps(config)
