"""Streams of batches, and refusals as messages."""

import asyncio

import pytest
from banakil.shuffle.v1 import relay_pb2
from banakil.table.v1 import table_pb2

from shared.kit.relaying import Outgoing, refusal_fields, refused_with
from shared.kit.status import ApiError, AwayError, FullError, NotNowError


async def sent(outgoing: Outgoing[int]) -> list[list[int]]:
    return [batch async for batch in outgoing.batches()]


async def test_what_gathers_goes_in_batches_in_order_and_the_stream_ends_once_all_is_sent() -> None:
    outgoing: Outgoing[int] = Outgoing(3, 10)
    for number in range(7):
        outgoing.put(number)
    outgoing.finish()
    outgoing.put(7)  # an answer that comes just as the last call ends
    assert await sent(outgoing) == [[0, 1, 2], [3, 4, 5], [6, 7]]


async def test_who_waits_is_woken_by_what_comes_and_by_the_end() -> None:
    outgoing: Outgoing[int] = Outgoing(3, 10)
    reading = asyncio.ensure_future(sent(outgoing))
    await asyncio.sleep(0)
    outgoing.put(1)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    outgoing.put(2)
    outgoing.finish()
    assert await reading == [[1], [2]]


async def test_a_stopped_stream_sends_nothing_of_what_waits_and_keeps_nothing_more() -> None:
    outgoing: Outgoing[int] = Outgoing(3, 10)
    outgoing.put(1)
    outgoing.stop()
    outgoing.put(2)
    assert len(outgoing) == 0
    assert await sent(outgoing) == []


async def test_a_reader_that_does_not_read_costs_no_more_than_the_limit_and_is_told_so() -> None:
    outgoing: Outgoing[int] = Outgoing(3, 10)
    outgoing.put(0)
    batches = outgoing.batches()
    assert await anext(batches) == [0]
    most = 0
    for number in range(1_000):  # the reader takes nothing meanwhile
        outgoing.put(number)
        most = max(most, len(outgoing))
    assert most == 10
    assert len(outgoing) == 0
    with pytest.raises(FullError):
        await anext(batches)


@pytest.mark.parametrize("message", [table_pb2.RelayAnswer.Refusal, relay_pb2.RelayAnswer.Refusal])
@pytest.mark.parametrize("error", [AwayError("DRAINING", "later", retry_after_ms=0), NotNowError("DEAL_OVER")])
def test_an_error_comes_out_of_a_message_as_it_went_in(message: type, error: ApiError) -> None:
    read = refused_with(message(**refusal_fields(error)))
    assert (read.code, read.status, read.message, read.retry_after_ms) == (
        error.code,
        error.status,
        error.message,
        error.retry_after_ms,
    )
