"""A relay's stream as gRPC ends it."""

import asyncio
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
