"""ShuffleService: reads, does, answers."""

# ruff: noqa: N802  # methods bear the names of their RPCs

from typing import Any, TypeVar

import grpc
from banakil.shuffle.v1 import shuffle_pb2 as wire
from banakil.shuffle.v1 import shuffle_pb2_grpc

from services.shuffle.answers import write_audit
from services.shuffle.auditing import audit
from services.shuffle.calls import BEGIN, CLOSE, CONTRIBUTE, DECK, RESHUFFLE, REVEAL, Call
from services.shuffle.ceremonies import Ceremonies
from services.shuffle.limiting import PublicCalls
from services.shuffle.requests import read_match_id
from services.shuffle.store import Store

_Response = TypeVar("_Response")
Context = grpc.aio.ServicerContext[Any, Any]


class ShuffleServicer(shuffle_pb2_grpc.ShuffleServiceServicer):
    """See shuffle.proto."""

    def __init__(self, ceremonies: Ceremonies, store: Store, calls: PublicCalls) -> None:
        self._ceremonies = ceremonies
        self._store = store
        self._calls = calls

    async def Begin(self, request: wire.BeginRequest, _context: Context) -> wire.BeginResponse:
        return await self._call(BEGIN, request)

    async def Close(self, request: wire.CloseRequest, _context: Context) -> wire.CloseResponse:
        return await self._call(CLOSE, request)

    async def Contribute(self, request: wire.ContributeRequest, _context: Context) -> wire.ContributeResponse:
        return await self._call(CONTRIBUTE, request)

    async def Deck(self, request: wire.DeckRequest, _context: Context) -> wire.DeckResponse:
        return await self._call(DECK, request)

    async def Reshuffle(self, request: wire.ReshuffleRequest, _context: Context) -> wire.ReshuffleResponse:
        return await self._call(RESHUFFLE, request)

    async def Reveal(self, request: wire.RevealRequest, _context: Context) -> wire.RevealResponse:
        return await self._call(REVEAL, request)

    async def Audit(self, request: wire.AuditRequest, context: Context) -> wire.AuditResponse:
        self._calls.admit(context)
        return write_audit(await audit(self._store, read_match_id(request.match_id)))

    async def _call(self, call: Call[_Response], request: Any) -> _Response:
        return call.write(await call.start(self._ceremonies, request))
