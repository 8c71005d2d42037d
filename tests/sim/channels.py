"""gRPC's channels over the network of the world, so that the generated stubs are used as they are."""

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import grpc

from shared.kit.identity import Principal, Role
from shared.kit.rpc_context import AUTHORIZATION_KEY
from shared.kit.status import ApiError, trailers
from tests.sim.loop import Process
from tests.sim.network import Caller, Network, Stream, read_token

Metadata = Iterable[tuple[str, str]]
Write = Callable[[Any], bytes]
Read = Callable[[bytes], Any]


class WorldChannels:
    """A process's channels, as `shared.kit.clients.Channels` has them."""

    def __init__(self, network: Network, process: Process, role: Role) -> None:
        self._network = network
        self._process = process
        self._own = Principal(role)

    def to(self, address: str, _audience: str) -> Any:
        """A channel to whoever serves there."""
        return WorldChannel(self._network, self._process, self._own, address)


class WorldChannel:
    """A channel, as far as the stubs use one."""

    def __init__(self, network: Network, process: Process, own: Principal, address: str) -> None:
        self._network = network
        self._process = process
        self._own = own
        self._address = address

    def unary_unary(
        self,
        path: str,
        request_serializer: Callable[[Any], bytes],
        response_deserializer: Callable[[bytes], Any],
        **_: Any,
    ) -> Any:
        """See `grpc.aio.Channel`."""
        method = path.rpartition("/")[2]

        async def call(request: Any, metadata: Metadata = ()) -> Any:
            caller = self._caller(metadata)
            try:
                answer = await self._network.call_raw(
                    self._process, self._address, method, request_serializer(request), caller
                )
            except ApiError as error:
                raise _as_grpc(error) from None
            return response_deserializer(answer)

        return call

    def unary_stream(
        self,
        path: str,
        request_serializer: Callable[[Any], bytes],
        response_deserializer: Callable[[bytes], Any] | None,
        **_: Any,
    ) -> Any:
        """See `grpc.aio.Channel`."""

        def call(request: Any, metadata: Metadata = ()) -> StreamCall:
            stream = self._open(path, metadata)
            stream.send(request_serializer(request))
            stream.send_no_more()
            return StreamCall(stream, response_deserializer)

        return call

    def stream_stream(
        self,
        path: str,
        request_serializer: Callable[[Any], bytes],
        response_deserializer: Callable[[bytes], Any],
        **_: Any,
    ) -> Any:
        """See `grpc.aio.Channel`."""

        def call(requests: AsyncIterator[Any], metadata: Metadata = ()) -> StreamCall:
            stream = self._open(path, metadata)

            async def send() -> None:
                async for request in requests:
                    stream.send(request_serializer(request))
                stream.send_no_more()

            self._process.start(send())
            return StreamCall(stream, response_deserializer)

        return call

    stream_unary = stream_stream

    def _open(self, path: str, metadata: Metadata) -> Stream:
        method = path.rpartition("/")[2]
        return self._network.open(self._process, self._address, method, self._caller(metadata))

    def _caller(self, metadata: Metadata) -> Caller:
        """Who is said to call: with a token of another's, this process passes that one's call on."""
        for key, value in metadata:
            if key == AUTHORIZATION_KEY:
                return Caller(read_token(value.removeprefix("Bearer ")), via=self._own)
        return Caller(self._own)


class StreamCall:
    """A call that streams, as far as it is used."""

    def __init__(self, stream: Stream, read: Read | None) -> None:
        self._stream = stream
        self._updates = stream.updates()
        self._read = read

    def __aiter__(self) -> "StreamCall":
        return self

    async def __anext__(self) -> Any:
        try:
            update = await anext(self._updates)
        except ApiError as error:
            raise _as_grpc(error) from None
        return update if self._read is None else self._read(update)

    async def read(self) -> Any:
        """See `grpc.aio.StreamStreamCall`."""
        try:
            return await anext(self)
        except StopAsyncIteration:
            return grpc.aio.EOF

    def cancel(self) -> None:
        """See `grpc.aio.Call`."""
        self._stream.let_go()


def _as_grpc(error: ApiError) -> grpc.aio.AioRpcError:
    """The error as a stub raises it."""
    return grpc.aio.AioRpcError(
        error.status, grpc.aio.Metadata(), grpc.aio.Metadata(*trailers(error)), details=error.message
    )
