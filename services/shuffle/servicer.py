"""ShuffleService: reads, does, answers."""

# ruff: noqa: N802  # methods bear the names of their RPCs

from typing import Any

import grpc
from banakil.shuffle.v1 import shuffle_pb2, shuffle_pb2_grpc

from services.shuffle.answers import write_audit, write_begun, write_closed, write_opened, write_revealed
from services.shuffle.auditing import audit
from services.shuffle.ceremonies import Ceremonies
from services.shuffle.limiting import PublicCalls
from services.shuffle.requests import read_closing, read_contributions, read_match_id, read_owner, read_pile
from services.shuffle.store import Store
from shared.codec.fair import read_context

Context = grpc.aio.ServicerContext[Any, Any]


class ShuffleServicer(shuffle_pb2_grpc.ShuffleServiceServicer):
    """See shuffle.proto."""

    def __init__(self, ceremonies: Ceremonies, store: Store, calls: PublicCalls) -> None:
        self._ceremonies = ceremonies
        self._store = store
        self._calls = calls

    async def Begin(self, request: shuffle_pb2.BeginRequest, _context: Context) -> shuffle_pb2.BeginResponse:
        return write_begun(await self._ceremonies.begin(read_owner(request.owner), read_context(request.context)))

    async def Close(self, request: shuffle_pb2.CloseRequest, _context: Context) -> shuffle_pb2.CloseResponse:
        owner, ctx = read_owner(request.owner), read_context(request.context)
        return write_closed(await self._ceremonies.close(owner, ctx, read_closing(request)))

    async def Contribute(
        self, request: shuffle_pb2.ContributeRequest, _context: Context
    ) -> shuffle_pb2.ContributeResponse:
        owner, ctx, came = read_owner(request.owner), read_context(request.context), read_contributions(request)
        return write_opened(await self._ceremonies.contribute(owner, ctx, came, last=request.last))

    async def Deck(self, request: shuffle_pb2.DeckRequest, _context: Context) -> shuffle_pb2.DeckResponse:
        deck = await self._ceremonies.deck(read_owner(request.owner), read_context(request.context))
        return shuffle_pb2.DeckResponse(deck=deck)

    async def Reshuffle(
        self, request: shuffle_pb2.ReshuffleRequest, _context: Context
    ) -> shuffle_pb2.ReshuffleResponse:
        owner, ctx, pile = read_owner(request.owner), read_context(request.context), read_pile(request.pile)
        return shuffle_pb2.ReshuffleResponse(stock=await self._ceremonies.reshuffle(owner, ctx, request.number, pile))

    async def Reveal(self, request: shuffle_pb2.RevealRequest, _context: Context) -> shuffle_pb2.RevealResponse:
        owner, ctx = read_owner(request.owner), read_context(request.context)
        return write_revealed(await self._ceremonies.reveal(owner, ctx, match_over=request.match_over))

    async def Audit(self, request: shuffle_pb2.AuditRequest, context: Context) -> shuffle_pb2.AuditResponse:
        self._calls.admit(context)
        return write_audit(await audit(self._store, read_match_id(request.match_id)))
