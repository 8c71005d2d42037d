"""What actions are compared with: a bare ``grpc.aio`` server on the same event loop (uvloop), in a process of its own.

Its echo answers what it is sent. The fed echo also sends that down four streams before it answers, as an action is told
to four who watch: what gRPC alone costs of an action where every watch is a stream of its own.
"""

import asyncio
import time
import uuid
from typing import Any, Final

import grpc
from banakil.table.v1 import table_pb2 as wire

STREAMS: Final = 4
KEY_BYTES: Final = 2

SERVER: Final = """
import asyncio, grpc, uvloop
feeds = {}
async def echo(request, context):
    for feed in feeds.get(request[:2], ()):
        feed.put_nowait(request)
    return request
async def watch(request, context):
    feed = asyncio.Queue()
    feeds.setdefault(request, []).append(feed)
    yield request
    while True:
        yield await feed.get()
async def main():
    server = grpc.aio.server()
    handlers = {
        "Echo": grpc.unary_unary_rpc_method_handler(echo, None, None),
        "Watch": grpc.unary_stream_rpc_method_handler(watch, None, None),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print("ready 127.0.0.1:%d" % port, flush=True)
    await server.wait_for_termination()
uvloop.run(main())
"""


async def echoed(address: str, calls: int, in_flight: int, took_s: list[float]) -> None:
    """Bare calls of an action's size, so many in flight."""
    async with grpc.aio.insecure_channel(address) as channel:
        await _call(channel, [_request()] * in_flight, calls, took_s)


class FedEcho:
    """Calls with four streams each, which are open already when they are made."""

    def __init__(self, channel: grpc.aio.Channel, in_flight: int) -> None:
        self._channel = channel
        self._requests = [number.to_bytes(KEY_BYTES, "big") + _request() for number in range(in_flight)]
        self._reading: list[asyncio.Task[None]] = []
        self._unread = 0
        self._all_read = asyncio.Event()

    async def open(self) -> None:
        """Returns once all streams are."""
        watch: Any = self._channel.unary_stream("/bench.Echo/Watch")
        streams = [watch(request[:KEY_BYTES]) for request in self._requests for _ in range(STREAMS)]
        for stream in streams:
            await stream.read()
        self._reading = [asyncio.create_task(self._drain(stream)) for stream in streams]

    async def call(self, calls: int, took_s: list[float]) -> None:
        """Returns once each call is answered, and told to all streams."""
        self._unread = calls // len(self._requests) * len(self._requests) * STREAMS
        self._all_read.clear()
        await _call(self._channel, self._requests, calls, took_s)
        await self._all_read.wait()

    def close(self) -> None:
        """End the streams."""
        for task in self._reading:
            task.cancel()

    async def _drain(self, stream: Any) -> None:
        while True:
            await stream.read()
            self._unread -= 1
            if not self._unread:
                self._all_read.set()


async def _call(channel: grpc.aio.Channel, requests: list[bytes], calls: int, took_s: list[float]) -> None:
    call: Any = channel.unary_unary("/bench.Echo/Echo")

    async def worker(request: bytes) -> None:
        for _ in range(calls // len(requests)):
            began = time.perf_counter()
            await call(request)
            took_s.append(time.perf_counter() - began)

    await asyncio.gather(*map(worker, requests))


def _request() -> bytes:
    request = wire.ActRequest(table_id=str(uuid.uuid4()), command_id=str(uuid.uuid4()), deal_no=1, turn_no=20)
    request.action.discard.card = "7H"
    return request.SerializeToString()
