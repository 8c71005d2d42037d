"""The line to a shuffle service that says nothing, or goes away in the midst of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from banakil.shuffle.v1 import relay_pb2
from banakil.shuffle.v1 import shuffle_pb2 as wire
from banakil.shuffle.v1.relay_pb2_grpc import (
    RelayServiceServicer,
    RelayServiceStub,
    add_RelayServiceServicer_to_server,
)

from services.table.shuffle_line import ShuffleLine
from shared.kit.clients import DEADLINE_MS
from shared.kit.clock import VirtualClock
from shared.kit.status import AwayError


class Silent(RelayServiceServicer):
    """Answers those calls alone whose item is marked by its epoch, and ends a stream when told to."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[int] = asyncio.Queue()
        self.streams = 0

    async def Relay(self, request_iterator: Any, context: Any) -> AsyncIterator[relay_pb2.RelayResponse]:  # noqa: N802
        self.streams += 1
        async for request in request_iterator:
            for item in request.items:
                self.heard.put_nowait(item.key)
                if item.deck.owner.epoch == 1:
                    answer = relay_pb2.RelayAnswer(key=item.key, deck=wire.DeckResponse(deck=b"deck"))
                    yield relay_pb2.RelayResponse(answers=[answer])
                elif item.deck.owner.epoch == 2:
                    await context.abort(grpc.StatusCode.UNAVAILABLE)


@asynccontextmanager
async def line_to(servicer: Silent, clock: VirtualClock) -> AsyncIterator[ShuffleLine]:
    server = grpc.aio.server()
    add_RelayServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with (
            grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
            ShuffleLine(RelayServiceStub(channel), clock) as line,
        ):
            yield line
    finally:
        await server.stop(None)


def item(epoch: int) -> relay_pb2.RelayItem:
    return relay_pb2.RelayItem(deck=wire.DeckRequest(owner=wire.TableOwner(epoch=epoch)))


async def test_what_is_not_answered_in_time_is_given_up_and_the_rest_goes_on() -> None:
    servicer, clock = Silent(), VirtualClock()
    async with line_to(servicer, clock) as line:
        unanswered = asyncio.ensure_future(line.ask(item(0)))
        await servicer.heard.get()
        clock.advance(DEADLINE_MS - 1)
        later = asyncio.ensure_future(line.ask(item(0)))
        await servicer.heard.get()
        assert not unanswered.done()
        clock.advance(1)
        with pytest.raises(AwayError):
            await unanswered
        assert not later.done()
        assert (await line.ask(item(1))).deck == b"deck"
        clock.advance(DEADLINE_MS)
        with pytest.raises(AwayError):
            await later
        assert servicer.streams == 1


async def test_a_stream_that_breaks_ends_what_was_asked_and_the_next_has_another() -> None:
    servicer, clock = Silent(), VirtualClock()
    async with line_to(servicer, clock) as line:
        waiting = asyncio.ensure_future(line.ask(item(0)))
        await servicer.heard.get()
        with pytest.raises(AwayError):
            await line.ask(item(2))
        with pytest.raises(AwayError):
            await waiting
        assert (await line.ask(item(1))).deck == b"deck"
        assert servicer.streams == 2
    with pytest.raises(AwayError):
        await line.ask(item(1))
