"""A relay's stream as gRPC ends it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
from banakil.table.v1.table_pb2 import RelayRequest
from structlog.testing import capture_logs

from services.table.relay import Relay


class Aborted:
    """As gRPC answers who reads on after a stream was refused, as all are that are open when a process is stopped."""

    def __aiter__(self) -> "Aborted":
        return self

    async def __anext__(self) -> RelayRequest:
        raise grpc.aio.AbortError


async def test_a_stream_that_this_process_has_ended_is_no_fault() -> None:
    unused: Any = None
    with capture_logs() as logs:
        assert [answer async for answer in Relay(unused, unused, unused).run(Aborted())] == []
        await asyncio.sleep(0)  # whoever reports what became of its task
    assert logs == []


async def told(*requests: RelayRequest) -> list[list[int]]:
    """The keys of each answer, where the first two and the last of four Watches are told the same."""
    unused: Any = None
    relay = Relay(unused, unused, unused)
    same, other = b"the same", b"another"

    async def asked() -> AsyncIterator[RelayRequest]:
        for request in requests:
            yield request
        for key, update in enumerate((same, same, other, same), start=1):
            relay.update(key, update)

    answers = [answer async for batch in relay.run(asked()) for answer in batch.answers]
    assert [answer.update for answer in answers if 3 in (answer.key, *answer.also_keys)] == [other]
    return [[answer.key, *answer.also_keys] for answer in answers]


async def test_watches_that_are_told_the_same_share_an_answer_where_the_caller_reads_such_ones() -> None:
    assert await told(RelayRequest(reads_also_keys=True)) == [[1, 2], [3], [4]]
    assert await told(RelayRequest()) == [[1], [2], [3], [4]]
